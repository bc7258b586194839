import type { Cursor } from "../../../contract/ids.ts";
import { cursorOf } from "../ids.ts";
import { isObject, listOf } from "../../../lib/shapes.ts";

const CHANNELS_MAX = 500;
const NICKS_MAX = 10;

/** How far each channel was heard, and which nicks we have had lately: what a later session needs to continue. */
export class HistoryMarks {
  /** Unix milliseconds of the server's clock, by key; the channel that moved last is the last one. */
  readonly #at = new Map<string, number>();
  #nicks: string[];
  #changed = false;

  constructor(since: Cursor | null) {
    const { at, nicks } = readCursor(since);
    for (const [key, atMs] of at) this.#at.set(key, atMs);
    this.#nicks = [...nicks];
  }

  get nicks(): readonly string[] {
    return this.#nicks;
  }

  /** Null when the channel was never heard. */
  at(key: string): number | null {
    return this.#at.get(key) ?? null;
  }

  move(key: string, atMs: number): void {
    const now = this.#at.get(key) ?? -Infinity;
    if (atMs <= now) return;
    this.#at.delete(key);
    this.#at.set(key, atMs);
    const [oldest] = this.#at.keys();
    if (this.#at.size > CHANNELS_MAX && oldest !== undefined) this.#at.delete(oldest);
    this.#changed = true;
  }

  /** As if it had never been heard. */
  forget(key: string): void {
    if (this.#at.delete(key)) this.#changed = true;
  }

  addNick(nick: string): void {
    if (this.#nicks.at(-1) === nick) return;
    this.#nicks = [...this.#nicks.filter((one) => one !== nick), nick].slice(-NICKS_MAX);
    this.#changed = true;
  }

  /** Something has changed since the cursor was taken. */
  get moved(): boolean {
    return this.#changed;
  }

  takeCursor(): Cursor | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return cursorOf({ at: Object.fromEntries(this.#at), nicks: this.#nicks });
  }
}

/** What cannot be read is as good as none. */
function readCursor(cursor: Cursor | null): {
  readonly at: readonly (readonly [string, number])[];
  readonly nicks: readonly string[];
} {
  if (cursor === null) return { at: [], nicks: [] };
  try {
    const read: unknown = JSON.parse(cursor);
    if (!isObject(read)) return { at: [], nicks: [] };
    const { at, nicks } = read;
    return {
      at: isObject(at) ? Object.entries(at).filter(isMark) : [],
      nicks: listOf(nicks).filter((nick) => typeof nick === "string"),
    };
  } catch {
    return { at: [], nicks: [] };
  }
}

function isMark(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === "number" && Math.abs(entry[1]) < 8.64e15;
}
