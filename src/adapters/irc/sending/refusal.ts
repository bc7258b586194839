import type { Reason, ReasonCode } from "../../../contract/outcome.ts";
import { quote } from "../quote.ts";
import type { Omission } from "./acceptance.ts";
import type { IrcPart, IrcPartKind } from "./parts.ts";
import type { LineTrait } from "./traits.ts";
import type { IrcLine } from "../wire/wire.ts";

/**
 * What is not to be tried again: this name under which to relay, relaying at all in the channel, messages of several
 * lines.
 */
export type LearnedLimitation = "nick" | "relay" | "multiline";

/** Why the server did not do what a line of ours asks for. `gone`: Rialto is not in the channel. */
export type LineRefusal =
  /** `trait`: only because of it; `mode` is the letter of the channel mode that refuses it, null when unknown. */
  | { readonly is: "rejected"; readonly why: Reason; readonly trait?: LineTrait; readonly mode?: string | null }
  /** `unexplained`: the reason may be the channel or the line. `omit`: what the next attempt goes without. */
  | {
      readonly is: "deferred";
      readonly why: Reason;
      readonly retryInMs: number;
      readonly gone: boolean;
      readonly limitation?: LearnedLimitation;
      readonly unexplained?: boolean;
      readonly omit?: Omission;
    };

/** `done`: there is nothing left to do. */
export type RefusalVerdict = LineRefusal | { readonly is: "done" };

export interface RefusedLine {
  /** What the refused line was sent to; null when the server does not say. */
  readonly target: string | null;
  /** The kind of line that it must have been; null when the server does not say. */
  readonly kind: IrcPartKind | null;
  readonly refusal: RefusalVerdict;
}

const MODERATED_RETRY_MS = 30_000;
const RATE_RETRY_MS = 20_000;
const REGISTERED_RETRY_MS = 60_000;

/** The text is at fault, not the channel: it would be refused forever, and hold up all that follows it. */
const CONTENT = /censor|banned (?:word|phrase)|filter|spam|blocked|swear|repeat|too long/iu;
/** It is at fault by what the same words can do without. */
const TRAITS: readonly (readonly [LineTrait, RegExp])[] = [
  ["codes", /colou?r|format|control code/iu],
  ["capitals", /\bcaps\b|capital|upper.?case/iu],
  ["ctcp", /ctcp/iu],
  ["notice", /notice/iu],
];
/** The channel is at fault: other words would be refused as well. */
const CHANNEL_STATE =
  /moderat|voice|\bban|\+[bmMrRv]\b|regist|identif|log(?:ged)? ?in|account|operator|member|permi(?:t|ssion)|external/iu;
