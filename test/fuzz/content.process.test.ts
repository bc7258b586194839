import * as fc from "../support/property.ts";
import { describe, expect, test } from "vitest";
import { looksStyled } from "../../src/content/styling-parse.ts";
import {
  type DiscordHere,
  type DiscordNames,
  nameMentions,
  passDiscord,
  writtenDiscord,
} from "../../src/content/discord-names.ts";
import { parse, render } from "../../src/content/formats.ts";
import { cut, excerpt, measure } from "../../src/content/length.ts";
import { linkMentions, withoutRoomPings } from "../../src/content/mentions.ts";
import { plainText } from "../../src/content/plain.ts";
import { slackTree } from "../../src/content/slack-blocks.ts";
import { slackRichText } from "../../src/content/slack-rich.ts";
import { slackIdsIn, slackSource } from "../../src/content/slack-source.ts";
import { NO_NAMES } from "../../src/content/slack-tokens.ts";
import { writeTelegram } from "../../src/content/telegram-write.ts";
import type { Block } from "../../src/contract/content.ts";
import { readBlocks } from "../servers/slack/blocks.ts";
import { hostileWords } from "../../src/content/tree.suite.ts";

const FORMATS = ["plain", "irc", "markdown", "mattermost", "discord", "slack", "html", "styling"];

/** What people and programs write, to be cut up and mixed. */
const SAMPLES = [
  "**bold _both_** ~~gone~~ `code` [link](https://e.example/a_b) ||hush|| <https://e.example/>\n> quote\n- item\n  1. one\n```ts\nx\n```\n# head",
  '<mx-reply>x</mx-reply><p>a <b>b<i>c</b></i><br/><a href="https://matrix.to/#/@a:b">a</a></p><ul><li>x<ol start="3"><li>y</ul><table><tr><td>1<td>2</table>&amp;&#x41;&bogus;<pre><code class="language-ts">x\n</code></pre><img alt="x" data-mx-emoticon>',
  "*b _i ~s~_* `c`\n> q\n>> r\n```\npre\n> x",
  '**b *i*** __u__ ||s|| <@1|A> <@&2> <:x:3> <t:4:R> [a](<http://e.example/_> "t")\n-# small\n1. a\n  - b ```ts\nx\n```\n>>> rest',
  "*b _i ~s~_* `c` <@U1|A> <#C2|d> <!subteam^S3|@e> <!date^1^{date}^https://e.example/|f> <https://e.example/?a&amp;b|g> :cat::skin-tone-3:\n&gt; q\n• h\n    ◦ i ```<!lang^ts>j\n```\n1. k <>&#42;<u>l</u>\n&gt;&gt;&gt; m",
  "\x02b\x1di\x0304,05c\x0f\x16r\x11m\x04ff0000h\x03",
];

const mutated = fc
  .tuple(fc.constantFrom(...SAMPLES), fc.array(fc.tuple(fc.nat(200), fc.nat(8), hostileWords), { maxLength: 6 }))
  .map(([sample, edits]) =>
    edits.reduce((text, [at, gone, put]) => text.slice(0, at) + put + text.slice(at + gone), sample),
  );
const text = fc.oneof(
  mutated,
  fc.array(hostileWords, { maxLength: 30 }).map((words) => words.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
);

describe.each(FORMATS)("%s", (format) => {
  test("whatever is read can be written in every format", () => {
    fc.assert(
      fc.property(text, (source) => {
        const tree = parse(format, source);
        for (const other of FORMATS) expect(typeof render(other, tree)).toBe("string");
      }),
      { numRuns: 1500 },
    );
  });
});

const SLACK_TYPES = [
  ..."rich_text rich_text_section rich_text_list rich_text_quote rich_text_preformatted text link emoji user".split(
    " ",
  ),
  ..."usergroup channel broadcast date color team section header context divider image markdown table video".split(" "),
  ..."actions button call mrkdwn plain_text raw_text file container nobody-knows".split(" "),
];
const SLACK_KEYS = [
  ..."elements text style indent border offset url name unicode skin_tone user_id usergroup_id channel_id".split(" "),
  ..."timestamp format fallback range value fields accessory title alt_text image_url rows call v1 language".split(" "),
  ..."bold italic strike underline code child_blocks pretext footer author_name title_link actions blocks".split(" "),
];

const wordsIn = (blocks: readonly Block[]): string => plainText(blocks).replaceAll(/[\s\p{C}>\d.-]+/gu, "");

const NOBODY: DiscordNames = { user: () => null, role: () => "r", channel: () => "c" };
const NOWHERE: DiscordHere = { user: () => true, role: () => false, channel: () => false };

test("the helpers take any text", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: -1, max: 80 }), (source, max) => {
      looksStyled(source);
      withoutRoomPings(source);
      linkMentions(parse("markdown", source), () => null);
      writtenDiscord(passDiscord(nameMentions(source, NOBODY), NOWHERE));
      excerpt(source, max);
      for (const unit of ["bytes", "utf16", "codepoints"] as const) {
        expect(measure(cut(source, max, unit), unit)).toBeLessThanOrEqual(Math.max(max, 0));
      }
    }),
    { numRuns: 3000 },
  );
});

