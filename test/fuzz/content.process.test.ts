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
import { hostileWords } from "../../src/content/tree.suite.ts";

const FORMATS = ["plain", "irc", "markdown", "mattermost", "discord", "html", "styling"];

/** What people and programs write, to be cut up and mixed. */
const SAMPLES = [
  "**bold _both_** ~~gone~~ `code` [link](https://e.example/a_b) ||hush|| <https://e.example/>\n> quote\n- item\n  1. one\n```ts\nx\n```\n# head",
  '<mx-reply>x</mx-reply><p>a <b>b<i>c</b></i><br/><a href="https://matrix.to/#/@a:b">a</a></p><ul><li>x<ol start="3"><li>y</ul><table><tr><td>1<td>2</table>&amp;&#x41;&bogus;<pre><code class="language-ts">x\n</code></pre><img alt="x" data-mx-emoticon>',
  "*b _i ~s~_* `c`\n> q\n>> r\n```\npre\n> x",
  '**b *i*** __u__ ||s|| <@1|A> <@&2> <:x:3> <t:4:R> [a](<http://e.example/_> "t")\n-# small\n1. a\n  - b ```ts\nx\n```\n>>> rest',
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

  test.each(FORMATS)(
    "writing %s",
    (format) => {
      const slow = FRAMES.filter((frame) => {
        const [small, large] = [parse("markdown", repeated(frame, 16)), parse("markdown", repeated(frame, 64))];
        return grows(
          () => render(format, small),
          () => render(format, large),
        );
      });
      expect(slow).toStrictEqual([]);
    },
    PATIENCE_MS,
  );
});
