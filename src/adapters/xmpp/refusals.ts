import type { Outcome, Reason } from "../../contract/outcome.ts";
import type { Joined } from "../../contract/session.ts";
import { quote } from "../kit/ends.ts";
import type { StanzaError } from "./requests.ts";

const MINUTE = 60_000;

const said = (text: string): string => (text === "" ? "" : ` (${quote(text)})`);

/**
 * Why a room does not let us in (XEP-0045 §7.2), and when it makes sense to ask again. A conflict of nicks is the
 * caller's affair.
 */
export function joinRefused({ condition, text, type }: StanzaError): Extract<Joined, { ok: false }> {
  const refuse = (code: Reason["code"], message: string, retryInMs: number | null): Extract<Joined, { ok: false }> => ({
    ok: false,
    why: { code, message: `${message}${said(text)}` },
    retryInMs,
  });
  switch (condition) {
    case "not-authorized":
      return refuse("forbidden", "the room's password is missing or wrong; set options.key of its bridge", 10 * MINUTE);
    case "forbidden":
      return refuse("forbidden", "Rialto is banned from the room", 30 * MINUTE);
    case "registration-required":
      return refuse("forbidden", "the room is for members only; make Rialto's account a member", 10 * MINUTE);
    case "not-allowed":
      return refuse(
        "config",
        "the room does not exist and Rialto may not create it, or its service cannot be reached; check the room's name and Muc",
        10 * MINUTE,
      );
    case "item-not-found":
      return refuse("not_found", "there is no such room, or it is locked", 5 * MINUTE);
    case "not-acceptable":
      return refuse("forbidden", "the room lets Rialto in only with its reserved nick; change Nick", 10 * MINUTE);
    case "conflict":
      return refuse("forbidden", "the nick and its variants are taken", MINUTE);
    case "jid-malformed":
      return refuse("config", "the server does not accept the room's name or the nick", 30 * MINUTE);
    case "service-unavailable":
      return refuse("rate_limited", "the room is full, or its service does not answer", MINUTE);
    case "remote-server-not-found":
      return refuse("config", "there is no such room service; check Muc", 10 * MINUTE);
    case "timeout":
    case "remote-server-timeout":
      return refuse("timeout", "the room's service does not answer", MINUTE);
    default:
      return refuse(
        "remote_error",
        `the room does not let Rialto in: ${condition}`,
        type === "wait" ? MINUTE : 5 * MINUTE,
      );
  }
}

/** We are no longer in the room, it says. */
export function isNotThere({ condition }: StanzaError): boolean {
  return condition === "not-acceptable" || condition === "gone" || condition === "item-not-found";
}

/** The service of the room cannot be reached now. */
function isAway({ condition }: StanzaError): boolean {
  return condition.startsWith("remote-server-") || condition === "service-unavailable";
}

/** How a message ended that came back as an error. `voiceless`: we are a visitor of a moderated room. */
export function messageRefused(error: StanzaError, voiceless: boolean): Outcome {
  const { condition, type, text } = error;
  const refused = (code: Reason["code"], message: string): Reason => ({ code, message: `${message}${said(text)}` });
  const later = (why: Reason, retryInMs: number): Outcome => ({ is: "deferred", why, retryInMs, scope: "channel" });
  if (isNotThere(error)) return later(refused("network", "Rialto is not in the room"), 1_000);
  if (isAway(error)) return later(refused("network", "the room cannot be reached"), 30_000);
  if (condition === "policy-violation" || condition === "resource-constraint") {
    return later(refused("rate_limited", "the server says that Rialto sends too much"), 10_000);
  }
  if (condition === "forbidden" && voiceless) {
    return later(refused("forbidden", "Rialto has no voice in the room; make its account a member"), MINUTE);
  }
  if (type === "wait")
    return later(refused("remote_error", `the room does not accept the message now: ${condition}`), 10_000);
  return {
    is: "rejected",
    why: refused(
      condition === "forbidden" ? "forbidden" : "remote_error",
      `the room does not accept the message: ${condition}`,
    ),
  };
}

/** Why we are no longer in a room, by the presence that says so (XEP-0045 §§8.2, 9.1, 10.9), and when to come back. */
export function whyOut(
  codes: ReadonlySet<string>,
  { by, reason, destroyed }: { readonly by: string; readonly reason: string; readonly destroyed: boolean },
): { readonly why: Reason; readonly retryInMs: number } {
  const who = `${by === "" ? "" : ` by ${quote(by)}`}${said(reason)}`;
  const out = (code: Reason["code"], message: string, retryInMs: number) => ({ why: { code, message }, retryInMs });
  if (destroyed) return out("not_found", `the room was destroyed${who}`, MINUTE);
  if (codes.has("332")) return out("network", "the room's service is shutting down", 5_000);
  if (codes.has("301")) return out("forbidden", `banned${who}`, 30 * MINUTE);
  if (codes.has("333")) return out("network", `removed after a technical error${who}`, 0);
  if (codes.has("307")) return out("forbidden", `kicked${who}`, 0);
  if (codes.has("321") || codes.has("322"))
    return out("forbidden", `the room is now for members only${who}`, 10 * MINUTE);
  return out("remote_error", `removed from the room${who}`, 1_000);
}
