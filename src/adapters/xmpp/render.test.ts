import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { plainBody } from "../../../test/contract/texts.ts";
import type { Body } from "../../contract/content.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { OpAuthor } from "../../contract/ops.ts";
import { parseMarkdown } from "../../content/markdown-parse.ts";
import { measure } from "../../content/length.ts";
import { type XmppPart, renderPost } from "./render.ts";

const ALICE: OpAuthor = { id: "a", name: "alice", shown: "<alice> ", avatar: null, account: "irc" };

function rendered(body: Body, author: OpAuthor | null = ALICE, resume: Progress | null = null, textMax = 5000) {
  return renderPost({ body, author }, { textMax, resume });
}

const texts = (parts: readonly XmppPart[]): readonly string[] =>
  parts.map((part) => (part.is === "text" ? part.text : part.file.name));

describe("one message", () => {
  test.each([
    ["a word", "normal", "<alice> a word", false],
    ["waves", "action", "/me <alice> waves", false],
    ["2 *3* 4", "normal", "<alice> 2 *3* 4", true],
    ["_private_var", "normal", "<alice> _private_var", true],
    ["> no quote", "normal", "<alice> > no quote", false],
    ["a\n> no quote", "normal", "<alice> a\n> no quote", true],
    ["a\nb", "normal", "<alice> a\nb", false],
  ] as const)("%j as %s", (text, style, wanted, unstyled) => {
    expect(rendered(plainBody(text, style))).toEqual([{ is: "text", name: "0", end: END, text: wanted, unstyled }]);
  });

  test.each([
    ["||the **butler**||", "<alice>", "<alice> the *butler*"],
    ["the killer is: ||the butler||", "<alice> the killer is:", "<alice> the killer is: the butler"],
    [`${"x".repeat(300)} ||the butler||`, `<alice> ${"x".repeat(247)}`, `<alice> ${"x".repeat(300)} the butler`],
    ["||the butler|| did it", undefined, "<alice> the butler did it"],
    ["nothing hidden", undefined, "<alice> nothing hidden"],
  ])("a text that ends in hidden words is hidden behind a hint: %s", (text, hint, words) => {
    const body: Body = { ...plainBody(""), source: { format: "markdown", text }, blocks: parseMarkdown(text) };
    const [part] = rendered(body);
    expect(part?.is === "text" && [part.hint, part.text]).toEqual([hint, words]);
  });

  test("marks are marks, and the same format passes untouched", () => {
    const markdown: Body = {
      ...plainBody(""),
      source: { format: "markdown", text: "**x**" },
      blocks: parseMarkdown("**x**"),
    };
    expect(rendered(markdown)).toMatchObject([{ text: "<alice> *x*", unstyled: false }]);
    const styling: Body = { ...plainBody("ignored"), source: { format: "styling", text: "*x* and _y" } };
    expect(rendered(styling)).toMatchObject([{ text: "<alice> *x* and _y", unstyled: false }]);
  });

  test("a name keeps the line breaks of its format, but not in an action", () => {
    const author = { ...ALICE, shown: "<a>\r\n" };
    expect(texts(rendered(plainBody("x"), author))).toEqual(["<a>\nx"]);
    expect(texts(rendered({ ...plainBody("x"), style: "action" }, author))).toEqual(["/me <a> x"]);
  });

  test("nothing to say is no message", () => {
    expect(rendered(plainBody(" \n "))).toEqual([]);
  });
});

describe("files", () => {
  const map = aSharedFile({ name: "map.png", comment: "" });
  const chart = aSharedFile({ name: "chart.pdf", comment: "of the lagoon" });

  test("stand alone, each after its caption", () => {
    const parts = rendered(plainBody("two", "normal", [map, chart]));
    expect(texts(parts)).toEqual(["<alice> two", "map.png", "<alice> of the lagoon", "chart.pdf"]);
    expect(parts.map(({ name, end }) => [name, end])).toEqual([
      ["0", "3"],
      ["f0", "f0"],
      ["c1", "c1"],
      ["f1", END],
    ]);
  });

  test("without any words the name says whose it is", () => {
    expect(texts(rendered(plainBody("", "normal", [map])))).toEqual(["<alice> map.png", "map.png"]);
    expect(texts(rendered(plainBody("", "normal", [map]), null))).toEqual(["map.png"]);
  });

  test.each([
    ["3", ["map.png", "<alice> of the lagoon", "chart.pdf"]],
    ["f0", ["<alice> of the lagoon", "chart.pdf"]],
    ["c1", ["chart.pdf"]],
    [END, []],
  ])("after %s", (resume, left) => {
    expect(texts(rendered(plainBody("two", "normal", [map, chart]), ALICE, resume as Progress))).toEqual(left);
  });
});

test("long texts are cut between words, each piece with the name, and a later attempt continues after any of them", () => {
  const unit = fc.constantFrom("a", "ab c", " ", "\n", "é", "🙂", "👩‍👩‍👧", "> q", "*b*");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 300 }), fc.integer({ min: 80, max: 200 }), (units, textMax) => {
      const text = units.join("");
      const parts = rendered(plainBody(text), ALICE, null, textMax);
      const said = parts.map((part) => (part.is === "text" ? part.text.replace(/^<alice>\s/u, "") : ""));
      expect(said.join("").replaceAll(/\s/gu, "")).toBe(text.replaceAll(/\s/gu, ""));
      for (const part of parts)
        if (part.is === "text") expect(measure(part.text, "codepoints")).toBeLessThanOrEqual(textMax);
      for (const [at, { end }] of parts.entries()) {
        const left = rendered(plainBody(text), ALICE, end, textMax);
        expect(left.map(({ name }) => name)).toEqual(parts.slice(at + 1).map(({ name }) => name));
      }
    }),
  );
});