/** JSON that looks like Slack's. */
const { json: slackJson } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      0,
      1,
      -1,
      3,
      "",
      "x",
      "*a*",
      "<@U1>",
      "1f44b",
      "https://e.example/",
      "bullet",
      "ordered",
    ),
    fc.array(tie("json"), { maxLength: 4 }),
    fc
      .tuple(fc.constantFrom(...SLACK_TYPES), fc.dictionary(fc.constantFrom(...SLACK_KEYS), tie("json")))
      .map(([type, more]) => Object.assign(more, { type })),
  ),
}));

const slackElement = fc.record({
  type: fc.constantFrom("text", "text", "text", "link", "emoji", "user", "date", "rich_text_section"),
  text: hostileWords,
  url: fc.constantFrom("https://e.example/_a|b", "x"),
  name: fc.constantFrom("cat", "no_such"),
  style: fc.dictionary(fc.constantFrom("bold", "italic", "strike", "underline", "code"), fc.boolean()),
  elements: fc.array(fc.record({ type: fc.constant("text"), text: hostileWords }), { maxLength: 3 }),
});
const slackPart = fc.record({
  type: fc.constantFrom(...SLACK_TYPES.slice(1, 5)),
  elements: fc.array(fc.oneof({ arbitrary: slackElement, weight: 9 }, slackJson), { maxLength: 5 }),
  style: fc.constantFrom("bullet", "ordered"),
  indent: fc.nat(3),
  border: fc.nat(1),
  offset: fc.constantFrom(0, 0, 0, 1, 2),
});
const slackBlock = fc.oneof(slackJson, fc.record({ type: fc.constant("rich_text"), elements: fc.array(slackPart) }));

test("whatever Slack's blocks are, they are read, and what is read is written again", () => {
  fc.assert(
    fc.property(
      fc.array(slackBlock, { maxLength: 4 }),
      fc.array(slackJson, { maxLength: 2 }),
      (blocks, attachments) => {
        const said = { text: "*a* <@U2>", blocks, attachments };
        slackIdsIn(said);
        const tree = slackTree(said, NO_NAMES);
        const source = slackSource(said, NO_NAMES);
        expect(wordsIn(parse("slack", source))).toBe(wordsIn(tree));
        const rich = slackRichText(tree);
        if (rich !== null) expect(() => readBlocks([rich])).not.toThrow();
      },
    ),
    { numRuns: 5000 },
  );
});

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
  // because the machine does other things.
  const grows = (small: () => unknown, large: () => unknown): boolean => {
    let [short, long] = [timeOf(small), timeOf(large)];
    for (let turn = 0; turn < 9 && isSuspicious(short, long); turn += 1) {
      short = Math.min(short, timeOf(small));
      long = Math.min(long, timeOf(large));
    }
    return isSuspicious(short, long);
  };
  const isSuspicious = (short: number, long: number): boolean => long > 100 && long > 10 * short;
  const repeated = ([begin, unit, end]: (typeof FRAMES)[number], kib: number): string =>
    begin + unit.repeat(Math.floor((kib * 1024) / unit.length)) + end;

  test.each(FORMATS)(
    "reading %s",
    (format) => {
      const read = (text: string): unknown => linkMentions(parse(format, text), () => null);
      const slow = FRAMES.filter((frame) => {
        const [short, long] = [repeated(frame, 16), repeated(frame, 64)];
        return grows(
          () => read(short),
          () => read(long),
        );
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
            () => slackSource(short, NO_NAMES),
            () => slackSource(long, NO_NAMES),
          ) ||
          grows(
            () => slackRichText(small),
            () => slackRichText(large),
          )
        );
      });
      expect(slow).toStrictEqual([]);
    },
    PATIENCE_MS,
  );

  test.each([...FORMATS, "telegram"])(
    "writing %s",
    (format) => {
      const write = (blocks: readonly Block[]): unknown =>
        format === "telegram" ? writeTelegram(blocks) : render(format, blocks);
      const slow = FRAMES.filter((frame) => {
        const [small, large] = [parse("markdown", repeated(frame, 16)), parse("markdown", repeated(frame, 64))];
        return grows(
          () => write(small),
          () => write(large),
        );
      });
      expect(slow).toStrictEqual([]);
    },
    PATIENCE_MS,
  );
});
