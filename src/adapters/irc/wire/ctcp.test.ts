import { describe, expect, test } from "vitest";
import { answerCtcp, formatCtcp, parseCtcp } from "./ctcp.ts";

describe("parseCtcp", () => {
  test.each([
    ["\x01VERSION\x01", { command: "VERSION", args: "" }],
    ["\x01ACTION waves at all\x01", { command: "ACTION", args: "waves at all" }],
    ["\x01action waves", { command: "ACTION", args: "waves" }],
    ["\x01", { command: "", args: "" }],
    ["\x01\x01", { command: "", args: "" }],
    ["hello", null],
    ["a\x01VERSION\x01", null],
    ["", null],
  ])("%j", (text, ctcp) => {
    expect(parseCtcp(text)).toStrictEqual(ctcp);
  });
});

test("formatCtcp cannot be ended from inside", () => {
  expect(formatCtcp("ACTION", "a\x01b")).toBe("\x01ACTION ab\x01");
  expect(formatCtcp("VERSION", "")).toBe("\x01VERSION\x01");
});

test.each([
  ["\x01VERSION\x01", "\x01VERSION Rialto\x01"],
  ["\x01PING 12345\x01", "\x01PING 12345\x01"],
  [`\x01PING ${"9".repeat(500)}\x01`, `\x01PING ${"9".repeat(64)}\x01`],
  ["\x01PING\x01", null],
  ["\x01TIME\x01", null],
  ["\x01DCC SEND x\x01", null],
])("%j is answered", (text, answer) => {
  const request = parseCtcp(text);
  expect(request).not.toBeNull();
  expect(answerCtcp(request!)).toBe(answer);
});
