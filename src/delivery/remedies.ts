import type { Why, WhyCode } from "../contract/outcome.ts";
import type { Ended } from "../contract/session.ts";

/** Of what a reason is told: of the account's session, of one channel, or of one message or more on their way there. */
export type TroubledPart = "account" | "channel" | "lane";

const BY_ITSELF = "Rialto tries again by itself";
const REACH = `See whether the server runs and can be reached from here; ${BY_ITSELF}.`;
const SLOWER = "Nothing needs to be done: what waits is sent as soon as the network lets us.";
/** What to do about a loop through another bridge. */
export const BREAK_LOOP =
  "Take one of the two bridges out of these rooms, or put the name into IgnoreNicks of the account; it is tried again after 10 minutes.";
const REPORT = "Report it, with the log lines before it.";

/** What a person can do, by the code of the reason; null: nothing is wrong. Written so that a remedy never repeats the reason. */
const REMEDIES: Readonly<Record<TroubledPart, Readonly<Record<WhyCode, string | null>>>> = {
  account: {
    auth: "Correct the credentials in the account's settings, or ask those who run the network; changed settings are tried at once.",
    config: "Correct the account's settings; changed ones are tried at once.",
    network: REACH,
    timeout: REACH,
    rate_limited: `Nothing needs to be done: ${BY_ITSELF} when the network allows it.`,
    forbidden: "Ask those who run the network why it turns the account away.",
    not_found: "Check the server and the name in the account's settings.",
    too_large: REPORT,
    unsupported: "Check in the account's settings that this server is meant: it lacks something that Rialto needs.",
    bad_content: REPORT,
    remote_error: `See what the server's own log says, or ask those who run it; ${BY_ITSELF}.`,
    stopping: null,
    bug: REPORT,
  },
  channel: {
    auth: "Give the account the login that this channel asks for, in the account's settings.",
    config: "Correct this channel in its gateway.",
    network: REACH,
    timeout: REACH,
    rate_limited: `Nothing needs to be done: ${BY_ITSELF} when the network allows it.`,
    forbidden: "Let Rialto in: lift its ban, invite it, or set the channel's key in its gateway.",
    not_found: "Check the channel's name in its gateway, or make the channel.",
    too_large: REPORT,
    unsupported: "Use another channel in the gateway: Rialto cannot work in this one as it is.",
    bad_content: REPORT,
    remote_error: `See what the server's own log says, or ask those who run it; ${BY_ITSELF}.`,
    stopping: null,
    bug: REPORT,
  },
  lane: {
    auth: "Correct the credentials in the account's settings, or ask those who run the network.",
    config: "Correct the account's settings, or this channel in its gateway.",
    network: REACH,
    timeout: REACH,
    rate_limited: SLOWER,
    forbidden: "Let Rialto speak there: give it the right to write in that channel.",
    not_found: "Check the channel's name in its gateway.",
    too_large: "Nothing can be done: the network does not take messages of this size.",
    unsupported: "Nothing can be done: the network cannot do this.",
    bad_content: REPORT,
    remote_error: `See what the server's own log says, or ask those who run it; ${BY_ITSELF}.`,
    stopping: null,
    bug: REPORT,
  },
};

/** What a person can do about a reason. A session that ended by its credentials or settings needs a person, whatever the code says. */
export function remedyOf(part: TroubledPart, why: Pick<Why, "code"> | null, cause?: Ended["cause"]): string | null {
  if (why === null) return null;
  return REMEDIES[part][cause === "auth" || cause === "config" ? cause : why.code];
}
