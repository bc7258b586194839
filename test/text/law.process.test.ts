import * as fc from "../support/property.ts";
import { describe, expect, test } from "vitest";
import { isUnseen } from "../../src/content/controls.ts";
import { parse } from "../../src/content/formats.ts";
import { plainText } from "../../src/content/plain.ts";
import { dialectWords, foreignWords, hostileWords, signsOf } from "../../src/content/tree.suite.ts";
import { cross, type Origin, type Shown } from "./places.ts";

/**
 * The law: a place without styles shows what was written minus recognised marks, fence lines and protecting
 * backslashes; links become `words (address)`, quotes keep `> `. Besides, only characters that a protocol forbids,
 * blank lines on IRC and cuts may be missing, and nothing is empty but what was blank.
 */

const CASES = 5_000;

// oxlint-disable-next-line eslint/no-control-regex -- they mean something else on these networks, or are not allowed
const withoutForbidden = (text: string): string => text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, "");
const linesOf = (text: string): string => {
  const lines = withoutForbidden(text).split("\n");
  // A quote of nothing but such characters is an empty line of it.
  const shown = lines.map((line) => line.replace(/^((?:> )*>) $/, "$1"));
  return shown.filter((line) => line.trim() !== "").join("\n");
};
const withoutCodes = (text: string): string =>
  // oxlint-disable-next-line eslint/no-control-regex -- the codes of IRC
  text.replaceAll(/\x03\d\d(?:,\d\d)?|[\x02\x03\x0f\x11\x1d\x1e\x1f]/g, "");
const readXmpp = ({ xmpp, unstyled }: Shown): string => (unstyled ? xmpp : plainText(parse("styling", xmpp)));

/** Without what parts names and signs, and is seen by nobody. */
const together = (text: string): string => text.replaceAll("\u200b", "").replaceAll("%3B", ";");
const readMattermost = (text: string): string => together(plainText(parse("mattermost", text)));

/** What one place shows, all others do. */
function agree(shown: Shown, words: string): void {
  expect(linesOf(withoutCodes(shown.irc))).toBe(linesOf(words));
  expect(readXmpp(shown)).toBe(withoutForbidden(words).trim() === "" ? "" : withoutForbidden(words));
  expect(shown.body).toBe(withoutForbidden(words));
  expect(signsOf(readMattermost(shown.mattermost))).toBe(signsOf(together(words)));
  if (shown.html !== null) expect(signsOf(plainText(parse("html", shown.html)))).toBe(signsOf(words));
}

const texts = fc
  .oneof(dialectWords, foreignWords)
  .filter((text) => !isUnseen(text) && text.isWellFormed() && !/[:\r]/.test(text.replaceAll("://", "")));

describe("the law", () => {
  test(`a plain post crosses as typed: ${CASES} texts to 7 places`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = cross(text, "plain");
        if (shown === null) throw new Error("dropped");
        agree(shown, text);
        expect(shown.plain).toBe(text);
        expect(plainText(parse("markdown", shown.markdown))).toBe(text);
      }),
      { numRuns: CASES },
    );
  });

  test(`a post in the dialect loses its marks and nothing else: ${CASES} texts to 7 places`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = cross(text, "markdown");
        if (shown === null) throw new Error("dropped");
        const words = shown.body;
        agree(shown, plainText(parse("markdown", text)));
        expect(shown.plain).toBe(text);
        expect(shown.markdown).toBe(text);
        if (withoutForbidden(text).trim() !== "") expect(words.trim()).not.toBe("");
        // Without the parser: what is missing are signs that can be marks, and the words of fence lines.
        if (!text.includes("```")) expect(lettersOf(words)).toBe(lettersOf(text));
        expect(isWithin(words.replaceAll(/ \(http:\/\/[^)\s]*\)/g, ""), text)).toBe(true);
        if (!mayBeStyled(text)) expect(words).toBe(withoutForbidden(text));
      }),
      { numRuns: CASES },
    );
  });

  test.each<Origin>(["irc", "xmpp", "matrix", "mattermost"])(
    `what is said on %s looks the same everywhere: ${CASES} texts to 7 places`,
    (from) => {
      fc.assert(
        fc.property(
          fc.oneof(
            texts,
            fc.array(hostileWords, { maxLength: 20 }).map((words) => words.join("").toWellFormed()),
          ),
          (text) => {
            const shown = cross(text, from);
            const format = FORMATS[from];
            if (shown === null) {
              expect(signsOf(plainText(parse(format, text)))).toBe("");
              return;
            }
            const read = plainText(parse("markdown", shown.markdown));
            const isTyped = from === "xmpp" || from === "mattermost";
            expect(shown.plain).toBe(isTyped ? shown.plain : read);
            const words = from === "xmpp" ? readXmpp(shown) : read;
            expect(linesOf(withoutCodes(shown.irc))).toBe(linesOf(from === "irc" ? withoutCodes(text) : words));
            if (from !== "matrix" || shown.html === null) expect(signsOf(shown.body)).toBe(signsOf(words));
            expect(signsOf(read)).toBe(signsOf(words));
            expect(signsOf(readMattermost(shown.mattermost))).toBe(signsOf(together(words)));
            if (withoutForbidden(words).trim() !== "")
              for (const place of [shown.irc, shown.xmpp, shown.body, shown.mattermost, shown.plain, shown.markdown])
                expect(place.trim()).not.toBe("");
          },
        ),
        { numRuns: CASES },
      );
    },
  );
});

const FORMATS: Readonly<Record<Origin, string>> = {
  plain: "plain",
  markdown: "markdown",
  irc: "irc",
  xmpp: "styling",
  matrix: "html",
  mattermost: "mattermost",
};

/** All that can be no mark. */
const lettersOf = (text: string): string =>
  withoutForbidden(text)
    .replaceAll(/[*_~|`\\[\]()\s]/g, "")
    .replaceAll(/http:\/\/[xy]\/?/g, "");

/** Whether one is the other with some characters left out. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const char of part) {
    at = whole.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Whether there is anything that may begin a style, and anything of its kind that may end one. */
function mayBeStyled(text: string): boolean {
  const opener = /(?:^|[\s([{"'*_~|`\\“”])(?:[*_`]|~~|\|\||\[)(?=\S)|\P{ASCII}(?:\*\*|~~|\|\||[`[])(?=\S)/mu;
  const closer = /\S(?:[*_`]|~~|\|\||\))(?=$|[\s.,;:!?)\]}"'*_~|`\\“”。])|\S(?:\*\*|~~|\|\||[`)])(?=\P{ASCII})/mu;
  return (opener.test(text) && closer.test(text)) || /^\\*> /m.test(text);
}
