import type { Spoiler } from "./content.ts";

/**
 * The message as the log keeps it and as the HTTP API shows it: one shape, one field order, one string.
 * Source: the API specification §2. Every string is present and never null; `Extra` is null or carries files.
 */
export interface Message {
  readonly text: string;
  /** Where it was said, as the origin's configuration spells it; `api` for a posted message. */
  readonly channel: string;
  /** Display name as the origin gave it; formatted per destination, never in the log. */
  readonly username: string;
  readonly userid: string;
  /** Public URL, or empty. */
  readonly avatar: string;
  /** Origin account, `<protocol>.<name>`. */
  readonly account: string;
  /** Empty for an ordinary message; otherwise a label, see `EventLabel`. */
  readonly event: string;
  readonly protocol: string;
  /** Named by the poster; empty in the log for events of networks, filled in per gateway when read. */
  readonly gateway: string;
  readonly parent_id: string;
  /** RFC 3339 with fractions and `Z`. */
  readonly timestamp: string;
  readonly id: string;
  readonly Extra: Extra | null;
  /** How many programs have passed it on from one bridge to another; absent when none has. */
  readonly hops?: number;
}

export interface Extra {
  readonly file: readonly FileItem[];
}

/**
 * A file beside a message. `Data` is standard base64 (RFC 4648 §4), empty when only `URL` is known; `Size` in bytes.
 */
export interface FileItem {
  readonly Name: string;
  readonly Data: string;
  readonly Comment: string;
  readonly URL: string;
  readonly Size: number;
  readonly Avatar: boolean;
  readonly SHA: string;
  readonly NativeID: string;
  /** As `RemoteFile.spoiler`. */
  readonly Spoiler?: Spoiler;
}

/** Labels with a meaning to the router; any other label only travels. */
export const EventLabel = {
  connected: "api_connected",
  action: "user_action",
  joinLeave: "join_leave",
  join: "join",
  leave: "leave",
  topic: "topic_change",
  typing: "user_typing",
  notice: "notice_irc",
  edit: "msg_edit",
  delete: "msg_delete",
  reaction: "msg_reaction",
  /** Only shown to readers of the API: in the log it is a reaction, too. */
  reactionRemoved: "msg_reaction_removed",
  /** A place is out of reach, or back: never shown to readers of the API. */
  outage: "rialto_outage",
  outageOver: "rialto_outage_over",
  /** A message did not arrive at a destination: an answer to it, never shown to readers of the API. */
  failure: "rialto_failure",
  /** A message that one destination is sent again: no reader of the API hears of it. */
  again: "rialto_again",
  /** A message was deleted where this is read: answers there stop quoting it. No reader of the API gets it. */
  withdrawal: "rialto_withdrawal",
} as const;

/** The labels of people coming and going. */
export const JOIN_PART: ReadonlySet<string> = new Set([EventLabel.joinLeave, EventLabel.join, EventLabel.leave]);

/** RemoteNickFormat where it is not set, on networks. */
export const DEFAULT_NICK_FORMAT = "[{PROTOCOL}] <{NICK}> ";