/** The letter of a channel mode, as `+c` or `(+c)`. */
const MODE_LETTER = /(?:^|[\s(])\+(?<letter>[A-Za-z])(?![A-Za-z])/u;
const OUTSIDE = /external|not (?:in|on) (?:the |that )?channel|outside/iu;
const SAYING = /^(?:PRIVMSG|NOTICE)$/iu;
/** How ircd-hybrid and its kin drop a line: not by a numeric. */
const THROTTLED = /message to (?<target>\S+) throttled/iu;

/** These answer MODE, KICK or INVITE of RunCommands, and never a message. */
const OF_MODES = ["441", "443", "467", "472", "478", "482", "696"];
/** These answer NICK, some with the name of the channel that is in the way. */
const OF_NICKS = ["432", "433", "435", "436", "437", "438", "447"];
const OF_OTHERS: ReadonlySet<string> = new Set([...OF_MODES, ...OF_NICKS]);

interface Numeric {
  readonly target: string | null;
  readonly refusal: LineRefusal;
}

/** What a line says of one that we have sent; null when it says nothing of that kind. */
export function refusalOf(line: IrcLine): RefusedLine | null {
  if (line.command === "FAIL") return failureOf(line.params);
  const refused = numericOf(line);
  return refused === null ? null : { ...refused, kind: null };
}

function numericOf({ command, params, source }: IrcLine): Numeric | null {
  const text = quote(params.at(-1) ?? "");
  const target = params[1] ?? null;
  switch (command) {
    case "401":
    case "403":
    case "442":
      return { target, refusal: gone("not_found", text) };
    case "404":
      return { target, refusal: cannotSend(text, target ?? "") };
    case "263":
      // RPL_TRYAGAIN names the command.
      return SAYING.test(target ?? "") ? { target: null, refusal: later("rate_limited", text, RATE_RETRY_MS) } : null;
    case "439":
      return { target, refusal: later("rate_limited", text, RATE_RETRY_MS) };
    case "477":
      return { target, refusal: later("forbidden", text, REGISTERED_RETRY_MS) };
    case "408":
    case "492":
      return { target, refusal: ofText(text) ?? never("bad_content", text) };
    case "411":
    case "412":
      return { target: null, refusal: never("bad_content", text) };
    case "417":
      return { target: null, refusal: never("too_large", text) };
    case "NOTICE": {
      const throttled = source?.user === "" ? THROTTLED.exec(text)?.groups?.["target"] : undefined;
      return throttled === undefined
        ? null
        : { target: throttled, refusal: later("rate_limited", text, RATE_RETRY_MS) };
    }
    default:
      return /^[45]\d\d$/u.test(command) && target !== null && !OF_OTHERS.has(command)
        ? { target, refusal: later("remote_error", text, MODERATED_RETRY_MS) }
        : null;
  }
}

/** IRCv3 "Standard Replies": `FAIL <command> <code> [<context>...] :<text>`. */
function failureOf([command = "", code = "", ...rest]: readonly string[]): RefusedLine | null {
  const text = quote(rest.at(-1) ?? "");
  const context = rest.slice(0, -1);
  switch (command.toUpperCase()) {
    case "PRIVMSG":
    case "NOTICE":
      return { target: null, kind: null, refusal: sayingFailure(code.toUpperCase(), text) };
    case "BATCH":
      return { target: null, kind: "batch", refusal: otherwise("unsupported", text, "multiline") };
    case "RELAYMSG":
      return {
        target: context.find((word) => /^[#&+!]/u.test(word)) ?? null,
        kind: "relay",
        refusal: relayFailure(code.toUpperCase(), text),
      };
    case "REDACT": {
      const isGone = code.toUpperCase() === "UNKNOWN_MSGID";
      return {
        target: context[0] ?? null,
        kind: "redact",
        refusal: isGone ? { is: "done" } : never("forbidden", text),
      };
    }
    default:
      return null;
  }
}

/** Codes of lines that go through later. */
const PASSING = /RATE|THROTTL|TOO_FAST|FLOOD|TRY_AGAIN|TEMPORAR|UNAVAILABLE/u;

function sayingFailure(code: string, text: string): LineRefusal {
  if (code.includes("ACCOUNT_REQUIRED")) return later("forbidden", text, REGISTERED_RETRY_MS);
  return PASSING.test(code) ? later("rate_limited", text, RATE_RETRY_MS) : never("remote_error", text);
}

function relayFailure(code: string, text: string): LineRefusal {
  // The channel has banned this person: another way around that is not ours to take.
  if (code.includes("BANNED")) return never("forbidden", text);
  if (code.includes("BLANK")) return never("bad_content", text);
  return otherwise("forbidden", text, code.includes("NICK") ? "nick" : "relay");
}

/**
 * The same for a server that has only numerics: while a relayed line waits for its answer, these can mean it. `relays`:
 * whether one waits under this name; the numerics of nicks also answer NICK.
 */
export function relayRefusalOf({ command, params }: IrcLine, relays: (nick: string) => boolean): RefusedLine | null {
  const text = quote(params.at(-1) ?? "");
  const refused = (limitation: LearnedLimitation, target: string | null): RefusedLine => ({
    target,
    kind: "relay",
    refusal: otherwise("forbidden", text, limitation),
  });
  const about = params[1] ?? "";
  if (BAD_NICK.has(command)) return relays(about) ? refused("nick", null) : null;
  if (command === NOT_OPERATOR) return refused("relay", about);
  const unknown = command === "421" && about.toUpperCase() === "RELAYMSG";
  return unknown || command === NO_PRIVILEGES ? refused("relay", null) : null;
}

/** While a topic waits for its answer, this is it: only operators may set it there (`+t`). */
export function topicRefusalOf({ command, params }: IrcLine): RefusedLine | null {
  if (command !== NOT_OPERATOR) return null;
  const why: Reason = {
    code: "forbidden",
    message: `the server lets only operators set the topic there: ${quote(params.at(-1) ?? "")}; give Rialto +o (or +h), or take +t off the channel`,
  };
  return { target: params[1] ?? null, kind: "topic", refusal: { is: "rejected", why } };
}

/** ERR_ERRONEUSNICKNAME, ERR_NICKNAMEINUSE, and what a module of InspIRCd says in their place. */
const BAD_NICK: ReadonlySet<string> = new Set(["432", "433", "573"]);
/** ERR_NOPRIVILEGES; ERR_CHANOPRIVSNEEDED, which names the channel. */
const NO_PRIVILEGES = "481";
const NOT_OPERATOR = "482";

/** ERR_CANNOTSENDTOCHAN (RFC 2812 §5.2) has many reasons, which only its text tells. */
function cannotSend(text: string, target: string): LineRefusal {
  // Some servers repeat the channel's name in it, which may be #information.
  const reason = text.toLowerCase().replaceAll(target.toLowerCase() || " ", " ");
  if (OUTSIDE.test(reason)) return gone("not_found", text);
  // A channel may let people speak some seconds after they have come.
  const seconds = Number(/(?<seconds>\d{1,2}) sec/iu.exec(reason)?.groups?.["seconds"] ?? 0) || Infinity;
  const moderated = later("forbidden", text, Math.min(seconds * 1000, MODERATED_RETRY_MS));
  return ofText(text, reason) ?? (CHANNEL_STATE.test(reason) ? moderated : { ...moderated, unexplained: true });
}

/** A refusal because of the text; null when it has another reason. */
function ofText(text: string, reason = text.toLowerCase()): LineRefusal | null {
  const refused = never("bad_content", text);
  const trait = TRAITS.find(([, pattern]) => pattern.test(reason))?.[0];
  if (trait !== undefined) return { ...refused, trait, mode: MODE_LETTER.exec(text)?.groups?.["letter"] ?? null };
  return CONTENT.test(reason) ? refused : null;
}

/** These can be at fault where the server gives no reason. */
const SUSPECTED: readonly LineTrait[] = ["codes", "notice"];

/** What a refusal means for this line: whether the same words are to go out at once without some of its traits. */
export function refusalFor(refusal: LineRefusal, { traits }: Pick<IrcPart, "traits">): LineRefusal {
  const again = { is: "deferred", why: refusal.why, retryInMs: 0, gone: false } as const;
  if (refusal.is === "rejected") {
    const { trait, mode = null } = refusal;
    if (trait === undefined || !traits.includes(trait)) return refusal;
    // How many capitals are too many is known of no channel.
    return { ...again, omit: { traits: [trait], mode, until: trait === "capitals" ? "op" : "channel" } };
  }
  const suspected = SUSPECTED.filter((trait) => traits.includes(trait));
  if (refusal.unexplained !== true || suspected.length === 0) return refusal;
  return { ...again, omit: { traits: suspected, mode: null, until: "trial" } };
}

const said = (code: ReasonCode, text: string): Reason => ({
  code,
  message: `the server refuses the line: ${text.replace(REPEATED, "")}`,
});
/** Some servers repeat the line, or the word of it that they do not like. */
const REPEATED = / ?Not sent:.*$|(?<=banned (?:word|phrase)) \(.*?\)/isu;
const never = (code: ReasonCode, text: string): LineRefusal & { readonly is: "rejected" } => ({
  is: "rejected",
  why: said(code, text),
});
const later = (code: ReasonCode, text: string, retryInMs: number): LineRefusal & { readonly is: "deferred" } => ({
  is: "deferred",
  why: said(code, text),
  retryInMs,
  gone: false,
});
/** Certainly not sent, and the next try goes another way. */
const otherwise = (code: ReasonCode, text: string, limitation: LearnedLimitation): LineRefusal => ({
  is: "deferred",
  why: said(code, text),
  retryInMs: 0,
  gone: false,
  limitation,
});
const gone = (code: ReasonCode, text: string): LineRefusal => ({
  is: "deferred",
  why: said(code, text),
  retryInMs: 1000,
  gone: true,
});
