import { describe, expect, test } from "vitest";
import { parse, render } from "../../src/content/formats.ts";
import { linkMentions } from "../../src/content/mentions.ts";
import { slackTree } from "../../src/content/slack-blocks.ts";
import { slackRichText } from "../../src/content/slack-rich.ts";
import { slackSource } from "../../src/content/slack-source.ts";
import { NO_NAMES } from "../../src/content/slack-tokens.ts";
import { writeTelegram } from "../../src/content/telegram-write.ts";
import type { Block } from "../../src/contract/content.ts";

const FORMATS = ["plain", "irc", "markdown", "mattermost", "discord", "slack", "html", "styling"];

/** What takes a careless reader quadratic time, or its stack. */
const UNITS = [
  "*",
  "_",
  "**a",
  "***a*",
  "*a ",
  "a*",
  "_a ",
  "~~",
  "~a ",
  "||",
  "`",
  "` a",
  "``a`",
  "[",
  "[a](",
  "![",
  "[a](b)",
  "](",
  "<",
  "<a:",
  "<b>",
  "</b>",
  "<i></b>",
  "<ul><li>",
  "<blockquote>",
  "<a href='",
  "&",
  "&amp",
  "<!--",
  "<p>",
  "<br>",
  "> ",
  ">",
  ">\n",
  "- ",
  "- a\n",
  "  - a\n",
  "> - a\n",
  "*a*\n\n- a\n",
  "1. a\n\n",
  "1. ",
  "#",
  "```\n",
  "\n",
  " ",
  " \n",
  "\t",
  "\\",
  "https://",
  "https://a)",
  "*https://a|",
  "@a ",
  "a:",
  "\x02",
  "\x0304",
  "😀",
  "a\u0301",
  "a ",
  " #",
  "# ",
  "|",
  "| ",
  "|-",
  "a.",
  "www.",
  "&#39;",
  "a~",
  "__a",
  "***a",
  "_*",
  "<@1|",
  "<:a:",
  "<https://a",
  "*https://a*",
  "[[a](http://x)]",
  "[a](http://x ",
  ">>> ",
  "```a",
  "&gt;\n",
  "&gt; a\n",
  "&gt;&gt;&gt; ",
  "<@U1|",
  "<!date^1^{a}|",
  "<https://a|b>",
  "<u>",
  "<u>a</u>",
  "<>",
  "• ",
  "• a\n",
  "  • a\n",
  "``` ",
  "```a``` ",
  "```\n```\n",
  ":a",
  ":a:",
  "`a` ",
  "*a* ",
  "*a_",
];

/** The same between a beginning and an end, which may make a careless reader begin anew at each of them. */
const FRAMES: readonly (readonly [begin: string, unit: string, end: string])[] = [
  ...UNITS.map((unit) => ["", unit, ""] as const),
  ...UNITS.map((unit) => ["# a", unit, "x"] as const),
  ["# ", " ", ""],
  ["", "|", "x"],
  ["", "|-", "x"],
  ["```", "a", "`"],
  ["~~~", " ", "`"],
  ["> ", " ", "\nx"],
  ["**b** ", "9", "x"],
];

/** They take seconds of the processor each, and others may need it. */
const PATIENCE_MS = 300_000;
/** What takes less is no reason to look closer. */
const SLOW_MS = 100;

describe("time grows with the length, not with its square", () => {
  // Milliseconds of the processor for this thread, so that what the machine does besides counts little.
  const now = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const timeOf = (work: () => unknown): number => {
    const begin = now();
    work();
    return now() - begin;
  };
  // Four times the length takes four times the time, its square sixteen times. The fastest of some turns counts,
  // because the machine does other things. What is not slow is not measured in short; `prepare`: makes that.
  const grows = (prepare: () => () => unknown, large: () => unknown): boolean => {
    let long = timeOf(large);
    if (long <= SLOW_MS) return false;
    const small = prepare();
    let short = timeOf(small);
    for (let turn = 0; turn < 9 && isSuspicious(short, long); turn += 1) {
      short = Math.min(short, timeOf(small));
      long = Math.min(long, timeOf(large));
    }
    return isSuspicious(short, long);
  };
  const isSuspicious = (short: number, long: number): boolean => long > SLOW_MS && long > 10 * short;
  const repeated = ([begin, unit, end]: (typeof FRAMES)[number], kib: number): string =>
    begin + unit.repeat(Math.floor((kib * 1024) / unit.length)) + end;

  test.each(FORMATS)(
    "reading %s",
    (format) => {
      const read = (text: string): unknown => linkMentions(parse(format, text), () => null);
      const slow = FRAMES.filter((frame) => {
        const long = repeated(frame, 64);
        const prepare = (): (() => unknown) => {
          const short = repeated(frame, 16);
          return () => read(short);
        };
        return grows(prepare, () => read(long));
      });
      expect(slow).toStrictEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    "Slack's blocks, both ways",
    () => {
      const pieces: readonly (readonly object[])[] = [
        [{ type: "text", text: "a" }],
        [
          { type: "text", text: "a" },
          { type: "text", text: "b", style: { bold: true } },
        ],
        [
          { type: "emoji", name: "x" },
          { type: "user", user_id: "U1" },
          { type: "link", url: "https://e.example/" },
        ],
      ];
      const whole = (elements: readonly unknown[], count: number): readonly unknown[] =>
        Array.from({ length: Math.floor(count / elements.length) }, () => elements).flat();
      const rich = (elements: readonly unknown[]) => ({
        text: "",
        blocks: [{ type: "rich_text", elements }],
        attachments: [],
      });
      const list = (indent: number) => ({ type: "rich_text_list", indent, style: "ordered", elements: [...pieces] });
      const makes: readonly ((count: number) => Parameters<typeof slackSource>[0])[] = [
        ...pieces.map((one) => (count: number) => rich([{ type: "rich_text_section", elements: whole(one, count) }])),
        (count) => rich(whole([list(0), list(1), list(8)], count)),
        (count) =>
          rich(
            whole(
              [
                { type: "rich_text_quote", elements: pieces[1] },
                { ...list(0), border: 1 },
              ],
              count,
            ),
          ),
        (count) => rich(whole([{ type: "rich_text_section", elements: pieces[1] }, list(2)], count)),
      ];
      const slow = makes.filter((make) => {
        const [short, long] = [make(4_000), make(16_000)];
        const [small, large] = [slackTree(short, NO_NAMES), slackTree(long, NO_NAMES)];
        return (
          grows(
            () => () => slackSource(short, NO_NAMES),
            () => slackSource(long, NO_NAMES),
          ) ||
          grows(
            () => () => slackRichText(small),
            () => slackRichText(large),
          )
        );
      });
      expect(slow).toStrictEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    "writing",
    () => {
      const write = (format: string, blocks: readonly Block[]): unknown =>
        format === "telegram" ? writeTelegram(blocks) : render(format, blocks);
      // Read once for all of them: that takes longer than most of the writing.
      const slow = FRAMES.flatMap((frame) => {
        const large = parse("markdown", repeated(frame, 64));
        return [...FORMATS, "telegram"]
          .filter((format) => {
            const prepare = (): (() => unknown) => {
              const small = parse("markdown", repeated(frame, 16));
              return () => write(format, small);
            };
            return grows(prepare, () => write(format, large));
          })
          .map((format) => [format, frame]);
      });
      expect(slow).toStrictEqual([]);
    },
    2 * PATIENCE_MS,
  );
});
