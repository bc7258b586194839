import { parse } from "./formats.ts";
import type { Block } from "../contract/content.ts";
import { telegramSource } from "./telegram-read.ts";
import { type TelegramEntity, writeTelegram } from "./telegram-write.ts";

/** Texts with entities in one line each, as the documentation of Telegram writes them: by tags. */

const TAGS: Readonly<Record<string, string>> = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  spoiler: "tg-spoiler",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
};

export function writtenTelegram(blocks: readonly Block[]): string {
  const { text, entities } = writeTelegram(blocks);
  const ends = ({ offset, length }: TelegramEntity): number => offset + length;
  const units = [...text.split(""), ""].map((unit, at) => {
    const closing = entities.filter((one) => ends(one) === at).toReversed();
    const opening = entities.filter(({ offset }) => offset === at);
    return `${closing.map(close).join("")}${opening.map(open).join("")}${escaped(unit)}`;
  });
  return units.join("");
}

/** What of such a text is read. */
export function readTelegram(written: string): readonly Block[] {
  let text = "";
  const entities: object[] = [];
  const begun: { readonly offset: number; readonly more: object }[] = [];
  for (const [part] of written.matchAll(/<[^>]*>|[^<]+/gu)) {
    if (!part.startsWith("<")) text += unescaped(part);
    else if (part.startsWith("</")) {
      const { offset = 0, more = {} } = begun.pop() ?? {};
      entities.push({ ...more, offset, length: text.length - offset });
    } else begun.push({ offset: text.length, more: kindOf(part) });
  }
  const source = telegramSource(text, entities);
  return parse(source.format, source.text);
}

function open(entity: TelegramEntity): string {
  if (entity.type === "text_link") return `<a href="${escaped(entity.url)}">`;
  const language = entity.type === "pre" && entity.language !== undefined ? ` language="${entity.language}"` : "";
  return `<${TAGS[entity.type] ?? "a"}${language}>`;
}

const close = ({ type }: TelegramEntity): string => `</${TAGS[type] ?? "a"}>`;

function kindOf(tag: string): object {
  const { name, value } = /^<(?<name>[\w-]+)(?: \w+="(?<value>[^"]*)")?>$/u.exec(tag)?.groups ?? {};
  if (name === "a") return { type: "text_link", url: unescaped(value ?? "") };
  const type = Object.keys(TAGS).find((one) => TAGS[one] === name);
  return value === undefined ? { type } : { type, language: value };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
