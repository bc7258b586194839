import { expect, test } from "vitest";
import type { Capabilities } from "../contract/capabilities.ts";
import { parse } from "../content/formats.ts";
import { capabilities } from "./plan.suite.ts";
import { formatLosses } from "./plan-formats.ts";

const formats: Capabilities["formats"] = ["text", "para", "bold", "code", "pre"];

test.each([
  ["plain words", []],
  ["**bold**, `code` and https://example.org", []],
  ["[https://example.org](https://example.org)", []],
  ["**_both_**", ["italic"]],
  ["_one_ and _two_ and ~~three~~", ["italic", "strike"]],
  ["see [this](https://example.org)", ["link with its own text"]],
  ["> > _deep_", ["quote", "italic"]],
  ["# ||head||", ["spoiler"]],
  ["<h1>head</h1><ul><li>one</ul>", ["heading", "list"]],
  ["```\npre\n```", []],
])("%j loses %j", (text, names) => {
  const losses = formatLosses(parse(text.startsWith("<") ? "html" : "markdown", text), capabilities({ formats }));
  const note = `not available here: ${names.join(", ")}`;
  expect(losses).toEqual(names.length === 0 ? [] : [{ what: "format", note }]);
});

test("mentions and emoji are no formatting", () => {
  const of = [
    { t: "mention", user: null, text: "@ann" },
    { t: "emoji", text: "🎉" },
  ] as const;
  expect(formatLosses([{ t: "para", of }], capabilities({ formats }))).toEqual([]);
});
