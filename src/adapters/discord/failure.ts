import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome, Reason, ReasonCode } from "../../contract/outcome.ts";
import { AGAIN_MS, codeOf, deferred, RATE_MS, rejected, retryWithin } from "../kit/outcomes.ts";
import { channelRef } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordFailure } from "./rest-result.ts";

/** Whoever may give us a right is a person. */
const PERSON_MS = 60_000;
/** A channel that is gone, or out of our sight: an event says when that changes. */
const LOST_MS = 60_000;

/** What was to be done, for people, and the permission that it needs. */
export interface DiscordDoing {
  readonly what: string;
  readonly right: string;
}

export const POSTING: DiscordDoing = { what: "post", right: "Send Messages (in threads: Send Messages in Threads)" };
export const EDITING: DiscordDoing = { what: "edit the message", right: "View Channel" };
export const DELETING: DiscordDoing = { what: "delete the message", right: "Manage Messages" };
export const REACTING: DiscordDoing = { what: "react", right: "Add Reactions" };
export const READING: DiscordDoing = { what: "read the channel", right: "Read Message History" };
export const THREADING: DiscordDoing = { what: "begin a thread", right: "Create Public Threads" };
export const HOOKING: DiscordDoing = { what: "use webhooks", right: "Manage Webhooks" };

interface Failing {
  readonly link: Pick<DiscordLink, "lose">;
  /** The room, and the channel or thread of it that was asked. */
  readonly channel: ChannelRef;
  readonly at: string;
  readonly doing: DiscordDoing;
}

/** How a request ended that was to change something, when not well. Codes: `RESTJSONErrorCodes` of the network. */
export function outcomeOf(failure: DiscordFailure, failing: Failing): Outcome {
  const { message, status, code, certain } = failure;
  const why: Reason = { code: codeOf(failure), message };
  if (status === 429 || LIMITS.has(code)) return limited(failure);
  if (!certain) return { is: "unknown", why };
  if (status === 0) return deferred(why, AGAIN_MS, "session");
  if (code === 0 && status === 401) {
    const remedy = "the token was revoked; Reset Token on the page Bot of its application, and set Token";
    return deferred({ code: "auth", message: `${message}; ${remedy}` }, RATE_MS, "session");
  }
  if (code === UNKNOWN_CHANNEL || code === UNKNOWN_GUILD || code === MISSING_ACCESS) return lost(failure, failing);
  const known = REMEDIES.get(code);
  if (known !== undefined) return rejected(known.code, `${message}: ${known.remedy}`);
  if (PASSING.has(code)) return deferred(why, PERSON_MS, "channel");
  if (code === MISSING_PERMISSIONS || code === THREAD_LOCKED || code === THREAD_ARCHIVED)
    return forbidden(failure, failing);
  return rejected(why.code, message);
}

/** For what only reads: it has changed nothing, so it can be tried again. */
export function readingFailed(failure: DiscordFailure, failing: Failing): Outcome {
  const outcome = outcomeOf(failure, failing);
  if (outcome.is !== "unknown") return outcome;
  return { is: "deferred", why: outcome.why, retryInMs: AGAIN_MS, scope: "channel" };
}

function limited({ message, code, retryAfterMs, scope }: DiscordFailure): Outcome {
  const slow =
    "the channel is in slow mode, from which members with Manage Messages, Manage Channels or Bypass Slowmode are free";
  const why: Reason = { code: "rate_limited", message: code === SLOW_MODE ? `${message}: ${slow}` : message };
  const waitMs = retryWithin(retryAfterMs ?? RATE_MS);
  return deferred(why, waitMs, scope === "global" ? "session" : "channel");
}

function lost({ message, code }: DiscordFailure, { link, channel, at }: Failing): Outcome {
  if (code !== UNKNOWN_GUILD && channelRef(at) !== channel)
    return rejected(
      code === MISSING_ACCESS ? "forbidden" : "not_found",
      `${message}: the thread is gone, or hidden from the bot`,
    );
  const remedy =
    code === MISSING_ACCESS
      ? "the bot no longer sees the channel: it needs View Channel (Edit Channel > Permissions)"
      : code === UNKNOWN_CHANNEL
        ? "the channel is no longer there"
        : "the bot is no longer on the server";
  const why: Reason = {
    code: code === MISSING_ACCESS ? "forbidden" : "not_found",
    message: `${message}: ${remedy}`,
  };
  link.lose(channel, why, LOST_MS);
  return deferred(why, AGAIN_MS, "channel");
}

function forbidden({ message, code }: DiscordFailure, { doing }: Failing): Outcome {
  const where = "Server Settings > Roles, or Edit Channel > Permissions";
  const said =
    code === THREAD_LOCKED || code === THREAD_ARCHIVED
      ? `${message}: the thread is closed; open it, or give the bot Manage Threads (${where})`
      : `${message}: the bot may not ${doing.what} here: it lacks ${doing.right} (${where})`;
  if (doing !== POSTING) return rejected("forbidden", said);
  return deferred({ code: "forbidden", message: `${said}; Rialto tries again every minute` }, PERSON_MS, "channel");
}

