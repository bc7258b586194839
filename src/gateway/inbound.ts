import type { Account } from "../config/config.ts";
import { EventLabel, JOIN_PART, type Message } from "../contract/message.ts";
import { replaceEmoji } from "./emoji.ts";
import { compileExtractions, compileMatcher, compileReplacements } from "./filters.ts";

/** Why a message goes no further than its source. */
export type DropReason =
  /** Neither text nor a file. */
  | "empty"
  | "ignored_nick"
  | "ignored_text"
  /** IgnoreMessages matched the comment of a file. */
  | "ignored_comment"
  /** A join or leave of an account with NoSendJoinPart. */
  | "join_part"
  /** It has been passed on too often: bridges run in a circle. */
  | "loop";

export type Verdict =
  | { readonly is: "pass"; readonly message: Message }
  | { readonly is: "drop"; readonly reason: DropReason };

/** The compiled way in of one source account. */
export type Inbound = (message: Message) => Verdict;

/** More programs than this passing one message on is a circle, not a chain. */
const MAX_HOPS = 8;

/**
 * Compiles what a source account does to its messages before they are accepted: its filters, then its transforms, once per
 * message whatever the number of gateways. Never changes the message it is given; hands back the same object when there was nothing to do.
 */
export function compileInbound(account: Account): Inbound {
  const filter = compileFilter(account);
  const transform = compileTransform(account);
  return (message) => {
    const reason = filter(message);
    if (reason !== null) return { is: "drop", reason };
    const result = transform(message);
    // A rule may have taken the whole text away.
    return isEmpty(result) ? { is: "drop", reason: "empty" } : { is: "pass", message: result };
  };
}

export function isLoop({ hops = 0 }: Message): boolean {
  return hops > MAX_HOPS;
}

function compileFilter({ presentation }: Account): (message: Message) => DropReason | null {
  const ignoresNick = compileMatcher(presentation.ignoreNicks);
  const ignoresText = compileMatcher(presentation.ignoreMessages);
  return (message) => {
    if (isLoop(message)) return "loop";
    if (isEmpty(message)) return "empty";
    if (presentation.noSendJoinPart && JOIN_PART.has(message.event)) return "join_part";
    if (ignoresNick(message.username)) return "ignored_nick";
    if (ignoresText(message.text)) return "ignored_text";
    if (message.Extra?.file.some((file) => ignoresText(file.Comment))) return "ignored_comment";
    return null;
  };
}

function compileTransform({ presentation }: Account): (message: Message) => Message {
  const replace = compileReplacements(presentation.replaceMessages);
  const extract = compileExtractions(presentation.extractNicks);
  return (message) => {
    const replaced = replace(replaceEmoji(message.text));
    const { nick, text } = extract({ nick: message.username, text: replaced });
    if (text === message.text && nick === message.username) return message;
    return { ...message, text, username: nick };
  };
}

function isEmpty(message: Message): boolean {
  if (message.text !== "" || message.event === EventLabel.typing) return false;
  return message.Extra === null || message.Extra.file.length === 0;
}
