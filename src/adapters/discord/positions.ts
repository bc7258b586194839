import type { Cursor, OpId, Progress } from "../../contract/ids.ts";
import { ChannelPositions, MARGIN_MS, type PositionScale } from "../kit/channel-positions.ts";
import { isObject, type Json, listIn, NOTHING, numberIn, parsed, textIn } from "../kit/json.ts";
import { RecentMessages } from "../kit/recent-messages.ts";
import { cursorOf, opIdAgain, progressAt } from "./ids.ts";
import type { DiscordPostUnderWay } from "./link.ts";
import { discordTimeOf, firstIdAt, isLaterId, isSnowflake } from "./model.ts";

/** Where the gateway's events can be taken up again. */
export interface DiscordResume {
  readonly session: string;
  /** `resume_gateway_url`. */
  readonly url: string;
  /** The number of the last event that was handed over. */
  readonly seq: number;
}

/** Posts under way are remembered for as long as the core may try them again. */
const DOING_PER_CHANNEL = 16;
const DOING_MAX = 512;
/** The sequence alone is worth a cursor without an event when it has gone on by so many of the gateway. */
const SEQ_STEP = 50;

/** Ids of messages, which say when they were made; empty: none. */
const SNOWFLAKES: PositionScale<string> = {
  none: "",
  read: (raw) => (raw === "" || isSnowflake(raw) ? raw : null),
  isLater: isLaterId,
  msOf: discordTimeOf,
};

/** The id from which on is read again what may have come before this one. */
export const marginBefore = (id: string): string => firstIdAt(discordTimeOf(id) - MARGIN_MS);

/**
 * What the cursor holds: up to which message everything was told, the channels that are not as far, where the gateway
 * can be taken up, and the posts that may have left.
 */
export class DiscordPositions {
  /** By ids of messages; a floor that is empty: everything there is ours. */
  readonly channels: ChannelPositions<string>;
  /** By channel or thread. */
  readonly recent: RecentMessages;
  /** By op and part, oldest first. */
  readonly #doing = new Map<string, DiscordPostUnderWay>();
  #resume: DiscordResume | null;
  #durable: DiscordResume | null;
  #takenSeq = 0;
  #moved = false;

  constructor(since: Cursor | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.channels = new ChannelPositions(json, SNOWFLAKES);
    this.recent = new RecentMessages(json);
    this.#resume = resumeIn(json);
    this.#durable = this.#resume;
    this.#takenSeq = this.#resume?.seq ?? 0;
    for (const raw of listIn(json, "doing")) {
      const post = postIn(raw);
      if (post !== null) this.#doing.set(keyOf(post.op, post.upTo), post);
    }
  }

  /** As the disk has it: only from here may the gateway be taken up. Null: it cannot be. */
  get durable(): DiscordResume | null {
    return this.#durable;
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
    return this.#isOther || (this.#resume !== null && this.#resume.seq - this.#takenSeq >= SEQ_STEP);
  }

  /** With events, and at the end, it is as new as can be: what has no key would be told again behind an older one. */
  take(): Cursor | null {
    const seq = this.#resume?.seq ?? 0;
    if (!this.#isOther && seq === this.#takenSeq) return null;
    this.#moved = false;
    this.#takenSeq = seq;
    return cursorOf({
      ...this.channels.write(),
      ...this.#resume,
      ...this.recent.write(),
      ...(this.#doing.size > 0 && { doing: [...this.#doing.values()] }),
    });
  }

  get #isOther(): boolean {
    return this.#moved || this.channels.moved || this.recent.moved;
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
