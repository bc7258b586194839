import type { Block, Inline } from "../contract/content.ts";

/** The same block with other words in it; code stays. */
export function overInlines(block: Block, change: (of: readonly Inline[]) => readonly Inline[]): Block {
  switch (block.t) {
    case "para":
    case "heading":
      return { ...block, of: change(block.of) };
    case "quote":
      return { ...block, of: block.of.map((inner) => overInlines(inner, change)) };
    case "list":
      return { ...block, items: block.items.map((item) => item.map((inner) => overInlines(inner, change))) };
    case "pre":
      return block;
  }
}

/** Whom the sender's network means is nobody elsewhere: a mention is first of all its text. */
export function withoutUsers(block: Block): Block {
  return overInlines(block, (of) => of.map(stripped));
}

function stripped(inline: Inline): Inline {
  if (inline.t === "mention") return { t: "text", text: inline.text };
  return "of" in inline ? { ...inline, of: inline.of.map(stripped) } : inline;
}
