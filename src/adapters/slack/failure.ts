import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome, Reason, ReasonCode } from "../../contract/outcome.ts";
import { AGAIN_MS, deferred, RATE_MS, rejected, retryWithin } from "../kit/outcomes.ts";
import type { SlackLink } from "./link.ts";
import { codeOf, type SlackFailure } from "./result.ts";

/** Whoever may give us a right is a person. */
const PERSON_MS = 60_000;
/** A channel that we are no longer in, or that is archived: an event says when that changes. */
const LOST_MS = 60_000;

/** What was to be done, for people. */
export type SlackDoing = "post" | "edit the message" | "delete the message" | "react" | "set the topic" | "share files";

interface Failing {
  readonly link: Pick<SlackLink, "lose" | "me">;
  readonly channel: ChannelRef;
  readonly doing: SlackDoing;
}

/** How a request ended that was to change something, when not well. */
export function outcomeOf(failure: SlackFailure, failing: Failing): Outcome {
  const { message, status, error, certain } = failure;
  const why: Reason = { code: codeOf(failure), message };
  if (isLimited(failure)) {
    const waitMs = retryWithin(failure.retryAfterMs ?? RATE_MS);
    return deferred({ code: "rate_limited", message }, waitMs, "channel");
  }
  if (!certain) return { is: "unknown", why };
  if (status === 0) return deferred(why, AGAIN_MS, "session");
  if (TROUBLES.has(error) || PASSING.has(why.code)) return deferred(why, AGAIN_MS, "channel");
  const login = LOGINS.get(error);
  if (login !== undefined) return deferred({ code: "auth", message: `${message}: ${login}` }, PERSON_MS, "session");
  if (error === "missing_scope") return missingScope(message, failing);
  const lost = LOST.get(error);
  if (lost !== undefined) return lose(`${message}: ${lost(failing.link.me.name)}`, error, failing);
  if (RESTRICTED.test(error)) return restricted(message, failing);
  const known = REMEDIES.get(error);
  if (known !== undefined) return rejected(known.code, `${message}: ${known.remedy}`);
  return rejected(error === "" ? why.code : "bad_content", message);
}

/** For what only reads before something is done: it has changed nothing, so it can be tried again. */
export function readingFailed(failure: SlackFailure, failing: Failing): Outcome {
  const outcome = outcomeOf(failure, failing);
  return outcome.is === "unknown" ? deferred(outcome.why, AGAIN_MS, "channel") : outcome;
}

/** Nobody lets us read there, and that stays so until a person changes it. */
export const isNotToRead = ({ error }: Pick<SlackFailure, "error">): boolean => error === "missing_scope";

/** A person adds it, and the same token has it from then on. */
function missingScope(message: string, { doing }: Failing): Outcome {
  if (doing !== "post") return rejected("forbidden", message);
  return deferred({ code: "forbidden", message: `${message}; Rialto tries again every minute` }, PERSON_MS, "channel");
}

function lose(message: string, error: string, { link, channel }: Failing): Outcome {
  const why: Reason = { code: error === "not_in_channel" ? "forbidden" : "not_found", message };
  link.lose(channel, why, LOST_MS);
  return deferred(why, AGAIN_MS, "channel");
}

/** Rights that a workspace or a channel gives, or takes. */
function restricted(message: string, { doing }: Failing): Outcome {
  const remedy =
    "the workspace or the channel allows this only to others (channel settings > Posting permissions, or the workspace's own)";
  const said = `${message}: ${remedy}`;
  if (doing !== "post") return rejected("forbidden", said);
  return deferred({ code: "forbidden", message: `${said}; Rialto tries again every minute` }, PERSON_MS, "channel");
}

export const isLimited = ({ status, error }: Pick<SlackFailure, "status" | "error">): boolean =>
  status === 429 || LIMITS.has(error);

const LIMITS: ReadonlySet<string> = new Set(["ratelimited", "rate_limited", "message_limit_exceeded"]);

