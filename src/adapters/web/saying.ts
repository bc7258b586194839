import { randomBytes } from "node:crypto";
import { measure } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { act } from "./acts.ts";
import { capabilities } from "./capabilities.ts";
import { type Chat, MUTED, NO_MORE, type Refusal, refusal, UNAVAILABLE, whyNot } from "./chat.ts";
import { openCase } from "./cases.ts";
import { messageId } from "./ids.ts";
import { hasLink } from "./links.ts";
import { publish, tellModerators } from "./publishing.ts";
import { contentOf } from "./receive.ts";
import type { NewStored, StoredFile, StoredGuest, StoredMessage } from "./store/rows.ts";
import { guestAuthor } from "./views.ts";

/** Messages of one guest that may wait for approval. */
const HELD_MAX = 5;

export interface GuestDraft {
  readonly text: string;
  readonly reply: string | null;
  /** Ids of uploads. */
  readonly files: readonly string[];
  /** Those of them that readers see only when they ask for them. Absent: none, as for requests of earlier versions. */
  readonly hidden?: readonly string[];
}

export type GuestSaid = { readonly is: "said" | "held"; readonly message: StoredMessage } | Refusal;

const HELD_CHANGE = "what you say waits for approval: nothing can be changed until then";
const GONE = refusal("not_found", "there is no such message any more");

/**
 * What a guest says, under a key of the page's choice. The core has it before anybody sees it; a
 * crash between is healed
 * by the next try under the same key, or by the next start.
 */
export async function say(chat: Chat, guest: StoredGuest, key: string, draft: GuestDraft): Promise<GuestSaid> {
  const id = messageId(guest.id, key);
  const print = messageId(JSON.stringify(draft));
  try {
    const known = chat.timeline.find(id);
    if (known !== null) return await sayAgain(chat, known, print);
    const files = filesOf(chat, guest, draft);
    const flaw = flawOf(chat, guest, draft);
    if (flaw !== null) return flaw;
    if ("refused" in files) return files;
    let refused = null as Refusal | null;
    const message = newMessage(guest, { ...draft, id, print, files, atMs: chat.nowMs });
    await chat.store.write(() => {
      // Another request may have been first, with this message or with its files.
      if (chat.timeline.find(id) !== null) return;
      const free = filesOf(chat, guest, draft);
      refused = limitOf(chat, guest.id) ?? ("refused" in free ? free : null);
      if (refused !== null) return;
      const state = chat.holds(chat.people.find(guest.id) ?? guest) ? "held" : "new";
      const stored = chat.timeline.add({ ...message, state });
      if (state === "held") {
        chat.people.set(guest.id, "held", true);
        openCase(chat, stored);
      }
      chat.people.spoke(guest.id, chat.nowMs);
      for (const file of draft.files) chat.records.useFile(file, id);
    });
    if (refused !== null) return refused;
    const stored = chat.timeline.find(id);
    return stored === null ? GONE : await sayAgain(chat, stored, print);
  } catch (error) {
    return whyNot(error);
  }
}

async function sayAgain(chat: Chat, message: StoredMessage, print: string): Promise<GuestSaid> {
  if (message.print !== print && message.print !== "deleted")
    return refusal("key_reused", "this Idempotency-Key was used for another message");
  if (message.state === "held") {
    void tellModerators(chat);
    return { is: "held", message };
  }
  if (message.state === "gone") return GONE;
  if (message.state === "said") return { is: "said", message };
  return (await publish(chat, message))
    ? { is: "said", message: chat.timeline.find(message.id) ?? message }
    : UNAVAILABLE;
}

interface Written extends GuestDraft {
  readonly id: string;
  readonly print: string;
  readonly atMs: number;
  readonly stored: readonly StoredFile[];
}

function newMessage(
  guest: StoredGuest,
  {
    id,
    print,
    text,
    reply,
    atMs,
    files,
  }: Omit<Written, "files" | "stored"> & { readonly files: readonly StoredFile[] },
): Omit<NewStored, "state"> {
  return {
    id,
    room: guest.room,
    atMs,
    guest: guest.id,
    author: guestAuthor(guest),
    ...contentOf(text),
    reply,
    files,
    print,
  };
}

/** What no later try mends. */
function flawOf(chat: Chat, guest: StoredGuest, { text, reply, files }: GuestDraft): Refusal | null {
  if (guest.muted) return MUTED;
  if (text.trim() === "" && files.length === 0) return refusal("bad_request", "there is nothing to say");
  const { textMax } = capabilities.limits;
  if (measure(text, "codepoints") > textMax) return refusal("too_large", `a message has at most ${textMax} characters`);
  const { linksAfter } = chat.rules(guest.room);
  // Also one that is an address only when escapes and formatting are taken away.
  if (guest.messages < linksAfter && (hasLink(text) || hasLink(plainText(contentOf(text).blocks))))
    return refusal("no_links", `links can be written after ${linksAfter} messages`);
  if (reply === null) return null;
  const target = chat.timeline.find(reply);
  return target?.room === guest.room && target.state === "said" ? null : GONE;
}

