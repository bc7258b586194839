import { type Json, objectIn, textIn } from "../kit/json.ts";
import { isTs, messageIn, type SlackMessage } from "./model.ts";

/** What an event of Slack says has happened. `atTs`: when; empty: it does not say. */
export type SlackHappening =
  | { readonly is: "said"; readonly channel: string; readonly atTs: string; readonly message: SlackMessage }
  | {
      readonly is: "changed";
      readonly channel: string;
      readonly atTs: string;
      readonly message: SlackMessage;
      /** As it was; null: it is not told. */
      readonly before: SlackMessage | null;
    }
  | {
      readonly is: "gone";
      readonly channel: string;
      readonly atTs: string;
      readonly ts: string;
      readonly before: SlackMessage | null;
    }
  | ({ readonly is: "reacted"; readonly channel: string; readonly atTs: string } & SlackReacting)
  /** Somebody is in the channel from now on, or no longer. */
  | {
      readonly is: "came";
      readonly channel: string;
      readonly atTs: string;
      readonly user: string;
      readonly change: "join" | "leave";
    }
  /** Of people, channels, emoji, …; `channel` is empty where it is about none. */
  | { readonly is: "other"; readonly channel: string; readonly atTs: string };

/** Somebody's reaction to a message. */
export interface SlackReacting {
  readonly ts: string;
  readonly user: string;
  /** Without colons. */
  readonly name: string;
  readonly on: boolean;
}

export function happeningIn(event: Json): SlackHappening {
  const type = textIn(event, "type") ?? "";
  const named = textIn(event, "event_ts") ?? textIn(event, "ts") ?? "";
  const atTs = isTs(named) ? named : "";
  if (type === "message") return message(event, atTs);
  if (type === "reaction_added" || type === "reaction_removed") return reaction(event, type === "reaction_added", atTs);
  const channel = channelOf(event);
  const user = textIn(event, "user") ?? "";
  const change = COMINGS.get(type);
  if (change !== undefined && channel !== "" && user !== "") return { is: "came", channel, atTs, user, change };
  return { is: "other", channel, atTs };
}

const COMINGS: ReadonlyMap<string, "join" | "leave"> = new Map([
  ["member_joined_channel", "join"],
  ["member_left_channel", "leave"],
]);

/** The name of a channel, or the channel itself, stands there. */
function channelOf(event: Json): string {
  return textIn(event, "channel") ?? textIn(event, "channel_id") ?? textIn(objectIn(event, "channel"), "id") ?? "";
}

function message(event: Json, atTs: string): SlackHappening {
  const channel = channelOf(event);
  const nothing: SlackHappening = { is: "other", channel, atTs };
  const subtype = textIn(event, "subtype") ?? "";
  const before = within(messageIn(event["previous_message"]), channel);
  if (subtype === "message_deleted") {
    const ts = textIn(event, "deleted_ts") ?? before?.ts ?? "";
    return isTs(ts) && channel !== "" ? { is: "gone", channel, atTs, ts, before } : nothing;
  }
  // What tells of a reply repeats its root.
  if (subtype === "message_replied") return nothing;
  const isChange = subtype === "message_changed";
  const said = within(messageIn(isChange ? event["message"] : event), channel);
  if (said === null || channel === "") return nothing;
  return isChange
    ? { is: "changed", channel, atTs, message: said, before }
    : { is: "said", channel, atTs, message: said };
}

function reaction(event: Json, on: boolean, atTs: string): SlackHappening {
  const item = objectIn(event, "item");
  const [channel, ts] = [textIn(item, "channel") ?? "", textIn(item, "ts") ?? ""];
  const [user, name] = [textIn(event, "user") ?? "", textIn(event, "reaction") ?? ""];
  // Of files, too, where these are old.
  if (channel === "" || !isTs(ts) || user === "" || name === "") return { is: "other", channel, atTs };
  return { is: "reacted", channel, atTs, ts, user, name, on };
}

const within = (said: SlackMessage | null, channel: string): SlackMessage | null =>
  said === null ? null : { ...said, channel };
