import type { Block } from "../../contract/content.ts";
import type { MayPing } from "../../contract/ops.ts";
import { linkMentions } from "../../content/mentions.ts";
import { withoutUsers } from "../../content/tree.ts";
import { type CallsToAll, isCallToAll, withThoseCalled } from "../kit/words.ts";
import { userRef } from "./ids.ts";

/** Names that are looked up for one message at most. */
const NAMES_MAX = 100;

/** What may be names of people here, in lower case: those of somebody who is called or addressed in a text. */
export function namesIn(blocks: readonly Block[], mayPing: MayPing): readonly string[] {
  if (!mayPing.users) return [];
  const names = new Set<string>();
  linkMentions(blocks.map(withoutUsers), (name) => {
    if (names.size < NAMES_MAX && !isCallToAll(name.toLowerCase())) names.add(name.toLowerCase());
    return null;
  });
  return [...names];
}

/**
 * The text with the people here whom it means, and with nobody else. `people`: names of members in lower case, to their
 * ids.
 */
export function withPeople(
  blocks: readonly Block[],
  mayPing: MayPing,
  people: ReadonlyMap<string, string>,
): readonly Block[] {
  return withThoseCalled(blocks, mayPing, { people, refOf: userRef, calls: CALLS });
}

/** Its own word for everybody of the workspace works in one channel only. */
const CALLS: CallsToAll = { all: userRef("@channel"), channel: userRef("@channel"), here: userRef("@here") };
