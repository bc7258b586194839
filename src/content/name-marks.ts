import type { Block, Inline } from "../contract/content.ts";
import { parse } from "./formats.ts";
import { plainText } from "./plain.ts";
import { parseTelegramMarks } from "./telegram-marks.ts";
import { withoutUsers } from "./tree.ts";

/**
 * The template of a name, written by an operator, as a tree. `format` is one of formats.ts, or a Markdown of the Bot
 * API. Unlike a message, a template has no blocks and no mentions, and keeps its spaces and line breaks.
 */
export function readNameMarks(format: string, template: string): readonly Inline[] {
  const lines = template.replaceAll(/\r\n?/gu, "\n").split("\n");
  const read = format === "html" ? htmlOf(lines.join("\n")) : lines.flatMap((line, at) => lineOf(format, line, at > 0));
  return joined(withoutUsers({ t: "para", of: read }));
}

/** Styles of chat networks open at the edge of a word: spaces at the edges of the line are no part of what is read. */
function lineOf(format: string, line: string, isNext: boolean): readonly Inline[] {
  const [, before = "", words = "", after = ""] = /^(\s*)(.*?)(\s*)$/su.exec(line) ?? [];
  return [textOf(`${isNext ? "\n" : ""}${before}`), ...wordsOf(format, words), textOf(after)];
}

function wordsOf(format: string, words: string): readonly Inline[] {
  if (format === "Markdown" || format === "MarkdownV2") return parseTelegramMarks(words, format);
  // Names often stand between < and >, where Slack has its tokens.
  const text = format === "slack" ? words.replaceAll(/<(?!https?:)/gu, "&lt;") : words;
  const [first, ...rest] = inlinesOf(parse(format, FRONT + text));
  return first?.t === "text" ? [textOf(first.text.slice(FRONT.length)), ...rest] : [textOf(words)];
}

/** Before it nothing begins that only means something at the beginning of a line; behind it, a style may open. */
const FRONT = "(";

/**
 * HTML, of which only tags count that are closed, so that `<irc> ` is text. What a page would make of spaces is not
 * done: private characters stand for them while the HTML is read.
 */
function htmlOf(template: string): readonly Inline[] {
  const closed = new Set(Array.from(template.matchAll(/<\/([a-z][\w-]*)\s*>/giu), ([, tag = ""]) => tag.toLowerCase()));
  const html = template
    .split(/(<\/?[a-z][^<>]*>)/iu)
    .map((part) => {
      const [, tag = ""] = /^<\/?([a-z][\w-]*)(?:[\s/][^<>]*)?>$/iu.exec(part) ?? [];
      if (tag.toLowerCase() === "br") return BREAK;
      if (closed.has(tag.toLowerCase())) return part.replace(TELEGRAM_SPOILER, '<span data-mx-spoiler="">');
      return part.replaceAll("<", "&lt;").replaceAll(" ", SPACE).replaceAll("\n", BREAK);
    })
    .join("")
    .replaceAll(/<\/tg-spoiler\s*>/giu, "</span>");
  return inlinesOf(parse("html", html)).map((inline) =>
    overTexts(inline, (text) => text.replaceAll(SPACE, " ").replaceAll(BREAK, "\n")),
  );
}

const TELEGRAM_SPOILER = /^<tg-spoiler>|^<span\s+class=["']?tg-spoiler["']?\s*>/iu;
const SPACE = "\u{ffffc}";
const BREAK = "\u{ffffd}";

/** The same inline with other words in its texts, code included, and other addresses. */
export function overTexts(
  inline: Inline,
  change: (text: string) => string,
  readdress: (href: string) => string = (href) => href,
): Inline {
  if (!("of" in inline)) return { ...inline, text: change(inline.text) };
  const of = inline.of.map((inner) => overTexts(inner, change, readdress));
  return inline.t === "link" ? { ...inline, href: readdress(inline.href), of } : { ...inline, of };
}

const inlinesOf = (blocks: readonly Block[]): readonly Inline[] =>
  blocks.flatMap((block) => (block.t === "para" ? block.of : [textOf(plainText([block]))]));

/** Text beside text becomes one. */
function joined(block: Block): readonly Inline[] {
  const of: Inline[] = [];
  for (const inline of inlinesOf([block])) {
    const last = of.at(-1);
    if (inline.t === "text" && inline.text === "") continue;
    if (inline.t === "text" && last?.t === "text") of[of.length - 1] = textOf(last.text + inline.text);
    else of.push(inline);
  }
  return of;
}

const textOf = (text: string): Inline => ({ t: "text", text });