/** What a later try may find otherwise: the servers are in trouble, and have certainly done nothing. */
const PASSING: ReadonlySet<ReasonCode> = new Set(["network", "timeout", "stopping", "remote_error"]);
const TROUBLES: ReadonlySet<string> = new Set(["accesslimited", "external_channel_migrating", "team_added_to_org"]);

const NEW_TOKEN = "install the app anew (api.slack.com/apps > OAuth & Permissions) and set Token";
const ADMINS = "ask the administrators of the workspace";
/** The token is of no use for anything. */
const LOGINS: ReadonlyMap<string, string> = new Map([
  ["account_inactive", `the app was removed from the workspace; ${NEW_TOKEN}`],
  ["access_denied", ADMINS],
  ["ekm_access_denied", `the workspace's keys are withdrawn; ${ADMINS}`],
  ["enterprise_is_restricted", ADMINS],
  ["invalid_auth", NEW_TOKEN],
  ["no_permission", ADMINS],
  ["not_allowed_token_type", "Token must be the bot's token, which begins with xoxb-"],
  ["not_authed", NEW_TOKEN],
  ["org_login_required", ADMINS],
  ["team_access_not_granted", ADMINS],
  ["token_expired", `tokens of this app expire; switch token rotation off, ${NEW_TOKEN}`],
  ["token_revoked", `the token was revoked; ${NEW_TOKEN}`],
]);

const LOST: ReadonlyMap<string, (name: string) => string> = new Map([
  ["not_in_channel", (name: string) => `the app is no longer in the channel; write there: /invite @${name}`],
  [
    "channel_not_found",
    (name: string) => `it is gone, or private and without the app; if so, write there: /invite @${name}`,
  ],
  ["is_archived", () => "the channel is archived; Rialto joins it again when somebody unarchives it"],
]);

const RESTRICTED = /^restricted_action|^posting_to_(?:general_)?channel_denied$/u;

const OURS = "only what the app itself has posted can be changed by it";
const BLOCKED = { code: "forbidden", remedy: "the workspace allows this no more" } as const;
const FULL = { code: "unsupported", remedy: "the message has as many different reactions as it can have" } as const;
const REMEDIES: ReadonlyMap<string, { readonly code: ReasonCode; readonly remedy: string }> = new Map([
  ["as_user_not_supported", { code: "config", remedy: "Token is of an old kind of app; make a new one" }],
  ["cant_delete_message", { code: "forbidden", remedy: OURS }],
  ["cant_update_message", { code: "forbidden", remedy: OURS }],
  ["compliance_exports_prevent_deletion", BLOCKED],
  [
    "edit_window_closed",
    {
      code: "forbidden",
      remedy: "the workspace limits for how long messages can be edited (Settings & permissions > Message editing)",
    },
  ],
  ["message_not_found", { code: "not_found", remedy: "the message no longer exists" }],
  ["msg_blocks_too_long", { code: "too_large", remedy: "the text is longer than a message can be" }],
  ["msg_too_long", { code: "too_large", remedy: "the text is longer than a message can be" }],
  ["not_reactable", { code: "unsupported", remedy: "nobody can react to this" }],
  ["too_many_emoji", FULL],
  ["too_many_reactions", FULL],
]);

/** The answer was a success, but it says nothing. */
export const MUTE: Outcome = {
  is: "unknown",
  why: { code: "remote_error", message: "Slack answers without the message" },
};

/** The network has objected to the pace in this channel. */
export const slowed = (retryInMs: number): Outcome =>
  deferred(
    { code: "rate_limited", message: "Slack limits how many messages a channel takes" },
    retryWithin(retryInMs),
    "channel",
  );

/** Something is there no longer. */
export const isGone = ({ error }: Pick<SlackFailure, "error">): boolean => error === "message_not_found";

/** The thread cannot be answered: what was for it can be said outside of it. */
export const isNoThread = ({ error }: Pick<SlackFailure, "error">): boolean => NO_THREAD.has(error);

const NO_THREAD: ReadonlySet<string> = new Set([
  "cannot_reply_to_message",
  "invalid_thread_ts",
  "restricted_action_non_threadable_channel",
  "restricted_action_thread_locked",
  "thread_not_found",
]);
