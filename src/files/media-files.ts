import type { FileId } from "../contract/ids.ts";
import type { OpenedFile } from "../contract/session.ts";
import { counted, streamOf } from "./chunks.ts";
import type { ContentStore, WrittenContent } from "./content-store.ts";
import { readHead, readSlice } from "./disk.ts";
import type { Entries, FileEntry } from "./entries.ts";
import { Eviction } from "./eviction.ts";
import { Failures } from "./failures.ts";
import type { Fetched } from "./fetch-url.ts";
import { fileId, type FileOrigin, readFileId } from "./file-id.ts";
import type { Away, FileStore, Published, ReadyFile, TakenFile, WantedFile } from "./files.ts";
import { FLIGHT_LIMITS, SingleFlight, type Watch } from "./single-flight.ts";
import { Linker } from "./linker.ts";
import { HEAD_BYTES, mediaType, sniff, withEnding } from "./media-type.ts";
import { cleanName, folderName } from "./names.ts";
import { type FilesOptions, keepMsOf } from "./options.ts";
import { codeOf, notNow, type FileRefusal, GONE, refused, STOPPED, tooLarge } from "./refusal.ts";
import type { Sharing } from "./sharing.ts";
import { openSource } from "./sources.ts";
import { CONTENTS_MAX, roomOf, sweepStore } from "./sweep.ts";

interface Parts {
  readonly folder: string;
  readonly content: ContentStore;
  readonly entries: Entries;
  /** Null: there is no media endpoint. */
  readonly secret: Uint8Array | null;
  /** Null: what is here is this machine's alone. */
  readonly sharing: Sharing | null;
}

/** `name`: as its sender named it first, if that is known; `sha256`: what it has to be. */
type Source = Fetched & { readonly name?: string | null; readonly sha256?: string };

const FIRST_SWEEP_MS = 5_000;
const SWEEP_MS = 3_600_000;
/**
 * How long anybody waits for a file that a message needs, counted from the first who did: less than messages are held
 * up, so that these know why.
 */
const PATIENCE_MS = 9_000;
/** How long who follows a link waits for what has to be fetched first, less than proxies do; the fetch continues. */
const FOLLOW_MS = 50_000;
/** Names of what nobody named. */
const TEXT_NAME = "message.txt";

/**
 * `Files` on disk. A file id leads to an entry (which content, what it is), an entry to a content; both may be gone at
 * any time, and are made again by fetching.
 */
export class MediaFiles implements FileStore {
  readonly #options: FilesOptions;
  readonly #parts: Parts;
  readonly #singleFlight: SingleFlight<FileEntry>;
  readonly #failures: Failures;
  readonly #linker: Linker;
  readonly #limit: number;
  readonly #eviction: Eviction;
  /** About what the store holds. */
  #bytes = 0;
  #count = 0;
  #sweeping: Promise<void> | null = null;
  #cancelSweep: () => void;
  readonly #closing = new AbortController();

  constructor(options: FilesOptions, parts: Parts) {
    const { clock, media, test = {} } = options;
    this.#options = options;
    this.#parts = parts;
    this.#singleFlight = new SingleFlight(clock, { ...FLIGHT_LIMITS, ...test.singleFlight });
    this.#failures = new Failures(() => clock.monoMs());
    const find = async (beginning: string): Promise<string | FileRefusal | null> => await this.#find(beginning);
    this.#linker = new Linker({ media, clock, log: options.log, ...parts, find });
    this.#eviction = new Eviction(options.uploads);
    this.#limit = Math.min(media.downloadSize, media.storeBytes);
    this.#cancelSweep = clock.after(FIRST_SWEEP_MS, () => this.#sweepAndAgain());
  }

  async ready(wanted: WantedFile, signal: AbortSignal): Promise<ReadyFile> {
    try {
      const had = await this.#had(wanted, PATIENCE_MS, signal);
      if ("ok" in had) return readFileId(wanted.id).is === "url" ? { ...had, holds: true } : had;
      const { entry, mime } = had;
      const { sha256, bytes } = entry;
      const link = await this.#linker.link(wanted.id, entry, wanted.name, mime);
      return { ok: true, bytes, mime, sha256, link, name: await withEnding(wanted.name, mime) };
    } catch (error) {
      return this.#unexpected(error);
    }
  }

