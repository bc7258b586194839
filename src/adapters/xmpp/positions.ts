import type { Cursor } from "../../contract/ids.ts";
import { cursorOf } from "./ids.ts";
import { isObject, parseAs } from "../../lib/shapes.ts";

/**
 * Up to where a room was read. `id`: of the last message in its archive, null where it has none. `atMs`: when that was
 * said.
 */
export interface ArchivePosition {
  readonly id: string | null;
  readonly atMs: number;
}

const ROOMS_MAX = 1000;
/** The last moment that is a date (ECMA-262 §21.4.1.1). */
const AT_MAX = 8.64e15;

/** Up to where each room of an account was read: what the cursor holds. */
export class ArchivePositions {
  readonly #rooms = new Map<string, ArchivePosition>();
  #moved = false;

  constructor(since: Cursor | null) {
    for (const [room, position] of Object.entries(read(since))) {
      const { id, at } = position;
      if (typeof at === "number" && at >= 0 && at <= AT_MAX)
        this.#rooms.set(room, { id: typeof id === "string" ? id : null, atMs: at });
    }
  }

  /** Null for a room that was never read. */
  get(room: string): ArchivePosition | null {
    return this.#rooms.get(room) ?? null;
  }

  move(room: string, position: ArchivePosition): void {
    // The one that moved last stands last.
    this.#rooms.delete(room);
    this.#rooms.set(room, position);
    const oldest = this.#rooms.keys().next();
    if (this.#rooms.size > ROOMS_MAX && oldest.done !== true) this.#rooms.delete(oldest.value);
    this.#moved = true;
  }

  /** As if the room had never been read. */
  forget(room: string): void {
    if (this.#rooms.delete(room)) this.#moved = true;
  }

  get moved(): boolean {
    return this.#moved;
  }

  /** As a cursor, which is up to date then; null when nothing has moved. */
  take(): Cursor | null {
    if (!this.#moved) return null;
    this.#moved = false;
    const rooms = Object.fromEntries([...this.#rooms].map(([room, { id, atMs }]) => [room, { id, at: atMs }]));
    return cursorOf({ rooms });
  }
}

/** What is not a cursor of ours is none. */
function read(since: Cursor | null): Readonly<Record<string, { readonly id?: unknown; readonly at?: unknown }>> {
  try {
    const { rooms } = parseAs(since ?? "{}", isObject);
    if (!isObject(rooms)) return {};
    return Object.fromEntries(Object.entries(rooms).flatMap(([room, each]) => (isObject(each) ? [[room, each]] : [])));
  } catch {
    return {};
  }
}
