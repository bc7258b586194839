import type { Block, Inline } from "../../contract/content.ts";
import type { UserRef } from "../../contract/ids.ts";
import type { MayPing } from "../../contract/ops.ts";
import { endOfUrl } from "../../content/links.ts";
import { linkMentions } from "../../content/mentions.ts";
import { overInlines, withoutUsers } from "../../content/tree.ts";
import { isCallToAll } from "../kit/words.ts";
import { userRef } from "./ids.ts";

/** Of no width. It parts what would be taken together. */
const APART = "\u200b";

/**
 * The text with the people here whom it means, and with nobody else: the server takes `@name` for whoever has that name
 * anywhere, and tells them. `idOf`: the member here who is called so, in lower case; null: nobody, or several.
 */
export function withPeople(
  blocks: readonly Block[],
  mayPing: MayPing,
  idOf: (name: string) => string | null,
): readonly Block[] {
  const find = (name: string): UserRef | null => {
    const key = name.toLowerCase();
    const id = isCallToAll(key) ? null : idOf(key);
    return id === null ? null : userRef(id);
  };
  const bare = blocks.map(withoutUsers);
  const linked = mayPing.users ? linkMentions(bare, find) : bare;
  return linked.map((block) => overInlines(block, (of) => of.map((inline) => callingNobody(inline))));
}

function callingNobody(inline: Inline): Inline {
  if (inline.t === "text") return { ...inline, text: unlinked(inline.text) };
  return "of" in inline && inline.t !== "link" ? { ...inline, of: inline.of.map(callingNobody) } : inline;
}

/** A text whose `@name` names nobody. At its end a sign may stand before a name that follows. */
export function unlinked(text: string): string {
  if (!text.includes("@")) return text;
  let written = "";
  let from = 0;
  let after = 0;
  for (const { index, 0: found } of text.matchAll(PLACES)) {
    if (index < after) continue;
    if (found !== "@") {
      after = endOfUrl(text, index);
      continue;
    }
    written += text.slice(from, index + 1) + APART;
    from = index + 1;
  }
  return written + text.slice(from);
}

/** Where a name may begin: after an `@` that is not within a word; and where an address begins. */
const PLACES = /(?<![\p{L}\p{N}_])@(?=\w|$)|https?:\/\//giu;
