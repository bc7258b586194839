import type { Block, Inline } from "../../contract/content.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { cut, measure } from "../../content/length.ts";
import { isLinkable } from "../../content/links.ts";
import { plainText } from "../../content/plain.ts";
import { pack } from "../kit/pack.ts";
import { oneLine } from "../kit/words.ts";
import { progressAt } from "./ids.ts";
import type { StoredAuthor } from "./store/rows.ts";

const NAME_MAX = 128;

/** A message of the page. Files come with the last. */
export interface RenderedPart {
  readonly blocks: readonly Block[];
  readonly end: Progress;
}

/** The tree goes as it is; a text that is too long becomes several. There is always one part at least. */
export function renderParts(
  { body, textMax }: Pick<PostDraft, "body" | "textMax">,
  max: number,
  losses: Loss[],
): readonly RenderedPart[] {
  const blocks = body.blocks.map(safeBlock);
  const sizeOf = (some: readonly Block[]): number => measure(plainText(some), "codepoints");
  const most = Math.min(textMax ?? max, max);
  const texts =
    sizeOf(blocks) <= most
      ? [blocks]
      : pack(blocks, { textMax: most, firstMax: most, unit: "codepoints", sizeOf }, losses).map(({ of }) => of);
  const said = texts.length === 0 ? [[]] : texts;
  return said.map((of, at) => ({ blocks: of, end: at === said.length - 1 ? END : progressAt(at + 1) }));
}

/** What of a post is left to say. */
export const partsAfter = (resume: Progress | null): number =>
  resume === END ? Number.POSITIVE_INFINITY : Number(resume ?? 0) || 0;

/** Who tells moderators what waits. */
export const MODERATION: StoredAuthor = { id: "moderation", name: "web chat", network: "" };

/** Who is shown; null: Rialto speaks. */
export function storedAuthor(author: OpAuthor | null): StoredAuthor {
  if (author === null) return { id: "", name: "Rialto", network: "" };
  const name = cut(oneLine(author.name), NAME_MAX, "codepoints").trim();
  return {
    id: cut(`${author.account}/${author.id}`, 300, "utf16"),
    name: name === "" ? "somebody" : name,
    network: author.account.split(".")[0] ?? "",
  };
}

function safeBlock(block: Block): Block {
  switch (block.t) {
    case "para":
    case "heading":
      return { ...block, of: block.of.map(safeInline) };
    case "quote":
      return { ...block, of: block.of.map(safeBlock) };
    case "list":
      return { ...block, items: block.items.map((item) => item.map(safeBlock)) };
    case "pre":
      return block;
  }
}

/** Only addresses that may be followed stay links; whom a mention names on another network is nobody's business. */
function safeInline(inline: Inline): Inline {
  switch (inline.t) {
    case "text":
    case "code":
    case "emoji":
      return inline;
    case "mention":
      return { ...inline, user: null };
    case "link": {
      const of = inline.of.map(safeInline);
      return isLinkable(inline.href) ? { ...inline, of } : { t: "italic", of };
    }
    case "bold":
    case "italic":
    case "underline":
    case "strike":
    case "spoiler":
    case "colour":
      return { ...inline, of: inline.of.map(safeInline) };
  }
}

/** The same for what guests write. */
export const safeBlocks = (blocks: readonly Block[]): readonly Block[] => blocks.map(safeBlock);
