import type { Capabilities } from "../contract/capabilities.ts";
import type { Block, Inline } from "../contract/content.ts";
import type { Loss } from "../contract/outcome.ts";
import { shownLink } from "../content/links.ts";
import { plainText } from "../content/plain.ts";

type Kind = (Inline | Block)["t"];

/** One for all formatting that the destination has no form of its own for. */
export function formatLosses(blocks: readonly Block[], { formats }: Capabilities): readonly Loss[] {
  const kinds = new Set<Kind>();
  for (const block of blocks) ofBlock(block, kinds);
  const lacking = [...kinds].filter((kind) => !formats.includes(kind)).flatMap((kind) => NAMES[kind] ?? []);
  return lacking.length === 0 ? [] : [{ what: "format", note: `not available here: ${lacking.join(", ")}` }];
}

/** Whatever is not here is no formatting: its text says it all. */
const NAMES: Partial<Readonly<Record<Kind, string>>> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strike: "strike",
  spoiler: "spoiler",
  colour: "colour",
  code: "code",
  link: "link with its own text",
  heading: "heading",
  pre: "preformatted",
  quote: "quote",
  list: "list",
};

function ofBlock(block: Block, kinds: Set<Kind>): void {
  kinds.add(block.t);
  switch (block.t) {
    case "para":
    case "heading":
      for (const inline of block.of) ofInline(inline, kinds);
      return;
    case "quote":
      for (const inner of block.of) ofBlock(inner, kinds);
      return;
    case "list":
      for (const inner of block.items.flat()) ofBlock(inner, kinds);
      return;
    case "pre":
  }
}

function ofInline(inline: Inline, kinds: Set<Kind>): void {
  if (!("of" in inline)) {
    kinds.add(inline.t);
    return;
  }
  // An address alone is a link everywhere.
  const isHidden = inline.t !== "link" || shownLink(plainText([{ t: "para", of: inline.of }]), inline.href) === "both";
  if (isHidden) kinds.add(inline.t);
  for (const inner of inline.of) ofInline(inner, kinds);
}
