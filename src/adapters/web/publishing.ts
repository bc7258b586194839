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
 * hear yet, stays for the next call. Never rejects.
 */
export async function tellModerators(chat: Chat): Promise<void> {
  if (chat.moderators === "" || !chat.rooms.has(chat.moderators)) return;
  try {
    chat.store.check();
    for (const message of chat.timeline.inState("new"))
      if (message.room === chat.moderators && !(await publish(chat, message))) return;
  } catch (error) {
    chat.unexpected(error);
  }
}
