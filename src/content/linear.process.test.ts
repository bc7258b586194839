import { describe, expect, test } from "vitest";
import type { Block } from "../contract/content.ts";
import { parse, render } from "./formats.ts";
import { slackRichText } from "./slack-rich.ts";
import { writeTelegram } from "./telegram-write.ts";

/** Repeated by people who want to keep Rialto busy. */
const PIECES = [
  ...Array.from("<>[](){}`*_~|&@#!\\:a "),
  "\t",
  "\n",
  ">\n",
  "||",
  "](",
  "[a](",
  "`a",
  "*a ",
  "**a",
  "_a",
  "&#",
  ":a",
  "@a",
  "<a",
  "<b>",
  "<@",
  "< ",
  "a.",
  "www.",
  "https://",
  "https://a.b/ ",
  "<http://a|",
  "# a\n",
  "- a\n",
  "1. a\n",
  "```\n",
  "/me ",
];
const FORMATS = ["irc", "markdown", "mattermost", "discord", "slack", "html", "styling"];
const CHARS = 4_000;
/** A text four times as long takes four times the work; quadratic work would be sixteen times. */
const GROWTH_MAX = 12;
/** Less is lost in what else the process does. */
const NOTICEABLE_MS = 60;

const para = (text: string): readonly Block[] => [
  {
    t: "para",
    of: [
      { t: "bold", of: [{ t: "text", text: "x" }] },
      { t: "text", text },
    ],
  },
];

/** The least processor time of some runs: what else happens only adds to it. */
function leastMs(run: () => void): number {
  let least = Infinity;
  for (let count = 0; count < 3; count += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

function growing(run: (text: string) => void): readonly string[] {
  return PIECES.filter((piece) => {
    const textOf = (chars: number): string => piece.repeat(chars / piece.length);
    const long = leastMs(() => run(textOf(4 * CHARS)));
    return long > NOTICEABLE_MS && long > GROWTH_MAX * leastMs(() => run(textOf(CHARS)));
  });
}

describe("a text four times as long takes no sixteen times the work", () => {
  test.each(FORMATS)("to be read as %s", (format) => {
    expect(growing((text) => parse(format, text))).toEqual([]);
  });

  test.each(FORMATS)("to be written as %s", (format) => {
    expect(growing((text) => render(format, para(text)))).toEqual([]);
  });

  test("to be written for Telegram and as blocks of Slack", () => {
    expect(growing((text) => writeTelegram(para(text)))).toEqual([]);
    expect(growing((text) => slackRichText(para(text)))).toEqual([]);
  });
});
