import type { Why, WhyCode } from "../../contract/outcome.ts";
import { quote } from "./ends.ts";
import type { Line } from "./wire.ts";

/** Why the server did not pass a line of ours on. `gone`: we are not in the channel. */
export type Refusal =
  | { readonly is: "rejected"; readonly why: Why }
  | { readonly is: "deferred"; readonly why: Why; readonly retryInMs: number; readonly gone: boolean };

export interface Refused {
  /** What the refused line was sent to; null when the server does not say. */
  readonly target: string | null;
  readonly refusal: Refusal;
}

const MODERATED_RETRY_MS = 30_000;
const RATE_RETRY_MS = 20_000;
const REGISTERED_RETRY_MS = 60_000;

/** The text is at fault, not the channel: it would be refused for ever, and hold up all that follows it. */
const CONTENT = /colou?r|format|censor|banned (?:word|phrase)|filter|spam|blocked|repeat|caps|ctcp|too long|notice/iu;
const OUTSIDE = /external|not (?:in|on) (?:the |that )?channel|outside/iu;
const SAYING = /^(?:PRIVMSG|NOTICE)$/iu;
/** How ircd-hybrid and its kin drop a line: not by a numeric. */
const THROTTLED = /message to (?<target>\S+) throttled/iu;

/** These answer MODE, KICK or INVITE of RunCommands, and never a message. */
const OF_OTHERS: ReadonlySet<string> = new Set(["441", "443", "467", "472", "478", "482", "696"]);

/** What a line says of one that we have sent; null when it says nothing of that kind. */
export function refusalOf({ command, params, source }: Line): Refused | null {
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
      return { target, refusal: never("bad_content", text) };
    case "411":
    case "412":
      return { target: null, refusal: never("bad_content", text) };
    case "417":
      return { target: null, refusal: never("too_large", text) };
    case "FAIL":
      return SAYING.test(params[0] ?? "") ? { target: null, refusal: never("remote_error", text) } : null;
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

/** ERR_CANNOTSENDTOCHAN (RFC 2812 §5.2) has many reasons, which only its text tells. */
function cannotSend(text: string, target: string): Refusal {
  // Some servers repeat the channel's name in it, which may be #information.
  const reason = text.toLowerCase().replaceAll(target.toLowerCase() || " ", " ");
  if (OUTSIDE.test(reason)) return gone("not_found", text);
  return CONTENT.test(reason) ? never("bad_content", text) : later("forbidden", text, MODERATED_RETRY_MS);
}

const said = (code: WhyCode, text: string): Why => ({ code, message: `the server refuses the line: ${text}` });
const never = (code: WhyCode, text: string): Refusal => ({ is: "rejected", why: said(code, text) });
const later = (code: WhyCode, text: string, retryInMs: number): Refusal => ({
  is: "deferred",
  why: said(code, text),
  retryInMs,
  gone: false,
});
const gone = (code: WhyCode, text: string): Refusal => ({
  is: "deferred",
  why: said(code, text),
  retryInMs: 1000,
  gone: true,
});
