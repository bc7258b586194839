import type { Cursor, OpId, Progress } from "../../contract/ids.ts";
import { isObject, type Json, listIn, NOTHING, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";
import { cursorOf, opIdAgain, progressAt } from "./ids.ts";
import type { DiscordPostUnderWay } from "./link.ts";
import { discordTimeOf, firstIdAt, isLaterId, snowflakeIn } from "./model.ts";

/** Where the gateway's events can be taken up again. */
export interface DiscordResume {
  readonly session: string;
  /** `resume_gateway_url`. */
  readonly url: string;
  /** The number of the last event that was handed over. */
  readonly seq: number;
}

/** Up to where a channel was read, by ids of messages. */
interface ChannelPosition {
  /** What was posted by then, before we came, is none of ours; empty: everything is. */
  readonly floor: string;
  /** From here on it has to be read again; null: it is as far as all others. */
  readonly behind: string | null;
}

const CHANNELS_MAX = 2_000;
/** Of messages that were told as they were after an edit. */
const TOLD_MAX = 200;
/** Posts under way are remembered for as long as the core may try them again. */
const DOING_PER_CHANNEL = 16;
const DOING_MAX = 512;
/** Messages that are missed when they are gone: the newest of each channel, and of all channels together. */
const RECENT_PER_CHANNEL = 20;
const RECENT_MAX = 256;
/** The sequence alone is worth a cursor without an event when it has gone on by so many of the gateway. */
const SEQ_STEP = 50;

/** A channel that was in no session for so long is wanted no more: put back, it is a new one. */
const ABSENT_MAX_MS = 7 * 24 * 3_600_000;
/** What is not joined after so long in a session is in none. */
const LOOK_MS = 600_000;

/** Ids are made by many machines, and events come in any order of theirs: so much is read again. */
export const MARGIN_MS = 30_000;

/** An id that much earlier. */
export const marginBefore = (id: string): string => firstIdAt(discordTimeOf(id) - MARGIN_MS);

/**
 * What the cursor holds: up to which message everything was told, the channels that are not as far, where the gateway
 * can be taken up, and the posts that may have left.
 */
export class DiscordPositions {
  readonly #channels = new Map<string, ChannelPosition>();
  /** Message to the edit that it was told with. */
  readonly #told = new Map<string, number>();
  /** Since when channels are in no session. */
  readonly #absent = new Map<string, number>();
  readonly #joined = new Set<string>();
  /** By op and part, oldest first. */
  readonly #doing = new Map<string, DiscordPostUnderWay>();
  /** The newest messages that were told, by channel or thread; the channel used last is the last one. */
  readonly #recent = new Map<string, readonly string[]>();
  #recentCount = 0;
  /** When what is absent was looked at last; null: not in this session. */
  #lookedMs: number | null = null;
  #at: string;
  #resume: DiscordResume | null;
  #durable: DiscordResume | null;
  #takenSeq = 0;
  #moved = false;

  constructor(since: Cursor | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.#at = snowflakeIn(json, "at");
    this.#resume = resumeIn(json);
    this.#durable = this.#resume;
    this.#takenSeq = this.#resume?.seq ?? 0;
    for (const [id, value] of Object.entries(objectIn(json, "channels"))) {
      const [floor, behind = null] = Array.isArray(value) ? (value as readonly unknown[]) : [];
      if (typeof floor !== "string") continue;
      this.#channels.set(id, { floor, behind: typeof behind === "string" ? behind : null });
    }
    for (const [id, sinceMs] of Object.entries(objectIn(json, "absent"))) {
      if (typeof sinceMs === "number" && this.#channels.has(id)) this.#absent.set(id, sinceMs);
    }
    for (const [id, editedMs] of Object.entries(objectIn(json, "told"))) {
      if (typeof editedMs === "number") this.#told.set(id, editedMs);
    }
    for (const [channel, ids] of Object.entries(objectIn(json, "recent"))) {
      if (typeof ids === "string") for (const id of ids.split(" ")) this.keep(channel, id);
    }
    for (const raw of listIn(json, "doing")) {
      const post = postIn(raw);
      if (post !== null) this.#doing.set(keyOf(post.op, post.upTo), post);
    }
  }

  /** As the disk has it: only from here may the gateway be taken up. Null: it cannot be. */
  get durable(): DiscordResume | null {
    return this.#durable;
  }

  /** The newest message up to which all was told. Empty: none was. */
  get at(): string {
    return this.#at;
  }

  get channels(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Everything of the gateway up to there was handed over; null: its session is no more. */
  followed(resume: DiscordResume | null): void {
    if (resume?.session !== this.#resume?.session) {
      this.#moved = true;
      // What the disk has of a session that is no more is of no use.
      this.#durable = null;
    }
    this.#resume = resume;
  }

  /** The disk has this cursor. */
  confirmed(cursor: Cursor): void {
    const json = parsed(cursor);
    const resume = isObject(json) ? resumeIn(json) : null;
    if (resume !== null && resume.session === this.#resume?.session) this.#durable = resume;
  }

  /** Everything up to this id was handed over, but for the channels that are behind. */
  seen(id: string): void {
    if (!isLaterId(id, this.#at)) return;
    const atMs = discordTimeOf(id);
    this.#look(atMs);
    this.#at = id;
    this.#moved = true;
    for (const [message, editedMs] of this.#told) if (editedMs < atMs - 2 * MARGIN_MS) this.#told.delete(message);
  }

  /** Null for a channel that was never read. */
  of(channel: string): ChannelPosition | null {
    return this.#channels.get(channel) ?? null;
  }

  /** A channel is read from now on. */
  begin(channel: string, floor: string): void {
    if (this.#channels.size >= CHANNELS_MAX) return;
    this.#set(channel, { floor, behind: null });
  }

  /** It is no longer as far as the others. Where it is behind already, it stays there. */
  fallBack(channel: string): void {
    const position = this.#channels.get(channel);
    if (position !== undefined && position.behind === null) this.#set(channel, { ...position, behind: this.#at });
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
    if (position !== undefined) this.#set(channel, { ...position, behind: null });
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

  /** A message was told: should it be gone after a gap, that can be told as well. */
  keep(channel: string, id: string): void {
    const ids = this.#recent.get(channel) ?? [];
    if (ids.includes(id)) return;
    this.#setRecent(channel, [...ids, id].slice(-RECENT_PER_CHANNEL));
    const [oldest] = this.#recent.keys();
    if (this.#recentCount > RECENT_MAX && oldest !== undefined && oldest !== channel) this.#setRecent(oldest, []);
  }

  /** It is gone. */
  drop(channel: string, id: string): void {
    const ids = this.#recent.get(channel);
    if (ids?.includes(id) === true)
      this.#setRecent(
        channel,
        ids.filter((one) => one !== id),
      );
  }

  /** The newest messages of a channel or thread that were told, also in earlier sessions. */
  kept(channel: string): readonly string[] {
    return this.#recent.get(channel) ?? [];
  }

  /** A post is about to leave: the cursor that is taken next has it. */
  announce(post: DiscordPostUnderWay): void {
    const key = keyOf(post.op, post.upTo);
    // The first announcement has the floor below which none of its tries can be.
    if (this.#doing.has(key)) return;
    this.#doing.set(key, post);
    this.#moved = true;
    const same = [...this.#doing].filter(([, { channel }]) => channel === post.channel);
    const [first] = same;
    if (same.length > DOING_PER_CHANNEL && first !== undefined) this.#doing.delete(first[0]);
    if (this.#doing.size > DOING_MAX) this.#doing.delete(oldestOfFullest(this.#doing));
  }

  /** What an earlier try announced, also one of an earlier life; null: none did. */
  announced(op: OpId, upTo: Progress): DiscordPostUnderWay | null {
    return this.#doing.get(keyOf(op, upTo)) ?? null;
  }

  /** It is worth being handed over by itself. */
  get moved(): boolean {
    return this.#moved || (this.#resume !== null && this.#resume.seq - this.#takenSeq >= SEQ_STEP);
  }

  /** With events, and at the end, it is as new as can be: what has no key would be told again behind an older one. */
  take(): Cursor | null {
    const seq = this.#resume?.seq ?? 0;
    if (!this.#moved && seq === this.#takenSeq) return null;
    this.#moved = false;
    this.#takenSeq = seq;
    const channels: Record<string, readonly string[]> = {};
    for (const [id, { floor, behind }] of this.#channels) channels[id] = behind === null ? [floor] : [floor, behind];
    const json: Json = {
      at: this.#at,
      ...this.#resume,
      channels,
      ...(this.#absent.size > 0 && { absent: Object.fromEntries(this.#absent) }),
      ...(this.#told.size > 0 && { told: Object.fromEntries(this.#told) }),
      ...(this.#recentCount > 0 && {
        recent: Object.fromEntries(Array.from(this.#recent, ([channel, ids]) => [channel, ids.join(" ")])),
      }),
      ...(this.#doing.size > 0 && { doing: [...this.#doing.values()] }),
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

  #setRecent(channel: string, ids: readonly string[]): void {
    this.#recentCount += ids.length - (this.#recent.get(channel)?.length ?? 0);
    this.#recent.delete(channel);
    if (ids.length > 0) this.#recent.set(channel, ids);
    this.#moved = true;
  }

  #set(channel: string, position: ChannelPosition): void {
    this.#channels.set(channel, position);
    this.#moved = true;
  }
}

/** Where many were announced, the first are done; where there are few, one may still be in doubt. */
function oldestOfFullest(doing: ReadonlyMap<string, DiscordPostUnderWay>): string {
  const keys = new Map<string, string[]>();
  for (const [key, { channel }] of doing) keys.set(channel, [...(keys.get(channel) ?? []), key]);
  let fullest: readonly string[] = [];
  for (const each of keys.values()) if (each.length > fullest.length) fullest = each;
  return fullest[0] ?? "";
}

const keyOf = (op: string, upTo: string): string => `${op} ${upTo}`;

function resumeIn(json: Json): DiscordResume | null {
  const [session, url, seq] = [textIn(json, "session"), textIn(json, "url"), numberIn(json, "seq")];
  return session === null || url === null || seq === null ? null : { session, url, seq };
}

function postIn(raw: unknown): DiscordPostUnderWay | null {
  if (!isObject(raw)) return null;
  const [op, upTo] = [textIn(raw, "op"), textIn(raw, "upTo")];
  const [channel, floor] = [textIn(raw, "channel"), textIn(raw, "floor")];
  if (op === null || upTo === null || channel === null || floor === null) return null;
  const digest = textIn(raw, "digest") ?? "";
  const end = textIn(raw, "end");
  return {
    op: opIdAgain(op),
    upTo: progressAt(upTo),
    channel,
    floor,
    digest,
    end: end === null ? null : progressAt(end),
  };
}
