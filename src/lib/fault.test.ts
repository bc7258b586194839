import { expect, test } from "vitest";
import { faultOf } from "./fault.ts";

test("what was thrown, and where, without its words", () => {
  const fault = faultOf(new TypeError("\n    at the bar, she said\n"));
  expect(fault.error).toBe("TypeError");
  expect(fault.at.length).toBeGreaterThan(0);
  expect(fault.at.every((frame) => /^at .+:\d+:\d+\)?$/u.test(frame))).toBe(true);
  expect(JSON.stringify(faultOf(failure(() => JSON.parse("a secret"))))).not.toContain("secret");
  expect(faultOf("a secret")).toEqual({ error: "string", at: [] });
});

function failure(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    return error;
  }
}
