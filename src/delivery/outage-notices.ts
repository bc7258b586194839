import type { Clock } from "../contract/host.ts";
import type { Reason, ReasonCode } from "../contract/outcome.ts";
import { backEntry, type Outage, outageEntry, outageRef, outageSubject } from "../gateway/outages.ts";
import type { Log, Subject } from "../log/log.ts";
import { whenKnown } from "../log/unknown-outcome.ts";
import type { Logger } from "../logger.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

/** A channel of a network's account, as it is now. */
export interface WatchedPlace {
  readonly place: Subject;
  /** For people. */
  readonly account: string;
  readonly channel: string;
  /** Something goes there. */
  readonly takes: () => boolean;
  /**
   * Since when it is not joined, Unix ms, for how long, and why; null: it is; undefined: nobody knows at the moment.
   */
  readonly down: { readonly sinceMs: number; readonly forMs: number; readonly why: Reason | null } | null | undefined;
  /** How many messages waited when it was last joined; null: nobody knows. Never rejects. */
  readonly backlog: () => Promise<number | null>;
}

/** How a channel of an account stands. */
export type ChannelHealth = Pick<WatchedPlace, "takes" | "down" | "backlog">;

export interface OutageNoticesOptions {
  readonly log: Pick<Log, "append" | "marks" | "unmark" | "ids">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a place may be out of reach before the rooms that have to do with it are told. */
  readonly noticeMs: () => number;
  /** Those of the configuration. */
  readonly places: () => readonly WatchedPlace[];
}

/** Where it is remembered which places rooms were told of. */
const STEM = "outage/";
const LOOK_MS = { least: 100, most: 5_000 };
/** The owner of the keys of the entries. */
const OWNER = "rialto.outage";

/**
 * Tells rooms that a place they have to do with is out of reach, and when it is back.
 *
 *   quiet ──not joined for `noticeMs`──▶ told ──joined──▶ quiet
 *
 * Told is an entry, and a mark in the same commit; quiet again is another entry, which edits the first.
 *
 * The entries go the way of all others, so a notice comes once, in order, and also where a room is out of reach itself.
 * A restart finds the mark. While the log refuses, nothing is told; it is tried again.
 */
export class OutageNotices {
  readonly #options: OutageNoticesOptions;
  /** By place; null until the marks are read. */
  #told: Map<Subject, Told> | null = null;
  #rereads = 0;
  #cancel: () => void = () => undefined;
  #stopped = false;
  #working = false;

  constructor(options: OutageNoticesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#arm();
  }

  /** Nothing is told from now on. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Another machine may have told of something meanwhile. */
  reread(): void {
    this.#told = null;
    this.#rereads += 1;
  }

  #arm(): void {
    const { clock, noticeMs } = this.#options;
    if (this.#stopped) return;
    const ms = Math.min(Math.max(noticeMs() / 10, LOOK_MS.least), LOOK_MS.most);
    this.#cancel = clock.after(ms, () => void this.#look());
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      await this.#lookAt(this.#options.places());
    } catch (error) {
      // The log says itself what is wrong with it.
      this.#options.logger.debug({ error: String(error) }, "rooms could not be told of an outage yet");
    }
    this.#working = false;
    this.#arm();
  }

  async #lookAt(places: readonly WatchedPlace[]): Promise<void> {
    const told = this.#told ?? (await this.#read());
    if (told === null) return;
    await this.#forget(places, told);
    for (const place of places) {
      if (this.#stopped) return;
      const known = told.get(place.place);
      if (place.down === undefined) continue;
      if (known === undefined && place.down !== null) await this.#tell(place, place.down, told);
      else if (known !== undefined && place.down === null) await this.#takeBack(place, known, told);
    }
  }

  async #tell(
    place: WatchedPlace,
    { sinceMs, forMs, why }: NonNullable<WatchedPlace["down"]>,
    told: Map<Subject, Told>,
  ): Promise<void> {
    const { log, clock, logger, noticeMs } = this.#options;
    if (forMs < noticeMs()) return;
    const state: Told = { sinceMs, code: why?.code ?? null };
    const marks = [{ name: markOf(place), value: JSON.stringify(state) }];
    // What may be stored is waited for: told once more, rooms would hear it twice.
    const entries = [outageEntry(outageOf(place, state), clock.nowMs())];
    await whenKnown(log.append({ account: OWNER, entries, marks }));
    told.set(place.place, state);
    const since = new Date(sinceMs).toISOString();
    const { account, channel } = place;
    logger.info({ account, channel, since, why: why?.message }, "rooms are told that a channel is out of reach");
  }

  async #takeBack(place: WatchedPlace, state: Told, told: Map<Subject, Told>): Promise<void> {
    const { log, clock, logger } = this.#options;
    const outage = outageOf(place, state);
    const waited = await place.backlog();
    const known = await log.ids.find(outageSubject(place.place), [outageRef(state)]);
    if (this.#stopped) return;
    // Older than all that is remembered: nobody can be told what it was about.
    const entries = known === null ? [] : [backEntry(outage, known, waited, clock.nowMs())];
    await whenKnown(log.append({ account: OWNER, entries, marks: [{ name: markOf(place), value: "" }] }));
    told.delete(place.place);
    const { account, channel } = place;
    logger.info({ account, channel, waited }, "rooms are told that a channel is back");
  }

  /** Places that are no longer in the configuration: nobody waits for news of them. */
  async #forget(places: readonly WatchedPlace[], told: Map<Subject, Told>): Promise<void> {
    const names = new Set(places.map(({ place }) => place));
    const gone = [...told.keys()].filter((place) => !names.has(place));
    if (gone.length === 0) return;
    await this.#options.log.unmark(gone.map((place) => `${STEM}${place}`));
    for (const place of gone) told.delete(place);
  }

  /** Null: they are to be read once more. */
  async #read(): Promise<Map<Subject, Told> | null> {
    const rereads = this.#rereads;
    const told = await this.#readMarks();
    if (rereads !== this.#rereads) return null;
    return (this.#told = told);
  }

  async #readMarks(): Promise<Map<Subject, Told>> {
    const marks = await this.#options.log.marks(STEM);
    const told = [...marks].filter(([, value]) => value !== "");
    return new Map(told.map(([name, value]) => [name.slice(STEM.length), parseAs(value, isTold)]));
  }
}

/** What a mark holds of an outage. */
interface Told {
  readonly sinceMs: number;
  readonly code: ReasonCode | null;
}

const isTold = (value: unknown): value is Told => isObject(value) && typeof value["sinceMs"] === "number";

const markOf = ({ place }: WatchedPlace): string => `${STEM}${place}`;

const outageOf = ({ place, account, channel, takes }: WatchedPlace, { sinceMs, code }: Told): Outage => ({
  place,
  account,
  channel,
  takes: takes(),
  sinceMs,
  code,
});
