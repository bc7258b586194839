import { describe, expect, test } from "vitest";
import type { Outcome } from "../../contract/outcome.ts";
import { DELETING, type DiscordDoing, isHookGone, isTooLarge, outcomeOf, POSTING, readingFailed } from "./failure.ts";
import { channelRef } from "./ids.ts";
import type { DiscordFailure } from "./rest-result.ts";

const failureOf = (more: Partial<DiscordFailure>): DiscordFailure => ({
  why: "refused",
  status: 400,
  code: 0,
  message: "Discord says no",
  certain: true,
  retryAfterMs: null,
  scope: null,
  ...more,
});

function ended(failure: Partial<DiscordFailure>, doing: DiscordDoing = POSTING, at = "1"): [Outcome, boolean] {
  let isLost = false;
  const link = { lose: () => void (isLost = true) };
  return [outcomeOf(failureOf(failure), { link, channel: channelRef("1"), at, doing }), isLost];
}

describe("a refusal", () => {
  test.each([
    ["limit of a channel", { status: 429, retryAfterMs: 3_000, scope: "user" }, "deferred channel rate_limited"],
    ["limit of all", { status: 429, retryAfterMs: 3_000, scope: "global" }, "deferred session rate_limited"],
    ["slow mode", { status: 429, code: 20_016, scope: "user" }, "deferred channel rate_limited"],
    ["limit of a resource", { status: 400, code: 40_062 }, "deferred channel rate_limited"],
    ["no connection", { why: "network", status: 0 }, "deferred session network"],
    ["connection broke", { why: "network", status: 0, certain: false }, "unknown network"],
    ["server at fault", { status: 502, certain: false }, "unknown remote_error"],
    ["token revoked", { status: 401 }, "deferred session auth"],
    ["right missing", { status: 403, code: 50_013 }, "deferred channel forbidden"],
    ["busy", { status: 503, code: 130_000, certain: true }, "deferred channel remote_error"],
    [
      "too many edits of an old message",
      { status: 429, code: 30_046, scope: "shared" },
      "deferred channel rate_limited",
    ],
    ["bad form", { code: 50_035 }, "rejected bad_content"],
    ["AutoMod", { code: 200_000 }, "rejected bad_content"],
    ["tag wanted", { code: 40_067 }, "rejected config"],
  ] satisfies [string, Partial<DiscordFailure>, string][])("%s", (_, failure, expected) => {
    const [outcome, isLost] = ended(failure);
    expect(
      [outcome.is, ...("scope" in outcome ? [outcome.scope] : []), "why" in outcome && outcome.why.code].join(" "),
    ).toBe(expected);
    expect(isLost).toBe(false);
  });

  test("of the room loses it; of one of its threads it does not", () => {
    for (const code of [10_003, 50_001]) {
      expect(ended({ status: 404, code })[1]).toBe(true);
      expect(ended({ status: 404, code }, POSTING, "2")).toMatchObject([{ is: "rejected" }, false]);
    }
    expect(ended({ status: 404, code: 10_004 }, POSTING, "2")[1]).toBe(true);
  });

  test("for a missing right names it, and where it is given; what is not a post is not tried again", () => {
    const [outcome] = ended({ status: 403, code: 50_013 }, DELETING);
    expect(outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
    expect("why" in outcome && outcome.why.message).toMatch(/Manage Messages.*Server Settings > Roles/);
  });

  test("is waited for within limits, whatever the server says", () => {
    for (const retryAfterMs of [0, -1, 1e15]) {
      const [outcome] = ended({ status: 429, retryAfterMs, scope: "user" });
      const waitMs = outcome.is === "deferred" ? outcome.retryInMs : 0;
      expect(waitMs).toBeGreaterThanOrEqual(50);
      expect(waitMs).toBeLessThanOrEqual(3_600_000);
    }
  });
});

test("what only reads leaves nothing unknown", () => {
  const failing = { link: { lose: () => undefined }, channel: channelRef("1"), at: "1", doing: POSTING };
  expect(readingFailed(failureOf({ status: 500, certain: false }), failing).is).toBe("deferred");
});

test("a webhook is gone by its code, also by the code of its token; a body is too large also without a code", () => {
  expect([10_015, 50_027, 10_008].map((code) => isHookGone(failureOf({ code })))).toEqual([true, true, false]);
  expect(isTooLarge(failureOf({ status: 413 }))).toBe(true);
  expect(isTooLarge(failureOf({ code: 40_005 }))).toBe(true);
  expect(isTooLarge(failureOf({}))).toBe(false);
});
