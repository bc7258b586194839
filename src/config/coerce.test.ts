import { describe, expect, test } from "vitest";
import { coerce } from "./coerce.ts";

const noPattern = (pattern: string): string | null => (pattern.includes("(") ? "missing )" : null);

function messages(value: unknown, schema: Parameters<typeof coerce>[1]): readonly string[] {
  const result = coerce(value, schema, noPattern);
  return result.ok ? [] : result.misfits.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const boolean = { type: "boolean" };
const integer = { type: "integer", default: 10, minimum: 1, maximum: 100 };
const zeroed = { ...integer, zeroIsDefault: true };
const text = { type: "string" };
const words = { type: "array", items: text };
const patterns = { type: "array", items: { type: "string", format: "regex" } };
const pairs = { type: "array", items: { type: "array", items: [{ type: "string", format: "regex" }, text] } };
const lines = { ...words, lines: true };
const duration = { type: "integer", format: "duration", default: 60_000, minimum: 10_000, maximum: 600_000 };
const remote = { type: "string", format: "host-port", examples: ["chat.example:6697"] };
const ruled = { type: "string", rule: { pattern: "^[a-z]*$", hint: "must be small letters" } };
const choice = { enum: ["power", "process"] };

describe("what fits", () => {
  test.each([
    [true, boolean, true],
    ["true", boolean, true],
    ["T", boolean, true],
    ["1", boolean, true],
    [1, boolean, true],
    [0, boolean, false],
    ["F", boolean, false],
    [2, integer, 2],
    ["2", integer, 2],
    ["2.0", integer, 2],
    [2n, { type: "string" }, "2"],
    [0, zeroed, 10],
    ["0", zeroed, 10],
    ["x", text, "x"],
    [42, text, "42"],
    [1.5, text, "1.5"],
    [true, text, "true"],
    [123456789012345678n, text, "123456789012345678"],
    [new Date(0), text, "1970-01-01T00:00:00.000Z"],
    [["a", 1], words, ["a", "1"]],
    ["  a\tb\n c ", words, ["a", "b", "c"]],
    ["", words, []],
    [7, words, ["7"]],
    [["a b"], words, ["a b"]],
    [[["a", "$1"]], pairs, [["a", "$1"]]],
    [[], pairs, []],
    ["Process", choice, "process"],
    ["", zeroed, 10],
    ["90s", duration, 90_000],
    [" 1.5m ", duration, 90_000],
    ["", { ...duration, zeroIsDefault: true }, 60_000],
    ["0s", { ...duration, zeroIsDefault: true }, 60_000],
    ["chat.example:6697", remote, "chat.example:6697"],
    ["abc", ruled, "abc"],
    ["one two\r\nthree\n", lines, ["one two", "three"]],
  ])("%#", (value, schema, expected) => {
    expect(coerce(value, schema, noPattern)).toEqual({ ok: true, value: expected });
  });
});

describe("what does not fit", () => {
  test.each([
    ["yes", boolean, ['must be true or false, not the text "yes"']],
    [[true], boolean, ["must be true or false, not a list of 1"]],
    ["ten", integer, ['must be a whole number, not the text "ten"']],
    [1.5, integer, ["must be a whole number, not 1.5"]],
    [true, integer, ["must be a whole number, not true"]],
    [0, integer, ["must be at least 1, not 0"]],
    ["-1", zeroed, ["must be at least 1, not -1"]],
    [101, integer, ["must be at most 100, not 101"]],
    [2n ** 70n, integer, ["is too large a number"]],
    [{ a: 1 }, text, ["must be text, not a table"]],
    [1e300, text, ["is too large a number to be kept exactly; put it in quotes"]],
    ["", { type: "string", minLength: 1 }, ["must not be empty"]],
    ["weak", choice, ['must be "power" or "process", not the text "weak"']],
    [90, duration, ["needs a unit, as in 90s, 5m or 1h30m"]],
    ["1.5", duration, ["needs a unit, as in 90s, 5m or 1h30m"]],
    ["soon", duration, ['must be a duration, not the text "soon"; write it as in 90s']],
    ["5s", duration, ["must be at least 10s, not 5s"]],
    ["1h", duration, ["must be at most 10m, not 1h"]],
    ["chat.example", remote, ['cannot be "chat.example": it has no port; write host:port, such as chat.example:6697']],
    ["me:hunter2@chat.example:6697", remote, ['cannot be "…@chat.example:6697": the host must be']],
    ["ABC", ruled, ["must be small letters"]],
    [["ok", "A"], { type: "array", items: ruled }, ["1: must be small letters"]],
    ["4242", { type: "string", format: "bind-address" }, ['cannot be "4242": it has no port']],
  ])("%#", (value, schema, expected) => {
    const found = messages(value, schema);
    expect(found).toEqual(expected.map((message) => expect.stringContaining(message) as string));
  });

  test("every bad part is named with its place", () => {
    expect(messages(["ok", "a(", ["x"]], patterns)).toEqual([
      '1: contains the bad regular expression "a(": missing )',
      "2: must be text, not a list of 1",
    ]);
    expect(messages("ok a(", patterns)).toEqual([': contains the bad regular expression "a(": missing )']);
    expect(messages([["(", "x"], ["a"], "b"], pairs)).toEqual([
      '0.0: contains the bad regular expression "(": missing )',
      '1: must contain lists of 2, as in [["from", "to"]], not a list of 1',
      '2: must contain lists of 2, as in [["from", "to"]], not the text "b"',
    ]);
    expect(messages("a b", pairs)[0]).toContain("must be a list of pairs in the configuration file");
  });

  test("a secret is not shown, and long text is cut", () => {
    expect(messages({ toString: () => "hunter2" }, { type: "string", secret: true }).join("")).not.toContain("hunter2");
    expect(messages("hunter2", { type: "integer", secret: true })).toEqual([
      ": must be a whole number, not the given text",
    ]);
    expect(messages("x".repeat(500), integer).join("").length).toBeLessThan(120);
  });
});
