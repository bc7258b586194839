import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import { isObject, listIn, NOTHING, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";
import { channelRef, cursorOf, readAddress } from "./ids.ts";

/** Groups that have become supergroups: no account has more of them. */
const MOVED_MAX = 1_000;
const ROOMS_MAX = 10_000;

/** What the cursor holds: the last update that was told, the new ids of chats that have moved, the rooms we are in. */
export class TelegramPositions {
  /** The last update that is on disk, and all before it. */
  #at: number;
  /** … and that is handed over. */
  #told: number;
  readonly #moved = new Map<string, string>();
  readonly #rooms = new Set<ChannelRef>();
  #changed = false;

  constructor(since: Cursor | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.#at = Math.max(0, Math.trunc(numberIn(json, "at") ?? 0));
    this.#told = this.#at;
    const moved = objectIn(json, "moved");
    for (const from of Object.keys(moved)) {
      const to = textIn(moved, from);
      if (to !== null && readAddress(to) !== null && to !== from) this.#moved.set(from, to);
    }
    for (const ref of listIn(json, "rooms")) {
      const address = typeof ref === "string" ? readAddress(ref) : null;
      if (address !== null) this.#rooms.add(channelRef(address));
    }
  }

  /** From here on updates are asked for: those before it are confirmed by that. */
  get offset(): number {
    return this.#at + 1;
  }

  /** All updates up to this one are handed over, or nothing is to be told of them: the next cursor says so. */
  reach(update: number): void {
    if (update === this.#told) return;
    this.#told = update;
    this.#changed = true;
  }

  /** The cursor of what was reached up to this one is on disk. */
  confirm(update: number): void {
    this.#at = update;
  }

  /** The rooms that we were in last. */
  get rooms(): ReadonlySet<ChannelRef> {
    return this.#rooms;
  }

  keep(room: ChannelRef): void {
    if (this.#rooms.has(room) || this.#rooms.size >= ROOMS_MAX) return;
    this.#rooms.add(room);
    this.#changed = true;
  }

  forget(room: ChannelRef): void {
    if (this.#rooms.delete(room)) this.#changed = true;
  }

  /** The chat's id as it is now. */
  now(chat: string): string {
    let at = chat;
    for (let hops = 0; hops <= this.#moved.size; hops += 1) at = this.#moved.get(at) ?? at;
    return at;
  }

  /** False where that was known, or cannot be. */
  move(from: string, to: string): boolean {
    const target = this.now(to);
    if (this.now(from) === target || this.#moved.size >= MOVED_MAX) return false;
    this.#moved.set(this.now(from), target);
    this.#changed = true;
    return true;
  }

  /** The cursor as it is now, for `Host.accept`; null: nothing has changed since it was taken last. */
  take(): Cursor | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return cursorOf({ at: this.#told, moved: Object.fromEntries(this.#moved), rooms: [...this.#rooms] });
  }
}
