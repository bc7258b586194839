import type { MessageEntity, User } from "@grammyjs/types";
import { detect } from "./detect.ts";
import { bad, isRecord } from "./wire.ts";

/** A text as the server keeps it. */
export interface Styled {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/** So many of one message are kept. */
const ENTITIES_MAX = 100;
const PLACE_MAX = 1_000_000;

/** Marks that draw lines over and under letters. */
const LINES: ReadonlySet<number> = new Set([0x0333, 0x033f, 0x030a]);

const STYLES: ReadonlySet<string> = new Set(["bold", "italic", "underline", "strikethrough", "spoiler"]);
const QUOTES: ReadonlySet<string> = new Set(["blockquote", "expandable_blockquote"]);
const PLAIN: ReadonlySet<string> = new Set(["code", "mention", "hashtag", "cashtag", "bot_command", "url", "email"]);

/** Entities of a request; those of a kind that the server does not know are passed over. */
export function readEntities(value: unknown, users: ReadonlyMap<number, User>): readonly MessageEntity[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw bad("can't parse entities: expected an Array");
  return value.flatMap((one) => {
    if (!isRecord(one)) throw bad("can't parse MessageEntity: expected an Object");
    const { type, offset, length } = one;
    if (typeof type !== "string") throw bad("can't parse MessageEntity: can't find field \"type\"");
    if (!Number.isInteger(offset)) throw bad('can\'t parse MessageEntity: field "offset" must be of type Number');
    if (!Number.isInteger(length)) throw bad('can\'t parse MessageEntity: field "length" must be of type Number');
    const at = { offset: Number(offset), length: Number(length) };
    const entity = entityOf(type, at, one, users);
    return entity === null ? [] : [entity];
  });
}

type At = Pick<MessageEntity, "offset" | "length">;

/** Custom emoji are for bots with a username that was bought; those of others are lost without a word. */
function entityOf(
  type: string,
  at: At,
  one: Record<string, unknown>,
  users: ReadonlyMap<number, User>,
): MessageEntity | null {
  if (type === "pre") {
    const language = one["language"];
    return { type, ...at, ...(typeof language === "string" && language !== "" && { language }) };
  }
  if (type === "text_link") {
    const url = typeof one["url"] === "string" ? urlOf(one["url"]) : null;
    return url === null ? null : { type, ...at, url };
  }
  if (type === "text_mention") {
    const user = isRecord(one["user"]) ? users.get(Number(one["user"]["id"])) : undefined;
    return user === undefined ? null : { type, ...at, user };
  }
  return isCommon(type) ? { type, ...at } : null;
}

const isCommon = (type: string): type is MessageEntity.CommonMessageEntity["type"] =>
  STYLES.has(type) || QUOTES.has(type) || PLAIN.has(type) || type === "phone_number";

/** Links are made complete, and none where that is impossible. */
function urlOf(text: string): string | null {
  const url = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, pathname } = new URL(url);
  if (!["http:", "https:", "ftp:", "tg:", "ton:"].includes(protocol)) return null;
  if (protocol.startsWith("http") && !hostname.includes(".") && hostname !== "localhost") return null;
  return pathname === "/" && !url.slice(8).includes("/") ? `${url}/` : url;
}

/**
 * A text with its entities as the server makes it: without control characters and blank ends, entities in order,
 * nested properly, beginning with no blank, and with those that the server finds by itself.
 */
export function normal(text: string, given: readonly MessageEntity[] = []): Styled {
  for (const { offset, length } of given) {
    if (offset < 0 || offset > PLACE_MAX) throw bad(`receive an entity with incorrect offset ${offset}`);
    if (length < 0 || length > PLACE_MAX) throw bad(`receive an entity with incorrect length ${length}`);
  }
  const sorted = given.filter(({ length }) => length > 0).sort(byPlace);
  checkPlaces(text, sorted);
  const cleaned = clean(text, sorted);
  const kept = arrange(visible(cleaned)).slice(0, ENTITIES_MAX);
  const { text: whole } = cleaned;
  return trim(whole, visible({ text: whole, entities: arrange([...kept, ...detect(whole)]) }));
}

/** An entity begins with no blank, and has more than blanks. */
function visible({ text, entities }: Styled): MessageEntity[] {
  return shift(entities, ({ offset, length }) => {
    const begin = text.slice(offset, offset + length).search(/[^ \n]/);
    return [begin < 0 ? offset + length : offset + begin, offset + length];
  }).sort(byPlace);
}

/** An entity is within the text, and neither begins nor ends within a character. */
function checkPlaces(text: string, entities: readonly MessageEntity[]): void {
  const isInside = (at: number): boolean => /[\uDC00-\uDFFF]/.test(text.charAt(at)) && at > 0;
  const bytes = (at: number): number => Buffer.byteLength(text.slice(0, at + 1));
  for (const { offset, length } of entities) {
    const end = offset + length;
    const which = `entity beginning at UTF-16 offset ${offset}`;
    if (offset > text.length) throw bad(`entity begins after the end of the text at UTF-16 offset ${offset}`);
    if (isInside(offset)) throw bad(`entity begins in a middle of a UTF-16 symbol at byte offset ${bytes(offset)}`);
    if (end > text.length) throw bad(`${which} ends after the end of the text at UTF-16 offset ${end}`);
    if (isInside(end)) throw bad(`${which} ends in a middle of a UTF-16 symbol at byte offset ${bytes(end)}`);
  }
}

