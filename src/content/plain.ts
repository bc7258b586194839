import type { Block, Inline } from "../contract/content.ts";
import { shownLink } from "./links.ts";

/**
 * The words of a text, for readers who know no formats. Blocks stand on lines of their own; a quote, a list and the
 * target of a link stay recognisable, all other formatting is left out. The text of one plain paragraph comes back as
 * it was.
 */
export function plainText(blocks: readonly Block[]): string {
  return joined(blocks, plainBlock, "\n");
}

/** What is alone, as most of it is, makes no lists. */
function joined<T>(all: readonly T[], plain: (one: T) => string, between: string): string {
  const [first] = all;
  return first !== undefined && all.length === 1 ? plain(first) : all.map(plain).join(between);
}

function plainBlock(block: Block): string {
  switch (block.t) {
    case "para":
    case "heading":
      return plainInlines(block.of);
    case "pre":
      return block.text;
    case "quote":
      return quoted(plainText(block.of));
    case "list":
      return block.items
        .map((item, index) => {
          const bullet = block.ordered ? `${index + 1}. ` : "- ";
          return indent(plainText(item), bullet, " ".repeat(bullet.length));
        })
        .join("\n");
  }
}

const plainInlines = (inlines: readonly Inline[]): string => joined(inlines, plainInline, "");

function plainInline(inline: Inline): string {
  switch (inline.t) {
    case "text":
    case "code":
    case "mention":
    case "emoji":
      return inline.text;
    case "bold":
    case "italic":
    case "underline":
    case "strike":
    case "spoiler":
    case "colour":
      return plainInlines(inline.of);
    case "link":
      return plainLink(plainInlines(inline.of), inline.href);
  }
}

function plainLink(text: string, href: string): string {
  const shown = shownLink(text, href);
  if (shown === "address") return href;
  return shown === "words" ? text : `${text} (${href})`;
}

/** Whether the words of a paragraph or a heading have such a line; after the mark of a list no line begins. */
export function hasLine(blocks: readonly Block[], pattern: RegExp): boolean {
  return blocks.some((block) => {
    if (block.t === "quote") return hasLine(block.of, pattern);
    return (block.t === "para" || block.t === "heading") && pattern.test(plainInlines(block.of));
  });
}

/** An empty line of a quote has nothing after its sign. */
export function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

function indent(text: string, first: string, rest: string): string {
  return first + text.replaceAll("\n", () => `\n${rest}`);
}
