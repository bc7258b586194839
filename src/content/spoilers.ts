import type { Block, Inline } from "../contract/content.ts";

/** The same text with all of its words hidden, for networks that hide a text as a whole. */
export function hidden(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block): Block => {
    switch (block.t) {
      case "para":
      case "heading":
        return block.of.length === 0 ? block : { ...block, of: [{ t: "spoiler", of: block.of }] };
      case "pre":
        return { t: "para", of: [{ t: "spoiler", of: [{ t: "code", text: block.text }] }] };
      case "quote":
        return { ...block, of: hidden(block.of) };
      case "list":
        return { ...block, items: block.items.map(hidden) };
    }
  });
}

interface Run {
  readonly text: string;
  readonly isHidden: boolean;
}

/**
 * The words that can be read before the hidden ones, of a text that ends in hidden words; null: nothing is hidden, or
 * something can be read behind it.
 */
export function openWords(blocks: readonly Block[]): string | null {
  const runs = runsOf(blocks).filter(({ text }) => text.trim() !== "");
  const first = runs.findIndex(({ isHidden }) => isHidden);
  if (first === -1 || runs.slice(first).some(({ isHidden }) => !isHidden)) return null;
  return runs
    .slice(0, first)
    .map(({ text }) => text)
    .join("")
    .trim();
}

function runsOf(blocks: readonly Block[]): readonly Run[] {
  return blocks.flatMap((block): readonly Run[] => {
    switch (block.t) {
      case "para":
      case "heading":
        return block.of.flatMap((inline) => inlineRuns(inline, false));
      case "pre":
        return [{ text: block.text, isHidden: false }];
      case "quote":
        return runsOf(block.of);
      case "list":
        return block.items.flatMap(runsOf);
    }
  });
}

function inlineRuns(inline: Inline, isHidden: boolean): readonly Run[] {
  if (!("of" in inline)) return [{ text: inline.text, isHidden }];
  return inline.of.flatMap((one) => inlineRuns(one, isHidden || inline.t === "spoiler"));
}
