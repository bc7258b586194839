import { NAMES, type Network, type Style } from "./place.ts";

/** A word that nothing else holds, by which what was said is found again: `boldQirc`. */
export function wordOf(thing: string, from: Network, to = ""): string {
  return `${thing}Q${from}${to}`;
}

export function holds(text: string, word: string): boolean {
  if (!text.includes(word)) return false;
  // The number of a colour may stand right before it.
  return new RegExp(String.raw`(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, "u").test(text.replaceAll(COLOUR, " "));
}

// oxlint-disable-next-line eslint/no-control-regex -- the code of IRC for colours
const COLOUR = /\x03(?:\d{1,2}(?:,\d{1,2})?)?/gu;

/** What can be said in one message, in the writing of each network that has it. `bare`: its words alone. */
export interface Saying {
  readonly thing: string;
  readonly title: string;
  readonly style?: Style;
  readonly bare: (word: string) => string;
  readonly written: Partial<Readonly<Record<Network, (word: string) => string>>>;
}

const line = (words: string): string => `see ${words} here`;
const around =
  (before: string, after: string = before) =>
  (word: string): string =>
    line(before + word + after);
const inline = (thing: string, title: string, written: Saying["written"]): Saying => ({
  thing,
  title,
  bare: line,
  written,
});

/** An address that formatting would tear apart. */
export const addressOf = (word: string): string => `https://example.org/a_b_${word}_c*d*~e~`;
export const linkOf = (word: string): string => `https://example.org/${word.toLowerCase()}`;
const everybody = Object.values(NAMES)
  .map((name) => `@${name}`)
  .join(" ");
const calling = (word: string): string => `${everybody} ${word}`;
const everywhere = (words: (word: string) => string): Saying["written"] => ({
  irc: words,
  xmpp: words,
  matrix: words,
  mattermost: words,
  discord: words,
  slack: words,
  telegram: words,
  web: words,
  api: words,
});

/** People on Telegram have no way to say it. */
function acting(words: (word: string) => string): Saying["written"] {
  const { telegram: _, ...others } = everywhere(words);
  return others;
}

export const SAYINGS: readonly Saying[] = [
  inline("bold", "bold", {
    irc: around("\u0002"),
    xmpp: around("*"),
    matrix: around("<strong>", "</strong>"),
    mattermost: around("**"),
    discord: around("**"),
    slack: around("*"),
    web: around("**"),
    api: around("**"),
    telegram: around("<b>", "</b>"),
  }),
  inline("italic", "italic", {
    irc: around("\u001d"),
    xmpp: around("_"),
    matrix: around("<em>", "</em>"),
    mattermost: around("_"),
    discord: around("*"),
    slack: around("_"),
    web: around("*"),
    api: around("*"),
    telegram: around("<i>", "</i>"),
  }),
  inline("underline", "underline", {
    irc: around("\u001f"),
    matrix: around("<u>", "</u>"),
    discord: around("__"),
    telegram: around("<u>", "</u>"),
  }),
  inline("strike", "strike", {
    irc: around("\u001e"),
    xmpp: around("~"),
    matrix: around("<del>", "</del>"),
    mattermost: around("~~"),
    discord: around("~~"),
    slack: around("~"),
    web: around("~~"),
    api: around("~~"),
    telegram: around("<s>", "</s>"),
  }),
  inline("spoiler", "spoiler", {
    irc: around("\u000301,01", "\u0003"),
    matrix: around("<span data-mx-spoiler>", "</span>"),
    discord: around("||"),
    web: around("||"),
    api: around("||"),
    telegram: around("<tg-spoiler>", "</tg-spoiler>"),
  }),
  inline("code", "code", {
    irc: around("\u0011"),
    xmpp: around("`"),
    matrix: around("<code>", "</code>"),
    mattermost: around("`"),
    discord: around("`"),
    slack: around("`"),
    web: around("`"),
    api: around("`"),
    telegram: around("<code>", "</code>"),
  }),
  inline("colour", "colour", {
    irc: around("\u000304", "\u0003"),
    matrix: around('<span data-mx-color="#ff0000">', "</span>"),
  }),
  {
    thing: "link",
    title: "link with its own text",
    bare: line,
    written: {
      matrix: (word) => line(`<a href="${linkOf(word)}">${word}</a>`),
      mattermost: (word) => line(`[${word}](${linkOf(word)})`),
      discord: (word) => line(`[${word}](${linkOf(word)})`),
      slack: (word) => line(`<${linkOf(word)}|${word}>`),
      telegram: (word) => line(`<a href="${linkOf(word)}">${word}</a>`),
      web: (word) => line(`[${word}](${linkOf(word)})`),
      api: (word) => line(`[${word}](${linkOf(word)})`),
    },
  },
  {
    thing: "address",
    title: "address",
    bare: (word) => line(addressOf(word)),
    written: everywhere((word) => line(addressOf(word))),
  },
  { thing: "mention", title: "mention of somebody present there", bare: calling, written: everywhere(calling) },
  {
    thing: "pill",
    title: "mention of somebody elsewhere",
    bare: (word) => `Nora ${word}`,
    written: { matrix: (word) => `<a href="https://matrix.to/#/@nora:rialto.test">Nora</a> ${word}` },
  },
  { thing: "emoji", title: "emoji", bare: (word) => `${word} 🎉`, written: everywhere((word) => `${word} 🎉`) },
  {
    thing: "signs",
    title: "signs that are no formatting",
    bare: (word) => `${word}: 2 * 3 < 5_000 & a_b_c #1 [x] \\o/ ~5 |y|`,
    written: {
      ...everywhere((word) => `${word}: 2 * 3 < 5_000 & a_b_c #1 [x] \\o/ ~5 |y|`),
      matrix: (word) => `${word}: 2 * 3 &lt; 5_000 &amp; a_b_c #1 [x] \\o/ ~5 |y|`,
      telegram: (word) => `${word}: 2 * 3 &lt; 5_000 &amp; a_b_c #1 [x] \\o/ ~5 |y|`,
    },
  },
  {
    thing: "lines",
    title: "two lines",
    bare: (word) => `one ${word}\ntwo ${word}`,
    written: {
      xmpp: (word) => `one ${word}\ntwo ${word}`,
      matrix: (word) => `one ${word}<br>two ${word}`,
      mattermost: (word) => `one ${word}\ntwo ${word}`,
      discord: (word) => `one ${word}\ntwo ${word}`,
      slack: (word) => `one ${word}\ntwo ${word}`,
      telegram: (word) => `one ${word}\ntwo ${word}`,
      web: (word) => `one ${word}\ntwo ${word}`,
      api: (word) => `one ${word}\ntwo ${word}`,
    },
  },
  {
    thing: "pre",
    title: "preformatted",
    bare: (word) => `if ${word}:\n  ${word}`,
    written: {
      xmpp: (word) => `\`\`\`\nif ${word}:\n  ${word}\n\`\`\``,
      matrix: (word) => `<pre><code>if ${word}:\n  ${word}\n</code></pre>`,
      mattermost: (word) => `\`\`\`\nif ${word}:\n  ${word}\n\`\`\``,
      discord: (word) => `\`\`\`\nif ${word}:\n  ${word}\n\`\`\``,
      slack: (word) => `\`\`\`\nif ${word}:\n  ${word}\n\`\`\``,
      telegram: (word) => `<pre>if ${word}:\n  ${word}</pre>`,
      web: (word) => `\`\`\`\nif ${word}:\n  ${word}\n\`\`\``,
      api: (word) => `\`\`\`\nif ${word}:\n  ${word}\n\`\`\``,
    },
  },
  {
    thing: "quote",
    title: "quote",
    bare: (word) => `old ${word}\nnew ${word}`,
    written: {
      xmpp: (word) => `> old ${word}\nnew ${word}`,
      matrix: (word) => `<blockquote><p>old ${word}</p></blockquote><p>new ${word}</p>`,
      mattermost: (word) => `> old ${word}\n\nnew ${word}`,
      discord: (word) => `> old ${word}\nnew ${word}`,
      slack: (word) => `> old ${word}\nnew ${word}`,
      telegram: (word) => `<blockquote>old ${word}</blockquote>\nnew ${word}`,
      web: (word) => `> old ${word}\nnew ${word}`,
      api: (word) => `> old ${word}\nnew ${word}`,
    },
  },
  {
    thing: "list",
    title: "list",
    bare: (word) => `one ${word}\ntwo ${word}`,
    written: {
      matrix: (word) => `<ul><li>one ${word}</li><li>two ${word}</li></ul>`,
      mattermost: (word) => `- one ${word}\n- two ${word}`,
      discord: (word) => `- one ${word}\n- two ${word}`,
      slack: (word) => `• one ${word}\n• two ${word}`,
    },
  },
  {
    thing: "numbered",
    title: "numbered list",
    bare: (word) => `one ${word}\ntwo ${word}`,
    written: {
      matrix: (word) => `<ol><li>one ${word}</li><li>two ${word}</li></ol>`,
      mattermost: (word) => `1. one ${word}\n2. two ${word}`,
      discord: (word) => `1. one ${word}\n2. two ${word}`,
      slack: (word) => `1. one ${word}\n2. two ${word}`,
    },
  },
  {
    thing: "heading",
    title: "heading",
    bare: (word) => word,
    written: {
      matrix: (word) => `<h2>${word}</h2>`,
      mattermost: (word) => `## ${word}`,
      discord: (word) => `## ${word}`,
    },
  },
  {
    thing: "action",
    title: "action (`/me`)",
    style: "action",
    bare: (word) => `waves ${word}`,
    written: acting((word) => `waves ${word}`),
  },
  {
    thing: "notice",
    title: "notice",
    style: "notice",
    bare: (word) => `mind ${word}`,
    written: { irc: (word) => `mind ${word}`, matrix: (word) => `mind ${word}`, api: (word) => `mind ${word}` },
  },
];

export interface Deed {
  readonly thing: string;
  readonly title: string;
}

/** What is done to a message or to the room. */
export const DEEDS = [
  { thing: "reply", title: "reply" },
  { thing: "answer", title: "reply to what came from there" },
  { thing: "thread", title: "message in a thread" },
  { thing: "edit", title: "edit" },
  { thing: "delete", title: "deletion" },
  { thing: "react", title: "reaction" },
  { thing: "cheer", title: "reaction to what came from there" },
  { thing: "unreact", title: "reaction removed" },
  { thing: "file", title: "file" },
  { thing: "picture", title: "picture with caption" },
  { thing: "files", title: "two files with a text" },
  { thing: "hidden", title: "hidden picture" },
  { thing: "join", title: "somebody joins" },
  { thing: "leave", title: "somebody leaves" },
  { thing: "topic", title: "new topic" },
] as const satisfies readonly Deed[];

export type DeedName = (typeof DEEDS)[number]["thing"];