  async open(id: FileId, signal: AbortSignal): Promise<OpenedFile> {
    try {
      const known = await this.#parts.entries.get(id);
      const { name, claimed } = known ?? { name: "", claimed: null };
      const entry = await this.#entry({ id, name, mime: claimed, bytes: null }, Infinity, signal);
      if ("ok" in entry) return { ok: false, why: entry.why };
      const mime = await mediaType({ sniffed: entry.sniffed, name, claimed });
      const stream = streamOf(readSlice(this.#parts.content.path(entry.sha256), 0, entry.bytes - 1), signal);
      return { ok: true, bytes: entry.bytes, mime, stream };
    } catch (error) {
      return { ok: false, why: this.#unexpected(error).why };
    }
  }

  async keep(content: Uint8Array, name: string): Promise<string | Away | null> {
    if (this.#closed || this.#forbids(name)) return null;
    try {
      const kept = await this.#store([content], this.#limit);
      if (kept.ok) return (await this.#shared(kept.sha256)) ?? kept.sha256;
      this.#options.log.warn({ why: kept.why.message, bytes: content.length }, "a file of a message cannot be stored");
    } catch (error) {
      this.#unexpected(error);
    }
    return null;
  }

  async take(
    chunks: AsyncIterable<Uint8Array>,
    { name, mime: claimed, owner }: Parameters<FileStore["take"]>[1],
  ): Promise<TakenFile> {
    if (this.#closed) return STOPPED;
    if (this.#forbids(name)) return FORBIDDEN;
    const written = await this.#store(chunks, this.#limit, owner);
    if (!written.ok) return written;
    const { sha256, bytes, head } = written;
    const mime = await mediaType({ sniffed: await sniff(head), name, claimed });
    if (this.#forbids(await withEnding(cleanName(name), mime))) return FORBIDDEN;
    const away = await this.#shared(sha256);
    return away ?? { ok: true, sha256, bytes, mime };
  }

  async held(sha256: string, name: string): Promise<Published> {
    try {
      const missing = await this.#missing(sha256, name);
      if (missing !== null) return missing.retry ? { is: "missing", retry: true } : { is: "gone" };
      await this.#parts.sharing?.soon(fileId({ is: "stored", sha256 }), { sha256, name, claimed: null }, Infinity);
      return await this.#linker.describe(sha256, cleanName(name), Infinity);
    } catch (error) {
      this.#unexpected(error);
      return { is: "missing", retry: true };
    }
  }

  async publish(text: string): Promise<string | null> {
    if (this.#closed || !this.#linker.possible) return null;
    try {
      const kept = await this.#store([Buffer.from(text)], this.#options.media.storeBytes);
      if (!kept.ok) return null;
      const id = fileId({ is: "stored", sha256: kept.sha256 });
      const entry = await this.#here({ id, name: TEXT_NAME, mime: null });
      if (entry !== null) await this.#parts.sharing?.soon(id, entry, Infinity);
      return entry === null ? null : await this.#linker.link(id, entry, TEXT_NAME, "text/plain");
    } catch (error) {
      this.#unexpected(error);
      return null;
    }
  }

  async published(token: string, name: string): Promise<Published> {
    try {
      const link = this.#linker.unsealed(token, name);
      if (link === null) return await this.#linker.published(token, name);
      if (link.untilMs <= this.#options.clock.nowMs()) return { is: "expired" };
      return await this.fetched({ id: link.id, name, mime: null, bytes: null }, link.untilMs);
    } catch (error) {
      this.#unexpected(error);
      return { is: "missing", retry: true };
    }
  }

  async fetched(wanted: WantedFile, untilMs = Infinity): Promise<Published> {
    try {
      // Not ended by who goes away: then what takes long would never come.
      const had = await this.#soon(this.#had(wanted, Infinity, this.#closing.signal));
      if ("ok" in had) return { is: "missing", retry: had.retry };
      return await this.#linker.describe(had.entry.sha256, cleanName(await withEnding(wanted.name, had.mime)), untilMs);
    } catch (error) {
      this.#unexpected(error);
      return { is: "missing", retry: true };
    }
  }

  linkFor(id: FileId, name: string): string | null {
    return this.#forbids(name) ? null : this.#linker.sealed(id, name);
  }

  linksUntil(): number | null {
    return this.#linker.sealedUntilMs();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelSweep();
    await Promise.all([this.#singleFlight.close(), this.#parts.sharing?.close()]);
    await this.#sweeping;
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Null once the other machines can have the content, if they are to. */
  async #shared(sha256: string): Promise<(FileRefusal & Away) | null> {
    const refusal = (await this.#parts.sharing?.share(sha256)) ?? null;
    const why = refusal?.why.message;
    if (why !== undefined) this.#options.log.warn({ why }, "a file cannot be kept for all machines");
    return refusal;
  }

  /** Null once the content is here. */
  async #missing(sha256: string, name: string): Promise<FileRefusal | null> {
    if ((await this.#parts.content.use(sha256)) !== null) return null;
    const wanted = { id: fileId({ is: "stored", sha256 }), name, mime: null, bytes: null };
    const entry = await this.#soon(this.#entry(wanted, Infinity, this.#closing.signal));
    return "ok" in entry ? entry : null;
  }

  /** The SHA-256 of the content that begins so, once it is here; null: it is not to be had. */
  async #find(beginning: string): Promise<string | FileRefusal | null> {
    const { content, sharing } = this.#parts;
    const here = await content.find(beginning);
    if (here !== null || sharing === null) return here;
    const found = await sharing.find(beginning);
    if (typeof found !== "string") return found;
    const missing = await this.#missing(found, "");
    if (missing === null) return found;
    return missing.retry ? missing : null;
  }

  /** The file, once it is here and may be relayed. */
  async #had(
    wanted: WantedFile,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly entry: FileEntry; readonly mime: string } | FileRefusal> {
    if (this.#forbids(wanted.name)) return FORBIDDEN;
    if (wanted.bytes !== null && wanted.bytes > this.#limit) return tooLarge(this.#limit);
    const { clock } = this.#options;
    const lateMs = clock.monoMs() + patienceMs;
    const entry = await this.#entry(wanted, patienceMs, signal);
    if ("ok" in entry) return entry;
    const { sniffed, claimed } = entry;
    const mime = await mediaType({ sniffed, name: wanted.name, claimed: wanted.mime ?? claimed });
    if (this.#forbids(await withEnding(cleanName(wanted.name), mime))) return FORBIDDEN;
    await this.#parts.sharing?.soon(wanted.id, entry, lateMs - clock.monoMs());
    return { entry, mime };
  }

  /** Also by what is left of the name when it is cleaned: `a.exe\u200b` is a program as well. */
  #forbids(name: string): boolean {
    return [name, cleanName(name), folderName(name)].some((each) => this.#options.blacklisted(each));
  }

  async #soon<T>(work: Promise<T>): Promise<T | FileRefusal> {
    const { promise, resolve } = Promise.withResolvers<FileRefusal>();
    const cancel = this.#options.clock.after(FOLLOW_MS, () => resolve(notNow("timeout", "it takes too long")));
    return await Promise.race([work, promise]).finally(cancel);
  }

  /** What is known of the file, once its content is here. */
  async #entry(wanted: WantedFile, patienceMs: number, signal: AbortSignal): Promise<FileEntry | FileRefusal> {
    const here = await this.#here(wanted);
    if (here !== null) return here;
    const origin = readFileId(wanted.id);
    if (origin.is === "stored" && this.#parts.sharing === null) return GONE;
    const group = groupOf(origin);
    const failed = this.#failures.get(wanted.id) ?? this.#failures.get(group);
    if (failed !== null) return failed;
    const ended = (got: FileEntry | FileRefusal, moved: boolean): void => {
      if (!("ok" in got)) this.#failures.forget(wanted.id);
      else this.#failures.note(wanted.id, got, origin.is === "url");
      if (moved) this.#failures.forget(group);
    };
    const silent = (): void => {
      // Whatever else it is asked for would be waited for as long.
      if (origin.is === "url" && this.#failures.get(group) === null)
        this.#failures.note(group, notNow("timeout", "its server does not answer"), true);
    };
    const flight = { key: wanted.id, group, patienceMs, silent, ended };
    return await this.#singleFlight.ask(flight, signal, async (watch) => await this.#fetch(origin, wanted, watch));
  }

  async #here({ id, name, mime }: Omit<WantedFile, "bytes">): Promise<FileEntry | null> {
    const { content, entries } = this.#parts;
    const entry = await entries.get(id);
    if (entry !== null) {
      if ((await content.use(entry.sha256)) === entry.bytes) return entry;
      await entries.forget(id);
    }
    const origin = readFileId(id);
    if (origin.is !== "stored") return null;
    const bytes = await content.use(origin.sha256);
    if (bytes === null) return null;
    const file = await content.open(origin.sha256);
    try {
      return await this.#note(id, { sha256: origin.sha256, bytes, head: await readHead(file, HEAD_BYTES) }, name, mime);
    } finally {
      await file.close();
    }
  }

  async #fetch(origin: FileOrigin, wanted: WantedFile, watch: Watch): Promise<FileEntry | FileRefusal> {
    const { sharing } = this.#parts;
    const { signal } = watch;
    const sha256 = origin.is === "stored" ? origin.sha256 : null;
    const had =
      sharing === null
        ? GONE
        : await this.#pour(async () => await sharing.source(wanted.id, sha256, signal), wanted, watch);
    if (origin.is === "stored" || !("ok" in had) || signal.aborted) return had;
    const limit = this.#limit;
    return await this.#pour(() => openSource(origin, { ...this.#options, limit }, signal), wanted, watch);
  }

  async #pour(
    open: () => Promise<Source | FileRefusal>,
    wanted: WantedFile,
    watch: Watch,
  ): Promise<FileEntry | FileRefusal> {
    try {
      const source = await open();
      if (!source.ok) return source;
      watch.moved();
      const written = await this.#store(counted(source.chunks, watch), this.#limit);
      if (!written.ok) return written;
      if (written.sha256 !== (source.sha256 ?? written.sha256)) return GONE;
      return await this.#note(wanted.id, written, source.name ?? wanted.name, source.mime ?? wanted.mime);
    } catch (error) {
      if (watch.signal.aborted) return STOPPED;
      return notNow("network", `the transfer was interrupted (${codeOf(error)})`);
    }
  }

  async #store(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    limit: number,
    owner?: string,
  ): Promise<WrittenContent | FileRefusal> {
    const written = await this.#parts.content.write(chunks, limit);
    if (!written.ok) return written;
    if (owner !== undefined)
      for (const each of [this.#eviction, this.#parts.sharing]) each?.uploaded(owner, written.bytes);
    this.#bytes += roomOf(written.bytes);
    this.#count += 1;
    if (this.#bytes > this.#options.media.storeBytes || this.#count > CONTENTS_MAX) void this.#sweep();
    return written;
  }

  async #note(id: FileId, { sha256, bytes, head }: Omit<WrittenContent, "ok">, name: string, claimed: string | null) {
    const entry: FileEntry = { sha256, bytes, sniffed: await sniff(head), name, claimed, linkUntilS: 0, sha1: null };
    await this.#parts.entries.put(id, entry);
    return entry;
  }

  #sweepAndAgain(): void {
    void this.#sweep().then(() => {
      if (!this.#closed) this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => this.#sweepAndAgain());
    });
  }

  /** One at a time; a content stays as long as messages do, or as the links to it. */
  async #sweep(): Promise<void> {
    this.#sweeping ??= this.#tidy().finally(() => {
      this.#sweeping = null;
    });
    await this.#sweeping;
  }

  async #tidy(): Promise<void> {
    const { clock, media, log } = this.#options;
    const keepMs = keepMsOf(this.#options);
    const { folder, sharing } = this.#parts;
    try {
      const limits = { beforeMs: clock.nowMs() - keepMs, bytesMax: media.storeBytes, eviction: this.#eviction };
      const { bytes, count } = await sweepStore(folder, { ...limits, stopped: () => this.#closed });
      this.#bytes = bytes;
      this.#count = count;
      await sharing?.sweep();
    } catch (error) {
      log.warn({ error: codeOf(error) }, "the media store cannot be cleaned up");
    }
  }

  #unexpected(error: unknown): FileRefusal {
    this.#options.log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      "the media store failed on a file",
    );
    return notNow("config", `the media store under DataPath does not work (${codeOf(error)})`);
  }
}

const FORBIDDEN = refused("forbidden", "MediaDownloadBlackList excludes it");

/** Whom a fetch depends on. */
function groupOf(origin: FileOrigin): string {
  if (origin.is === "stored") return "stored";
  return origin.is === "remote" ? origin.account : `web ${URL.parse(origin.url)?.host ?? ""}`;
}
