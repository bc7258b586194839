import type { Cursor } from "../../contract/ids.ts";
import { ChannelPositions, type PositionScale } from "../kit/channel-positions.ts";
import { isObject, NOTHING, objectIn, parsed } from "../kit/json.ts";
import { cursorOf } from "./ids.ts";
import { RecentComings } from "./comings.ts";
import { KeptMessages } from "./kept-messages.ts";
import { isLaterTs, isTs, slackTimeOf, tsAt } from "./model.ts";

/** Slack's events have come minutes late: so much is read again. */
export const MARGIN_MS = 600_000;
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
export const marginBefore = (ts: string): string => tsAt(slackTimeOf(ts) - MARGIN_MS);

/** What the cursor holds: up to when everything was told, the channels that are not as far, and what was told last. */
export class SlackPositions {
  readonly channels: ChannelPositions<string>;
  readonly kept: KeptMessages;
  readonly comings: RecentComings;
  /** By channel and message, oldest first: the edit that it was told with. */
  readonly #told = new Map<string, string>();
  #moved = false;

  constructor(since: Cursor | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.channels = new ChannelPositions(json, TIMESTAMPS);
    this.kept = new KeptMessages(json);
    this.comings = new RecentComings(json);
    for (const [message, editedTs] of Object.entries(objectIn(json, "edits"))) {
      if (typeof editedTs === "string") this.#told.set(message, editedTs);
    }
  }

  /** A message that was new to the core was told as it is after this edit: that is none any more. */
  toldEdited(channel: string, ts: string, editedTs: string): void {
    const oldest = marginBefore(marginBefore(this.channels.at));
    for (const [message, at] of this.#told) if (isLaterTs(oldest, at)) this.#told.delete(message);
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
    this.kept.forget(channel);
  }

  get moved(): boolean {
    return this.#moved || this.channels.moved || this.kept.moved || this.comings.moved;
  }

  take(): Cursor | null {
    if (!this.moved) return null;
    this.#moved = false;
    return cursorOf({
      ...this.channels.write(),
      ...this.kept.write(),
      ...this.comings.write(),
      ...(this.#told.size > 0 && { edits: Object.fromEntries(this.#told) }),
    });
  }
}
