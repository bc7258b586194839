import { describe, expect, test } from "vitest";
import type { Block, Body, SharedFile } from "../contract/content.ts";
import { parseMarkdown } from "../content/markdown-parse.ts";
import { renderMarkdown } from "../content/markdown-render.ts";
import { plainText } from "../content/plain.ts";
import type { About } from "./codec.ts";
import { asEdit, deletionLine, withReply, type Wording } from "./fallback.ts";

const QUOTE: Wording = {
  quoteDisable: false,
  quoteFormat: "",
  quoteLengthLimit: 12,
  replyWords: "quote",
  quiet: false,
};
const ALICE = { name: "alice", excerpt: "the beginning of it" };

function body(text: string, more: Partial<Body> = {}): Body {
  const blocks: readonly Block[] = text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
  return { style: "normal", source: { format: "plain", text }, blocks, files: [], ...more };
}

function about(more: Partial<About> = {}): About {
  return { is: "edit", seq: 1, thread: null, author: null, emoji: "", on: false, ...ALICE, ...more };
}

describe("a reply in words", () => {
  const withFormat = (quoteFormat: string): Wording => ({ ...QUOTE, quoteFormat });
  test.each<[string, Body, Partial<typeof ALICE>, Wording, string | null]>([
    ["a quote", body("yes"), {}, QUOTE, "> alice: the beginni…\nyes"],
    ["a quote of nothing", body("yes"), { excerpt: "" }, QUOTE, "> alice\nyes"],
    [
      "a quote notifies nobody",
      body("@bob yes"),
      { excerpt: "@bob, @room a@b.c https://x.y/@z @@a" },
      { ...QUOTE, quoteLengthLimit: 100 },
      "> alice: @\u200bbob, @\u200broom a@b.c https://x.y/@z @\u200b@\u200ba\n@bob yes",
    ],
    ["a quote of several lines", body("yes"), { excerpt: "a\n b" }, QUOTE, "> alice: a b\nyes"],
    [
      "cut between whole characters",
      body("y"),
      { excerpt: "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧" },
      { ...QUOTE, quoteLengthLimit: 2 },
      "> alice: 👨‍👩‍👧…\ny",
    ],
    ["before a file only", body(""), {}, QUOTE, "> alice: the beginni…"],
    ["an address", body("yes"), {}, { ...QUOTE, replyWords: "address" }, "alice: yes"],
    ["an address of a file only", body(""), {}, { ...QUOTE, replyWords: "address" }, "alice:"],
    ["nobody is notified", body("yes"), {}, { ...QUOTE, replyWords: "address", quiet: true }, "a\u200blice: yes"],
    ["of an action", body("waves", { style: "action" }), {}, QUOTE, "waves (to alice)"],
    ["disabled", body("yes"), {}, { ...QUOTE, quoteDisable: true }, null],
    ["to nobody", body("yes"), { name: "" }, QUOTE, null],
    ["to a name of blanks", body("yes"), { name: " \n" }, QUOTE, null],
    [
      "to a name of lines",
      body("yes"),
      { name: "eve\nbob: no" },
      { ...QUOTE, replyWords: "address" },
      "eve bob: no: yes",
    ],
    ["to a long name", body("y"), { name: "x".repeat(200), excerpt: "" }, QUOTE, `> ${"x".repeat(63)}…\ny`],
    [
      "a format",
      body("yes"),
      {},
      withFormat("{MESSAGE} (re @{QUOTENICK}: {QUOTEMESSAGE})"),
      "yes (re @alice: the beginni…)",
    ],
    ["a format without the message", body("yes"), {}, withFormat("{QUOTENICK}> "), "alice> yes"],
    ["a format with lines", body("yes"), {}, withFormat("« {QUOTEMESSAGE} »\n{MESSAGE}"), "« the beginni… »\nyes"],
    [
      "values that look like placeholders",
      body("{QUOTENICK}"),
      { name: "{MESSAGE}", excerpt: "{QUOTENICK}" },
      withFormat("{QUOTENICK}|{QUOTEMESSAGE}|{MESSAGE}"),
      "{MESSAGE}|{QUOTENICK}|{QUOTENICK}",
    ],
  ])("%s", (_name, given, to, words, expected) => {
    const replied = withReply(given, { ...ALICE, ...to }, words);
    expect(replied === null ? null : plainText(replied.blocks)).toBe(expected);
    if (replied !== null) expect(replied.source).toEqual({ format: "plain", text: expected });
  });

  test("what was formatted stays so, and is no longer in the writer's words", () => {
    const blocks: readonly Block[] = [{ t: "pre", text: "code", lang: null }];
    const replied = withReply(body("", { source: { format: "some", text: "`code`" }, blocks }), ALICE, QUOTE);
    expect(replied?.blocks).toEqual([expect.objectContaining({ t: "quote" }), ...blocks]);
    expect(replied?.source).toEqual({ format: "composed", text: "> alice: the beginni…\ncode" });
  });
});

