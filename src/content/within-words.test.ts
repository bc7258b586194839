import { expect, test } from "vitest";
import type { Inline } from "../contract/content.ts";
import { parse, render } from "./formats.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const styled = (t: "bold" | "italic" | "strike" | "underline" | "spoiler", words: string): Inline => ({
  t,
  of: [text(words)],
});
const link: Inline = { t: "link", href: "https://e.example/", of: [text("ここ")] };

/** Styles beside letters, emoji and quotes. `markdown`: at the API; none: the same as on Discord. */
test.each<[of: readonly Inline[], discord: string, mattermost: string, markdown?: string]>([
  [[text("これは"), styled("bold", "太字"), text("です")], "これは**太字**です", "これは**太字**です"],
  [[text("これは"), styled("italic", "字"), text("です")], "これは*字*です", "これは*字*です", "これは字です"],
  [[text("これは"), { t: "code", text: "code" }, text("です")], "これは`code`です", "これは`code`です"],
  [[text("これは"), styled("spoiler", "字"), text("です")], "これは||字||です", "これは字です"],
  [
    [text("リンク"), link, text("です")],
    "リンク[ここ](https://e.example/)です",
    "リンク[ここ](https://e.example/)です",
  ],
  [[text("これは"), styled("strike", "字"), text("です")], "これは~~字~~です", "これは~~字~~です"],
  [
    [text("見て!"), link],
    "見て![ここ](https://e.example/)",
    "見て!ここ (https://e.example/)",
    "見て!ここ (https://e.example/)",
  ],
  [[text("un"), styled("bold", "believ"), text("able")], "un**believ**able", "un**believ**able", "unbelievable"],
  [[text("un"), styled("italic", "believ"), text("able")], "un*believ*able", "un*believ*able", "unbelievable"],
  [[text("un"), styled("strike", "believ"), text("able")], "un~~believ~~able", "un~~believ~~able", "unbelievable"],
  [[text("un"), styled("underline", "believ"), text("able")], "un__believ__able", "unbelievable", "unbelievable"],
  [[text("これは"), styled("bold", "「字」"), text("です")], "これは**「字」**です", "これは「字」です"],
  [[text("👍"), styled("bold", "b"), text("👍")], "👍**b**👍", "👍**b**👍"],
  [
    [text("“"), styled("bold", "b"), text("” «"), styled("italic", "i"), text("»")],
    "“**b**” «*i*»",
    "“**b**” «_i_»",
    "“**b**” «_i_»",
  ],
  [[text("При"), styled("bold", "вет"), text(", שָׁלוֹם")], "При**вет**, שָׁלוֹם", "При**вет**, שָׁלוֹם"],
  [[text("长*宽*高"), styled("bold", "b")], "长\\*宽\\*高**b**", "长\\*宽\\*高**b**", "长*宽*高**b**"],
  [
    [text("很**长**的"), styled("bold", "b")],
    "很\\*\\*长\\*\\*的**b**",
    "很\\*\\*长\\*\\*的**b**",
    "很\\**长**的**b**",
  ],
])("%j", (of, discord, mattermost, markdown = discord) => {
  for (const [format, written] of [
    ["discord", discord],
    ["mattermost", mattermost],
    ["markdown", markdown],
  ] as const) {
    expect(render(format, [{ t: "para", of }])).toBe(written);
    if (/[*~`_]/.test(written)) expect(parse(format, written)).toEqual([{ t: "para", of }]);
  }
});
