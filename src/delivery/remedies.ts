import type { Reason, ReasonCode } from "../contract/outcome.ts";
import type { Ended } from "../contract/session.ts";

/** Of what a reason is told: of the account's session, of one channel, or of one message or more on their way there. */
export type TroubledPart = "account" | "channel" | "lane";

const KEEPS_TRYING = "Rialto keeps trying";
const CHANNEL = "Check the channel's name in its gateway; if it is right, create the channel, or bring it back.";
const LIMITED = "Nothing needs to be done: Rialto tries again when the network allows it.";
const REACH = `Check that the server runs and can be reached from here; ${KEEPS_TRYING}.`;
const SLOWER = "Nothing needs to be done: Rialto sends the waiting messages as soon as the network allows it.";
/** What to do about a loop through another bridge. */
export const BREAK_LOOP =
  "Remove one of the two bridges from these rooms, or add the name to IgnoreNicks of the account; Rialto tries again after 10 minutes.";
const REPORT = "Report this as a bug, with the log lines before it.";

/**
 * What a person can do, by the code of the reason; null: nothing is wrong. Written so that a remedy never repeats the
 * reason.
 */
const REMEDIES: Readonly<Record<TroubledPart, Readonly<Record<ReasonCode, string | null>>>> = {
  account: {
    auth: "Correct the credentials in the account's settings, or ask the people who run the network; Rialto tries changed settings at once.",
    config: "Correct the account's settings; Rialto tries changed settings at once.",
    network: REACH,
    timeout: REACH,
    rate_limited: LIMITED,
    forbidden: "Ask the people who run the network why it refuses the account.",
    not_found: "Check the server and the name in the account's settings.",
    too_large: REPORT,
    unsupported: "See that the server offers what is missing, or that the account's settings name the right one.",
    bad_content: REPORT,
    remote_error: `Check the server's log, or ask the people who run it; ${KEEPS_TRYING}.`,
    stopping: null,
    bug: REPORT,
  },
  channel: {
    auth: "Set the login that this channel requires in the account's settings.",
    config: "Correct this channel in its gateway.",
    network: REACH,
    timeout: REACH,
    rate_limited: LIMITED,
    forbidden: "Let Rialto in: lift its ban, invite it, or set the channel's key in its gateway.",
    not_found: CHANNEL,
    too_large: REPORT,
    unsupported: "Use another channel in the gateway: Rialto cannot work in this one.",
    bad_content: REPORT,
    remote_error: `Check the server's log, or ask the people who run it; ${KEEPS_TRYING}.`,
    stopping: null,
    bug: REPORT,
  },
  lane: {
    auth: "Correct the credentials in the account's settings, or ask the people who run the network.",
    config: "Correct the account's settings, or this channel in its gateway.",
    network: REACH,
    timeout: REACH,
    rate_limited: SLOWER,
    forbidden: "Let Rialto speak there: give it the right to write in that channel.",
    not_found: CHANNEL,
    too_large: "Nothing can be done: the network does not accept messages of this size.",
    unsupported: "Nothing can be done: the network cannot do this.",
    bad_content: REPORT,
    remote_error: `Check the server's log, or ask the people who run it; ${KEEPS_TRYING}.`,
    stopping: null,
    bug: REPORT,
  },
};

const TRY_AGAIN = "try again";
const TRIED_REACH = `Check that the server runs and can be reached from here, and ${TRY_AGAIN}.`;
const TRIED_LATER = `Wait until the network allows more, and ${TRY_AGAIN}.`;
const TRIED_SERVER = `Check the server's log, or ask the people who run it, and ${TRY_AGAIN}.`;
const TRIED = { network: TRIED_REACH, timeout: TRIED_REACH, rate_limited: TRIED_LATER, remote_error: TRIED_SERVER };

/** Where nobody but the person who asked tries again. */
const TRIAL_REMEDIES: Readonly<Record<"account" | "channel", Partial<Record<ReasonCode, string>>>> = {
  account: {
    ...TRIED,
    auth: `Correct the credentials, or ask the people who run the network, and ${TRY_AGAIN}.`,
    config: `Correct the settings, and ${TRY_AGAIN}.`,
    bug: "Report this as a bug.",
  },
  channel: {
    ...TRIED,
    forbidden: "Let Rialto in: lift its ban, invite it, or set the channel's key.",
    not_found: "Check the channel's name; if it is right, create the channel.",
  },
};

/** The same of an account that is only tried. */
export function trialRemedyOf(part: "account" | "channel", why: Pick<Reason, "code">, cause?: Ended["cause"]): string {
  const code = causeOf(why, cause);
  return TRIAL_REMEDIES[part][code] ?? REMEDIES[part][code] ?? "";
}

/**
 * What a person can do about a reason. A session that ended by its credentials or settings needs somebody to act,
 * whatever the code says.
 */
export function remedyOf(part: TroubledPart, why: Pick<Reason, "code"> | null, cause?: Ended["cause"]): string | null {
  if (why === null) return null;
  return REMEDIES[part][causeOf(why, cause)];
}

/** Nothing in the settings lifts a ban. */
const causeOf = ({ code }: Pick<Reason, "code">, cause: Ended["cause"] | undefined): ReasonCode =>
  (cause === "auth" || cause === "config") && code !== "forbidden" ? cause : code;
