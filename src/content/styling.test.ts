import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { parseStyling } from "./styling-parse.ts";
import { renderStyling } from "./styling-render.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const marked = (t: "bold" | "italic" | "strike" | "underline", ...of: readonly Inline[]): Inline => ({ t, of });
const pre = (words: string, lang: string | null = null): Block => ({ t: "pre", text: words, lang });

describe("parseStyling, as the examples of XEP-0393", () => {
  test.each<[string, readonly Block[]]>([
    ["", []],
    [
      "*strong* plain *strong*",
      [para(marked("bold", text("strong")), text(" plain "), marked("bold", text("strong")))],
    ],
    ["_FILE_OFFSET_BITS", [para(text("_FILE_OFFSET_BITS"))]],
    ["_private_var", [para(text("_private_var"))]],
    ["~/src/~x", [para(text("~/src/~x"))]],
    ["*2*3*4 = 24", [para(text("*2*3*4 = 24"))]],
    ["_字_です", [para(marked("italic", text("字")), text("です"))]],
    ["*strong*plain*", [para(marked("bold", text("strong")), text("plain*"))]],
    ["* plain *strong*", [para(text("* plain "), marked("bold", text("strong")))]],
    ["not strong*", [para(text("not strong*"))]],
    ["*not strong", [para(text("*not strong"))]],
    ["*not \n strong*", [para(text("*not \n strong*"))]],
    ["*not *strong", [para(text("*not *strong"))]],
    ["**", [para(text("**"))]],
    ["****", [para(text("****"))]],
    ["**not strong**", [para(text("**not strong**"))]],
    ["not~strike~through", [para(text("not~strike~through"))]],
    [
      "_emphasis_ ~gone~ `*code*`",
      [
        para(marked("italic", text("emphasis")), text(" "), marked("strike", text("gone")), text(" "), {
          t: "code",
          text: "*code*",
        }),
      ],
    ],
    [
      "*`monospace and bold`* _a *b*_",
      [
        para(
          marked("bold", { t: "code", text: "monospace and bold" }),
          text(" "),
          marked("italic", text("a "), marked("bold", text("b"))),
        ),
      ],
    ],
    ["```ignored here\n*a*\n```\nb", [pre("ignored here\n*a*"), para(text("b"))]],
    ["```ts\na", [pre("a", "ts")]],
    ["> ```\n> a\nb", [{ t: "quote", of: [pre("a")] }, para(text("b"))]],
    [
      ">> a\n> b\n\nc",
      [{ t: "quote", of: [{ t: "quote", of: [para(text("a"))] }, para(text("b"))] }, para(text("\nc"))],
    ],
    // Nobody sees characters without a width.
    ["*\u200b* ~\u00ad~ `\u2060`", [para(text("*\u200b* ~\u00ad~ `\u2060`"))]],
    ["*\u200f\u05d0*", [para(marked("bold", text("\u200f\u05d0")))]],
    // An address is whole.
    [
      "_see https://e.example/a_b_c and_ more",
      [para(marked("italic", text("see https://e.example/a_b_c and")), text(" more"))],
    ],
  ])("%j", (source, blocks) => {
    expect(parseStyling(source)).toStrictEqual(blocks);
  });

  test("quotes beyond a depth are text", () => {
    expect(JSON.stringify(parseStyling(`${">".repeat(40)}a`))).toContain(`"text":"${">".repeat(24)}a"`);
  });
});

describe("renderStyling", () => {
  test.each<[string, readonly Inline[]]>([
    ["a *b* c", [text("a"), marked("bold", text(" b ")), text("c")]],
    ["*a b*", [marked("bold", text("a "), marked("bold", text("b")))]],
    ["*ab*", [marked("bold", text("a")), marked("bold", text("b"))]],
    ["*_a_*", [marked("bold", marked("italic", text("a")))]],
    ["*a*\n*b*", [marked("bold", text("a\nb"))]],
    // No mark where it could not begin, or would end too early.
    ["abc (d)", [text("a"), marked("bold", text("b")), text("c ("), marked("italic", text("d")), text(")")]],
    ["a* b", [marked("bold", text("a* b"))]],
    ["https://e.example/a_b_", [marked("italic", text("https://e.example/a_b_"))]],
    ["`a `b`", [{ t: "code", text: "a `b" }]],
    ["a`b", [{ t: "code", text: "a`b" }]],
    ["u", [marked("underline", text("u"))]],
  ])("%j", (written, of) => {
    expect(renderStyling([para(...of)])).toBe(written);
  });

  test("a fence that would be closed by its content is no fence", () => {
    expect(renderStyling([pre("a\n```\nb"), pre("c", "ts")])).toBe("a\n```\nb\nc");
  });
});
