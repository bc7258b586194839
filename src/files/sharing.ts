import { createHash } from "node:crypto";
import type { AdapterLog, Clock } from "../contract/host.ts";
import type { FileId } from "../contract/ids.ts";
import { describe } from "../lib/describe.ts";
import { isObject, readJson } from "../lib/shapes.ts";
import { counted, unlessAborted } from "./chunks.ts";
import type { ContentStore } from "./content-store.ts";
import { readSlice } from "./disk.ts";
import type { FileEntry } from "./entries.ts";
import type { Eviction } from "./eviction.ts";
import { readFileId } from "./file-id.ts";
import { type FileRefusal, GONE, notNow, STOPPED, tooLarge } from "./refusal.ts";
import type { SharedContents } from "./shared.ts";
import { FLIGHT_LIMITS, SingleFlight, type Watch } from "./single-flight.ts";

export interface SharingOptions {
  readonly shared: SharedContents;
  readonly content: ContentStore;
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** Bytes of one file. */
  readonly limit: number;
  /** What was not used for so long may go, and how much the servers are to hold. */
  readonly keepMs: number;
  readonly bytesMax: number;
  /** Decides what goes when space runs out there. */
  readonly eviction: Eviction;
}

/** A content that the servers have, and what is known of it. */
interface SharedSource {
  readonly ok: true;
  readonly sha256: string;
  /** Null where only the content is known. */
  readonly name: string | null;
  readonly mime: string | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

type Known = Pick<FileEntry, "sha256" | "name" | "claimed">;

/** Of a content that is put: in all, and without a chunk that is stored. Posts are refused as late. */
const PUT = { totalMs: 2 * 60_000, stallMs: 12_000 };
/** So long a message waits at most until its files are on the servers, … */
const SOON_MS = 3000;
/** … and so long none waits after one that waited in vain. */
const AWAY_MS = 30_000;
/** One look-up: a file that the servers do not name in time is fetched from elsewhere. */
const LOOK_MS = 2000;
/** So long it is not asked again whether the servers have something; and of so many contents and ids. */
const KNOWN_MS = 3_600_000;
const KNOWN_MAX = 20_000;
/** The servers know the last use late, by less than this. */
const USE_SLACK_MS = 24 * 3_600_000;
const COMPLAINT_MS = 600_000;
/** What the servers need beside a content, at most, in bytes. */
const ROOM_BESIDE = 1024 * 1024;

/**
 * Contents that other machines are to have as well: puts those that are here on the servers, each once at a time, and
 * opens those that are there.
 */
export class Sharing {
  readonly #options: SharingOptions;
  readonly #puts: SingleFlight<{ readonly sha256: string }>;
  /** What the servers have, and since when that is known, `Clock.monoMs`. The longest known first. */
  readonly #known = new Map<string, number>();
  readonly #closing = new AbortController();
  #awayUntilMs = -Infinity;
  #complainedMs = -Infinity;
  /** About what the servers hold, once that was looked up. */
  #bytes = 0;
  #sweeping: Promise<void> | null = null;
  /** One sweep after the other. */
  #lastSweep: Promise<void> = Promise.resolve();

  constructor(options: SharingOptions) {
    this.#options = options;
    this.#puts = new SingleFlight(options.clock, { ...FLIGHT_LIMITS, ...PUT });
  }

  /** Null once most of the servers have the content, which is here. */
  async share(sha256: string): Promise<FileRefusal | null> {
    const nothing = (): void => undefined;
    const flight = { key: sha256, group: sha256, patienceMs: Infinity, silent: nothing, ended: nothing };
    const put = await this.#puts.ask(flight, this.#closing.signal, async (watch) => await this.#put(sha256, watch));
    if (!("ok" in put)) return null;
    return put.why.code === "timeout" ? notNow("timeout", `${SERVERS} do not take it in time`) : put;
  }

  /**
   * The same, and what is known of the file, for as long as the message that has it can wait: it never fails because of
   * the servers. What takes longer goes on. Never rejects.
   */
  async soon(id: FileId, entry: Known, waitMs: number): Promise<void> {
    const isKnown = this.#isKnown(entry.sha256) && (isStored(id) || this.#isKnown(noteKey(id, entry)));
    if (isKnown) return;
    const sharing = this.#shareAll(id, entry);
    const ms = this.#isQuiet() ? 0 : Math.min(SOON_MS, waitMs);
    if (ms <= 0) return;
    const late = Promise.withResolvers<"late">();
    const cancel = this.#options.clock.after(ms, () => late.resolve("late"));
    const ended = await Promise.race([sharing, late.promise]);
    cancel();
    if (ended === "late") this.#isAway("they take too long");
  }

  /** The content of a file; `sha256` null: the one that a note names. */
  async source(id: FileId, sha256: string | null, signal: AbortSignal): Promise<SharedSource | FileRefusal> {
    const { shared, limit } = this.#options;
    try {
      // What can be fetched from elsewhere does not wait for servers that do not answer.
      if (sha256 === null && this.#isQuiet()) return GONE;
      const note = sha256 === null ? await this.#look(signal, async () => await shared.noted(hashOf(id))) : null;
      const wanted = sha256 ?? note?.sha256;
      if (wanted === undefined) return GONE;
      const found = await this.#look(signal, async () => await shared.get(wanted, signal));
      if (found?.sha256 !== wanted) return GONE;
      if (found.bytes > limit) return tooLarge(limit);
      const facts = readJson(note?.facts ?? "");
      const known = isFacts(facts) ? facts : { name: null, claimed: null };
      return { ok: true, sha256: found.sha256, name: known.name, mime: known.claimed, chunks: found.chunks };
    } catch (error) {
      if (signal.aborted) return STOPPED;
      this.#awayUntilMs = this.#options.clock.monoMs() + AWAY_MS;
      return away(error);
    }
  }

  /** The whole SHA-256 of the content that begins so; null: the servers have none. */
  async find(beginning: string): Promise<string | FileRefusal | null> {
    const { signal } = this.#closing;
    try {
      const found = await this.#look(signal, async () => await this.#options.shared.get(beginning, signal));
      return found?.sha256 ?? null;
    } catch (error) {
      return away(error);
    }
  }

  /** Removes from the servers what is not used any more; one at a time. Never rejects. */
  async sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepInTurn(0).finally(() => {
      this.#sweeping = null;
    });
    await this.#sweeping;
  }

