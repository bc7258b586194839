import type { Cursor } from "../../contract/ids.ts";
import { isObject, type Json, NOTHING, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";
import { cursorOf } from "./ids.ts";

/** Where a stream of events can be taken up again. */
export interface StreamPosition {
  readonly connection: string;
  /** The number of the event that comes next. */
  readonly next: number;
}

/** Up to where a channel was read. All times are the server's. */
interface ChannelPosition {
  /** What was posted by then, before we came, is none of ours. */
  readonly floorMs: number;
  /** From here on it has to be read again; null: it is as far as all others. */
  readonly behindMs: number | null;
}

const CHANNELS_MAX = 2_000;
/** Of posts that were told as they were after an edit. */
const TOLD_MAX = 200;
/** The stream alone is worth a new cursor when it has gone on by so many events. */
const STREAM_STEP = 50;

/** A channel that was in no session for so long is wanted no more: put back, it is a new one. */
const ABSENT_MAX_MS = 7 * 24 * 3_600_000;
/** What is not joined after so long in a session is in none. */
const LOOK_MS = 600_000;

/** Servers' times are a little apart, and what happens at once comes in any order: so much is read again. */
export const MARGIN_MS = 30_000;

/**
 * What the cursor holds: up to which moment of the server everything was told, the channels that are not as far, and
 * where the stream of events can be taken up.
 */
export class MattermostPositions {
  readonly #channels = new Map<string, ChannelPosition>();
  /** Post to the edit that it was told with. */
  readonly #told = new Map<string, number>();
  /** Since when channels are in no session. */
  readonly #absent = new Map<string, number>();
  readonly #joined = new Set<string>();
  /** When that was looked at last; null: not in this session. */
  #lookedMs: number | null = null;
  #seenMs: number;
  #stream: StreamPosition | null;
  readonly #by: string | null;
  #takenAt = 0;
  #moved = false;

  /**
   * `by`: names the login without telling it, because the stream of one that was ended or revoked keeps nothing: taken
   * up by another login, it would hide a gap. Null: of this login no stream can be taken up, ever.
   */
  constructor(since: Cursor | null, by: string | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.#seenMs = numberIn(json, "at") ?? 0;
    const [connection, next] = [textIn(json, "connection"), numberIn(json, "next")];
    this.#by = by;
    const isOurs = by !== null && textIn(json, "by") === by;
    this.#stream = !isOurs || connection === null || next === null ? null : { connection, next };
    for (const [id, value] of Object.entries(objectIn(json, "channels"))) {
      const [floorMs, behindMs = null] = Array.isArray(value) ? (value as readonly unknown[]) : [];
      if (typeof floorMs !== "number") continue;
      this.#channels.set(id, { floorMs, behindMs: typeof behindMs === "number" ? behindMs : null });
    }
    for (const [id, sinceMs] of Object.entries(objectIn(json, "absent"))) {
      if (typeof sinceMs === "number" && this.#channels.has(id)) this.#absent.set(id, sinceMs);
    }
    for (const [id, editAt] of Object.entries(objectIn(json, "told"))) {
      if (typeof editAt === "number") this.#told.set(id, editAt);
    }
  }

  /** Null: it cannot be taken up. */
  get stream(): StreamPosition | null {
    return this.#stream;
  }

  get seenMs(): number {
    return this.#seenMs;
  }

  get channels(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Everything of the stream before this event was handed over. */
  followed(stream: StreamPosition | null): void {
    if (this.#by === null) return;
    if (stream?.connection !== this.#stream?.connection) this.#moved = true;
    this.#stream = stream;
  }

  /** Everything up to this moment was handed over, but for the channels that are behind. */
  seen(atMs: number): void {
    if (atMs <= this.#seenMs) return;
    this.#look(atMs);
    this.#seenMs = atMs;
    this.#moved = true;
    for (const [id, editAt] of this.#told) if (editAt < atMs - 2 * MARGIN_MS) this.#told.delete(id);
  }

  /** Null for a channel that was never read. */
  of(channel: string): { readonly floorMs: number; readonly behindMs: number | null } | null {
    return this.#channels.get(channel) ?? null;
  }

  /** A channel is read from now on. */
  begin(channel: string, floorMs: number): void {
    if (this.#channels.size >= CHANNELS_MAX) return;
    this.#set(channel, { floorMs, behindMs: null });
  }

  /** It is no longer as far as the others. Where it is behind already, it stays there. */
  fallBack(channel: string): void {
    const position = this.#channels.get(channel);
    if (position !== undefined && position.behindMs === null)
      this.#set(channel, { ...position, behindMs: this.#seenMs });
  }

  joined(channel: string): void {
    this.#joined.add(channel);
    if (this.#absent.delete(channel)) this.#moved = true;
  }

  left(channel: string): void {
    this.#joined.delete(channel);
    this.fallBack(channel);
  }

  caughtUp(channel: string): void {
    const position = this.#channels.get(channel);
    if (position !== undefined) this.#set(channel, { ...position, behindMs: null });
  }

  /** As if the channel had never been read. */
  forget(channel: string): void {
    this.#joined.delete(channel);
    this.#absent.delete(channel);
    if (this.#channels.delete(channel)) this.#moved = true;
  }

  /** A post that was new to us was told as it is after this edit. */
  told(post: string, editAt: number): void {
    this.#told.set(post, editAt);
    const oldest = this.#told.keys().next();
    if (this.#told.size > TOLD_MAX && oldest.done !== true) this.#told.delete(oldest.value);
    this.#moved = true;
  }

  wasTold(post: string, editAt: number): boolean {
    return this.#told.get(post) === editAt;
  }

  get moved(): boolean {
    return this.#moved || (this.#stream !== null && this.#stream.next - this.#takenAt >= STREAM_STEP);
  }

  take(): Cursor | null {
    if (!this.moved) return null;
    this.#moved = false;
    this.#takenAt = this.#stream?.next ?? 0;
    const channels: Record<string, readonly number[]> = {};
    for (const [id, { floorMs, behindMs }] of this.#channels) {
      channels[id] = behindMs === null ? [floorMs] : [floorMs, behindMs];
    }
    const json: Json = {
      at: this.#seenMs,
      ...(this.#stream !== null && { ...this.#stream, by: this.#by }),
      channels,
      ...(this.#absent.size > 0 && { absent: Object.fromEntries(this.#absent) }),
      ...(this.#told.size > 0 && { told: Object.fromEntries(this.#told) }),
    };
    return cursorOf(json);
  }

  /** A session that has just begun has joined none of them yet, however long there was none. */
  #look(atMs: number): void {
    this.#lookedMs ??= atMs;
    if (atMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = atMs;
    for (const id of this.channels) {
      if (this.#joined.has(id)) continue;
      const sinceMs = this.#absent.get(id);
      if (sinceMs === undefined) this.#absent.set(id, atMs);
      else if (atMs - sinceMs > ABSENT_MAX_MS) this.forget(id);
      this.#moved = true;
    }
  }

  #set(channel: string, position: ChannelPosition): void {
    this.#channels.set(channel, position);
    this.#moved = true;
  }
}
