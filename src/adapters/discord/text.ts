import type { Block } from "../../contract/content.ts";
import type { MayPing } from "../../contract/ops.ts";
import { plainText } from "../../content/plain.ts";
import { type CallsToAll, isCallToAll, withThoseCalled } from "../kit/words.ts";
import { userRef } from "./ids.ts";

/** Names that are looked up for one message at most. */
const NAMES_MAX = 10;
/** Words of one name: names of people may have spaces in them. */
const WORDS_MAX = 3;
const NAME_MAX = 32;

/** What may be names of people here: those of somebody who is called or addressed in a text; lower case. */
export function namesIn(blocks: readonly Block[], mayPing: MayPing): readonly string[] {
  if (!mayPing.users) return [];
  const text = plainText(blocks);
  const [, addressed] = /^([^\s@:,][^\n@:,]{0,31})[:,](?:\s|$)/u.exec(text) ?? [];
  const called = Array.from(text.matchAll(CALLED), ([, words = ""]) => candidates(words)).flat();
  const names = [...(addressed === undefined ? [] : [addressed]), ...called].map((name) => name.toLowerCase());
  return [...new Set(names)].filter((name) => !isCallToAll(name)).slice(0, NAMES_MAX);
}

const CALLED = /(?<![\p{L}\p{N}_.@/:#-])@([^\s@`][^\n@`]{0,63})/gu;

/** `@ann lee is` may call `ann` or `ann lee`: the shorter one is likelier. */
function candidates(words: string): readonly string[] {
  const parts = words.trim().split(/\s+/u, WORDS_MAX);
  const names = parts.map((_, at) => parts.slice(0, at + 1).join(" "));
  return names.flatMap((name) => {
    const bare = name.replace(/[^\p{L}\p{N}]+$/u, "");
    return [bare, name].filter((one, at, all) => one !== "" && one.length <= NAME_MAX && all.indexOf(one) === at);
  });
}

const EVERYONE = userRef("@everyone");
const CALLS: CallsToAll = { all: EVERYONE, channel: EVERYONE, here: userRef("@here") };

/**
 * The text in which only people of the channel are mentioned. `people`: names of members in lower case, to their
 * ids.
 */
export function withPeople(
  blocks: readonly Block[],
  mayPing: MayPing,
  people: ReadonlyMap<string, string>,
): readonly Block[] {
  return withThoseCalled(blocks, mayPing, { people, refOf: userRef, calls: CALLS });
}
