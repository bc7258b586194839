import { describe, expect, test } from "vitest";
import { richText, stored } from "./mrkdwn.ts";

describe("a text as it is stored", () => {
  test.each([
    ["a < b & c > d", "a &lt; b &amp; c &gt; d"],
    ["a &lt; b &amp; c", "a &lt; b &amp; c"],
    ["<@U012ABC> in <#C012ABC|dock> <!here>", "<@U012ABC> in <#C012ABC|dock> <!here>"],
    ["<script> <@nobody>", "&lt;script&gt; &lt;@nobody&gt;"],
    ["see https://example.org/a_b, there", "see <https://example.org/a_b>, there"],
    ["`https://example.org`", "`https://example.org`"],
    ["<https://example.org|here>", "<https://example.org|here>"],
    ["@channel", "@channel"],
  ])("%s", (text, expected) => expect(stored(text)).toBe(expected));
});

describe("the blocks of a text", () => {
  const section = (...elements: object[]): object => ({ type: "rich_text_section", elements });
  const words = (text: string, style?: object): object => ({
    type: "text",
    text,
    ...(style !== undefined && { style }),
  });

  test.each<[string, object[]]>([
    ["a &lt; b", [section(words("a < b"))]],
    [
      "*b* _i_ ~s~ `c*d*`",
      [
        section(
          words("b", { bold: true }),
          words(" "),
          words("i", { italic: true }),
          words(" "),
          words("s", { strike: true }),
          words(" "),
          words("c*d*", { code: true }),
        ),
      ],
    ],
    ["*_both_*", [section(words("both", { italic: true, bold: true }))]],
    ["2*3*4 snake_case_name", [section(words("2*3*4 snake_case_name"))]],
    [
      "<@U1A> <#C1A|dock> <!channel> <!subteam^S1A|@crew>",
      [
        section(
          { type: "user", user_id: "U1A" },
          words(" "),
          { type: "channel", channel_id: "C1A" },
          words(" "),
          { type: "broadcast", range: "channel" },
          words(" "),
          { type: "usergroup", usergroup_id: "S1A" },
        ),
      ],
    ],
    [
      "<https://a.org/?x=1&amp;y=2|A &amp; B> :tada:",
      [
        section({ type: "link", url: "https://a.org/?x=1&y=2", text: "A & B" }, words(" "), {
          type: "emoji",
          name: "tada",
        }),
      ],
    ],
    [
      "<!date^1700000000^{date}^https://a.org|then>",
      [section({ type: "date", timestamp: 1_700_000_000, format: "{date}", url: "https://a.org", fallback: "then" })],
    ],
    ["one\ntwo", [section(words("one\ntwo"))]],
    [
      "see\n• one\n    ◦ in\n1. first",
      [
        section(words("see\n")),
        { type: "rich_text_list", style: "bullet", indent: 0, border: 0, elements: [section(words("one"))] },
        { type: "rich_text_list", style: "bullet", indent: 1, border: 0, elements: [section(words("in"))] },
        { type: "rich_text_list", style: "ordered", indent: 0, border: 0, elements: [section(words("first"))] },
      ],
    ],
    ["&gt; a\n&gt; b\nc", [{ type: "rich_text_quote", elements: [words("a\nb")] }, section(words("c"))]],
    [
      "x\n```\n*a* &lt;\n```\ny",
      [section(words("x")), { type: "rich_text_preformatted", elements: [words("*a* <")] }, section(words("y"))],
    ],
  ])("%s", (text, elements) =>
    expect(richText(text)).toEqual({ type: "rich_text", block_id: expect.any(String) as string, elements }),
  );
});
