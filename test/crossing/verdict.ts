import { seen as seenOnDiscord } from "../servers/discord/markdown.ts";
import { seen } from "../servers/mattermost/markdown.ts";
import { unescaped } from "../servers/telegram/tags.ts";
import { NAMES, type Reader, shownName, type Sight, type SightKind } from "./place.ts";
import { addressOf, holds, linkOf } from "./things.ts";

/** What became of one thing on its way to one reader. */
export type Verdict =
  /** As the people there have it themselves. */
  | { readonly is: "native" }
  /** `as`: how it looks there. */
  | { readonly is: "words"; readonly as: string }
  /** The words came; nothing says what they were. */
  | { readonly is: "bare" }
  | { readonly is: "nothing" };

/** What was seen, and what should not have been. */
export interface Judged {
  readonly verdict: Verdict;
  readonly faults: readonly string[];
}

export interface Said {
  readonly thing: string;
  /** Stands in what was said. */
  readonly word: string;
  /** Its words without formatting. */
  readonly bare: string;
  /** Who said it, as the text shows. */
  readonly author: string;
}

type Mark = (word: string) => RegExp;

const MARKS: Readonly<Record<Reader, Readonly<Record<string, Mark>>>> = {
  irc: {
    bold: (word) => new RegExp(`\\x02${word}[\\x02\\x0f]`, "u"),
    italic: (word) => new RegExp(`\\x1d${word}[\\x1d\\x0f]`, "u"),
    underline: (word) => new RegExp(`\\x1f${word}[\\x1f\\x0f]`, "u"),
    strike: (word) => new RegExp(`\\x1e${word}[\\x1e\\x0f]`, "u"),
    code: (word) => new RegExp(`\\x11${word}[\\x11\\x0f]`, "u"),
    colour: (word) => new RegExp(`\\x030?4${word}[\\x03\\x0f]`, "u"),
    spoiler: (word) => new RegExp(`\\x03(\\d\\d?),\\1${word}[\\x03\\x0f]`, "u"),
  },
  xmpp: {
    bold: (word) => new RegExp(`(?<= )\\*${word}\\*(?= )`, "u"),
    italic: (word) => new RegExp(`(?<= )_${word}_(?= )`, "u"),
    strike: (word) => new RegExp(`(?<= )~${word}~(?= )`, "u"),
    code: (word) => new RegExp(`(?<= )\`${word}\`(?= )`, "u"),
    lines: (word) => new RegExp(`one ${word}\ntwo ${word}$`, "u"),
    pre: (word) => new RegExp(`^\`\`\`\nif ${word}:\n {2}${word}\n\`\`\`$`, "mu"),
    quote: (word) => new RegExp(`^> old ${word}\nnew ${word}$`, "mu"),
  },
  matrix: {
    bold: (word) => new RegExp(`<(strong|b)>${word}</\\1>`, "u"),
    italic: (word) => new RegExp(`<(em|i)>${word}</\\1>`, "u"),
    underline: (word) => new RegExp(`<u>${word}</u>`, "u"),
    strike: (word) => new RegExp(`<(del|s)>${word}</\\1>`, "u"),
    code: (word) => new RegExp(`<code>${word}</code>`, "u"),
    colour: (word) => new RegExp(`<span data-mx-color="#ff0000">${word}</span>`, "u"),
    spoiler: (word) => new RegExp(`<span data-mx-spoiler(?:="")?>${word}</span>`, "u"),
    link: (word) => new RegExp(`<a href="${linkOf(word)}">${word}</a>`, "u"),
    lines: (word) => new RegExp(`one ${word}(?:\n|<br ?/?>)two ${word}`, "u"),
    pre: (word) => new RegExp(`<pre><code>if ${word}:\n {2}${word}\n?</code></pre>`, "u"),
    quote: (word) => new RegExp(`<blockquote>(?:<p>)?old ${word}(?:</p>)?</blockquote>(?:<p>)?new ${word}`, "u"),
    list: (word) => new RegExp(`<ul><li>one ${word}</li><li>two ${word}</li></ul>`, "u"),
    numbered: (word) => new RegExp(`<ol><li>one ${word}</li><li>two ${word}</li></ol>`, "u"),
    heading: (word) => new RegExp(`<h2>${word}</h2>`, "u"),
  },
  mattermost: {
    list: (word) => new RegExp(`^[-*] one ${word}\n[-*] two ${word}$`, "u"),
    numbered: (word) => new RegExp(`^1\\. one ${word}\n2\\. two ${word}$`, "u"),
    heading: (word) => new RegExp(`^## ${word}$`, "u"),
    // Without an empty line the quote would go on.
    quote: (word) => new RegExp(`^> old ${word}\n\nnew ${word}$`, "u"),
  },
  discord: {
    underline: (word) => new RegExp(`(?<= )__${word}__(?= )`, "u"),
    link: (word) => new RegExp(`\\[${word}\\]\\(<?${linkOf(word)}>?\\)`, "u"),
    list: (word) => new RegExp(`^[-*] one ${word}\n[-*] two ${word}$`, "u"),
    numbered: (word) => new RegExp(`^1\\. one ${word}\n2\\. two ${word}$`, "u"),
    heading: (word) => new RegExp(`^## ${word}$`, "u"),
  },
  slack: {
    bold: (word) => new RegExp(`(?<= )\\*${word}\\*(?= )`, "u"),
    italic: (word) => new RegExp(`(?<= )_${word}_(?= )`, "u"),
    strike: (word) => new RegExp(`(?<= )~${word}~(?= )`, "u"),
    code: (word) => new RegExp(`(?<= )\`${word}\`(?= )`, "u"),
    link: (word) => new RegExp(`<${linkOf(word)}\\|${word}>`, "u"),
    lines: (word) => new RegExp(`^one ${word}\ntwo ${word}$`, "u"),
    pre: (word) => new RegExp(`^\`\`\`\nif ${word}:\n {2}${word}\n\`\`\`$`, "u"),
    quote: (word) => new RegExp(`^> old ${word}\nnew ${word}$`, "u"),
    list: (word) => new RegExp(`^• one ${word}\n• two ${word}$`, "u"),
    numbered: (word) => new RegExp(`^1\\. one ${word}\n2\\. two ${word}$`, "u"),
  },
  telegram: {
    bold: (word) => new RegExp(`<b>${word}</b>`, "u"),
    italic: (word) => new RegExp(`<i>${word}</i>`, "u"),
    underline: (word) => new RegExp(`<u>${word}</u>`, "u"),
    strike: (word) => new RegExp(`<s>${word}</s>`, "u"),
    spoiler: (word) => new RegExp(`<tg-spoiler>${word}</tg-spoiler>`, "u"),
    code: (word) => new RegExp(`<code>${word}</code>`, "u"),
    link: (word) => new RegExp(`<a href="${linkOf(word)}">${word}</a>`, "u"),
    lines: (word) => new RegExp(`^one ${word}\ntwo ${word}$`, "u"),
    pre: (word) => new RegExp(`^<pre>if ${word}:\n {2}${word}</pre>$`, "u"),
    quote: (word) => new RegExp(`^<blockquote>old ${word}</blockquote>\nnew ${word}$`, "u"),
  },
  web: {
    bold: (word) => new RegExp(`<b>${word}</b>`, "u"),
    italic: (word) => new RegExp(`<i>${word}</i>`, "u"),
    underline: (word) => new RegExp(`<u>${word}</u>`, "u"),
    strike: (word) => new RegExp(`<s>${word}</s>`, "u"),
    spoiler: (word) => new RegExp(`<spoiler>${word}</spoiler>`, "u"),
    code: (word) => new RegExp(`<code>${word}</code>`, "u"),
    link: (word) => new RegExp(`<a href="${linkOf(word)}">${word}</a>`, "u"),
    lines: (word) => new RegExp(`^one ${word}\ntwo ${word}$`, "u"),
    pre: (word) => new RegExp(`^<pre><code>if ${word}:\n {2}${word}</code></pre>$`, "u"),
    quote: (word) => new RegExp(`^<blockquote>old ${word}</blockquote>\nnew ${word}$`, "u"),
    list: (word) => new RegExp(`^<ul><li>one ${word}</li><li>two ${word}</li></ul>$`, "u"),
    numbered: (word) => new RegExp(`^<ol><li>one ${word}</li><li>two ${word}</li></ol>$`, "u"),
  },
  api: {},
  plain: {},
};

