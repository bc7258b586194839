import type { Block } from "../../contract/content.ts";
import type { UserRef } from "../../contract/ids.ts";
import type { MayPing } from "../../contract/ops.ts";
import { linkMentions } from "../../content/mentions.ts";
import { type TelegramEntity, type TelegramText, writeTelegram } from "../../content/telegram-write.ts";
import { withoutUsers } from "../../content/tree.ts";
import { isCallToAll, paraOf } from "../kit/words.ts";
import { userRef } from "./ids.ts";

/** Of no width. It parts what would be taken together. */
const APART = "\u200b";

/** How the words of one post are written. */
export interface TelegramWriting {
  readonly mayPing: MayPing;
  /** Somebody here who is called so, in lower case; null: nobody we know of, or several. */
  readonly idOf: (name: string) => string | null;
}

/** The text with the people here whom it means. `isBeginning`: of the whole post. */
export function withPeople(
  blocks: readonly Block[],
  { mayPing, idOf }: TelegramWriting,
  isBeginning: boolean,
): readonly Block[] {
  const find = (name: string): UserRef | null => {
    const key = name.toLowerCase();
    const id = isCallToAll(key) ? null : idOf(key);
    return id === null ? null : userRef(id);
  };
  const bare = blocks.map(withoutUsers);
  if (!mayPing.users) return bare;
  // Whom a text addresses stands at its very beginning.
  return isBeginning ? linkMentions(bare, find) : linkMentions([paraOf(""), ...bare], find).slice(1);
}

/**
 * Words as they are sent. The server itself takes `@name` for whoever has that user name, and tells them if they are
 * here: a bot does not know all who are.
 */
export function written(blocks: readonly Block[], mayPing: MayPing): TelegramText {
  const isMeant = (name: string): boolean => mayPing.users && name !== "" && !isCallToAll(name.toLowerCase());
  return apart(writeTelegram(blocks), isMeant, blocks[0]?.t === "pre");
}

/** `isCode`: it begins with code, of which servers take away the indentation at the beginning of a message. */
function apart({ text, entities }: TelegramText, isMeant: (name: string) => boolean, isCode: boolean): TelegramText {
  const isKept = (at: number): boolean =>
    entities.some(({ type, offset, length }) => KEPT.has(type) && offset <= at && at < offset + length);
  const places = namesIn(text, isMeant).filter((at) => !isKept(at - 1));
  if (isCode && /^\s/u.test(text)) places.unshift(0);
  if (places.length === 0) return { text, entities };
  const before = (end: number): number => places.filter((place) => place <= end).length;
  let parted = "";
  let from = 0;
  for (const place of places) {
    parted += text.slice(from, place) + APART;
    from = place;
  }
  const moved = entities.map((entity): TelegramEntity => {
    const offset = entity.offset + before(entity.offset);
    const end = entity.offset + entity.length;
    return Object.assign({}, entity, { offset, length: end + before(end - 1) - offset });
  });
  return { text: parted + text.slice(from), entities: moved };
}

/** Of what these hold the server looks at nothing. */
const KEPT: ReadonlySet<string> = new Set(["code", "pre", "text_link"]);

/** A name of somebody, or words about a file, whose `@name` is nobody's. */
export function unlinked(text: string): string {
  let written = "";
  let from = 0;
  for (const place of namesIn(text.replace(/@$/u, "@_"), () => false)) {
    written += text.slice(from, place) + APART;
    from = place;
  }
  return written + text.slice(from);
}

/** Where names begin that are not meant, behind their `@`. */
function namesIn(text: string, isMeant: (name: string) => boolean): number[] {
  if (!text.includes("@")) return [];
  const places: number[] = [];
  for (const { index, 1: name } of text.matchAll(PLACES))
    if (name !== undefined && !isMeant(name)) places.push(index + 1);
  return places;
}

/** A name, behind an `@` that is not within a word; or an address, which the server takes as a whole. */
const PLACES =
  /(?<![\p{L}\p{N}_])@(\w+)|(?:https?|ftp|tg|ton):\/\/[^\s<>"«»]+|(?<![\p{L}\p{N}_@/.])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?::\d{1,5})?\/[^\s<>"«»]*/giu;