  uploaded(owner: string, bytes: number): void {
    this.#options.eviction.uploaded(owner, bytes);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#puts.close();
  }

  async #shareAll(id: FileId, entry: Known): Promise<void> {
    const { sha256, name, claimed } = entry;
    const refusal = this.#isKnown(sha256) ? null : await this.share(sha256);
    if (refusal !== null) return this.#isAway(refusal.why.message);
    // Such an id says by itself which content it is.
    if (isStored(id) || this.#isKnown(noteKey(id, entry))) return;
    try {
      const note = { sha256, facts: JSON.stringify({ name, claimed }) };
      const { signal } = this.#closing;
      await this.#withRoom(0, async () => await this.#options.shared.note(hashOf(id), note, signal));
      this.#know(noteKey(id, entry));
    } catch (error) {
      this.#isAway(describe(error));
    }
  }

  async #put(sha256: string, watch: Watch): Promise<{ readonly sha256: string } | FileRefusal> {
    const { shared, content } = this.#options;
    const { signal } = watch;
    try {
      // Servers that do not say so get it again: each of its parts is tried until they have it.
      const isThere = await this.#look(signal, async () => await shared.use(sha256)).catch(() => false);
      if (!isThere) {
        const bytes = await content.use(sha256);
        if (bytes === null) return GONE;
        await this.#withRoom(bytes, async () => {
          const chunks = counted(readSlice(content.path(sha256), 0, bytes - 1), watch);
          signal.throwIfAborted();
          return await unlessAborted(shared.put(sha256, chunks, signal), signal);
        });
        this.#added(bytes);
      }
      this.#know(sha256);
      return { sha256 };
    } catch (error) {
      return signal.aborted ? STOPPED : away(error);
    }
  }

  /** Puts something; where the servers are full, after a sweep has made room. Rejects when that is not enough. */
  async #withRoom(bytes: number, put: () => Promise<boolean>): Promise<void> {
    if (await put()) return;
    await this.#sweepInTurn(bytes + ROOM_BESIDE);
    if (!(await put())) throw new Error("they have no room for it");
  }

  async #sweepInTurn(room: number): Promise<void> {
    this.#lastSweep = this.#lastSweep.then(async () => await this.#sweep(room));
    await this.#lastSweep;
  }

  async #sweep(room: number): Promise<void> {
    const { shared, keepMs, bytesMax, eviction } = this.#options;
    const { signal } = this.#closing;
    try {
      signal.throwIfAborted();
      const ranking = async (): Promise<(sha256: string) => number> => await eviction.ranking();
      const limits = { keepMs: keepMs + USE_SLACK_MS, bytesMax, room, ranking };
      const { bytes, removed } = await unlessAborted(shared.sweep(limits, signal), signal);
      this.#bytes = bytes;
      if (removed > 0) this.#known.clear();
    } catch (error) {
      if (!signal.aborted) this.#complain(describe(error), "the files on the servers cannot be cleaned up");
    }
  }

  #added(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#options.bytesMax) void this.sweep();
  }

  async #look<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const late = Promise.withResolvers<never>();
    const cancel = this.#options.clock.after(LOOK_MS, () => late.reject(new Error("they do not answer")));
    return await Promise.race([unlessAborted(ask(), signal), late.promise]).finally(cancel);
  }

  #isQuiet(): boolean {
    return this.#options.clock.monoMs() < this.#awayUntilMs;
  }

  #isKnown(key: string): boolean {
    const sinceMs = this.#known.get(key);
    return sinceMs !== undefined && this.#options.clock.monoMs() - sinceMs < KNOWN_MS;
  }

  #know(key: string): void {
    this.#known.delete(key);
    this.#known.set(key, this.#options.clock.monoMs());
    if (this.#known.size > KNOWN_MAX) this.#known.delete(this.#known.keys().next().value ?? key);
  }

  #isAway(why: string): void {
    if (this.#closing.signal.aborted) return;
    this.#awayUntilMs = this.#options.clock.monoMs() + AWAY_MS;
    this.#complain(why, "a file is on this machine alone: another that takes over has to fetch it again");
  }

  #complain(why: string, what: string): void {
    const nowMs = this.#options.clock.monoMs();
    if (nowMs - this.#complainedMs < COMPLAINT_MS) return;
    this.#complainedMs = nowMs;
    this.#options.log.warn({ why }, what);
  }
}

const SERVERS = "the servers that keep the files of all machines";

const away = (error: unknown): FileRefusal =>
  notNow("network", `${SERVERS} cannot be reached, or refuse (${describe(error)})`);

const hashOf = (id: FileId): string => createHash("sha256").update(id).digest("hex");

const isStored = (id: FileId): boolean => readFileId(id).is === "stored";

const noteKey = (id: FileId, { sha256 }: Known): string => `${hashOf(id)} ${sha256}`;

const isFacts = (value: unknown): value is Omit<Known, "sha256"> =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  (value["claimed"] === null || typeof value["claimed"] === "string");