const UNKNOWN_CHANNEL = 10_003;
const UNKNOWN_GUILD = 10_004;
const UNKNOWN_MESSAGE = 10_008;
export const UNKNOWN_EMOJI = 10_014;
const UNKNOWN_WEBHOOK = 10_015;
const SLOW_MODE = 20_016;
export const MAX_WEBHOOKS: ReadonlySet<number> = new Set([30_007, 30_058]);
export const MISSING_ACCESS = 50_001;
export const MISSING_PERMISSIONS = 50_013;
const BAD_HOOK_TOKEN = 50_027;
export const BAD_FORM = 50_035;
const THREAD_ARCHIVED = 50_083;
export const THREAD_EXISTS = 160_004;
const THREAD_LOCKED = 160_005;
/** Of a reply: the bot may not read what it answers, or that is no message of a person. */
const NO_REPLY: ReadonlySet<number> = new Set([BAD_FORM, 160_002, 160_009]);

/** Limits that have a code of their own: slow mode, of announcements, of a channel, of a server, of a resource. */
const LIMITS: ReadonlySet<number> = new Set([SLOW_MODE, 20_022, 20_028, 20_029, 40_062]);
/** Later it may go: sending is switched off, a feature is, the server is busy, edits of old messages are too many. */
const PASSING: ReadonlySet<number> = new Set([40_004, 40_006, 130_000, 30_046]);

const MODERATED = {
  code: "bad_content",
  remedy: "the server's AutoMod blocks it; exempt the bot's role there",
} as const;
const REMEDIES: ReadonlyMap<number, { readonly code: ReasonCode; readonly remedy: string }> = new Map([
  [20_009, { code: "bad_content", remedy: "the server does not let it through" }],
  [30_010, { code: "unsupported", remedy: "the message has as many different reactions as it can have" }],
  [40_058, { code: "unsupported", remedy: "a forum takes posts only" }],
  [
    40_067,
    { code: "config", remedy: "posts there need a tag; switch it off in Edit Channel (Require people to select tags)" },
  ],
  [50_008, { code: "unsupported", remedy: "nobody can write in a channel of this kind" }],
  [90_001, { code: "forbidden", remedy: "whoever wrote the message has blocked the bot" }],
  [160_006, { code: "unsupported", remedy: "the server has as many threads as it can have" }],
  [160_007, { code: "unsupported", remedy: "the server has as many threads as it can have" }],
  [200_000, MODERATED],
  [200_001, MODERATED],
  [240_000, { code: "bad_content", remedy: "the server blocks links that it takes for harmful" }],
]);

const HOOK_WORDS = "the webhook that wrote the message is gone, and nobody else can change it";
export const HOOK_GONE: Outcome = rejected("not_found", HOOK_WORDS);
/** The same as a failure of a request. */
export const NO_HOOK: DiscordFailure = {
  why: "refused",
  status: 404,
  code: UNKNOWN_WEBHOOK,
  message: HOOK_WORDS,
  certain: true,
  retryAfterMs: null,
  scope: null,
};
export const NOT_DURABLE: Outcome = deferred(
  { code: "stopping", message: "the disk takes nothing now, and nothing leaves before it knows of it" },
  AGAIN_MS,
  "session",
);

/** A message is there no longer, or the channel that it was in. */
export const isGone = ({ status, code }: DiscordFailure): boolean =>
  code === UNKNOWN_MESSAGE || code === UNKNOWN_CHANNEL || (status === 404 && code === 0);

/** A webhook is there no longer, or has another token by now. */
export const isHookGone = ({ code }: DiscordFailure): boolean => code === UNKNOWN_WEBHOOK || code === BAD_HOOK_TOKEN;

/** 413 may come from what stands before the servers, without a code. */
export const isTooLarge = ({ status, code }: DiscordFailure): boolean =>
  status === 413 || code === 40_005 || code === 50_045;

/** A server that cannot read forms; Discord has a code for whatever is wrong in one. */
export const isNoUpload = ({ status, code }: DiscordFailure): boolean =>
  (status === 400 || status === 415) && (code === 0 || code === 400 || code === 415);

export const isArchived = ({ code }: DiscordFailure): boolean => code === THREAD_ARCHIVED;
export const isLocked = ({ code }: DiscordFailure): boolean => code === THREAD_LOCKED;
export const isNoReply = ({ code }: DiscordFailure): boolean => NO_REPLY.has(code);
export const isRefused = ({ code }: DiscordFailure): boolean =>
  code === MISSING_PERMISSIONS || code === MISSING_ACCESS || code === THREAD_LOCKED;
