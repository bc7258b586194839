import type { Event } from "../../contract/events.ts";
import { closeCase } from "./cases.ts";
import { type Chat, isRefusal, type Refusal, UNAVAILABLE } from "./chat.ts";
import { authorOf, contentOf, deleted, edited, reacted } from "./receive.ts";
import type { MessageAct, ActIntent, StoredChange, StoredMessage, StoredUpload } from "./store/rows.ts";
import { guestAuthor } from "./views.ts";

/** What else begins with an act. */
interface Terms {
  /** Why not; within the transaction that begins it. */
  readonly begin: () => Refusal | null;
  /** Takes back what `begin` wrote; within the transaction that gives it up. */
  readonly undo: () => void;
}

/**
 * Changes a message, for the core and for the room. What is to be done is in the store before the core hears of it, so
 * whatever ends the program between the two, the next start does the rest. To be called in the message's turn
 * (`Chat.inTurn`). Null: it is done; otherwise why not, as the terms say, or as the core cannot take it now: nothing
 * has changed then. Rejects with StoreClosed.
 */
export async function act(
  chat: Chat,
  { id, room }: Pick<StoredMessage, "id" | "room">,
  what: MessageAct,
  terms: Terms | null = null,
): Promise<Refusal | null> {
  // What was not finished must not come behind it, and undo it.
  for (const older of chat.intents.of(id)) if (!(await carryOut(chat, older))) return UNAVAILABLE;
  const begun = await chat.store.write(() => terms?.begin() ?? chat.intents.add({ room, message: id, act: what }));
  if (isRefusal(begun)) return begun;
  if (await carryOut(chat, begun)) return null;
  await chat.store.write(() => {
    if (chat.intents.remove(begun)) terms?.undo();
  });
  return UNAVAILABLE;
}

/**
 * What a crash has left of acts. They come before whatever is asked for from now on, since their turns are taken before
 * this returns. Resolves with false when the session ends before. Rejects with StoreClosed.
 */
export async function actAgain(chat: Chat, room: string): Promise<boolean> {
  let last = Promise.resolve(true);
  for (const intent of chat.intents.all(room)) {
    const before = last;
    last = chat.inTurn(intent.message, async () => (await before) && (await carryOut(chat, intent, "left")));
    // Each is told to the next one, which may still wait for its turn.
    last.catch(() => undefined);
  }
  return await last;
}

async function carryOut(chat: Chat, intent: ActIntent, left: "left" | null = null): Promise<boolean> {
  // It may have ended while it waited for its turn.
  if (!chat.intents.has(intent)) return true;
  const event = eventOf(chat, intent);
  if (event !== null && !(await chat.hand(event, left))) return false;
  let files: readonly StoredUpload[] = [];
  await chat.change(() => {
    files = [];
    if (!chat.intents.remove(intent)) return [];
    if (intent.act.is !== "deleted") return changed(chat, intent);
    files = chat.records.filesOf(intent.message);
    return forget(chat, intent.message);
  });
  await chat.uploads.unlink(files);
  return true;
}

/** The same at each try. Null: there is nothing left to change. */
function eventOf(chat: Chat, { message: id, room, act: what }: ActIntent): Event | null {
  const message = chat.timeline.find(id);
  if (message === null) return null;
  const now = chat.nowMs;
  switch (what.is) {
    case "deleted":
      return deleted({ id, room }, what.by === null ? null : authorOf(what.by), now);
    case "edited":
      return edited({ ...message, ...contentOf(what.text) }, what.nonce, now);
    case "reacted":
      return reacted({ room, message: id, guest: what.by, emoji: what.emoji, on: what.on, nonce: what.nonce }, now);
  }
}

function changed(chat: Chat, { message: id, room, act: what }: ActIntent): readonly StoredChange[] {
  const { timeline, nowMs } = chat;
  if (what.is === "deleted" || timeline.find(id)?.state !== "said") return [];
  if (what.is === "edited") {
    timeline.edit(id, contentOf(what.text));
    return [timeline.change(room, nowMs, { is: "edited", id })];
  }
  const { emoji, on, by } = what;
  if (!timeline.react(id, emoji, by.id, on)) return [];
  const count = timeline.reactions(id).filter((one) => one.emoji === emoji).length;
  return [timeline.change(room, nowMs, { is: "reacted", id, emoji, on, count, author: guestAuthor(by) })];
}

/** Out of the store, with its files, whose contents are to be unlinked behind it. Within a transaction. */
function forget(chat: Chat, id: string): readonly StoredChange[] {
  const { timeline, records, nowMs } = chat;
  const found = timeline.find(id);
  if (found === null || found.print === "deleted") return [];
  if (found.state === "held") closeCase(chat, id, "its guest's messages were deleted");
  timeline.forget(id);
  for (const file of records.filesOf(id)) records.removeFile(file.id);
  return found.state === "said" ? [timeline.change(found.room, nowMs, { is: "deleted", id })] : [];
}

/** Out of the store; the core knows already, or never knew. Rejects with StoreClosed. */
export async function erase(chat: Chat, ids: readonly string[], signal?: AbortSignal): Promise<void> {
  let files: readonly StoredUpload[] = [];
  await chat.change(() => {
    files = ids.flatMap((id) => chat.records.filesOf(id));
    return ids.flatMap((id) => forget(chat, id));
  }, signal);
  await chat.uploads.unlink(files);
}
