import type { MessageEntity } from "@grammyjs/types";

/** Texts with entities in one line each, as the documentation writes them: by tags. */

export interface Tagged {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

const TAGS = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  spoiler: "tg-spoiler",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  text_link: "a",
} as const;

type Kind = keyof typeof TAGS;

/** What is no style has no tag. */
export function withTags({ text, entities }: Tagged): string {
  const tagged = entities.filter(({ type }) => type in TAGS);
  const units = [...text.split(""), ""].map((unit, at) => {
    const closing = tagged.filter(({ offset, length }) => offset + length === at).toReversed();
    const opening = tagged.filter(({ offset }) => offset === at);
    return `${closing.map((one) => `</${tagOf(one)}>`).join("")}${opening.map(opened).join("")}${escaped(unit)}`;
  });
  return units.join("");
}

export function readTags(written: string): Tagged {
  let text = "";
  const entities: MessageEntity[] = [];
  const begun: { readonly offset: number; readonly tag: string }[] = [];
  for (const [part] of written.matchAll(/<[^>]*>|[^<]+/gu)) {
    if (!part.startsWith("<")) text += unescaped(part);
    else if (part.startsWith("</")) {
      const { offset = 0, tag = "" } = begun.pop() ?? {};
      entities.push(entityOf(tag, offset, text.length - offset));
    } else begun.push({ offset: text.length, tag: part });
  }
  return { text, entities };
}

function opened(entity: MessageEntity): string {
  if (entity.type === "text_link") return `<a href="${escaped(entity.url)}">`;
  const language = entity.type === "pre" && entity.language !== undefined ? ` language="${entity.language}"` : "";
  return `<${tagOf(entity)}${language}>`;
}

const isKind = (type: string): type is Kind => type in TAGS;
const tagOf = ({ type }: MessageEntity): string => (isKind(type) ? TAGS[type] : "");

function entityOf(tag: string, offset: number, length: number): MessageEntity {
  const { name = "", value } = /^<(?<name>[\w-]+)(?: \w+="(?<value>[^"]*)")?>$/u.exec(tag)?.groups ?? {};
  const type = Object.keys(TAGS).find((one): one is Kind => isKind(one) && TAGS[one] === name);
  if (type === undefined) throw new Error(`there is no tag ${tag}`);
  if (type === "text_link") return { type, offset, length, url: unescaped(value ?? "") };
  if (type === "pre") return { type, offset, length, ...(value !== undefined && { language: value }) };
  return { type, offset, length };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
