import { expect, test } from "vitest";
import { parse } from "./formats.ts";
import { hiddenText } from "./hidden.ts";

test.each([
  ["markdown", "the killer is ||the butler|| ok", "the killer is ███ ██████ ok"],
  ["markdown", "**a ||_b_ c||** d", "a █ █ d"],
  ["markdown", "> ||a||\nb", "> █\nb"],
  ["markdown", "||[a](https://e.example/)|| b", "█ ████████████████████ b"],
  ["discord", "- ||ab||\n- c", "- ██\n- c"],
  ["html", "<span data-mx-spoiler>a\u0301b</span> c", "██ c"],
  ["irc", "a \x0301,01secret\x0f b", "a ██████ b"],
  ["plain", "a || b || c", "a || b || c"],
])("what %s hides is blocks in a quote: %j", (format, text, words) => {
  expect(hiddenText(parse(format, text))).toBe(words);
});
