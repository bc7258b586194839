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
