import type { Account } from "../config/config.ts";
import { isUnseen } from "../content/controls.ts";
import { EventLabel, type Extra, JOIN_PART, type Message } from "../contract/message.ts";
import type { Drop, DropReason } from "./drops.ts";
import { replaceCodes } from "./emoji.ts";
import { compileExtractions, compileMatcher, compileReplacements } from "./filters.ts";

export type InboundVerdict = { readonly is: "pass"; readonly message: Message } | ({ readonly is: "drop" } & Drop);

/** The compiled way in of one source account. `format`: of the text; absent: what people type. */
export type Inbound = (message: Message, format?: string) => InboundVerdict;

/** More programs than this passing one message on is a circle, not a chain. */
const MAX_HOPS = 8;

/**
 * Compiles what a source account does to its messages before they are accepted: its filters, then its transforms, once
 * per message whatever the number of gateways. Never changes the message it is given; hands back the same object when
 * there was nothing to do.
 */
export function compileInbound(account: Account): Inbound {
  const filter = compileFilter(account);
  const transform = compileTransform(account);
  return (message, format = "markdown") => {
    const drop = filter(message);
    if (drop !== null) return { is: "drop", ...drop };
    const result = transform(message, format);
    // A rule may have taken the whole text away.
    return isEmpty(result) ? { is: "drop", reason: "empty" } : { is: "pass", message: result };
  };
}

export function isLoop({ hops = 0 }: Message): boolean {
  return hops > MAX_HOPS;
}

function compileFilter({ presentation }: Account): (message: Message) => Drop | null {
  const ignoresNick = compileMatcher(presentation.ignoreNicks);
  const ignoresText = compileMatcher(presentation.ignoreMessages);
  return (message) => {
    if (isLoop(message)) return { reason: "loop" };
    if (isEmpty(message)) return { reason: "empty" };
    if (presentation.noSendJoinPart && JOIN_PART.has(message.event)) return { reason: "join_part" };
    return (
      ignored("ignored_nick", ignoresNick(message.username)) ??
      ignored("ignored_text", ignoresText(message.text)) ??
      ignored(
        "ignored_comment",
        firstOf(message.Extra?.file ?? [], ({ Comment }) => ignoresText(Comment)),
      )
    );
  };
}

/** `rule`: the expression that matched, null when none did. */
export function ignored(reason: DropReason, rule: string | null): Drop | null {
  return rule === null ? null : { reason, rule };
}

function firstOf<T, R>(all: readonly T[], find: (one: T) => R | null): R | null {
  for (const one of all) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}

function compileTransform({ presentation }: Account): (message: Message, format: string) => Message {
  const replace = compileReplacements(presentation.replaceMessages);
  const extract = compileExtractions(presentation.extractNicks);
  return (message, format) => {
    const change = (words: string, of: string): string => replace(replaceCodes(words, of, presentation.emojiCodes));
    const files = changeFiles(message.Extra, (caption) => change(caption, "plain"));
    const { nick, text } = extract({ nick: message.username, text: change(message.text, format) });
    if (text === message.text && nick === message.username && files === message.Extra) return message;
    return { ...message, text, username: nick, Extra: files };
  };
}

/** What turns the direction of text: with it, a program can look like `photo_exe.jpg`. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Names of files that read as they are, wherever they are shown, and captions that are changed like texts. */
function changeFiles(extra: Extra | null, change: (caption: string) => string): Extra | null {
  if (extra === null) return null;
  const file = extra.file.map((item) => {
    const Name = item.Name.replaceAll(TURNING, "");
    const Comment = item.Comment === "" ? "" : change(item.Comment);
    return Name === item.Name && Comment === item.Comment ? item : { ...item, Name, Comment };
  });
  return file.every((item, at) => item === extra.file[at]) ? extra : { ...extra, file };
}

/** Blanks and characters without a width say nothing: some networks would show an empty message. */
function isEmpty(message: Message): boolean {
  if (!isUnseen(message.text) || message.event === EventLabel.typing) return false;
  return message.Extra === null || message.Extra.file.length === 0;
}
