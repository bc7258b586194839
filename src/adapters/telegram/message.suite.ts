import type { Json } from "../kit/json.ts";
import { telegramMessageIn, type TelegramMessage } from "./model.ts";

export const ALICE = { id: 7, is_bot: false, first_name: "Alice", last_name: "Liddell", username: "alice" };
export const BOB = { id: 8, is_bot: false, first_name: "Bob" };
export const CREW = { id: -1_001, type: "supergroup", title: "Crew" };
export const NEWS = { id: -1_002, type: "channel", title: "News", username: "news" };

/** A message of Alice, as an update has it. */
export const saidBy = (more: Json = {}): Json => ({ message_id: 5, date: 100, chat: CREW, from: ALICE, ...more });

/** … and as it is read. */
export function aTelegramMessage(more: Json = {}): TelegramMessage {
  const message = telegramMessageIn(saidBy(more));
  if (message === null) throw new Error("that is no message");
  return message;
}
