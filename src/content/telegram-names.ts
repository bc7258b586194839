import { endOfUrl } from "./links.ts";
import type { TelegramEntity, TelegramText } from "./telegram-write.ts";

/** Of no width. It parts what would be taken together. */
const APART = "\u200b";

/** In these nobody is called. */
const QUIET: ReadonlySet<string> = new Set(["code", "pre", "text_link"]);

/**
 * The text as it can be sent where nobody may be called: the server takes `@name` for whoever has that name anywhere,
 * and tells them. Within a mention by id, too: the server forgets one of somebody whom the bot does not know. Addresses
 * stay as they are. `isMeant`: whoever has this name may be called.
 */
export function withoutTelegramNames(
  { text, entities }: TelegramText,
  isMeant: (name: string) => boolean = () => false,
): TelegramText {
  if (!text.includes("@")) return { text, entities };
  const quiet = entities.filter(({ type }) => QUIET.has(type));
  const isQuiet = (at: number): boolean => quiet.some(({ offset, length }) => at >= offset && at < offset + length);
  const places = namesIn(text, isMeant).filter((at) => !isQuiet(at));
  if (places.length === 0) return { text, entities };
  let written = "";
  let from = 0;
  for (const at of places) {
    written += text.slice(from, at) + APART;
    from = at;
  }
  return { text: written + text.slice(from), entities: entities.map((entity) => shifted(entity, places)) };
}

/** Behind the `@` of each. */
function namesIn(text: string, isMeant: (name: string) => boolean): readonly number[] {
  const places: number[] = [];
  let after = 0;
  for (const { index, 0: found, 1: name } of text.matchAll(PLACES)) {
    if (index < after) continue;
    if (name !== undefined) {
      if (!isMeant(name)) places.push(index + 1);
    } else after = endOfAddress(text, index, found);
  }
  return places;
}

/** An `@` before a name, and what begins an address for certain: the server takes none of other names for one. */
const PLACES =
  /(?<![\p{L}\p{N}_])@(?=(\w+))|https?:\/\/(?=(?:[\w-]+\.)+[\w-])|(?<![\w.@-])(?:[\w-]{1,63}\.){1,8}(?:com|net|org|edu|gov|info|io|dev|app|me|tv|co|eu|uk|de|fr|nl|it|es|ch|at|us|ru)(?=\/)/giu;
/** Of an address: others may end it for the server. */
const SIGNS = /^[\p{L}\p{N}_./~%+&=?#@:-]*/u;

/** Where it is surely still the address. */
function endOfAddress(text: string, at: number, found: string): number {
  const [signs = ""] = SIGNS.exec(text.slice(at)) ?? [];
  return found.includes("://") ? Math.min(endOfUrl(text, at), at + signs.length) : at + signs.length;
}

function shifted(entity: TelegramEntity, places: readonly number[]): TelegramEntity {
  const { offset, length } = entity;
  const before = places.filter((at) => at <= offset).length;
  const within = places.filter((at) => at > offset && at < offset + length).length;
  return { ...entity, offset: offset + before, length: length + within };
}
