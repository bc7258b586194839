import type { Block, Inline } from "../contract/content.ts";

/** One kind of content, and how it is written in each format. */
export interface ContentSample {
  readonly kind: string;
  readonly blocks: readonly Block[];
  readonly written: { readonly [F in SampleFormat]: string };
  /** Formats that have it: what is written there is read as the same tree. */
  readonly kept: readonly SampleFormat[];
}

export type SampleFormat =
  | "plain"
  | "irc"
  | "markdown"
  | "mattermost"
  | "discord"
  | "slack"
  | "telegram"
  | "html"
  | "styling";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const marked = (t: "bold" | "italic" | "underline" | "strike" | "spoiler", ...of: readonly Inline[]): Block =>
  para(text("a "), { t, of }, text(" z"));

const ALL: readonly SampleFormat[] = [
  "plain",
  "irc",
  "markdown",
  "mattermost",
  "discord",
  "slack",
  "telegram",
  "html",
  "styling",
];

export const SAMPLES: readonly ContentSample[] = [
  {
    kind: "text",
    blocks: [para(text("2 > 1 & a_b"))],
    written: {
      plain: "2 > 1 & a_b",
      irc: "2 > 1 & a_b",
      markdown: "2 > 1 & a_b",
      mattermost: "2 > 1 & a_b",
      discord: "2 > 1 & a_b",
      slack: "2 &gt; 1 &amp; a_b",
      telegram: "2 &gt; 1 &amp; a_b",
      html: "2 &gt; 1 &amp; a_b",
      styling: "2 > 1 & a_b",
    },
    kept: ALL,
  },
  {
    kind: "line break",
    blocks: [para(text("a\nb"))],
    written: {
      plain: "a\nb",
      irc: "a\nb",
      markdown: "a\nb",
      mattermost: "a\nb",
      discord: "a\nb",
      slack: "a\nb",
      telegram: "a\nb",
      html: "a<br>b",
      styling: "a\nb",
    },
    kept: ALL,
  },
  {
    kind: "bold",
    blocks: [marked("bold", text("b"))],
    written: {
      plain: "a b z",
      irc: "a \x02b\x0f z",
      markdown: "a **b** z",
      mattermost: "a **b** z",
      discord: "a **b** z",
      slack: "a *b* z",
      telegram: "a <b>b</b> z",
      html: "a <strong>b</strong> z",
      styling: "a *b* z",
    },
    kept: ["irc", "markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"],
  },
  {
    kind: "italic",
    blocks: [marked("italic", text("b"))],
    written: {
      plain: "a b z",
      irc: "a \x1db\x0f z",
      markdown: "a _b_ z",
      mattermost: "a _b_ z",
      discord: "a *b* z",
      slack: "a _b_ z",
      telegram: "a <i>b</i> z",
      html: "a <em>b</em> z",
      styling: "a _b_ z",
    },
    kept: ["irc", "markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"],
  },
  {
    kind: "underline",
    blocks: [marked("underline", text("b"))],
    written: {
      plain: "a b z",
      irc: "a \x1fb\x0f z",
      markdown: "a b z",
      mattermost: "a b z",
      discord: "a __b__ z",
      slack: "a b z",
      telegram: "a <u>b</u> z",
      html: "a <u>b</u> z",
      styling: "a b z",
    },
    kept: ["irc", "discord", "telegram", "html"],
  },
  {
    kind: "strike",
    blocks: [marked("strike", text("b"))],
    written: {
      plain: "a b z",
      irc: "a \x1eb\x0f z",
      markdown: "a ~~b~~ z",
      mattermost: "a ~~b~~ z",
      discord: "a ~~b~~ z",
      slack: "a ~b~ z",
      telegram: "a <s>b</s> z",
      html: "a <del>b</del> z",
      styling: "a ~b~ z",
    },
    kept: ["irc", "markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"],
  },
  {
    kind: "spoiler",
    blocks: [marked("spoiler", text("b"))],
    written: {
      plain: "a b z",
      irc: "a \x0301,01b\x0f z",
      markdown: "a ||b|| z",
      mattermost: "a b z",
      discord: "a ||b|| z",
      slack: "a b z",
      telegram: "a <tg-spoiler>b</tg-spoiler> z",
      html: "a <span data-mx-spoiler>b</span> z",
      styling: "a b z",
    },
    kept: ["irc", "markdown", "discord", "telegram", "html"],
  },
  {
    kind: "bold and italic",
    blocks: [marked("bold", text("b "), { t: "italic", of: [text("c")] })],
    written: {
      plain: "a b c z",
      irc: "a \x02b \x1dc\x0f z",
      markdown: "a **b _c_** z",
      mattermost: "a **b _c_** z",
      discord: "a **b *c*** z",
      slack: "a *b _c_* z",
      telegram: "a <b>b <i>c</i></b> z",
      html: "a <strong>b <em>c</em></strong> z",
      styling: "a *b _c_* z",
    },
    kept: ["irc", "markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"],
  },
  {
    kind: "colour",
    blocks: [para(text("a "), { t: "colour", fore: "#ff0000", back: null, of: [text("b")] }, text(" z"))],
    written: {
      plain: "a b z",
      irc: "a \x0304b\x0f z",
      markdown: "a b z",
      mattermost: "a b z",
      discord: "a b z",
      slack: "a b z",
      telegram: "a b z",
      html: 'a <span data-mx-color="#ff0000">b</span> z',
      styling: "a b z",
    },
    kept: ["irc", "html"],
  },
  {
    kind: "code",
    blocks: [para(text("a "), { t: "code", text: "*b*" }, text(" z"))],
    written: {
      plain: "a *b* z",
      irc: "a \x11*b*\x0f z",
      markdown: "a `*b*` z",
      mattermost: "a `*b*` z",
      discord: "a `*b*` z",
      slack: "a `*b*` z",
      telegram: "a <code>*b*</code> z",
      html: "a <code>*b*</code> z",
      styling: "a `*b*` z",
    },
    kept: ["irc", "markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"],
  },
  {
    kind: "link",
    blocks: [para(text("a "), { t: "link", href: "https://e.example/b_c_", of: [text("b")] }, text(" z"))],
    written: {
      plain: "a b (https://e.example/b_c_) z",
      irc: "a b (https://e.example/b_c_) z",
      markdown: "a [b](https://e.example/b_c_) z",
      mattermost: "a [b](https://e.example/b_c_) z",
      discord: "a [b](https://e.example/b_c_) z",
      slack: "a <https://e.example/b_c_|b> z",
      telegram: 'a <a href="https://e.example/b_c_">b</a> z',
      html: 'a <a href="https://e.example/b_c_">b</a> z',
      styling: "a b (https://e.example/b_c_) z",
    },
    kept: ["markdown", "mattermost", "discord", "slack", "telegram", "html"],
  },
  {
    kind: "mention",
    blocks: [para({ t: "mention", user: null, text: "@bob" }, text(" hi"))],
    written: {
      plain: "@bob hi",
      irc: "@bob hi",
      markdown: "@bob hi",
      mattermost: "@\u200bbob hi",
      discord: "@bob hi",
      slack: "@bob hi",
      telegram: "@bob hi",
      html: "@bob hi",
      styling: "@bob hi",
    },
    kept: [],
  },
  {
    kind: "emoji",
    blocks: [para(text("a "), { t: "emoji", text: ":cat:" })],
    written: {
      plain: "a :cat:",
      irc: "a :cat:",
      markdown: "a :cat:",
      mattermost: "a :\u200bcat:",
      discord: "a \\:cat:",
      slack: "a :\u200bcat:",
      telegram: "a :cat:",
      html: "a :cat:",
      styling: "a :cat:",
    },
    kept: [],
  },
  {
    kind: "heading",
    blocks: [{ t: "heading", level: 2, of: [text("a")] }, para(text("b"))],
    written: {
      plain: "a\nb",
      irc: "\x02a\x0f\nb",
      markdown: "**a**\nb",
      mattermost: "## a\nb",
      discord: "## a\nb",
      slack: "*a*\nb",
      telegram: "<b>a</b>\nb",
      html: "<h2>a</h2><p>b</p>",
      styling: "*a*\nb",
    },
    kept: ["mattermost", "discord", "html"],
  },
  {
    kind: "code block",
    blocks: [{ t: "pre", text: "a\n *b*", lang: "ts" }],
    written: {
      plain: "a\n *b*",
      irc: "\x11a\x0f\n\x11 *b*\x0f",
      markdown: "```ts\na\n *b*\n```",
      mattermost: "```ts\na\n *b*\n```",
      discord: "```ts\na\n *b*\n```",
      slack: "```\na\n *b*\n```",
      telegram: '<pre language="ts">a\n *b*</pre>',
      html: '<pre><code class="language-ts">a\n *b*\n</code></pre>',
      styling: "```ts\na\n *b*\n```",
    },
    kept: ["markdown", "mattermost", "discord", "telegram", "html", "styling"],
  },
  {
    kind: "quote",
    blocks: [{ t: "quote", of: [para(text("a"))] }, para(text("b"))],
    written: {
      plain: "> a\nb",
      irc: "> a\nb",
      markdown: "> a\nb",
      mattermost: "> a\n\nb",
      discord: "> a\nb",
      slack: "&gt; a\nb",
      telegram: "<blockquote>a</blockquote>\nb",
      html: "<blockquote><p>a</p></blockquote><p>b</p>",
      styling: "> a\nb",
    },
    kept: ["markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"],
  },
  {
    kind: "list",
    blocks: [
      {
        t: "list",
        ordered: false,
        items: [[para(text("a"))], [para(text("b")), { t: "list", ordered: false, items: [[para(text("c"))]] }]],
      },
    ],
    written: {
      plain: "- a\n- b\n  - c",
      irc: "- a\n- b\n  - c",
      markdown: "- a\n- b\n  - c",
      mattermost: "- a\n- b\n  - c",
      discord: "- a\n- b\n  - c",
      slack: "• a\n• b\n  ◦ c",
      telegram: "- a\n- b\n  - c",
      html: "<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ul>",
      styling: "- a\n- b\n  - c",
    },
    kept: ["mattermost", "discord", "slack", "html"],
  },
  {
    kind: "numbered list",
    blocks: [{ t: "list", ordered: true, items: [[para(text("a"))], [para(text("b"))]] }],
    written: {
      plain: "1. a\n2. b",
      irc: "1. a\n2. b",
      markdown: "1. a\n2. b",
      mattermost: "1. a\n2. b",
      discord: "1. a\n2. b",
      slack: "1. a\n2. b",
      telegram: "1. a\n2. b",
      html: "<ol><li>a</li><li>b</li></ol>",
      styling: "1. a\n2. b",
    },
    kept: ["mattermost", "discord", "slack", "html"],
  },
];
