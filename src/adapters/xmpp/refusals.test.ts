import { expect, test } from "vitest";
import { joinRefused, messageRefused, whyOut } from "./refusals.ts";

const error = (condition: string, type = "cancel", text = "") => ({ condition, type, text });

test.each([
  ["not-authorized", "forbidden", /options\.key/u],
  ["forbidden", "forbidden", /banned/u],
  ["registration-required", "forbidden", /members/u],
  ["not-allowed", "config", /may not create it/u],
  ["item-not-found", "not_found", /no such room/u],
  ["jid-malformed", "config", /the room's name/u],
  ["service-unavailable", "rate_limited", /full/u],
  ["remote-server-not-found", "config", /check Muc/u],
  ["timeout", "timeout", /does not answer/u],
  ["odd", "remote_error", /odd/u],
])("a join refused as %s", (condition, code, message) => {
  const { why, retryInMs } = joinRefused(error(condition, "cancel", "because\n"));
  expect(why.code).toBe(code);
  expect(why.message).toMatch(message);
  expect(why.message).toMatch(/\(because\)$/u);
  expect(retryInMs).toBeGreaterThan(0);
});

test.each([
  ["not-acceptable", "modify", false, "deferred"],
  ["remote-server-timeout", "wait", false, "deferred"],
  ["policy-violation", "wait", false, "deferred"],
  ["resource-constraint", "wait", false, "deferred"],
  ["internal-server-error", "wait", false, "deferred"],
  ["forbidden", "auth", true, "deferred"],
  ["forbidden", "auth", false, "rejected"],
  ["bad-request", "modify", false, "rejected"],
])("a message refused as %s (%s), voiceless %s: %s", (condition, type, voiceless, is) => {
  expect(messageRefused(error(condition, type), voiceless)).toMatchObject({ is });
});

test.each([
  [["307"], false, "forbidden", "kicked by op (spam)", 0],
  [["301"], false, "forbidden", "banned by op (spam)", 1_800_000],
  [["307", "333"], false, "network", "removed after a technical error by op (spam)", 0],
  [["332"], false, "network", "the room's service is shutting down", 5_000],
  [["322"], false, "forbidden", "the room is now for members only by op (spam)", 600_000],
  [[], true, "not_found", "the room was destroyed by op (spam)", 60_000],
  [[], false, "remote_error", "removed from the room by op (spam)", 1_000],
])("out by %j, destroyed %s", (codes, destroyed, code, message, retryInMs) => {
  expect(whyOut(new Set(codes), { by: "op", reason: "spam", destroyed })).toEqual({
    why: { code, message },
    retryInMs,
  });
});
