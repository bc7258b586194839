import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import { isObject, listIn, NOTHING, numberIn, objectIn, parsed } from "../kit/json.ts";
import { TelegramCaptions } from "./captions.ts";
import { TelegramDigests } from "./digests.ts";
import { channelRef, cursorOf, readAddress } from "./ids.ts";

/** Groups that have become supergroups: no account has more of them. */
const MOVED_MAX = 1_000;
const ROOMS_MAX = 10_000;
const AHEAD_MAX = 1_000;

/**
 * What the cursor holds: the last update that was told with all before it, those after it that were, the new ids of
 * chats that have moved, the rooms we are in, what the last albums say, and what the last messages look like.
 */
export class TelegramPositions {
  /** The last update of which the cursor is on disk; 0: none. Ids may begin anew, lower, after a week of silence. */
  #at: number;
  /** The last one that was handed over. */
  #seen: number;
  readonly #chats = new Map<number, number>();
  readonly #rooms = new Set<ChannelRef>();
  readonly captions: TelegramCaptions;
  readonly digests: TelegramDigests;
  /** Updates that are handed over, while others before them are not yet. */
  ahead: readonly number[];
  #moved = false;

  constructor(since: Cursor | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.#at = Math.max(0, Math.trunc(numberIn(json, "at") ?? 0));
    this.#seen = this.#at;
    this.captions = new TelegramCaptions(listIn(json, "captions"));
    this.digests = new TelegramDigests(objectIn(json, "digests"));
    this.ahead = listIn(json, "ahead")
      .slice(0, AHEAD_MAX)
      .filter((id) => typeof id === "number");
    const moved = objectIn(json, "moved");
    for (const from of Object.keys(moved)) {
      const to = numberIn(moved, from);
      if (to !== null) this.#move(Number(from), to);
    }
    for (const ref of listIn(json, "rooms").slice(0, ROOMS_MAX)) {
      const address = typeof ref === "string" ? readAddress(ref) : null;
      if (address !== null) this.#rooms.add(channelRef(address));
    }
  }

  get at(): number {
    return this.#at;
  }

  /** All updates that came up to this one are handed over, or nothing is to be told of them. */
  seen(update: number): void {
    if (update === this.#seen) return;
    this.#seen = update;
    this.#moved = true;
  }

  /** The cursor that was taken when it was seen is on disk. */
  durable(update: number): void {
    this.#at = update;
  }

  /** The rooms that we were in last. */
  get rooms(): ReadonlySet<ChannelRef> {
    return this.#rooms;
  }

  keep(room: ChannelRef): void {
    if (this.#rooms.has(room)) return;
    const [oldest] = this.#rooms;
    if (oldest !== undefined && this.#rooms.size >= ROOMS_MAX) this.#rooms.delete(oldest);
    this.#rooms.add(room);
    this.#moved = true;
  }

  forget(room: ChannelRef): void {
    if (this.#rooms.delete(room)) this.#moved = true;
  }

  /** The chat's id as it is now. */
  now(chat: number): number {
    let at = chat;
    for (let hops = 0; hops <= this.#chats.size; hops += 1) at = this.#chats.get(at) ?? at;
    return at;
  }

  /** False where that was known, or cannot be. */
  move(from: number, to: number): boolean {
    const isNews = this.#move(from, to);
    if (isNews) this.#moved = true;
    return isNews;
  }

  /** Something of it has changed since it was taken last. */
  get moved(): boolean {
    return this.#moved || this.captions.moved;
  }

  take(): Cursor {
    this.#moved = false;
    const captions = this.captions.write();
    const digests = this.digests.write();
    const { ahead } = this;
    return cursorOf({
      at: this.#seen,
      moved: Object.fromEntries(this.#chats),
      rooms: [...this.#rooms],
      ...(ahead.length > 0 && { ahead }),
      ...(captions.length > 0 && { captions }),
      ...(Object.keys(digests).length > 0 && { digests }),
    });
  }

  #move(from: number, to: number): boolean {
    const isPlausible = Number.isSafeInteger(from) && Number.isSafeInteger(to);
    const last = this.now(to);
    if (!isPlausible || this.now(from) === last || this.#chats.size >= MOVED_MAX) return false;
    this.#chats.set(this.now(from), last);
    return true;
  }
}
