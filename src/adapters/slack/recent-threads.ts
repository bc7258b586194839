import { type Json, objectIn } from "../kit/json.ts";
import { isLaterTs, isTs, slackTimeOf } from "./model.ts";

/** The threads of each channel in which something was said last, and of all channels together. */
const PER_CHANNEL = 5;
const ALL_MAX = 64;
/** Where nobody has said anything for so long, nobody is expected to. */
const ACTIVE_MS = 24 * 3_600_000;

/**
 * Threads in which somebody has talked lately, also in earlier sessions: a root that is older than what is read of a
 * channel does not tell that it has new replies, so it has to be asked. A part of the cursor.
 */
export class RecentThreads {
  /** The newest reply by root; the channel and the root used last are the last ones. */
  readonly #channels = new Map<string, Map<string, string>>();
  #count = 0;
  #moved = false;

  /** `cursor`: the whole of it. */
  constructor(cursor: Json) {
    const channels = objectIn(cursor, "threads");
    for (const channel of Object.keys(channels)) {
      for (const [root, ts] of Object.entries(objectIn(channels, channel))) {
        if (isTs(root) && typeof ts === "string" && isTs(ts)) this.note(channel, root, ts);
      }
    }
    this.#moved = false;
  }

  /** They are other than when they were written last. */
  get moved(): boolean {
    return this.#moved;
  }

  /** A reply was told. */
  note(channel: string, root: string, ts: string): void {
    const threads = this.#channels.get(channel) ?? new Map<string, string>();
    const before = threads.get(root) ?? "";
    if (before !== "" && !isLaterTs(ts, before)) return;
    this.#moved = true;
    this.#count += before === "" ? 1 : 0;
    threads.delete(root);
    threads.set(root, ts);
    this.#channels.delete(channel);
    this.#channels.set(channel, threads);
    if (threads.size > PER_CHANNEL) this.#dropOldest(channel, threads);
    const [oldest] = this.#channels;
    if (this.#count > ALL_MAX && oldest !== undefined) this.#dropOldest(...oldest);
  }

  /** Roots, and the newest reply that was told; those where somebody has talked not long before. */
  of(channel: string, ts: string): ReadonlyMap<string, string> {
    const oldestMs = slackTimeOf(ts) - ACTIVE_MS;
    const threads = this.#channels.get(channel) ?? new Map<string, string>();
    return new Map([...threads].filter(([, newest]) => slackTimeOf(newest) >= oldestMs));
  }

  /** It is gone. */
  drop(channel: string, root: string): void {
    const threads = this.#channels.get(channel);
    if (threads?.delete(root) !== true) return;
    this.#count -= 1;
    this.#moved = true;
    if (threads.size === 0) this.#channels.delete(channel);
  }

  /** As if the channel had never been read. */
  forget(channel: string): void {
    for (const root of this.#channels.get(channel)?.keys() ?? []) this.drop(channel, root);
  }

  /** Their part of a cursor, which is up to date then. */
  write(): Json {
    this.#moved = false;
    const channels = Array.from(this.#channels, ([channel, threads]) => [channel, Object.fromEntries(threads)]);
    return channels.length === 0 ? {} : { threads: Object.fromEntries(channels) };
  }

  #dropOldest(channel: string, threads: ReadonlyMap<string, string>): void {
    const [root] = threads.keys();
    if (root !== undefined) this.drop(channel, root);
  }
}
