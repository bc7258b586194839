import type {
  RichTextBlock,
  RichTextElement,
  RichTextLink,
  RichTextList,
  RichTextSection,
  RichTextText,
} from "@slack/types";
import { newSecret } from "./clock.ts";

type Style = NonNullable<RichTextText["style"]>;
type Part = RichTextBlock["elements"][number];

/** What stands between angle brackets and means something; anything else is text. */
const MEANT =
  /^(@[UW][A-Z0-9]+(\|[^|]*)?|#C[A-Z0-9]+(\|[^|]*)?|!(here|channel|everyone)(\|[^|]*)?|!subteam\^S[A-Z0-9]+(\|[^|]*)?|!date\^\d+\^[^|]*(\|[^|]*)?|(https?:\/\/|mailto:|tel:)[^\s|]+(\|[^|]*)?)$/;

const BARE_URL = /(?<![<|\w])https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)\]'"*_~`]/g;

/** The text as it is stored: what means nothing is escaped, addresses are links. */
export function stored(text: string): string {
  const parts = text.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  return parts.map((part, at) => (at % 2 === 1 ? escaped(part) : linked(escaped(part)))).join("");
}

function escaped(text: string): string {
  return text
    .split(/(<[^<>\n]*>)/)
    .map((part, at) => (at % 2 === 1 && MEANT.test(part.slice(1, -1)) ? part : plainly(part)))
    .join("");
}

function linked(text: string): string {
  return text
    .split(/(<[^<>\n]*>)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(BARE_URL, (url) => `<${url}>`)))
    .join("");
}

/** What is escaped already stays. */
const plainly = (text: string): string =>
  text
    .replaceAll(/&(?!(amp|lt|gt);)/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** What people read. */
const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** The block that the network makes of a text. */
export function richText(text: string): RichTextBlock {
  const elements: Part[] = [];
  for (const [at, part] of text.split(/```\n?([\s\S]*?)\n?```\n?/).entries()) {
    if (at % 2 === 1) elements.push({ type: "rich_text_preformatted", elements: literal(part) });
    else if (part !== "") elements.push(...linesOf(part));
  }
  return { type: "rich_text", block_id: newSecret(5), elements };
}

function linesOf(text: string): Part[] {
  const parts: Part[] = [];
  let kind = "";
  let held: string[] = [];
  const flush = (isLast: boolean): void => {
    if (held.length === 0) return;
    const joined = held.join("\n");
    if (kind === "quote") parts.push({ type: "rich_text_quote", elements: inline(joined) });
    else if (kind.startsWith("list")) parts.push(listOf(kind, held));
    else parts.push({ type: "rich_text_section", elements: inline(isLast ? joined : `${joined}\n`) });
    held = [];
  };
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const [, indent = "", bullet, ordered, item = ""] = /^( *)(?:([•◦▪])|(\d+\.)) (.*)$/.exec(line) ?? [];
    const list = bullet !== undefined ? "bullet" : ordered === undefined ? null : "ordered";
    const isQuote = line.startsWith("&gt;");
    const now = isQuote ? "quote" : list === null ? "section" : `list ${list} ${Math.floor(indent.length / 4)}`;
    if (now !== kind) flush(false);
    kind = now;
    held.push(isQuote ? line.replace(/^&gt; ?/, "") : list === null ? line : item);
  }
  flush(true);
  return parts;
}

function listOf(kind: string, items: readonly string[]): RichTextList {
  const [, style, indent] = kind.split(" ");
  return {
    type: "rich_text_list",
    style: style === "ordered" ? "ordered" : "bullet",
    indent: Number(indent),
    border: 0,
    elements: items.map((item): RichTextSection => ({ type: "rich_text_section", elements: inline(item) })),
  };
}

/** Preformatted text, which holds nothing but links. */
function literal(text: string): (RichTextText | RichTextLink)[] {
  return text.split(/(<https?:[^>\n]+>)/).flatMap((part, at): (RichTextText | RichTextLink)[] => {
    if (part === "") return [];
    if (at % 2 === 0) return [{ type: "text", text: unescaped(part) }];
    return [linkOf(part.slice(1, -1), {})];
  });
}

const PIECES = new RegExp(
  [
    "`(?<code>[^`\\n]+)`",
    "<(?<meant>[^<>\\n]+)>",
    ":(?<emoji>[a-z0-9_+'-]+(?:::skin-tone-[2-6])?):",
    String.raw`(?<![\w*])\*(?=\S)(?<bold>[^*\n]*[^*\s])\*(?![\w*])`,
    String.raw`(?<![\w_])_(?=\S)(?<italic>[^_\n]*[^_\s])_(?![\w_])`,
    String.raw`(?<![\w~])~(?=\S)(?<strike>[^~\n]*[^~\s])~(?![\w~])`,
  ].join("|"),
  "g",
);

function inline(text: string, style: Style = {}): RichTextElement[] {
  const elements: RichTextElement[] = [];
  const say = (plain: string): void => {
    if (plain !== "") elements.push(styled({ type: "text", text: unescaped(plain) }, style));
  };
  let at = 0;
  for (const found of text.matchAll(PIECES)) {
    const { code, meant, emoji, bold, italic, strike } = found.groups ?? {};
    if (meant !== undefined && !MEANT.test(meant)) continue;
    say(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (code !== undefined) elements.push({ type: "text", text: unescaped(code), style: { ...style, code: true } });
    else if (meant !== undefined) elements.push(meaning(meant, style));
    else if (emoji !== undefined) elements.push(styled({ type: "emoji", name: emoji }, style));
    else if (bold !== undefined) elements.push(...inline(bold, { ...style, bold: true }));
    else if (italic !== undefined) elements.push(...inline(italic, { ...style, italic: true }));
    else if (strike !== undefined) elements.push(...inline(strike, { ...style, strike: true }));
  }
  say(text.slice(at));
  return elements;
}

function meaning(meant: string, style: Style): RichTextElement {
  const [what = "", label] = meant.split("|");
  if (what.startsWith("@")) return styled({ type: "user", user_id: what.slice(1) }, style);
  if (what.startsWith("#")) return styled({ type: "channel", channel_id: what.slice(1) }, style);
  if (what.startsWith("!subteam^")) return styled({ type: "usergroup", usergroup_id: what.slice(9) }, style);
  if (what.startsWith("!date^")) {
    const [, timestamp = "0", format = "", url] = what.split("^");
    const more = { ...(url !== undefined && { url }), ...(label !== undefined && { fallback: unescaped(label) }) };
    return styled({ type: "date", timestamp: Number(timestamp), format, ...more }, style);
  }
  if (what.startsWith("!")) {
    const range = what === "!here" ? "here" : what === "!everyone" ? "everyone" : "channel";
    return styled({ type: "broadcast", range }, style);
  }
  return linkOf(meant, style);
}

function linkOf(meant: string, style: Style): RichTextLink {
  const [url = "", label] = meant.split("|");
  const link: RichTextLink = { type: "link", url: unescaped(url) };
  return styled(label === undefined ? link : { ...link, text: unescaped(label) }, style);
}

function styled<T extends RichTextElement>(element: T, style: Style): T {
  return Object.keys(style).length === 0 ? element : { ...element, style };
}
