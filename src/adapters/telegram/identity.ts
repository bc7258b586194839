import type { Block, Inline } from "../../contract/content.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import { shownName } from "../../content/shown-name.ts";
import { paraOf } from "../kit/words.ts";
import { unlinked } from "./text.ts";

/** A bot has one name, so who speaks comes before the words. */

/** Empty: nothing of the name can be seen. */
export function nameBefore(author: OpAuthor | null): string {
  const name = shownName(author?.shown ?? "");
  return name !== "" && /\s$/u.test(author?.shown ?? "") ? `${name} ` : name;
}

/** Words with who says them. */
export function spoken(draft: Pick<PostDraft, "author" | "body">, blocks: readonly Block[]): readonly Block[] {
  const name = unlinked(nameBefore(draft.author));
  const [first, ...rest] = blocks;
  if (name === "") return inStyle(draft, blocks);
  if (first?.t === "para") return inStyle(draft, [{ t: "para", of: [textOf(name), ...first.of] }, ...rest]);
  return inStyle(draft, [paraOf(name.trimEnd()), ...blocks]);
}

/** As what they are said: `/me` is in italics. */
export function inStyle({ body }: Pick<PostDraft, "body">, blocks: readonly Block[]): readonly Block[] {
  if (body.style !== "action") return blocks;
  return blocks.map((block) => (block.t === "para" ? { t: "para", of: [{ t: "italic", of: block.of }] } : block));
}

const textOf = (text: string): Inline => ({ t: "text", text });
