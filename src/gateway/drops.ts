import { plainText } from "../content/plain.ts";
import { parse } from "../content/formats.ts";
import type { Event } from "../contract/events.ts";
import { EventLabel, type Message } from "../contract/message.ts";
import { NOBODY } from "./plain-message.ts";

/** Why what was said goes no further than its source, as people read it: after "not relayed: ". */
export const DROP_WORDS = {
  empty: "it has neither text nor a file",
  ignored_nick: "IgnoreNicks matches the name of its sender",
  ignored_text: "IgnoreMessages matches its text",
  ignored_comment: "IgnoreMessages matches the comment of a file",
  join_part: "NoSendJoinPart is set",
  loop: "it was passed on too often: bridges run in a circle",
  unknown_target: "the message it is about is not known",
  gone: "the message it is about was deleted",
  foreign: "the message it is about belongs to somebody else, and the network does not vouch for this sender",
  edits_disabled: "EditDisable is set",
  reactions_disabled: "ReactionDisable is set",
  no_emoji: "it is a reaction with a text, not with an emoji",
  own: "Rialto wrote it",
  duplicate: "it is in the log already",
  unknown_channel: "no gateway has its channel",
  no_gateway: "no gateway reads its channel",
  bug: "a bug in Rialto; see its log",
} as const;
export type DropReason = keyof typeof DROP_WORDS;

/** For a reason that another version of the program may have told. */
export const dropWords = (reason: string): string => (isReason(reason) ? DROP_WORDS[reason] : reason);

const isReason = (reason: string): reason is DropReason => Object.hasOwn(DROP_WORDS, reason);

/** Those that nobody asks about, and of which there are many: they are only counted. */
const ONLY_COUNTED: ReadonlySet<DropReason> = new Set(["own", "duplicate", "join_part", "bug"]);

/** What was said and goes no further. */
export interface Dropped {
  readonly account: string;
  readonly channel: string;
  readonly atMs: number;
  /** Name of who said it. */
  readonly by: string;
  readonly text: string;
  /** What kind of event it is; empty for an ordinary message. */
  readonly event: string;
  /** The ids that it has where it was said, or of the message that it is about. */
  readonly refs: readonly string[];
  readonly reason: DropReason;
  /** The expression that matched. */
  readonly rule?: string;
}

/** Is told of every one; must be quick and must not throw. */
export type OnDrop = (dropped: Dropped) => void;

export type Drop = Pick<Dropped, "reason" | "rule">;

/** Whether somebody may ask about one that is dropped for this reason. */
export const isAskedAbout = ({ reason }: Drop): boolean => !ONLY_COUNTED.has(reason);

export function droppedEvent(event: Event, drop: Drop, place: Pick<Dropped, "account" | "channel">): Dropped {
  const author = event.kind === "deleted" ? event.by : event.author;
  return { ...place, atMs: event.atMs, by: author?.name ?? NOBODY, ...saidIn(event), ...reasonOf(drop) };
}

/** As `droppedEvent`, of what was posted to the API. */
export function droppedPost(message: Message, drop: Drop, atMs: number): Dropped {
  const { account, channel, username: by, text, event, id } = message;
  return { account, channel, atMs, by, text, event, refs: id === "" ? [] : [id], ...reasonOf(drop) };
}

const reasonOf = ({ reason, rule }: Drop): Drop => (rule === undefined ? { reason } : { reason, rule });

function saidIn(event: Event): Pick<Dropped, "text" | "event" | "refs"> {
  switch (event.kind) {
    case "posted":
      return { text: wordsOf(event.body), event: "", refs: event.messages };
    case "edited":
      return { text: wordsOf(event.body), event: EventLabel.edit, refs: [event.message] };
    case "deleted":
      return { text: "", event: EventLabel.delete, refs: [event.message] };
    case "reacted":
      return { text: event.emoji, event: EventLabel.reaction, refs: [event.message] };
    case "member":
      return { text: event.text, event: EventLabel.joinLeave, refs: [] };
    case "topic":
      return { text: event.text, event: EventLabel.topic, refs: [] };
  }
}

type Body = Extract<Event, { kind: "posted" }>["body"];

const wordsOf = ({ source, files }: Body): string =>
  [plainText(parse(source.format, source.text)), ...files.flatMap(({ name, comment }) => [`[${name}]`, comment])]
    .filter((each) => each !== "")
    .join(" ");
