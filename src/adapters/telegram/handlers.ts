import type { Handlers } from "../../contract/session.ts";
import type { capabilities } from "./capabilities.ts";
import { TelegramEditor } from "./editor.ts";
import type { TelegramLink } from "./link.ts";
import { TelegramReactor } from "./reactor.ts";
import { TelegramSender } from "./sender.ts";

/** What the core asks of a session, done by the Bot API. */
export function handlersOf(link: TelegramLink): Handlers<typeof capabilities> {
  const sender = new TelegramSender(link);
  const editor = new TelegramEditor(sender);
  const reactor = new TelegramReactor(sender);
  return {
    post: async (op, attempt) => await sender.post(op, attempt),
    edit: async (op, attempt) => await editor.edit(op, attempt),
    delete: async (op, attempt) => await sender.delete(op, attempt),
    react: async (op, attempt) => await reactor.react(op, attempt),
  };
}
