import type { SaidStyle } from "../../contract/events.ts";
import type { Author, Deleted, Edited, Membership, Posted, Reacted } from "../../contract/events.ts";
import type { RemoteFile } from "../../contract/content.ts";
import { parse } from "../../content/formats.ts";
import { replaceStandingCodes } from "../../content/standing-codes.ts";
import { channelRef, eventKey, fileRef, messageRef, userRef } from "./ids.ts";
import { MODERATION, safeBlocks } from "./render.ts";
import type { NewStored, StoredFile, StoredGuest, StoredMessage } from "./store/rows.ts";

/** In which format guests write. */
const FORMAT = "markdown";

/** As others see a guest: no member of another network can be taken for one. */
export const shownName = (name: string): string => `${name} (guest)`;

export function authorOf({ id, name }: Pick<StoredGuest, "id" | "name">): Author {
  return { id: userRef(id), identity: null, name: shownName(name), avatar: null };
}

const OURSELVES: Author = {
  id: userRef(MODERATION.id),
  identity: null,
  name: MODERATION.name,
  avatar: null,
  bot: true,
};

/** What was typed, without the command that says in which style. */
export function readStyle(typed: string): { readonly style: "normal" | "action"; readonly text: string } {
  const action = /^\/me[ \t]+(?<text>[^]*\S[^]*)$/u.exec(typed)?.groups?.["text"];
  return action === undefined ? { style: "normal", text: typed } : { style: "action", text: action };
}

/** What was typed, as it is stored. Guests see the emoji that other networks see by default. */
export function contentOf(typed: string): Pick<NewStored, "style" | "text" | "blocks"> {
  const { style, text } = readStyle(typed);
  return { style, text: typed, blocks: safeBlocks(parse(FORMAT, replaceStandingCodes(text, FORMAT))) };
}

type GuestSaid = Pick<StoredMessage, "id" | "room" | "author" | "style" | "text" | "reply" | "files">;

/** What the chat itself tells moderators is no guest's, and quotes guests as they typed. */
const isOurs = ({ author }: GuestSaid): boolean => author.id === MODERATION.id;

const bodyOf = (said: GuestSaid) => ({
  style: said.style satisfies SaidStyle,
  source: isOurs(said) ? { format: "plain", text: said.text } : { format: FORMAT, text: readStyle(said.text).text },
  files: said.files.map(remoteFile),
});

const remoteFile = ({ id, name, mime, bytes, caption, spoiler }: StoredFile): RemoteFile => ({
  ref: fileRef(id),
  name,
  comment: caption,
  // Only pictures are known by their first bytes; the core looks at the rest.
  mime: mime === "application/octet-stream" ? null : mime,
  bytes,
  url: null,
  ...(spoiler === true && { spoiler }),
});

const base = (room: string, key: string, atMs: number) =>
  ({ key: eventKey(key), channel: channelRef(room), atMs, echoOf: null }) as const;

/** The key is that of the message: handed over again, it is known. */
export function posted(message: GuestSaid, atMs: number): Posted {
  return {
    ...base(message.room, message.id, atMs),
    kind: "posted",
    messages: [messageRef(message.id)],
    author: isOurs(message) ? OURSELVES : authorOf(message.author),
    body: bodyOf(message),
    replyTo: message.reply === null ? null : messageRef(message.reply),
    thread: null,
  };
}

/** `message`: as it is from now on. */
export function edited(message: GuestSaid, nonce: string, atMs: number): Edited {
  return {
    ...base(message.room, `${message.id} e${nonce}`, atMs),
    kind: "edited",
    message: messageRef(message.id),
    aliases: [],
    author: authorOf(message.author),
    // The server lets nobody change what somebody else said.
    vouched: true,
    body: bodyOf(message),
  };
}

/** `by` null: an operator. */
export function deleted({ id, room }: Pick<GuestSaid, "id" | "room">, by: Author | null, atMs: number): Deleted {
  return { ...base(room, `${id} d`, atMs), kind: "deleted", message: messageRef(id), by, vouched: true };
}

export interface GuestReaction {
  readonly room: string;
  readonly message: string;
  readonly guest: Pick<StoredGuest, "id" | "name">;
  readonly emoji: string;
  readonly on: boolean;
  /** Tells this from an earlier one that was taken back. */
  readonly nonce: string;
}

export function reacted({ room, message, guest, emoji, on, nonce }: GuestReaction, atMs: number): Reacted {
  return {
    ...base(room, `${message} r${nonce}`, atMs),
    kind: "reacted",
    message: messageRef(message),
    author: authorOf(guest),
    emoji,
    on,
  };
}

export interface GuestMove {
  readonly guest: Pick<StoredGuest, "id" | "name" | "room">;
  readonly change: Membership["change"];
  /** The name before, of a rename. */
  readonly before: string;
  readonly nonce: string;
}

export function moved({ guest, change, before, nonce }: GuestMove, atMs: number): Membership {
  const author = authorOf(guest);
  const text = {
    join: `${author.name} joins`,
    leave: `${author.name} leaves`,
    rename: `${shownName(before)} is now ${author.name}`,
  }[change];
  const renamed = change === "rename" && { newName: author.name };
  return {
    ...base(guest.room, `${guest.id} ${change} ${nonce}`, atMs),
    kind: "member",
    author,
    change,
    ...renamed,
    text,
  };
}
