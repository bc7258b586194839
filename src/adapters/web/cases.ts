import type { Chat } from "./chat.ts";
import { messageId } from "./ids.ts";
import { shownName } from "./receive.ts";
import { MODERATION } from "./render.ts";
import type { StoredMessage } from "./store/rows.ts";

/**
 * Moderators are to be told that a message waits: once in a room, under one number in all of them. Within the
 * transaction in which it begins to, or a later one.
 */
export function openCase(chat: Chat, { id, room, author, text, files }: StoredMessage): void {
  // As long as they have none, nothing is kept for them: they are told of what still waits once they do.
  if (!chat.rooms.has(chat.moderators)) return;
  const before = chat.cases.of(id);
  const notice = messageId("case", chat.moderators, id);
  if (before !== null) chat.cases.move(before, notice);
  const seq = before?.seq ?? chat.cases.add({ message: id, notice });
  const lines = [
    `${shownName(author.name)} waits for approval in ${room}, number ${seq}:`,
    // Each line is marked: nobody is to write what looks like our own words.
    ...(text === "" ? [] : text.split(LINE)).map((line) => `> ${line}`),
    ...files.map(({ name, bytes }) => `> a file, ${name} (${bytes} bytes)`),
    `👍 lets it be said, 👎 does not. So do "approve ${seq}" and "reject ${seq}".`,
  ];
  say(chat, notice, lines.join("\n"), null);
}

/**
 * It waits no longer, for the reason that moderators are told. `op`: id of what decided it, if somebody there did.
 * Within the transaction in which that begins.
 */
export function closeCase(chat: Chat, message: string, why: string, op: string | null = null): void {
  const found = chat.cases.of(message);
  if (found === null) return;
  chat.cases.remove(found);
  answer(chat, op ?? found.notice, `Number ${found.seq}: ${why}.`, found.notice);
}

/**
 * Something that moderators are told, once to what is named by `to`: an op that comes again is not answered again.
 * Within a transaction.
 */
export function answer(chat: Chat, to: string, text: string, reply: string | null): void {
  const target = reply === null ? null : chat.timeline.find(reply);
  // That may have been said in a room which was for moderators before.
  if (target === null || target.room === chat.moderators) say(chat, messageId("answer", to), text, target?.id ?? null);
}

const LINE = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

function say(chat: Chat, id: string, text: string, reply: string | null): void {
  if (chat.moderators === "") return;
  const blocks = [{ t: "para", of: [{ t: "text", text }] }] as const;
  const what = { author: MODERATION, style: "normal", text, blocks, reply, files: [], print: "" } as const;
  chat.timeline.add({ id, room: chat.moderators, atMs: chat.nowMs, state: "new", guest: "", ...what });
}
