import type { MessageEntity } from "@grammyjs/types";

type Found = MessageEntity.CommonMessageEntity["type"];

/** Names of countries and the commonest others: what else looks like an address is none to the server. */
const TLD =
  "com|net|org|info|io|dev|app|me|tv|co|ai|xyz|online|site|gg|eu|de|nl|uk|fr|es|it|pl|ru|ua|us|ca|ch|at|be|se|no|fi|jp|cn|in|br|chat|im";

/** Where the first has found something, the others look no more. */
const KINDS: readonly (readonly [Found, RegExp])[] = [
  ["email", /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?![\w@])/giu],
  ["url", /(?<![\w@/.])(?:https?|ftp):\/\/[^\s<>"«»]+|(?<![\w])tg:\/\/[^\s<>"«»]+/giu],
  ["url", new RegExp(`(?<![\\w@/.-])(?:[\\w-]+\\.)+(?:${TLD})(?![\\w@-]|\\.\\w)(?:[:/?#][^\\s<>"«»]*)?`, "giu")],
  ["bot_command", /(?<![\w/<>\p{L}])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/<>])/gu],
  ["mention", /(?<![\w\p{L}`/])@[A-Za-z][A-Za-z0-9_]{2,31}(?![\w\p{L}])/gu],
  ["hashtag", /(?<![\w\p{L}#/])#(?=[\p{L}\p{N}_·]*[\p{L}_])[\p{L}\p{N}_·]{1,256}(?![#\w])/gu],
  ["cashtag", /(?<![\w$])\$(?:1[A-Z]{4,5}|[A-Z]{3,8})(?![\w$])/gu],
  ["phone_number", /(?<![\w+])\+[1-9][0-9](?:[ -]?[0-9]){6,13}(?![\w])/gu],
];

/** What the server finds in a text by itself; looser at the edges than the real one. */
export function detect(text: string): readonly MessageEntity[] {
  const found: MessageEntity[] = [];
  for (const [type, pattern] of KINDS) {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      // What ends a sentence is not part of an address.
      const length = (type === "url" ? match.replace(/[.,:;!?)'\]]+$/, "") : match).length;
      const isFree = found.every((one) => one.offset + one.length <= index || index + length <= one.offset);
      if (isFree && length > 0) found.push({ type, offset: index, length });
    }
  }
  return found;
}
