import type { Chat } from "./chat.ts";
import { posted } from "./receive.ts";
import type { StoredMessage } from "./store/rows.ts";

/**
 * What is stored goes to the core, then to those who watch. `left`: a crash has left it. False: not now. Rejects with
 * StoreClosed.
 */
export async function publish(chat: Chat, message: StoredMessage, left: "left" | null = null): Promise<boolean> {
  // It may have been deleted while it waited its turn.
  if (chat.timeline.find(message.id)?.state !== "new") return true;
  if (!(await chat.hand(posted(message, chat.nowMs), left))) return false;
  await chat.change(() => {
    const { state } = chat.timeline.find(message.id) ?? message;
    if (state !== "new") return [];
    chat.timeline.setSaid(message.id);
    return [chat.timeline.change(message.room, chat.nowMs, { is: "posted", id: message.id })];
  });
  return true;
}

/**
 * What moderators are to know goes to their room, in its order. What the core does not take now, or what nobody could
 * hear yet, stays for the next call. One at a time, however often it is called: each event that waits for the core
 * takes a place of what guests say. Never rejects.
 */
export async function tellModerators(chat: Chat): Promise<void> {
  if (!chat.rooms.has(chat.moderators)) return;
  chat.telling ??= tell(chat);
  await chat.telling;
}

async function tell(chat: Chat): Promise<void> {
  // Whoever has called has to know of it before its end.
  await Promise.resolve();
  const next = () => chat.timeline.firstNew(chat.moderators);
  try {
    chat.store.check();
    for (let message = next(); message !== null; message = next()) if (!(await publish(chat, message))) return;
  } catch (error) {
    chat.unexpected(error);
  } finally {
    chat.telling = null;
  }
}
