import type { Block, Inline } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { endOfUrl } from "./links.ts";

type FindUser = (name: string) => UserRef | null;

/**
 * Turns `@name`, and `name:` or `name,` at the very beginning, into mentions where `find` knows exactly the one who has
 * this name; it decides what counts as the same. The longest name wins, of at most 6 words. Nothing within code, links
 * and addresses is a mention.
 */
export function linkMentions(blocks: readonly Block[], find: FindUser): readonly Block[] {
  return blocks.map((block, index) => linkBlock(block, find, index === 0));
}

function linkBlock(block: Block, find: FindUser, first: boolean): Block {
  switch (block.t) {
    case "para":
    case "heading":
      return { ...block, of: linkInlines(block.of, find, first) };
    case "quote":
      return { ...block, of: block.of.map((inner) => linkBlock(inner, find, false)) };
    case "list":
      return { ...block, items: block.items.map((item) => item.map((inner) => linkBlock(inner, find, false))) };
    case "pre":
      return block;
  }
}

/** `first`: nothing comes before these. */
function linkInlines(inlines: readonly Inline[], find: FindUser, first: boolean): readonly Inline[] {
  return inlines.flatMap((inline, index): readonly Inline[] => {
    if (inline.t === "text") return linkText(inline.text, find, first && index === 0);
    if (!("of" in inline) || inline.t === "link") return [inline];
    return [{ ...inline, of: linkInlines(inline.of, find, first && index === 0) }];
  });
}

const WORDS_MAX = 6;
const NAME_MAX = 128;
/** Names that are looked up in one text at most. */
const TRIES_MAX = 256;

/** Where somebody may be named: an `@` that is not within a word; and where an address begins. */
const PLACES = /(?<![\p{L}\p{N}_.@/:#-])@(?=\S)|https?:\/\//giu;
/** What after a name makes it part of something longer: a word, an address, a name on another server. */
const GOES_ON = /^(?:[\p{L}\p{N}_@]|[.:/-][\p{L}\p{N}])/u;

function linkText(text: string, find: FindUser, first: boolean): readonly Inline[] {
  if (!first && !text.includes("@")) return [{ t: "text", text }];
  const inlines: Inline[] = [];
  let from = 0;
  let tries = TRIES_MAX;
  const take = (at: number, end: number, user: UserRef): void => {
    if (at > from) inlines.push({ t: "text", text: text.slice(from, at) });
    inlines.push({ t: "mention", user, text: text.slice(at, end) });
    from = end;
  };
  if (first) {
    const addressed = /^[^\n:,]{1,128}(?=[:,](?:\s|$))/u.exec(text)?.[0];
    const user = addressed === undefined || addressed.trim() === "" ? null : find(addressed.trim());
    if (addressed !== undefined && user !== null) take(0, addressed.length, user);
  }
  let after = 0;
  for (const { index, 0: found } of text.matchAll(PLACES)) {
    if (index < from || index < after) continue;
    if (found !== "@") {
      after = endOfUrl(text, index);
      continue;
    }
    for (const name of candidates(text.slice(index + 1, index + 1 + NAME_MAX))) {
      if (--tries < 0) break;
      const user = find(name);
      if (user === null) continue;
      take(index, index + 1 + name.length, user);
      break;
    }
  }
  if (from < text.length) inlines.push({ t: "text", text: text.slice(from) });
  return inlines;
}

/**
 * What may be a name at the beginning of a text, the longest first: whole words, with and without the punctuation after
 * them.
 */
function candidates(text: string): readonly string[] {
  const [line = ""] = text.split("\n", 1);
  const ends = Array.from(line.matchAll(/\S+/gu), ({ index, 0: word }) => index + word.length).slice(0, WORDS_MAX);
  const names = ends.toReversed().flatMap((end) => {
    const name = line.slice(0, end);
    return [name, name.replace(/[^\p{L}\p{N}_]{1,16}$/u, "")];
  });
  // The genitive, and what else is glued to a name by punctuation.
  names.push(/^[\p{L}\p{N}_-]+/u.exec(line)?.[0] ?? "");
  return [...new Set(names)].filter((name) => name !== "" && !GOES_ON.test(line.slice(name.length)));
}

/** The text with a zero-width space in what pings a whole room, for networks whose clients look for it in the text. */
export function withoutRoomPings(text: string): string {
  return text.includes("@") ? text.replaceAll(ROOM, "@\u200b") : text;
}

const ROOM = /@(?=(?:room|everyone|here|channel|all)(?![\p{L}\p{N}_]))/giu;