/** Markdown as chats have it: lists and headings are text. */
const MARKDOWN: Readonly<Record<string, Mark>> = {
  bold: (word) => new RegExp(`(?<= )\\*\\*${word}\\*\\*(?= )`, "u"),
  italic: (word) => new RegExp(`(?<= )([*_])${word}\\1(?= )`, "u"),
  strike: (word) => new RegExp(`(?<= )~~${word}~~(?= )`, "u"),
  code: (word) => new RegExp(`(?<= )\`${word}\`(?= )`, "u"),
  spoiler: (word) => new RegExp(`(?<= )\\|\\|${word}\\|\\|(?= )`, "u"),
  link: (word) => new RegExp(`\\[${word}\\]\\(${linkOf(word)}\\)`, "u"),
  lines: (word) => new RegExp(`^one ${word}\ntwo ${word}$`, "u"),
  pre: (word) => new RegExp(`^\`\`\`\nif ${word}:\n {2}${word}\n\`\`\`$`, "u"),
  quote: (word) => new RegExp(`^> old ${word}\nnew ${word}$`, "u"),
};

/** Things that are themselves wherever their text arrives as it is. */
const PLAIN_THINGS: ReadonlySet<string> = new Set(["address", "emoji", "signs"]);
const STYLED: Readonly<Record<string, SightKind>> = { action: "action", notice: "notice" };

