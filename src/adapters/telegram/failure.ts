import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome, Reason, ReasonCode } from "../../contract/outcome.ts";
import { AGAIN_MS, deferred, RATE_MS, rejected } from "../kit/outcomes.ts";
import type { TelegramLink } from "./link.ts";
import { says, type TelegramFailure } from "./result.ts";

/** Whoever may give us a right is a person. */
const PERSON_MS = 60_000;
/** A chat that we are no longer in: an update says when that changes. */
const LOST_MS = 60_000;

/** What stands before Telegram's servers, and answers in their place. */
const ELSEWHERE_MS = 10_000;

/** What was to be done, for people. */
export type TelegramDoing = "post" | "edit the message" | "delete the message" | "react";

interface Failing {
  readonly link: Pick<TelegramLink, "lose" | "me">;
  readonly channel: ChannelRef;
  readonly doing: TelegramDoing;
}

/** How a request ended that was to change something, when not well. */
export function outcomeOf(failure: TelegramFailure, failing: Failing): Outcome {
  const { code, message, status, certain, retryAfterMs } = failure;
  const why: Reason = { code, message };
  if (status === 429) return deferred({ code: "rate_limited", message: SLOWED }, retryAfterMs ?? RATE_MS, "channel");
  const flood = /\bFLOOD_WAIT_(?<seconds>\d{1,5})\b|\bPEER_FLOOD\b/u.exec(failure.description);
  if (flood !== null) {
    const ms = Number(flood.groups?.["seconds"] ?? FLOOD_S) * 1000;
    return deferred({ code: "rate_limited", message: `${message}: ${SLOWED}` }, ms, "channel");
  }
  if (!certain) return { is: "unknown", why };
  if (failure.description === "" && status !== 0) return elsewhere(why);
  if (status === 0 || PASSING.has(code)) return deferred(why, AGAIN_MS, status === 0 ? "session" : "channel");
  if (status === 401 || (status === 404 && failure.description === "Not Found")) {
    return deferred({ code: "auth", message: `${message}: the token was revoked` }, PERSON_MS, "session");
  }
  if (says(failure, "Logged out")) {
    return deferred(
      { code: "auth", message: `${message}: the bot is at another server: check ApiURL` },
      PERSON_MS,
      "session",
    );
  }
  const lost = LOST.find(([words]) => says(failure, words));
  if (lost !== undefined) return lose(`${message}: ${lost[1](failing.link.me.username)}`, status, failing);
  if (RIGHTS.test(failure.description)) return restricted(message, failing);
  if (says(failure, "TOPIC_CLOSED")) {
    return deferred({ code: "forbidden", message: `${message}: the topic is closed; ${AGAIN}` }, PERSON_MS, "channel");
  }
  const known = REMEDIES.find(([words]) => says(failure, words));
  return known === undefined ? rejected(code, message) : rejected(known[1], `${message}: ${known[2]}`);
}

/** Telegram has said nothing: it is a page of something on the way, and not about the message but for its size. */
function elsewhere({ code, message }: Reason): Outcome {
  if (code === "too_large") return rejected(code, message);
  const said = `${message}, which is no answer of Telegram: look at what is between Rialto and ApiURL`;
  return deferred({ code: "network", message: said }, ELSEWHERE_MS, "channel");
}

function lose(message: string, status: number, { link, channel }: Failing): Outcome {
  const why: Reason = { code: status === 403 ? "forbidden" : "not_found", message };
  link.lose(channel, why, LOST_MS);
  return deferred(why, AGAIN_MS, "channel");
}

/** Rights that an administrator gives, or takes. */
function restricted(message: string, { doing, link }: Failing): Outcome {
  const said = `${message}: let @${link.me.username} do that, in the permissions of the chat or as an administrator`;
  if (doing !== "post") return rejected("forbidden", said);
  return deferred({ code: "forbidden", message: `${said}; ${AGAIN}` }, PERSON_MS, "channel");
}

const AGAIN = "Rialto tries again every minute";
/** Where Telegram does not say for how long. */
const FLOOD_S = 60;
const SLOWED = "Telegram limits how many messages the chat takes";

/** What a later try may find otherwise. */
const PASSING: ReadonlySet<ReasonCode> = new Set(["network", "timeout", "stopping", "remote_error"]);

const ADD_AGAIN = (name: string): string => `add @${name} to the chat again`;
const LOST: readonly (readonly [string, (name: string) => string])[] = [
  ["bot was kicked", ADD_AGAIN],
  ["bot is not a member", ADD_AGAIN],
  ["chat not found", ADD_AGAIN],
  ["group chat was deleted", () => "the group is no more"],
  ["group chat was deactivated", () => "the group is no more"],
  ["CHANNEL_PRIVATE", ADD_AGAIN],
  ["bot was blocked", () => "the person has blocked the bot"],
  ["user is deactivated", () => "the person's account is no more"],
  ["can't initiate conversation", (name: string) => `the person must write to @${name} first`],
];

const RIGHTS =
  /not enough rights|have no rights|need administrator rights|CHAT_\w+_FORBIDDEN|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED|CHAT_RESTRICTED|USER_BANNED_IN_CHANNEL/iu;

const REMEDIES: readonly (readonly [string, ReasonCode, string])[] = [
  ["message thread not found", "not_found", "the topic is no more; correct the channel in the configuration"],
  ["TOPIC_DELETED", "not_found", "the topic is no more; correct the channel in the configuration"],
  [
    "message can't be deleted",
    "forbidden",
    "a bot can delete messages for 48 hours; later, let an administrator of the chat do it",
  ],
  ["message can't be edited", "forbidden", "only what the bot itself has posted can be edited"],
  ["message to edit not found", "not_found", "the message no longer exists"],
  ["message is too long", "too_large", "the text is longer than a message can be"],
  ["caption is too long", "too_large", "the text is longer than a caption can be"],
  ["Entity Too Large", "too_large", "the file is larger than the server takes"],
  ["is too big", "too_large", "the file is larger than the server takes"],
  ["REACTION_INVALID", "unsupported", "the chat does not allow this reaction"],
  ["REACTIONS_TOO_MANY", "unsupported", "the message has as many different reactions as it can have"],
];
