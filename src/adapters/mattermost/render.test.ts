import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { bodyOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf } from "../../../test/contract/shared-file.ts";
import { parse } from "../../content/formats.ts";
import { plainText } from "../../content/plain.ts";
import type { ChannelRef, OpId } from "../../contract/ids.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { dialectWords, signsOf } from "../../content/tree.suite.ts";
import { partsAfter, pendingIdOf, renderPost, type RenderOptions } from "./render.ts";

const draftOf = (text: string, more: Partial<PostDraft> = {}): PostDraft =>
  postOf("c" as ChannelRef, text, { body: bodyOf(text), ...more });
const options: RenderOptions = { textMax: 1_000, prefix: true, names: new Set(["bob"]), files: [] };
const texts = (draft: PostDraft, more: Partial<RenderOptions> = {}): readonly string[] =>
  renderPost(draft, { ...options, ...more }).parts.map(({ message }) => message);

test.each<[string, PostDraft, Partial<RenderOptions>, string]>([
  ["plain words", draftOf("a *b*"), {}, "[irc] <Bob> a \\*b\\*"],
  ["the post shows the name", draftOf("a"), { prefix: false }, "a"],
  ["Rialto speaks", draftOf("a", { author: null }), {}, "a"],
  ["formatted words", draftOf("", { body: bodyOf("**a** b", [], "markdown") }), {}, "[irc] <Bob> **a** b"],
  ["a quote first", draftOf("", { body: bodyOf("> a\nb", [], "markdown") }), {}, "[irc] <Bob>\n> a\n\nb"],
  ["an action", draftOf("", { body: { ...bodyOf("waves"), style: "action" } }), { prefix: false }, "_waves_"],
  ["a notice", draftOf("", { body: { ...bodyOf("beep"), style: "notice" } }), { prefix: false }, "beep"],
  ["a line of a quote in plain text", draftOf("> a"), { prefix: false }, "\\> a"],
  ["somebody here", draftOf("bob: hi"), {}, "[irc] <Bob> @bob: hi"],
  ["somebody here, alone", draftOf("bob: hi @bob"), { prefix: false }, "@bob: hi @bob"],
  ["nobody here", draftOf("@eve"), { prefix: false }, "@\u200beve"],
  [
    "the same format",
    draftOf("", { body: bodyOf("| a |\n|---|\n| @bob @eve ~town |", [], "mattermost") }),
    {},
    "[irc] <Bob>\n| a |\n|---|\n| @bob @\u200beve ~\u200btown |",
  ],
  [
    "the same format, to everybody but nobody by name",
    draftOf("", { body: bodyOf("@all. @Here @bob", [], "mattermost"), mayPing: { users: false, everyone: true } }),
    { prefix: false },
    "@all. @Here @\u200bbob",
  ],
])("%s", (_what, draft, more, written) => {
  expect(texts(draft, more)).toEqual([written]);
});

describe("files", () => {
  const file = aSharedFile({ name: "a.png", id: fileIdOf("a.png"), comment: "the cat" });
  const gone = aSharedFile({ name: "b.png", comment: "a dog" });
  const linked = { ...gone, url: "https://e.example/b_b.png" };

  test.each([
    [[{ file, id: "f1" }], "hi\nthe cat"],
    [[{ file: gone, id: null }], "hi\na dog: b.png was shared, but could not be copied here (it is too large)"],
    [[{ file: linked, id: null }], "hi\na dog: https://e.example/b_b.png"],
  ])("%j", (files, written) => {
    expect(texts(draftOf("hi"), { prefix: false, files })).toEqual([written]);
  });

  test("without words they are alone, ten in each post", () => {
    const files = Array.from({ length: 23 }, (_, at) => ({ file: { ...file, comment: "" }, id: `f${at}` }));
    const { parts } = renderPost(draftOf("", { body: bodyOf("", []) }), { ...options, prefix: false, files });
    expect(parts.map(({ fileIds }) => fileIds.length)).toEqual([10, 10, 3]);
    expect(parts.map(({ end }) => end)).toEqual(["1", "2", END]);
    expect(partsAfter(parts, "1" as Progress)).toHaveLength(2);
    expect(partsAfter(parts, END)).toEqual([]);
  });
});

describe("texts that are too long for one post", () => {
  test("keep their blocks whole where they fit, and code as code", () => {
    const code = Array.from({ length: 30 }, (_, at) => `line ${at};`).join("\n");
    const written = `**one**\n\`\`\`ts\n${code}\n\`\`\`\n_two_`;
    const parts = texts(draftOf("", { body: bodyOf(written, [], "markdown") }), { textMax: 150, prefix: false });
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(Array.from(part).length).toBeLessThanOrEqual(150);
    expect(parts.filter((part) => part.startsWith("```ts\n")).length).toBeGreaterThan(1);
    expect(parts[0]).toContain("**one**");
    expect(parts.at(-1)).toContain("_two_");
  });

  test("fit, and hold every sign: 500 texts", () => {
    fc.assert(
      fc.property(fc.array(dialectWords, { minLength: 3, maxLength: 12 }), (words) => {
        const text = words.join(" ").toWellFormed();
        const parts = texts(draftOf("", { body: bodyOf(text) }), { textMax: 60, prefix: false });
        for (const part of parts) expect(Array.from(part).length).toBeLessThanOrEqual(60);
        const shown = parts
          .map((part) => plainText(parse("mattermost", part)).replaceAll("\u200b", ""))
          .join("\n")
          .replaceAll("%3B", ";");
        expect(signsOf(shown)).toBe(signsOf(text.replaceAll("\u200b", "")));
      }),
      { numRuns: 500 },
    );
  });
});

test("a part has the same key in each try, and another than any other part", () => {
  const key = (op: string, upTo: string): string => pendingIdOf("u", op as OpId, upTo as Progress);
  expect(key("a", "1")).toBe(key("a", "1"));
  expect(new Set([key("a", "1"), key("a", "2"), key("b", "1"), key("a 1", "")]).size).toBe(4);
});
