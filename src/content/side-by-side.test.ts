import { expect, test } from "vitest";
import type { Inline } from "../contract/content.ts";
import { parse, render } from "./formats.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const styled = (t: "bold" | "italic" | "strike" | "underline" | "spoiler", words: string): Inline => ({
  t,
  of: [text(words)],
});
const STYLES = ["bold", "italic", "strike", "underline", "spoiler"] as const;
const code: Inline = { t: "code", text: "c" };

const PAIRS = STYLES.flatMap((one) => STYLES.filter((other) => other !== one).map((other) => [one, other] as const));

test.each(PAIRS)("Discord has %s and %s side by side", (one, other) => {
  for (const of of [
    [styled(one, "a"), styled(other, "b")],
    [text("x "), styled(one, "a"), styled(other, "b"), text(", y")],
    [styled(one, "a b"), styled(other, "c d"), styled(one, "e")],
    [styled(one, "a"), code, styled(other, "b")],
  ])
    expect(parse("discord", render("discord", [{ t: "para", of }]))).toEqual([{ t: "para", of }]);
});

test.each(PAIRS.filter((pair) => !pair.some((style) => style === "underline" || style === "spoiler")))(
  "Mattermost has %s and %s side by side",
  (one, other) => {
    for (const of of [
      [styled(one, "a"), styled(other, "b")],
      [text("x "), styled(one, "a"), styled(other, "b"), text(", y")],
      [styled(one, "a b"), styled(other, "c d"), styled(one, "e")],
      [styled(one, "a"), code, styled(other, "b")],
    ])
      expect(parse("mattermost", render("mattermost", [{ t: "para", of }]))).toEqual([{ t: "para", of }]);
  },
);

test.each<[readonly Inline[], string, string]>([
  [[text("x"), styled("bold", "a"), styled("strike", "b"), text("y")], "x**a**~~b~~y", "x**a**~~b~~y"],
  // An italic that can have neither sign is its words.
  [[text("x"), styled("italic", "a"), styled("bold", "b"), text("y")], "xa**b**y", "xa**b**y"],
  [[styled("bold", "a"), styled("italic", "b"), text("y")], "**a**by", "**a**by"],
  [[styled("bold", "a"), styled("italic", "b")], "**a**_b_", "**a**_b_"],
  [[code, styled("spoiler", "b"), code], "`c`||b||`c`", "`c`b`c`"],
])("%j is %j and %j", (of, discord, mattermost) => {
  expect(render("discord", [{ t: "para", of }])).toBe(discord);
  expect(render("mattermost", [{ t: "para", of }])).toBe(mattermost);
});