/** What was said once, from all that the reader saw. */
export function judgeSaying(said: Said, reader: Reader, all: readonly Sight[], me: string): Judged {
  const { thing, word, bare } = said;
  const sights = all.filter(({ text }) => holds(text, word));
  // Clients of old were never shown notices.
  const mayMiss = thing === "notice" && reader === "plain";
  if (sights.length === 0) return { verdict: { is: "nothing" }, faults: mayMiss ? [] : ["the text is lost"] };
  const written = sights.map(({ text }) => withoutName(text, reader, said.author));
  const shown = written.map((text) => wordsOf(text, reader));
  const texts = shown.join("\n");
  const faults = faultsOf(thing, word, texts);
  const style = STYLED[thing];
  const isOne = sights.length === 1 && sights[0]?.kind === (style ?? "normal");
  if (thing === "mention") return { verdict: mentioned(sights, reader, me), faults };
  const isMarkdown = !["irc", "xmpp", "matrix", "slack", "telegram", "web"].includes(reader);
  const mark = (MARKS[reader][thing] ?? (isMarkdown ? MARKDOWN[thing] : undefined))?.(word);
  const [first = ""] = written;
  if (mark !== undefined && isOne && mark.test(first)) {
    const rest = wordsOf(first.replace(mark, word), reader);
    const isInline = !bare.includes("\n") && bare !== word;
    if (isInline && rest !== bare) faults.push(`more than the mark: ${JSON.stringify(first)}`);
    return { verdict: { is: "native" }, faults };
  }
  if ((PLAIN_THINGS.has(thing) || style !== undefined) && isOne && texts === bare)
    return { verdict: { is: "native" }, faults };
  if (PLAIN_THINGS.has(thing)) faults.push(`the text has changed: ${JSON.stringify(texts)}`);
  if (texts === bare && sights.length === 1) return { verdict: { is: "bare" }, faults };
  return { verdict: { is: "words", as: sample(shown, said) }, faults };
}

