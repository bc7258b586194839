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
 * The text with the people here whom it may mean. The server itself takes `@name` for whoever has that user name, and
 * tells them if they are here: a bot does not know all who are. `idOf`: somebody here who is called so, in lower case;
 * null: nobody we know of, or several.
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
  const isMeant = (name: string): boolean => mayPing.users && name !== "" && !isCallToAll(name.toLowerCase());
  return linked.map((block) => overInlines(block, (of) => of.map((inline) => callingOnly(inline, isMeant))));
}

function callingOnly(inline: Inline, isMeant: (name: string) => boolean): Inline {
  if (inline.t === "text") return { ...inline, text: unlinked(inline.text, isMeant) };
  return "of" in inline && inline.t !== "link"
    ? { ...inline, of: inline.of.map((inner) => callingOnly(inner, isMeant)) }
    : inline;
}

/** A text whose `@name` is nobody's. At its end a sign may stand before a name that follows. */
export function unlinked(text: string, isMeant: (name: string) => boolean = () => false): string {
  if (!text.includes("@")) return text;
  let written = "";
  let from = 0;
  let after = 0;
  for (const { index, 0: found, 1: name = "" } of text.matchAll(PLACES)) {
    if (index < after) continue;
    if (!found.startsWith("@")) {
      after = endOfUrl(text, index);
      continue;
    }
    if (isMeant(name)) continue;
    written += text.slice(from, index + 1) + APART;
    from = index + 1;
  }
  return written + text.slice(from);
}

/** Where a name may begin: after an `@` that is not within a word; and where an address begins. */
const PLACES = /(?<![\p{L}\p{N}_])@(?:(\w+)|$)|https?:\/\//giu;
