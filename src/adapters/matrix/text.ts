import type { Block, Inline, Source } from "../../contract/content.ts";
import { userRef } from "./ids.ts";
import type { MayPing, OpAuthor } from "../../contract/ops.ts";
import type { UserRef } from "../../contract/ids.ts";
import { escapeHtml, renderHtml } from "../../content/html-render.ts";
import { withoutC0 } from "../../content/controls.ts";
import { cut } from "../../content/length.ts";
import { linkMentions } from "../../content/mentions.ts";
import { plainText } from "../../content/plain.ts";
import { overInlines, withoutUsers } from "../../content/tree.ts";
import type { Json } from "../kit/json.ts";
import { nameBefore, wordsOfName } from "../kit/name-before.ts";
import { oneLine } from "../kit/words.ts";

/**
 * How others see who speaks: by the name before the text, by a profile of the message, or by the user that sends it.
 */
export type TextIdentity =
  | { readonly is: "prefix" }
  | { readonly is: "own" }
  | { readonly is: "profile"; readonly id: string; readonly name: string; readonly avatar: string | null };

export interface TextOptions {
  readonly textIdentity: TextIdentity;
  readonly html: boolean;
  readonly mayPing: MayPing;
  /** The person in the room whom a name means, when there is exactly one. */
  readonly find: (name: string) => string | null;
}

/** Text in both shapes ("m.room.message"): `formatted_body` only where it says more. */
export interface Text {
  readonly body: string;
  readonly html: string | null;
  /** Who is notified ("m.mentions"). */
  readonly mentions: Json;
}

const NAME_BYTES_MAX = 512;

/** What is said, with who says it. `author` null: nobody is named. */
export function textOf(
  blocks: readonly Block[],
  source: Source | null,
  author: OpAuthor | null,
  options: TextOptions,
): Text {
  return writtenText(withPeople(blocks, options), source, nameOf(author, options.textIdentity), options);
}

/** The text, in which only people of the room are mentioned. */
export function withPeople(blocks: readonly Block[], { find: idOf, mayPing }: TextOptions): readonly Block[] {
  const find = (name: string): UserRef | null => {
    const user = idOf(name);
    return user === null ? null : userRef(user);
  };
  const bare = blocks.map(withoutUsers);
  return mayPing.users ? linkMentions(bare, find) : bare;
}

/** Words in which the people are found already, behind a name. */
export function writtenText(linked: readonly Block[], source: Source | null, name: Name, options: TextOptions): Text {
  const users = new Set(usersIn(linked));
  const words = clean(plainText(linked));
  const room = options.mayPing.everyone && ROOM.test(words);
  const html = options.html ? htmlOf(linked, users.size === 0 ? source : null, name) : null;
  return {
    body: clean(name.plain) + words,
    html: html === null ? null : clean(html),
    mentions: { ...(users.size > 0 && { user_ids: [...users] }), ...(room && { room: true }) },
  };
}

/** Names by which networks call a whole room. */
const ROOM = /@(?:room|everyone|here|channel|all)\b/iu;

interface Name {
  readonly plain: string;
  readonly html: string;
  /** The HTML says more than the text. */
  readonly formatted: boolean;
}

export const NO_NAME: Name = { plain: "", html: "", formatted: false };

export function nameOf(author: OpAuthor | null, textIdentity: TextIdentity): Name {
  if (author === null || textIdentity.is === "own") return NO_NAME;
  if (textIdentity.is === "profile") {
    // MSC4144: what programs that know the profile leave out.
    const plain = `${cut(oneLine(textIdentity.name), NAME_BYTES_MAX, "bytes")}: `;
    return { plain, html: `<strong data-mx-profile-fallback>${escapeHtml(plain)}</strong>`, formatted: true };
  }
  const name = nameBefore(author);
  const plain = wordsOfName(name.flatMap(bare));
  const written = renderHtml([{ t: "para", of: name }]).replaceAll(/^<p>|<\/p>$/gu, "");
  return { plain, html: written, formatted: name.some(isMarked) };
}

function htmlOf(blocks: readonly Block[], source: Source | null, name: Name): string | null {
  // The same format passes as it is.
  if (source?.format === "html") return named(name, source.text);
  if (!name.formatted && !blocks.some(isFormatted)) return null;
  const link = ({ user }: { readonly user: UserRef | null }): string | null =>
    user === null ? null : `https://matrix.to/#/${encodeURIComponent(user.toWellFormed())}`;
  return named(name, renderHtml(blocks, link));
}

/** The name is in the first paragraph. */
function named(name: Name, html: string): string {
  return html.startsWith("<p>") ? `<p>${name.html}${html.slice(3)}` : name.html + html;
}

function usersIn(blocks: readonly Block[]): readonly string[] {
  const users: string[] = [];
  const look = (of: readonly Inline[]): readonly Inline[] => {
    for (const inline of of) {
      if (inline.t === "mention" && inline.user !== null) users.push(inline.user);
      if ("of" in inline) look(inline.of);
    }
    return of;
  };
  for (const block of blocks) overInlines(block, look);
  return users;
}

function isFormatted(block: Block): boolean {
  return block.t !== "para" || block.of.some(isMarked);
}

function isMarked(inline: Inline): boolean {
  return inline.t === "mention" ? inline.user !== null : inline.t !== "text" && inline.t !== "emoji";
}

function bare(inline: Inline): readonly Inline[] {
  return "text" in inline ? [{ t: "text", text: inline.text }] : inline.of.flatMap(bare);
}

/**
 * Homeservers refuse broken UTF-16, and some the character 0; no other control character of ASCII means anything in a
 * message.
 */
function clean(text: string): string {
  return withoutC0(text.toWellFormed().replaceAll(/\r\n?/gu, "\n"));
}
