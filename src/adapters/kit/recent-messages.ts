import { type Json, objectIn } from "./json.ts";

/** The newest of each channel, and of all channels together. */
const RECENT_PER_CHANNEL = 20;
const RECENT_MAX = 256;

/**
 * The newest messages that were told, also in earlier sessions: the part of a cursor that lets those be missed that are
 * gone after a gap. Ids of channels and messages have no spaces.
 */
export class RecentMessages {
  /** Oldest first; the channel used last is the last one. */
  readonly #channels = new Map<string, readonly string[]>();
  #count = 0;
  #moved = false;

  /** `cursor`: the whole of it; `NOTHING` where there is none. */
  constructor(cursor: Json) {
    for (const [channel, ids] of Object.entries(objectIn(cursor, "recent"))) {
      if (typeof ids === "string") for (const id of ids.split(" ")) this.keep(channel, id);
    }
    this.#moved = false;
  }

  /** They are other than when they were written last. */
  get moved(): boolean {
    return this.#moved;
  }

  /** A message was told. */
  keep(channel: string, id: string): void {
    const ids = this.of(channel);
    if (ids.includes(id)) return;
    this.#set(channel, [...ids, id].slice(-RECENT_PER_CHANNEL));
    const [oldest] = this.#channels.keys();
    if (this.#count > RECENT_MAX && oldest !== undefined && oldest !== channel) this.#set(oldest, []);
  }

  /** It is gone. */
  drop(channel: string, id: string): void {
    const ids = this.of(channel);
    const others = ids.filter((one) => one !== id);
    if (others.length < ids.length) this.#set(channel, others);
  }

  of(channel: string): readonly string[] {
    return this.#channels.get(channel) ?? [];
  }

  /** Their part of a cursor, which is up to date then. */
  write(): Json {
    this.#moved = false;
    const channels = Array.from(this.#channels, ([channel, ids]) => [channel, ids.join(" ")]);
    return channels.length === 0 ? {} : { recent: Object.fromEntries(channels) };
  }

  #set(channel: string, ids: readonly string[]): void {
    this.#count += ids.length - this.of(channel).length;
    this.#channels.delete(channel);
    if (ids.length > 0) this.#channels.set(channel, ids);
    this.#moved = true;
  }
}
