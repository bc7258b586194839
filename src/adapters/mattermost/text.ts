import type { Block, Inline } from "../../contract/content.ts";
import type { UserRef } from "../../contract/ids.ts";
import type { MayPing } from "../../contract/ops.ts";
import { cut } from "../../content/length.ts";
import { linkMentions } from "../../content/mentions.ts";
import { plainText } from "../../content/plain.ts";
import { overInlines, withoutUsers } from "../../content/tree.ts";
import { type CallsToAll, isCallToAll, withCallsToAll } from "../kit/words.ts";
import { userRef } from "./ids.ts";

/** Names that are looked up for one message at most. */
const NAMES_MAX = 10;

/** What may be user names of people here: those of somebody who is called or addressed in a text. */
export function namesIn(blocks: readonly Block[], mayPing: MayPing): readonly string[] {
  if (!mayPing.users) return [];
  const text = plainText(blocks);
  const called = Array.from(text.matchAll(/(?<![\w.@/:#-])@([a-z\d][a-z\d._-]{0,63})/gi), ([, name = ""]) => name);
  const [, addressed] = /^([a-z\d][a-z\d._-]{0,63})[:,](?:\s|$)/i.exec(text) ?? [];
  const all = [...(addressed === undefined ? [] : [addressed]), ...called].flatMap((name) => {
    const bare = name.replace(/[._-]+$/, "");
    return bare === name ? [name] : [name, bare];
  });
  const names = all.map((name) => name.toLowerCase()).filter((name) => !isCallToAll(name));
  return [...new Set(names)].slice(0, NAMES_MAX);
}

const CALLS: CallsToAll = { all: userRef("@all"), channel: userRef("@channel"), here: userRef("@here") };

/**
 * The text with the people here whom it means, and with nobody else. `names`: the user names of members, in lower case.
 */
export function withPeople(blocks: readonly Block[], mayPing: MayPing, names: ReadonlySet<string>): readonly Block[] {
  const find = (name: string): UserRef | null =>
    names.has(name.toLowerCase()) ? userRef(`@${name.toLowerCase()}`) : null;
  const bare = blocks.map(withoutUsers);
  const linked = mayPing.users && names.size > 0 ? linkMentions(bare, find) : bare;
  return linked.map((block) => overInlines(block, (of) => of.flatMap((inline) => named(inline, mayPing))));
}

/** A mention is written as the name that the server knows. */
function named(inline: Inline, mayPing: MayPing): readonly Inline[] {
  if (inline.t === "mention" && inline.user !== null) return [{ ...inline, text: inline.user }];
  if (inline.t === "text" && mayPing.everyone) return withCallsToAll(inline.text, CALLS);
  return "of" in inline ? [{ ...inline, of: inline.of.flatMap((inner) => named(inner, mayPing)) }] : [inline];
}

/** Text that means something in Markdown only where it begins a line. */
export const beginsBlock = (text: string): boolean => /^(?:\s*(?:[>#|*+-]|\d+\.|```|~~~)| {4}|\t)/.test(text);

/** What no person writes; servers take 16 Ki at most as a post, but far more beside it, and from integrations. */
const WORDS_MAX = 65_536;

/** The beginning of a text that integrations may have made as long as they liked; it says that there was more. */
export function bounded(text: string): string {
  const words = cut(text, WORDS_MAX, "codepoints");
  return words.length === text.length ? text : `${words}… (the rest is too long)`;
}
