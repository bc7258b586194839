import type { Block, Inline } from "../contract/content.ts";
import { plainText } from "./plain.ts";
import { overInlines } from "./tree.ts";

/** The words of a text for lines that quote it: what is behind a spoiler are blocks, one for each sign. */
export function hiddenText(blocks: readonly Block[]): string {
  return plainText(blocks.map((block) => overInlines(block, (of) => of.map(hidden))));
}

function hidden(inline: Inline): Inline {
  if (inline.t === "spoiler") return { t: "text", text: blocked(plainText([{ t: "para", of: inline.of }])) };
  return "of" in inline ? { ...inline, of: inline.of.map(hidden) } : inline;
}

/** Words that nobody can read, about as long. */
export const blocked = (words: string): string => words.replaceAll(/[^\s\p{M}\p{C}]\p{M}*/gu, "\u2588");