function faultsOf(thing: string, word: string, texts: string): string[] {
  const faults = /\\[*_~`|>#[\]()]/u.test(texts) ? [`stray escapes: ${JSON.stringify(texts)}`] : [];
  if (thing === "link" && !texts.includes(linkOf(word))) faults.push(`the address is lost: ${JSON.stringify(texts)}`);
  if (thing === "address" && !texts.includes(addressOf(word)))
    faults.push(`the address is torn: ${JSON.stringify(texts)}`);
  return faults;
}

/** Programs of IRC and XMPP alert whoever is named in a text. */
function mentioned(sights: readonly Sight[], reader: Reader, me: string): Verdict {
  if (sights.some(({ alerts }) => alerts)) return { is: "native" };
  const named = sights.some(({ text }) => holds(text, me));
  return named && (reader === "irc" || reader === "xmpp") ? { is: "words", as: "the name" } : { is: "bare" };
}

/** Something that was done to a message. */
export interface Act extends Said {
  /** The kind that says it natively. */
  readonly kind: SightKind;
  /** Names of the message it is about, as this reader has it. */
  readonly target: readonly string[];
  /** Names of all messages with the same text. */
  readonly alike: readonly string[];
  readonly emoji: string;
}

/** Whether an act reached the message that it was about. */
export function judgeAct(act: Act, reader: Reader, all: readonly Sight[]): Judged {
  const { kind, word, target, alike, emoji, bare } = act;
  const says = kind === "normal" || kind === "edit";
  const about = (sight: Sight): boolean => sight.target !== null && alike.includes(sight.target);
  const isEmoji = (text: string): boolean => emoji === "" || kind === "unreaction" || text.includes(emoji);
  const sights = all.filter((sight) =>
    says ? holds(sight.text, word) : sight.kind === kind && about(sight) && isEmoji(sight.text),
  );
  const missed = sights.filter(
    (sight) => sight.target !== null && !target.includes(sight.target) && (sight.kind === kind || !says),
  );
  const faults =
    reader === "plain" || missed.length === 0 ? [] : [`about the wrong message: ${JSON.stringify(missed)}`];
  const hit = sights.some((sight) => sight.kind === kind && sight.target !== null && target.includes(sight.target));
  if (sights.length === 0)
    return { verdict: { is: "nothing" }, faults: says ? ["the text is lost", ...faults] : faults };
  const shown = sights.map(({ text }) => wordsOf(withoutName(text, reader, act.author), reader));
  // IRC has no replies that its programs show: the tag is for programs, the words for people.
  const plainly = shown.join("\n") === bare;
  // A thread is one only where it stands in it.
  const threaded = sights.some(({ thread }) => typeof thread === "string" && target.includes(thread));
  if (hit && act.thing === "thread" && !(threaded && plainly))
    return { verdict: { is: "words", as: `a reply: ${sample(shown, act)}` }, faults };
  if (hit && (!says || plainly)) return { verdict: { is: "native" }, faults };
  if (plainly) return { verdict: { is: "bare" }, faults };
  return { verdict: { is: "words", as: sample(shown, act) }, faults };
}

/**
 * What a reader sees of files: natively, as links, or only as names. `contents`: what the links and the files
 * themselves hold.
 */
export function judgeFiles(said: Said, reader: Reader, all: readonly Sight[], count: number): Judged {
  const { word } = said;
  const natives = all.filter(({ file }) => file !== null && holds(file.name, word));
  const texts = all.filter(({ text, file }) => holds(text, word) && file === null);
  if (natives.length === count) return { verdict: { is: "native" }, faults: [] };
  const faults = natives.length > 0 ? [`${natives.length} of ${count} files came under their names`] : [];
  if (texts.length === 0) return { verdict: { is: "nothing" }, faults: ["the files are lost", ...faults] };
  const shown = texts.map(({ text }) => wordsOf(withoutName(text, reader, said.author), reader));
  return { verdict: { is: "words", as: sample(shown, said) }, faults };
}

/** Addresses in the texts that hold a word. */
export function linksIn(word: string, all: readonly Sight[]): readonly string[] {
  return all.flatMap(({ text }) =>
    holds(text, word) ? (text.match(/https?:\/\/127\.0\.0\.1:\d+\/[^\s"<>|)]+/gu) ?? []) : [],
  );
}

/** Somebody came or went, or the room got a new topic. */
export function judgeNews(
  kind: SightKind,
  { word, author }: Pick<Said, "word" | "author">,
  reader: Reader,
  all: readonly Sight[],
): Judged {
  const sights = all.filter((sight) => holds(sight.text, word));
  if (reader === "api" || reader === "plain") {
    // Without FullEvents, all who come and go have one label.
    const isSaid = (text: string): boolean => reader === "plain" && WAYS[kind]?.test(text) === true;
    const isLabelled = sights.some((sight) => sight.kind === kind || isSaid(sight.text));
    return { verdict: isLabelled ? { is: "native" } : { is: "nothing" }, faults: [] };
  }
  const lines = sights.filter(({ text }) => WAYS[kind]?.test(text) === true);
  if (lines.length === 0) return { verdict: { is: "nothing" }, faults: [] };
  const shown = lines.map(({ text }) => wordsOf(withoutName(text, reader, author), reader));
  return { verdict: { is: "words", as: sample(shown, { word, author }) }, faults: [] };
}

const WAYS: Partial<Readonly<Record<SightKind, RegExp>>> = {
  join: /\bjoins\b/u,
  leave: /\b(?:leaves|parts)\b/u,
  topic: /\btopic\b/u,
};

/** The API and the web chat have names beside the text. */
function withoutName(text: string, reader: Reader, author: string): string {
  if (reader === "api" || reader === "plain" || reader === "web") return text;
  const name = literally(author);
  return text.replace(new RegExp(`^(?:<p>)?(?:<${name}>|&lt;${name}&gt;)(?:\\s|<br>)`, "u"), "");
}

/** HTML and Markdown without their escapes. */
function wordsOf(text: string, reader: Reader): string {
  if (reader === "mattermost") return seen(text);
  if (reader === "discord") return seenOnDiscord(text);
  if (reader === "telegram") return unescaped(text);
  if (reader !== "matrix" && reader !== "web") return text;
  const lines = text.replaceAll("<br>", "\n");
  return lines.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** Of names: guests of the web chat have brackets in theirs. */
const literally = (name: string): string => name.replaceAll(/[()]/gu, String.raw`\$&`);

const CODES: readonly (readonly [string, string])[] = [
  ["\u0002", "bold"],
  ["\u0011", "code"],
  ["\u001d", "italic"],
  ["\u001f", "underline"],
  ["\u001e", "strike"],
  ["\u000f", "plain"],
];

/** How it looks, without what is different each time: `⏎` is a new line, `⏎⏎` a new message. */
function sample(shown: readonly string[], { word, author }: Pick<Said, "word" | "author">): string {
  const names = [author, shownName("web"), ...Object.values(NAMES)].map(literally).join("|");
  let text = shown.map((one) => one.replaceAll("\n", " ⏎ ")).join(" ⏎⏎ ");
  for (const [code, name] of CODES) text = text.replaceAll(code, `‹${name}›`);
  return (
    text
      .replaceAll(/https?:\/\/[^/\s<>]+\/channels\/[\d/]+/gu, "‹link›")
      .replaceAll(/https?:\/\/127\.0\.0\.1:\d+\/\S+/gu, "‹link›")
      .replaceAll(new RegExp(String.raw`(?<!\w)(?:${names})(?!\w)`, "gu"), "name")
      .replaceAll(new RegExp(word, "giu"), "text")
      // Of the message that is quoted.
      .replaceAll(/\b(?:[a-z]+ed|home)Q[a-z]+\b/gu, "text")
  );
}