/** What holds only for now. To be called in the transaction that writes the message. */
function limitOf(chat: Chat, id: string): Refusal | null {
  const guest = chat.people.find(id);
  if (guest === null) return refusal("unauthorized", "you are not in this room any more");
  // It may be so since the request came.
  if (guest.banned) return NO_MORE;
  if (guest.muted) return MUTED;
  const slow = chat.sayLimit(guest);
  if (slow !== null) return slow;
  if (chat.holds(guest) && chat.timeline.heldOf(id).length >= HELD_MAX)
    return refusal("too_many", "what you said waits for approval: wait for it", { retryS: 60 });
  return null;
}

function filesOf(
  chat: Chat,
  guest: StoredGuest,
  { files: ids, hidden = [] }: GuestDraft,
): readonly StoredFile[] | Refusal {
  if (ids.length > chat.roomOf(guest).filesMax || new Set(ids).size !== ids.length)
    return refusal("bad_request", "these are too many files for one message");
  const files: StoredFile[] = [];
  for (const id of ids) {
    const file = chat.records.file(id);
    if (file?.guest !== guest.id || file.message !== "") return refusal("not_found", "a file is not there any more");
    const open: StoredFile = { id, name: file.name, mime: file.mime, bytes: file.bytes, caption: "", missing: "" };
    files.push(hidden.includes(id) ? { ...open, spoiler: true } : open);
  }
  return files;
}

/** A message of the guest's own; null: there is none. */
function ownMessage(chat: Chat, guest: StoredGuest, id: string): StoredMessage | null {
  const message = chat.timeline.find(id);
  return message?.guest === guest.id && message.state === "said" ? message : null;
}

/** Asked for again, as after an answer that was lost. */
function isTakenBack(chat: Chat, guest: StoredGuest, id: string): boolean {
  const message = chat.timeline.find(id);
  return message?.guest === guest.id && message.print === "deleted";
}

/** Another text for a message of one's own. */
export async function reword(
  chat: Chat,
  guest: StoredGuest,
  id: string,
  text: string,
): Promise<StoredMessage | Refusal> {
  if (chat.turns.isFull) return UNAVAILABLE;
  try {
    return await chat.inTurn(id, async () => await rewordNow(chat, guest, id, text));
  } catch (error) {
    return whyNot(error);
  }
}

async function rewordNow(chat: Chat, { id: author }: StoredGuest, id: string, text: string) {
  const guest = chat.people.find(author);
  if (guest === null || guest.banned) return NO_MORE;
  const message = ownMessage(chat, guest, id);
  if (message === null) return GONE;
  const flaw = flawOf(chat, guest, { text, reply: null, files: message.files.map((file) => file.id) });
  if (flaw !== null) return flaw;
  if (chat.holds(guest)) return refusal("forbidden", HELD_CHANGE);
  // As after an answer that was lost: there is nothing to change.
  if (message.text === text) return message;
  const nonce = randomBytes(9).toString("base64url");
  const refused = await act(chat, message, { is: "edited", text, nonce }, slowly(chat, author));
  return refused ?? chat.timeline.find(id) ?? GONE;
}

/** Slow mode counts an edit, but none that was not taken. */
function slowly(chat: Chat, id: string) {
  const { people, nowMs } = chat;
  let beforeMs = 0;
  return {
    begin: (): Refusal | null => {
      const limit = chat.changeLimit(id);
      if (limit !== null) return limit;
      beforeMs = people.find(id)?.changedMs ?? 0;
      people.changed(id, nowMs);
      return null;
    },
    undo: (): void => {
      if (people.find(id)?.changedMs === nowMs) people.changed(id, beforeMs);
    },
  };
}

/** A message of one's own is taken back; null: it is. */
export async function takeBack(chat: Chat, guest: StoredGuest, id: string): Promise<Refusal | null> {
  if (chat.turns.isFull) return UNAVAILABLE;
  try {
    return await chat.inTurn(id, async () => {
      const message = ownMessage(chat, guest, id);
      if (message === null) return isTakenBack(chat, guest, id) ? null : GONE;
      const now = chat.people.find(guest.id);
      if (now === null || now.banned) return NO_MORE;
      if (now.muted) return MUTED;
      if (chat.holds(now)) return refusal("forbidden", HELD_CHANGE);
      return await act(chat, message, { is: "deleted", by: { id: guest.id, name: guest.name } });
    });
  } catch (error) {
    return whyNot(error);
  }
}
