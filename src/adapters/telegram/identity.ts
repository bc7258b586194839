import type { Block, Inline } from "../../contract/content.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import { inItalics, nameBefore, withName } from "../kit/name-before.ts";
import { unlinked } from "./text.ts";

/** A bot has one name, so who speaks comes before the words. */

/** Empty: nothing of the name can be seen. */
export const nameOf = (author: OpAuthor | null): readonly Inline[] => nameBefore(author, unlinked);

/** Words with who says them. */
export function spoken(draft: Pick<PostDraft, "author" | "body">, blocks: readonly Block[]): readonly Block[] {
  return withName(nameOf(draft.author), inStyle(draft, blocks));
}

/** As what they are said: `/me` is in italics. */
export function inStyle({ body }: Pick<PostDraft, "body">, blocks: readonly Block[]): readonly Block[] {
  return body.style === "action" ? inItalics(blocks) : blocks;
}
