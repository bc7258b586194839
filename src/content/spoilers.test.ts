import { expect, test } from "vitest";
import type { Block } from "../contract/content.ts";
import { parseDiscord } from "./discord-parse.ts";
import { renderDiscord } from "./discord-render.ts";
import { hidden, openWords } from "./spoilers.ts";

test.each([
  ["nothing", null],
  ["", null],
  ["||the butler||", ""],
  ["**||the butler||**", ""],
  ["||the **butler** did it||", ""],
  ["||a|| ||b||", ""],
  ["||a||\n||b||", ""],
  ["> ||quoted||", ""],
  ["end: ||both die||", "end:"],
  ["the **killer** is ||the butler||", "the killer is"],
  ["the killer is ||the butler|| ok", null],
  ["||a||\nb", null],
])("the open words of %j: %j", (text, expected) => {
  expect(openWords(parseDiscord(text))).toBe(expected);
});

test.each<[string, readonly Block[], string]>([
  ["words", parseDiscord("a **b** `c`"), "||a **b** `c`||"],
  ["lines", parseDiscord("a\nb"), "||a||\n||b||"],
  ["a quote", parseDiscord("> a\nb"), "> ||a||\n||b||"],
  ["a list", parseDiscord("- a\n- b"), "- ||a||\n- ||b||"],
  ["code", [{ t: "pre", text: "x = 1", lang: "js" }], "||`x = 1`||"],
])("all of %s is hidden", (_, blocks, expected) => {
  const all = hidden(blocks);
  expect([openWords(all), renderDiscord(all)]).toEqual(["", expected]);
});
