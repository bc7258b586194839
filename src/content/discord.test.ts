import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { renderDiscord } from "./discord-render.ts";
import { parse, render } from "./formats.ts";
import { plainText } from "./plain.ts";
import { dialectWords, hostileWords, signsOf, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const read = (words: string): readonly Block[] => parse("discord", words);
const write = (words: string): string => render("discord", parse("plain", words));
const together = (words: string): string => words.replaceAll("\u200b", "").replaceAll("%40", "@");
/** Without the marks of quotes and lists: those around nothing are text, or gone. */
const signs = (blocks: readonly Block[]): string => signsOf(together(plainText(blocks))).replaceAll(/[>-]|\d+\./g, "");

/** What means something in Discord's text and nowhere else. */
const discordWords = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."<@1> <@!2> <@&3> <#4> <@5|A> <:a_b:6> <a:c:7> <t:8:R> </d:9> <id:guide> @everyone @here :smile: <http://x/_> -# >>> ** * _ __ || ~~ \\ ]( (http://y) a_ _a é".split(
          " ",
        ),
        "-# ",
        ">>> ",
        " * ",
        "- ",
        "\n",
      ),
      dialectWords,
      hostileWords,
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join("").replaceAll(/\r\n?/g, "\n"));

describe("any words", () => {
  test("are read as the text that they are: 20000 texts", () => {
    fc.assert(
      fc.property(discordWords, (words) => {
        expect(together(plainText(read(write(words))))).toBe(together(words));
      }),
      { numRuns: 20_000 },
    );
  });

  test("in any tree are read with the same signs: 5000 trees", () => {
    fc.assert(
      fc.property(trees(fc.oneof(discordWords, hostileWords)), (blocks) => {
        expect(signs(read(render("discord", blocks)))).toBe(signs(blocks));
      }),
      { numRuns: 5_000 },
    );
  });

  test("notify nobody: 5000 trees", () => {
    fc.assert(
      fc.property(trees(fc.oneof(discordWords, hostileWords)), (blocks) => {
        expect(render("discord", blocks)).not.toMatch(/@everyone|@here/i);
      }),
      { numRuns: 5_000 },
    );
  });
});

test("a mention is written as one only where its user is known", () => {
  const at = (words: string, user: string | null): Inline => ({
    t: "mention",
    user: user as UserRef | null,
    text: words,
  });
  const of = [at("@Bob B.", "1"), text(", "), at("@mods", "&2"), text(", "), at("@bob", null), text(", "), at("@everyone", null)];
  expect(renderDiscord([para(...of)])).toBe("<@1>, <@&2>, @bob, @\u200beveryone");
});
