import type { Cursor } from "../../contract/ids.ts";
import { ChannelPositions, type PositionScale } from "../kit/channel-positions.ts";
import { isObject, type Json, NOTHING, objectIn, parsed } from "../kit/json.ts";
import { cursorOf } from "./ids.ts";
import { RecentComings } from "./comings.ts";
import { KeptDoubts } from "./kept-doubts.ts";
import { KeptMessages } from "./kept-messages.ts";
import { isLaterTs, isTs, slackTimeOf, tsAt } from "./model.ts";
import { RecentThreads } from "./recent-threads.ts";

/** Slack's events have come minutes late: so much is read again. */
const MARGIN_MS = 600_000;
/** And so much at most, where nobody has come to look for so long. */
const LOOK_BACK_MS = 6 * 3_600_000;
/** Messages that were new to us and told as they were after an edit. */
const TOLD_MAX = 200;

/** The `ts` of messages and events, in microseconds of the server's clock; empty: none. */
const TIMESTAMPS: PositionScale<string> = {
  none: "",
  read: (raw) => (raw === "" || (typeof raw === "string" && isTs(raw)) ? raw : null),
  isLater: isLaterTs,
  msOf: slackTimeOf,
};

/** The `ts` from which on is read again what may have come before this one. */
export const marginBefore = (ts: string): string => before(ts, MARGIN_MS);

const before = (ts: string, ms: number): string => tsAt(slackTimeOf(ts) - ms);

/** What the cursor holds: up to when everything was told, the channels that are not as far, and what was told last. */
export class SlackPositions {
  readonly channels: ChannelPositions<string>;
  readonly kept: KeptMessages;
  readonly comings: RecentComings;
  readonly doubts: KeptDoubts;
  readonly threads: RecentThreads;
  /** By channel and message, oldest first: the edit that it was told with. */
  readonly #told = new Map<string, string>();
  /** Up to when what a channel has was compared with what was told of it. */
  readonly #looked = new Map<string, string>();
  #moved = false;

  constructor(since: Cursor | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.channels = new ChannelPositions(json, TIMESTAMPS);
    this.kept = new KeptMessages(json);
    this.comings = new RecentComings(json);
    this.doubts = new KeptDoubts(json);
    this.threads = new RecentThreads(json);
    for (const [message, editedTs] of Object.entries(objectIn(json, "edits"))) {
      if (typeof editedTs === "string") this.#told.set(message, editedTs);
    }
    for (const [channel, ts] of Object.entries(objectIn(json, "looked"))) {
      if (typeof ts === "string" && isTs(ts)) this.#looked.set(channel, ts);
    }
  }

  /** The history of a channel has nothing up to there that was not told. */
  looked(channel: string, ts: string): void {
    if (this.channels.of(channel) !== null) this.#looked.set(channel, laterOf(ts, this.lookedOf(channel)));
  }

  /** From where on it may have more, whatever its events say. */
  lookedOf(channel: string): string {
    const since = this.channels.sinceOf(channel);
    const looked = this.#looked.get(channel);
    return looked === undefined ? marginBefore(since) : laterOf(looked, before(since, LOOK_BACK_MS));
  }

  /** A message that was new to the core was told as it is after this edit: that is none any more. */
  toldEdited(channel: string, ts: string, editedTs: string): void {
    const oldest = marginBefore(marginBefore(this.channels.at));
    for (const [message, at] of this.#told) {
      const [id = ""] = message.split("/");
      if (isLaterTs(oldest, at) && isLaterTs(this.lookedOf(id), at)) this.#told.delete(message);
    }
    this.#told.set(`${channel}/${ts}`, editedTs);
    const [first] = this.#told.keys();
    if (this.#told.size > TOLD_MAX && first !== undefined) this.#told.delete(first);
    this.#moved = true;
  }

  wasToldEdited(channel: string, ts: string, editedTs: string): boolean {
    return this.#told.get(`${channel}/${ts}`) === editedTs;
  }

  /** As if the channel had never been read. */
  forget(channel: string): void {
    this.channels.forget(channel);
    this.#looked.delete(channel);
    this.kept.forget(channel);
    this.threads.forget(channel);
  }

  get moved(): boolean {
    const parts = [this.channels, this.kept, this.comings, this.doubts, this.threads];
    return this.#moved || parts.some(({ moved }) => moved);
  }

  take(): Cursor | null {
    if (!this.moved) return null;
    this.#moved = false;
    return cursorOf({
      ...this.channels.write(),
      ...this.kept.write(),
      ...this.comings.write(),
      ...this.doubts.write(),
      ...this.threads.write(),
      ...(this.#told.size > 0 && { edits: Object.fromEntries(this.#told) }),
      ...this.#behind(),
    });
  }

  /** What is read again anyhow need not be written. */
  #behind(): Json {
    const behind: [string, string][] = [];
    for (const [channel, ts] of this.#looked) {
      if (this.channels.of(channel) === null) this.#looked.delete(channel);
      else if (isLaterTs(marginBefore(this.channels.sinceOf(channel)), ts)) behind.push([channel, ts]);
    }
    return behind.length === 0 ? {} : { looked: Object.fromEntries(behind) };
  }
}

export const earlierOf = (one: string, other: string): string => (isLaterTs(one, other) ? other : one);

const laterOf = (one: string, other: string): string => (isLaterTs(one, other) ? one : other);
