import { parse } from "../../src/content/formats.ts";
import type { Block, Body, Inline, SharedFile, Source, Style } from "../../src/contract/content.ts";

/** Of a plain text: one paragraph, newlines kept. */
export function plainBody(text: string, style: Style = "normal", files: readonly SharedFile[] = []): Body {
  const blocks: readonly Block[] = text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
  return { style, source: { format: "plain", text }, blocks, files };
}

/** What an event says, as the core reads its source. */
export function wordsOf({ source }: { readonly source: Source }): string {
  return readAloud(parse(source.format, source.text));
}

/** What of a body can be read aloud; blocks are lines. */
export function readAloud(blocks: readonly Block[]): string {
  return blocks.map(aloud).join("\n");
}

function aloud(block: Block): string {
  if (block.t === "pre") return block.text;
  if (block.t === "quote") return readAloud(block.of);
  if (block.t === "list") return block.items.map(readAloud).join("\n");
  return block.of.map(inlineAloud).join("");
}

function inlineAloud(inline: Inline): string {
  return "text" in inline ? inline.text : inline.of.map(inlineAloud).join("");
}

/** Where a text is split, white space is lost and line breaks come: compare texts without any. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/gu, "");
}

/** Words that tell their place, `unit`-wise at least `size` long: a lost, doubled or moved piece shows. */
export function longText(size: number, unit: "bytes" | "utf16" | "codepoints"): string {
  const words: string[] = [];
  for (let length = 0, at = 1; length < size; at += 1) {
    const word = WORDS[at % WORDS.length] + String(at);
    words.push(word);
    length += lengthOf(word, unit) + 1;
  }
  return words.join(" ");
}

const WORDS = ["ship", "größer", "речь", "漢字", "🚢🏝", "é", "gondola", "👩‍👩‍👧"] as const;

function lengthOf(text: string, unit: "bytes" | "utf16" | "codepoints"): number {
  if (unit === "bytes") return Buffer.byteLength(text);
  return unit === "utf16" ? text.length : Array.from(text).length;
}

/** Lines that hold what chat programs get wrong; none begins or ends with white space. */
export const MANNERS: readonly string[] = [
  "What news on the Rialto?",
  "größer, naïve, Ωμέγα, Привет, 漢字かな交じり文, שלום, مرحبا",
  "🙂 👩‍👩‍👧‍👦 🇮🇹 👍🏽 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
  "e\u0301 n\u0303 \u200dx zero\u200bwidth",
  "2 * 3 * 4 and _snake_case_ and `tick` and ~tilde~ and a\\b",
  "<b>bold</b> &amp; &lt; <alice> @everyone #channel [x](y)",
  "a, b; c: d. e! f? g/h|i%j^k$l=m+n",
];

/** Lines that look like commands of one network or another. */
export const COMMANDS: readonly string[] = [
  "/quit now",
  "/me does",
  "//two",
  ":a colon first",
  ": a colon and a space",
  "QUIT :gone",
  "@time=1 PRIVMSG #x :y",
  "!command -x",
  "PING :x",
  "<stream:stream>",
  "</body>",
  '{"op":1}',
  "-- ; DROP",
  "%n%s%x",
];