describe("an edit in words", () => {
  const before = "the quick brown fox jumps over it";
  test.each<["diff" | "whole", string, string, string, string | null]>([
    ["diff", before, before.replace("fox", "cat"), "", "s/fox/cat/"],
    ["diff", before, before.replace("fox", "cat").concat(" (e)"), " (e)", "s/fox/cat/"],
    ["diff", before, before.concat(" (e)"), " (e)", null],
    ["diff", before, before, "", null],
    ["diff", "[a.png]", "", "", null],
    ["whole", before, "", "", null],
    ["diff", "hi", "ho", "", "* ho"],
    ["diff", before, before.replace("fox", "Fox"), "", "s/fox/Fox/"],
    ["whole", before, before.replace("fox", "cat"), "", "* the quick brown cat jumps over it"],
  ])("%s: %j to %j", (how, old, now, suffix, expected) => {
    const edit = asEdit(body(now), how, old, suffix);
    expect(edit === null ? null : plainText(edit.blocks)).toBe(expected);
  });

  test.each([
    ["the long story ends with ███", "the long story ends with ||him||", null],
    ["the long story ends with ███", "the long story ended with ||him||", "* the long story ended with ||him||"],
    ["the long story ends with ██████", "the long story ends with ||him||", "* the long story ends with ||him||"],
  ])("no line about what changed shows a spoiler: %j to %j", (old, text, expected) => {
    const edit = asEdit(body(text, { blocks: parseMarkdown(text) }), "diff", old, "");
    expect(edit === null ? null : renderMarkdown(edit.blocks)).toBe(expected);
  });

  test.each<[string, string, string, Partial<SharedFile>, string | null]>([
    ["another caption", "", "cap one", { comment: "cap two" }, "* cap two"],
    ["a caption for a picture without one", "", "[a.png]", { comment: "cap" }, "* cap"],
    ["a caption that goes", "", "cap", { comment: "" }, null],
    ["the same caption", "", "cap", { comment: " cap " }, null],
    ["a caption below a text", "look", "look", { comment: "at this" }, "* look\nat this"],
    ["the caption of a hidden file", "", "[hidden picture]", { comment: "a cat", spoiler: true }, null],
  ])("%s", (_case, text, old, more, expected) => {
    const file = { name: "a.png", comment: "", mime: null, bytes: 1, url: null, id: null, missing: "x", ...more };
    const edit = asEdit(body(text, { files: [file] }), "diff", old, "");
    expect(edit === null ? null : plainText(edit.blocks)).toBe(expected);
  });

  test("the whole text keeps its formatting and style, and no file is sent again", () => {
    const file = { name: "a", comment: "", mime: null, bytes: 1, url: null, id: null, missing: "x" };
    const blocks: readonly Block[] = [{ t: "para", of: [{ t: "bold", of: [{ t: "text", text: "ho" }] }] }];
    const source = { format: "some", text: "*ho*" };
    const edit = asEdit({ style: "action", source, blocks, files: [file] }, "diff", "hi", "");
    expect(edit).toEqual({
      style: "action",
      source: { format: "composed", text: "* ho" },
      blocks: [
        {
          t: "para",
          of: [
            { t: "text", text: "* " },
            { t: "bold", of: [{ t: "text", text: "ho" }] },
          ],
        },
      ],
      files: [],
    });
  });
});

test.each([
  [deletionLine(about(), "alice"), '* a\u200blice deleted: "the beginning of it"'],
  [deletionLine(about({ excerpt: "" }), "alice"), "* a\u200blice deleted"],
  [deletionLine(about({ name: "al\nice", excerpt: "" }), "al\nice"), "* a\u200bl ice deleted"],
  [deletionLine(about({ name: "a".repeat(256), excerpt: "" }), "a".repeat(300)), `* a\u200b${"a".repeat(62)}… deleted`],
  [deletionLine(about(), "mod"), '* a message of a\u200blice was deleted: "the beginning of it"'],
])("a line", ({ style, source, blocks }, expected) => {
  expect([style, source.text, plainText(blocks)]).toEqual(["normal", expected, expected]);
});