function clean(text: string, entities: readonly MessageEntity[]): Styled {
  let kept = "";
  const moved: number[] = [];
  for (const unit of text.split("")) {
    moved.push(kept.length);
    const code = unit.charCodeAt(0);
    if (unit === "\r" || (code >= 0x2028 && code <= 0x202e) || LINES.has(code)) continue;
    kept += code < 0x20 && unit !== "\n" ? " " : unit;
  }
  moved.push(kept.length);
  const place = (at: number): number => moved[at] ?? kept.length;
  return { text: kept, entities: shift(entities, ({ offset, length }) => [place(offset), place(offset + length)]) };
}

function trim(text: string, entities: readonly MessageEntity[]): Styled {
  const begin = text.length - text.replace(/^[ \n]+/, "").length;
  const short = text.replace(/[ \n]+$/, "").slice(begin);
  const place = (at: number): number => Math.min(Math.max(0, at - begin), short.length);
  const moved = shift(entities, ({ offset, length }) => [place(offset), place(offset + length)]);
  return { text: short, entities: moved.sort(byPlace) };
}

function shift(entities: readonly MessageEntity[], to: (one: MessageEntity) => [number, number]): MessageEntity[] {
  return entities.flatMap((one) => {
    const [begin, end] = to(one);
    return end > begin ? [{ ...one, offset: begin, length: end - begin }] : [];
  });
}

/**
 * Of links, mentions, code and the like that have characters in common the first stays, and so of block quotations.
 * Styles go with neither `code` nor `pre`; those that cross the end of another entity are cut there.
 */
function arrange(entities: readonly MessageEntity[]): MessageEntity[] {
  const solid: MessageEntity[] = [];
  const quotes: MessageEntity[] = [];
  for (const one of entities) {
    if (STYLES.has(one.type)) continue;
    const row = QUOTES.has(one.type) ? quotes : solid;
    if (row.every((other) => isApart(one, other))) row.push(one);
  }
  const blocks = solid.filter(({ type }) => type === "code" || type === "pre");
  const whole = solid.filter((one) => quotes.every((quote) => isApart(one, quote) || isWithin(one, quote)));
  const styles = entities.filter(({ type }) => STYLES.has(type)).flatMap((one) => without(one, blocks));
  return nest([...quotes, ...whole, ...merged(styles)].sort(byPlace));
}

const endOf = ({ offset, length }: MessageEntity): number => offset + length;
const isApart = (one: MessageEntity, other: MessageEntity): boolean =>
  endOf(one) <= other.offset || endOf(other) <= one.offset;
const isWithin = (one: MessageEntity, other: MessageEntity): boolean =>
  one.offset >= other.offset && endOf(one) <= endOf(other);

/** What is left of a style beside these. */
function without(one: MessageEntity, blocks: readonly MessageEntity[]): MessageEntity[] {
  const block = blocks.find((block) => !isApart(one, block));
  if (block === undefined) return [one];
  const before = { ...one, length: block.offset - one.offset };
  const after = { ...one, offset: endOf(block), length: endOf(one) - endOf(block) };
  return [before, after].filter(({ length }) => length > 0).flatMap((part) => without(part, blocks));
}

/** The same style twice in one place, or side by side, is one. */
function merged(styles: readonly MessageEntity[]): MessageEntity[] {
  const rows: MessageEntity[] = [];
  for (const one of [...styles].sort(byPlace)) {
    const at = rows.findIndex((row) => row.type === one.type && one.offset <= endOf(row));
    const row = rows[at];
    if (row === undefined) rows.push(one);
    else rows[at] = { ...row, length: Math.max(endOf(row), endOf(one)) - row.offset };
  }
  return rows;
}

/** A style that crosses an end is cut there; in the order in which the server lists them. */
function nest(entities: readonly MessageEntity[]): MessageEntity[] {
  const edges = entities.flatMap((one) => (STYLES.has(one.type) ? [] : [one.offset, endOf(one)]));
  const cut = entities.flatMap((one) => (STYLES.has(one.type) ? split(one, entities, edges) : [one]));
  return cut.sort(byPlace);
}

function split(one: MessageEntity, all: readonly MessageEntity[], edges: readonly number[]): MessageEntity[] {
  const crossed = all.filter((other) => other !== one && !isApart(one, other) && !isWithin(one, other));
  const ends = crossed.flatMap((other) => {
    if (isWithin(other, one)) return [];
    // Of two styles that cross the earlier one is cut, where the other begins.
    const isCut = edges.includes(endOf(other)) || other.offset > one.offset;
    return isCut ? [other.offset, endOf(other)] : [];
  });
  const at = [one.offset, ...ends.filter((end) => end > one.offset && end < endOf(one)), endOf(one)];
  const points = [...new Set(at)].sort((a, b) => a - b);
  const piece = (begin: number, end: number): MessageEntity => ({ ...one, offset: begin, length: end - begin });
  return points.slice(1).map((end, index) => piece(points[index] ?? 0, end));
}

function byPlace(one: MessageEntity, other: MessageEntity): number {
  return one.offset - other.offset || other.length - one.length || rank(one) - rank(other);
}

const rank = ({ type }: MessageEntity): number => (QUOTES.has(type) ? 0 : STYLES.has(type) ? 2 : 1);
