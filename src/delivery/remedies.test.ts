import { expect, test } from "vitest";
import type { ReasonCode } from "../contract/outcome.ts";
import { remedyOf, trialRemedyOf } from "./remedies.ts";

const CODES = [
  "rate_limited",
  "network",
  "timeout",
  "auth",
  "config",
  "forbidden",
  "not_found",
  "too_large",
  "unsupported",
  "bad_content",
  "remote_error",
  "stopping",
  "bug",
] as const satisfies readonly ReasonCode[];
// Fails to compile when a code is missing above.
const all: readonly Exclude<ReasonCode, (typeof CODES)[number]>[] = [];

test("there is a sentence for every trouble, and none for a stop or for nothing", () => {
  expect(all).toEqual([]);
  for (const part of ["account", "channel", "lane"] as const) {
    for (const code of CODES) {
      const remedy = remedyOf(part, { code });
      if (code === "stopping") expect(remedy).toBeNull();
      else expect(remedy, `${part} ${code}`).toMatch(/^[A-Z][^.]+\.$/u);
    }
    expect(remedyOf(part, null)).toBeNull();
  }
});

test.each([
  ["account", "auth", undefined, "credentials"],
  ["account", "config", undefined, "settings"],
  ["account", "network", "lost", "can be reached"],
  ["account", "remote_error", "config", "settings"],
  ["account", "bug", "lost", "Report"],
  ["account", "forbidden", "auth", "Ask the people who run the network"],
  ["channel", "forbidden", undefined, "invite"],
  ["channel", "not_found", undefined, "name"],
  ["channel", "unsupported", undefined, "another channel"],
  ["lane", "rate_limited", undefined, "Nothing needs to be done"],
  ["lane", "forbidden", undefined, "right to write"],
] as const)("%s, %s (%s): %s", (part, code, cause, words) => {
  expect(remedyOf(part, { code }, cause)).toContain(words);
});

test.each(CODES)("of an account that is tried, nobody says that Rialto tries again: %s", (code) => {
  for (const part of ["account", "channel"] as const) {
    const remedy = trialRemedyOf(part, { code });
    expect(remedy).not.toMatch(/keeps trying|tries|Nothing needs/u);
    if (code !== "stopping") expect(remedy).toMatch(/^[A-Z][^.]+\.$/u);
  }
  expect(trialRemedyOf("account", { code: "remote_error" }, "auth")).toContain("credentials");
});
