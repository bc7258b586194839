import { expect, test } from "vitest";
import { outcomeOf, type TelegramDoing } from "./failure.ts";
import { channelRef } from "./ids.ts";
import type { TelegramIdentity } from "./me.ts";
import type { TelegramFailure } from "./result.ts";

const me: TelegramIdentity = { id: 1, username: "rialto_bot", name: "Rialto", readsAll: true };
const channel = channelRef({ chat: -100123, topic: null });

const refusal = (status: number, description: string, more: Partial<TelegramFailure> = {}): TelegramFailure => ({
  code: status === 403 ? "forbidden" : "bad_content",
  why: "refused",
  status,
  description,
  message: `Telegram refuses sendMessage: ${description}`,
  retryAfterMs: null,
  migrateTo: null,
  certain: true,
  ...more,
});

const cases: readonly (readonly [string, TelegramFailure, TelegramDoing, string, RegExp, boolean])[] = [
  [
    "too much",
    refusal(429, "Too Many Requests: retry after 7", { retryAfterMs: 7_000 }),
    "post",
    "deferred channel",
    /limits how many/u,
    false,
  ],
  ["no answer after all was sent", refusal(0, "", { certain: false, code: "timeout" }), "post", "unknown", /./u, false],
  ["nobody there", refusal(0, "", { code: "network" }), "post", "deferred session", /./u, false],
  ["a revoked token", refusal(401, "Unauthorized", { code: "auth" }), "post", "deferred session", /revoked/u, false],
  ["a page of a proxy", refusal(403, ""), "post", "deferred channel", /between Rialto and ApiURL/u, false],
  [
    "kicked",
    refusal(403, "Forbidden: bot was kicked from the supergroup chat"),
    "post",
    "deferred channel",
    /add @rialto_bot/u,
    true,
  ],
  ["unknown chat", refusal(400, "Bad Request: chat not found"), "post", "deferred channel", /add @rialto_bot/u, true],
  [
    "blocked",
    refusal(403, "Forbidden: bot was blocked by the user"),
    "post",
    "deferred channel",
    /has blocked the bot/u,
    true,
  ],
  [
    "no right to write",
    refusal(400, "Bad Request: not enough rights to send text messages to the chat"),
    "post",
    "deferred channel",
    /permissions of the chat/u,
    false,
  ],
  [
    "no right to change",
    refusal(400, "Bad Request: CHAT_ADMIN_REQUIRED"),
    "react",
    "rejected",
    /permissions of the chat/u,
    false,
  ],
  ["another server", refusal(400, "Bad Request: Logged out"), "post", "deferred session", /check ApiURL/u, false],
  ["a flood", refusal(420, "FLOOD_WAIT_5"), "post", "deferred channel", /limits how many/u, false],
  ["a flood without a time", refusal(400, "Bad Request: PEER_FLOOD"), "post", "deferred channel", /limits/u, false],
  [
    "banned",
    refusal(400, "Bad Request: USER_BANNED_IN_CHANNEL"),
    "post",
    "deferred channel",
    /permissions of the chat/u,
    false,
  ],
  [
    "a deleted group",
    refusal(403, "Forbidden: the group chat was deleted"),
    "post",
    "deferred channel",
    /no more/u,
    true,
  ],
  [
    "a closed topic",
    refusal(400, "Bad Request: TOPIC_CLOSED"),
    "post",
    "deferred channel",
    /tries again every minute/u,
    false,
  ],
  [
    "a topic that is gone",
    refusal(400, "Bad Request: message thread not found"),
    "post",
    "rejected",
    /correct the channel/u,
    false,
  ],
  [
    "an old message",
    refusal(400, "Bad Request: message can't be deleted for everyone"),
    "delete the message",
    "rejected",
    /48 hours/u,
    false,
  ],
  [
    "a large file",
    refusal(413, "Request Entity Too Large", { code: "too_large" }),
    "post",
    "rejected",
    /larger than the server takes/u,
    false,
  ],
  ["something else", refusal(400, "Bad Request: SOMETHING_NEW"), "post", "rejected", /SOMETHING_NEW/u, false],
];

test.each(cases)("%s", (_, failure, doing, is, words, isLost) => {
  const losses: string[] = [];
  const link = { me, lose: (...[ref]: readonly unknown[]) => void losses.push(String(ref)) };
  const outcome = outcomeOf(failure, { link, channel, doing });
  if (outcome.is === "delivered") throw new Error("delivered");
  expect(outcome.is === "deferred" ? `deferred ${outcome.scope}` : outcome.is).toBe(is);
  expect(outcome.why.message).toMatch(words);
  expect(losses).toEqual(isLost ? [channel] : []);
});

test("what Telegram says is kept to: so long nothing is tried", () => {
  const failure = refusal(429, "Too Many Requests: retry after 7", { retryAfterMs: 7_000 });
  const outcome = outcomeOf(failure, { link: { me, lose: () => undefined }, channel, doing: "post" });
  expect(outcome).toMatchObject({ is: "deferred", retryInMs: 7_000, why: { code: "rate_limited" } });
});
