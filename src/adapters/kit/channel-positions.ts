import { type Json, listIn, objectIn } from "./json.ts";

/** Up to where a channel was read. */
export interface ChannelPosition<P> {
  /** What was said by then, before we came, is none of ours. */
  readonly floor: P;
  /** From here on it has to be read again; null: it is as far as all others. */
  readonly behind: P | null;
}

/** What the positions of a network are: times of its server, or ids of messages that can be put in order. */
export interface PositionScale<P> {
  /** Before all that was ever said. */
  readonly none: P;
  /** As a cursor has it; null: this is none. */
  readonly read: (raw: unknown) => P | null;
  readonly isLater: (one: P, than: P) => boolean;
  /** Unix milliseconds. */
  readonly msOf: (position: P) => number;
}

const CHANNELS_MAX = 2_000;
/** Of messages that were told as they were after an edit. */
const TOLD_MAX = 200;

/** A channel that was in no session for so long is wanted no more: put back, it is a new one. */
const ABSENT_MAX_MS = 7 * 24 * 3_600_000;
/** What is not joined after so long in a session is in none. */
const LOOK_MS = 600_000;

/**
 * The times of a network are a little apart, as many machines make them, and what happens at once comes in any order:
 * so much is read again.
 */
export const MARGIN_MS = 30_000;

/**
 * Up to where everything was told, and the channels that are not as far: the part of a cursor that networks have in
 * common whose channels can be read again from a position.
 */
export class ChannelPositions<P> {
  readonly #scale: PositionScale<P>;
  readonly #channels = new Map<string, ChannelPosition<P>>();
  /** Message to the time of the edit that it was told with. */
  readonly #told = new Map<string, number>();
  /** Since when channels are in no session. */
  readonly #absent = new Map<string, number>();
  readonly #joined = new Set<string>();
  /** When what is absent was looked at last; null: not in this session. */
  #lookedMs: number | null = null;
  #at: P;
  #moved = false;

  /** `cursor`: the whole of it; `NOTHING` where there is none. */
  constructor(cursor: Json, scale: PositionScale<P>) {
    this.#scale = scale;
    this.#at = scale.read(cursor["at"]) ?? scale.none;
    const channels = objectIn(cursor, "channels");
    for (const id of Object.keys(channels)) {
      const [floor = null, behind = null] = listIn(channels, id).map((raw) => scale.read(raw));
      if (floor !== null) this.#channels.set(id, { floor, behind });
    }
    for (const [id, sinceMs] of Object.entries(objectIn(cursor, "absent"))) {
      if (typeof sinceMs === "number" && this.#channels.has(id)) this.#absent.set(id, sinceMs);
    }
    for (const [id, editedMs] of Object.entries(objectIn(cursor, "told"))) {
      if (typeof editedMs === "number") this.#told.set(id, editedMs);
    }
  }

  /** Everything up to there was told, but for the channels that are behind. */
  get at(): P {
    return this.#at;
  }

  get ids(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** It is other than when it was written last. */
  get moved(): boolean {
    return this.#moved;
  }

  /** Everything up to there was handed over, but for the channels that are behind. */
  seen(position: P): void {
    const { isLater, msOf } = this.#scale;
    if (!isLater(position, this.#at)) return;
    const atMs = msOf(position);
    this.#look(atMs);
    this.#at = position;
    this.#moved = true;
    for (const [id, editedMs] of this.#told) if (editedMs < atMs - 2 * MARGIN_MS) this.#told.delete(id);
  }

  /** Null for a channel that was never read. */
  of(channel: string): ChannelPosition<P> | null {
    return this.#channels.get(channel) ?? null;
  }

  /** From where a channel is to be read again, were it read now. */
  sinceOf(channel: string): P {
    return this.#channels.get(channel)?.behind ?? this.#at;
  }

  /** A channel is read from now on. */
  begin(channel: string, floor: P): void {
    if (this.#channels.size >= CHANNELS_MAX) return;
    this.#set(channel, { floor, behind: null });
  }

  /** It is no longer as far as the others. Where it is behind already, it stays there. */
  fallBack(channel: string): void {
    const position = this.#channels.get(channel);
    if (position !== undefined && position.behind === null) this.#set(channel, { ...position, behind: this.#at });
  }

  caughtUp(channel: string): void {
    const position = this.#channels.get(channel);
    if (position !== undefined) this.#set(channel, { ...position, behind: null });
  }

  joined(channel: string): void {
    this.#joined.add(channel);
    if (this.#absent.delete(channel)) this.#moved = true;
  }

  left(channel: string): void {
    this.#joined.delete(channel);
    this.fallBack(channel);
  }

  /** As if the channel had never been read. */
  forget(channel: string): void {
    this.#joined.delete(channel);
    this.#absent.delete(channel);
    if (this.#channels.delete(channel)) this.#moved = true;
  }

  /** A message that was new to us was told as it is after this edit. */
  told(message: string, editedMs: number): void {
    this.#told.set(message, editedMs);
    const oldest = this.#told.keys().next();
    if (this.#told.size > TOLD_MAX && oldest.done !== true) this.#told.delete(oldest.value);
    this.#moved = true;
  }

  wasTold(message: string, editedMs: number): boolean {
    return this.#told.get(message) === editedMs;
  }

  /** Its part of a cursor, which is up to date then. */
  write(): Json {
    this.#moved = false;
    const channels = Array.from(this.#channels, ([id, { floor, behind }]) => [
      id,
      behind === null ? [floor] : [floor, behind],
    ]);
    return {
      at: this.#at,
      channels: Object.fromEntries(channels),
      ...(this.#absent.size > 0 && { absent: Object.fromEntries(this.#absent) }),
      ...(this.#told.size > 0 && { told: Object.fromEntries(this.#told) }),
    };
  }

  /** A session that has just begun has joined none of them yet, however long there was none. */
  #look(atMs: number): void {
    this.#lookedMs ??= atMs;
    if (atMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = atMs;
    for (const id of this.ids) {
      if (this.#joined.has(id)) continue;
      const sinceMs = this.#absent.get(id);
      if (sinceMs === undefined) this.#absent.set(id, atMs);
      else if (atMs - sinceMs > ABSENT_MAX_MS) this.forget(id);
      this.#moved = true;
    }
  }

  #set(channel: string, position: ChannelPosition<P>): void {
    this.#channels.set(channel, position);
    this.#moved = true;
  }
}
