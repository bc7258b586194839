import { describe, expect, test } from "vitest";
import { BOB, bodyOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf } from "../../../test/contract/shared-file.ts";
import * as fc from "../../../test/support/property.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { plainText } from "../../content/plain.ts";
import { slackRichLength, slackRichText } from "../../content/slack-rich.ts";
import { dialectWords, signsOf } from "../../content/tree.suite.ts";
import { channelRef, userRef } from "./ids.ts";
import { NOTHING_SENT, progressOf, sentBy } from "./progress.ts";
import { asItIs, renderMessages, renderTexts, type SlackPostOptions, writtenAs } from "./render.ts";

const draftOf = (text: string, more: Partial<PostDraft> = {}): PostDraft =>
  postOf(channelRef("C1"), text, { body: bodyOf(text), ...more });
const hasEmoji = (name: string): boolean => name === "barrel";
const options: SlackPostOptions = {
  named: "none",
  exact: false,
  people: new Map([["bob", "U1"]]),
  hasEmoji,
  files: [],
  sent: NOTHING_SENT,
};
const texts = (draft: PostDraft, more: Partial<SlackPostOptions> = {}): readonly string[] =>
  renderMessages(draft, { ...options, ...more }).parts.map(({ blocks }) => writtenAs(blocks, "id", hasEmoji).text);
const signs = (text: string): number => Array.from(text).length;

test.each<[string, PostDraft, Partial<SlackPostOptions>, string]>([
  ["plain words", draftOf("a & <b>"), {}, "a &amp; &lt;b&gt;"],
  ["the name before the text", draftOf("a"), { named: "first" }, "[irc] &lt;Bob&gt; a"],
  ["the message shows the name", draftOf("a"), { named: "with files" }, "a"],
  [
    "formatted words",
    draftOf("", { body: bodyOf("**a** b", [], "markdown") }),
    { named: "first" },
    "[irc] &lt;Bob&gt; *a* b",
  ],
  ["a name without an end", draftOf("a", { author: { ...BOB, shown: "anna" } }), { named: "first" }, "anna: a"],
  [
    "one with a sign at its end",
    draftOf("a", { author: { ...BOB, shown: "<anna>" } }),
    { named: "first" },
    "&lt;anna&gt; a",
  ],
  ["one as it is", draftOf("a", { author: { ...BOB, shown: "anna" } }), { named: "first", exact: true }, "annaa"],
  ["one with nothing behind it", draftOf("", { author: { ...BOB, shown: "anna" } }), { named: "first" }, "anna"],
  [
    "an action of it",
    draftOf("", { author: { ...BOB, shown: "anna" }, body: { ...bodyOf("waves"), style: "action" } }),
    { named: "first" },
    "anna _waves_",
  ],
  [
    "code first",
    draftOf("", { body: bodyOf("```\na\n```", [], "markdown") }),
    { named: "first" },
    "[irc] &lt;Bob&gt;\n```\na\n```",
  ],
  ["an action", draftOf("", { body: { ...bodyOf("waves"), style: "action" } }), {}, "_waves_"],
  [
    "an action with a name",
    draftOf("", { body: { ...bodyOf("waves"), style: "action" } }),
    { named: "first" },
    "[irc] &lt;Bob&gt; _waves_",
  ],
  ["a notice", draftOf("", { body: { ...bodyOf("beep"), style: "notice" } }), {}, "beep"],
  ["somebody here", draftOf("bob: hi @Bob"), {}, "<@U1>: hi <@U1>"],
  ["the whole room", draftOf("@all @here", { mayPing: { users: false, everyone: true } }), {}, "<!channel> <!here>"],
  ["nobody at all", draftOf("@bob @all", { mayPing: { users: false, everyone: false } }), {}, "@bob @all"],
])("%s", (_what, draft, more, written) => {
  expect(texts(draft, more).map((text) => text.replaceAll(/[\u200b\ufeff]/g, ""))).toEqual([written]);
});

test("whom another network means is whoever has that name here", () => {
  const blocks = [{ t: "para", of: [{ t: "mention", user: userRef("U999"), text: "@bob" }] }] as const;
  expect(texts(draftOf("", { body: { ...bodyOf(""), blocks } }))).toEqual(["<@U1>"]);
});

