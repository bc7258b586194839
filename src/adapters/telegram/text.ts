import type { Block } from "../../contract/content.ts";
import type { UserRef } from "../../contract/ids.ts";
import type { MayPing } from "../../contract/ops.ts";
import { linkMentions } from "../../content/mentions.ts";
import { withoutTelegramNames } from "../../content/telegram-names.ts";
import { type TelegramEntity, type TelegramText, writeTelegram } from "../../content/telegram-write.ts";
import { withoutUsers } from "../../content/tree.ts";
import { isCallToAll } from "../kit/words.ts";
import { userRef } from "./ids.ts";

/** Of no width. */
const APART = "\u200b";

/** How the words of one post are written. */
export interface TelegramWriting {
  readonly mayPing: MayPing;
  /** Somebody here who is called so, in lower case; null: nobody we know of, or several. */
  readonly idOf: (name: string) => string | null;
}

/** The text with the people here whom it means. */
export function withPeople(blocks: readonly Block[], { mayPing, idOf }: TelegramWriting): readonly Block[] {
  const find = (name: string): UserRef | null => {
    const key = name.toLowerCase();
    const id = isCallToAll(key) ? null : idOf(key);
    return id === null ? null : userRef(id);
  };
  const bare = blocks.map(withoutUsers);
  return mayPing.users ? linkMentions(bare, find) : bare;
}

/**
 * Words as they are sent. The server itself takes `@name` for whoever has that user name, and tells them if they are
 * here: a bot does not know all who are. Of code that a message begins with, servers take away the indentation.
 */
export function written(blocks: readonly Block[], mayPing: MayPing): TelegramText {
  const isMeant = (name: string): boolean => mayPing.users && !isCallToAll(name.toLowerCase());
  const { text, entities } = withoutTelegramNames(writeTelegram(blocks), isMeant);
  if (blocks[0]?.t !== "pre" || !/^\s/u.test(text)) return { text, entities };
  return {
    text: APART + text,
    entities: entities.map((one): TelegramEntity => Object.assign({}, one, { offset: one.offset + APART.length })),
  };
}

/** A name of somebody, or words about a file, whose `@name` is nobody's; at its end one may begin. */
export function unlinked(text: string): string {
  const isOpen = text.endsWith("@");
  const { text: apart } = withoutTelegramNames({ text: isOpen ? `${text}_` : text, entities: [] });
  return isOpen ? apart.slice(0, -1) : apart;
}