describe("texts of all lengths", () => {
  test.each([
    [4_000, 1],
    [4_001, 2],
    [12_000, 4],
    [40_000, 12],
  ])("%d characters are %d messages at most, each as long as it may be", (length, count) => {
    const text = Array.from({ length: length / 4 + 1 }, () => "abc")
      .join(" ")
      .slice(0, length);
    const parts = texts(draftOf(text));
    expect(parts.length).toBeLessThanOrEqual(count);
    expect(parts.every((part) => signs(part) <= 4_000)).toBe(true);
    expect(parts.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
  });

  test("escapes count: a text of signs that must be escaped is cut before", () => {
    const parts = texts(draftOf("&".repeat(4_000)));
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.every((part) => signs(part) <= 4_000)).toBe(true);
    expect(parts.join("").replaceAll("&amp;", "&").replaceAll("\n", "")).toBe("&".repeat(4_000));
  });

  test("the name has room in the first message, or in that with the files", () => {
    const text = "x".repeat(4_000);
    const author = { id: "bob", name: "Bob", shown: "B".repeat(70), avatar: null, account: "irc.a" };
    const file = asItIs(aSharedFile({ name: "a", id: fileIdOf("a"), bytes: 1 }));
    for (const more of [{ named: "first" }, { named: "with files", files: [file] }] as const) {
      const parts = texts(draftOf(text, { author }), more);
      expect(parts.every((part) => signs(part) <= 4_000)).toBe(true);
      expect(parts.join("").match(/B{70}/g)).toHaveLength(1);
      expect(parts.join("").match(/x/g)).toHaveLength(4_000);
    }
  });

  test("blocks stay whole where they fit, and code is code in each message", () => {
    const code = Array.from({ length: 900 }, (_, at) => `line ${at};`).join("\n");
    const parts = texts(draftOf("", { body: bodyOf(`**one**\n\`\`\`\n${code}\n\`\`\`\n_two_`, [], "markdown") }));
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.slice(1).every((part) => part.includes("```"))).toBe(true);
    expect(parts[0]).toContain("*one*");
    expect(parts.at(-1)).toContain("_two_");
  });

  test("what is left of a text goes on where it was cut, whoever speaks then", () => {
    const text = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(" ");
    const draft = draftOf(text);
    const first = renderMessages(draft, { ...options, named: "first" }).parts;
    for (const [at, part] of first.slice(0, -1).entries()) {
      if (part.sent === null) throw new Error("it is not the last one");
      const sent = sentBy(progressOf(part.sent));
      expect(sent).toEqual(part.sent);
      const rest = renderMessages(draft, { ...options, sent }).parts;
      const all = [...first.slice(0, at + 1), ...rest].map(({ blocks }) => plainText(blocks)).join(" ");
      expect(all.match(/word\d+/g)).toEqual(text.split(" "));
      expect(rest[0]?.key).toBe(String(at + 2));
    }
  });

  test("fit, and hold every sign: 300 texts", () => {
    fc.assert(
      fc.property(fc.array(dialectWords, { minLength: 3, maxLength: 12 }), (words) => {
        const text = words.join(" ").toWellFormed();
        const { parts } = renderMessages(draftOf(text, { textMax: 60 }), options);
        const said = parts.map(({ blocks }) => blocks);
        for (const blocks of said) {
          expect(signs(writtenAs(blocks, "id", hasEmoji).text)).toBeLessThanOrEqual(60);
          const rich = slackRichText(blocks, hasEmoji);
          expect(rich === null ? 1 : slackRichLength(rich)).toBeLessThanOrEqual(12_000);
        }
        expect(signsOf(said.map((blocks) => plainText(blocks)).join("\n"))).toBe(signsOf(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe("files", () => {
  const files = (count: number, comment = "") =>
    Array.from({ length: count }, (_, at) =>
      asItIs(aSharedFile({ name: `f${at}`, id: fileIdOf(`f${at}`), bytes: 1, comment })),
    );

  test("come with the last text, ten in each message", () => {
    const { parts } = renderMessages(draftOf("hi"), { ...options, named: "with files", files: files(23) });
    expect(parts.map((part) => [part.key, part.files.length, part.blocks.length > 0])).toEqual([
      ["1", 10, true],
      ["2", 10, true],
      ["3", 3, true],
    ]);
    expect(parts.map(({ sent }) => sent?.files)).toEqual([10, 20, undefined]);
    const [first] = parts;
    const rest = renderMessages(draftOf("hi"), { ...options, files: files(23), sent: first?.sent ?? NOTHING_SENT });
    expect(rest.parts.map((part) => part.files.map(({ name }) => name)[0])).toEqual(["f10", "f20"]);
  });

  test("captions and links are lines behind the text", () => {
    const gone = asItIs(aSharedFile({ name: "b.png", comment: "a dog" }));
    const linked = asItIs(aSharedFile({ name: "c.png", url: "https://e.example/c.png" }));
    const [text = ""] = texts(draftOf("hi"), { files: [...files(1, "the cat"), gone, linked] });
    expect(text.split("\n").filter((line) => line !== "")).toEqual([
      "hi",
      "the cat",
      "a dog: b.png was shared, but could not be copied here (it is too large)",
      "c.png: <https://e.example/c.png>",
    ]);
  });
});

test("an edit has one text for each message, without names; nothing to see is no message", () => {
  expect(renderTexts(draftOf("hi"), options).texts).toHaveLength(1);
  expect(renderTexts(draftOf("x".repeat(9_000)), options).texts).toHaveLength(3);
  expect(renderMessages(draftOf(""), options).parts).toEqual([]);
  expect(texts(draftOf(""), { named: "first" })).toEqual(["[irc] &lt;Bob&gt;"]);
});
