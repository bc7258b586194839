import type { Handlers } from "../../contract/session.ts";
import type { capabilities } from "./capabilities.ts";
import { DiscordEditor } from "./editor.ts";
import type { DiscordLink } from "./link.ts";
import { DiscordReactor } from "./reactor.ts";
import { DiscordRemover } from "./remover.ts";
import { DiscordSender } from "./sender.ts";

/** What the core asks of a session, done by REST. */
export function handlersOf(link: DiscordLink): Handlers<typeof capabilities> {
  const sender = new DiscordSender(link);
  link.onHooksChanged((channel) => sender.hooks.changed(channel));
  const remover = new DiscordRemover(link, sender.hooks);
  const editor = new DiscordEditor(sender, remover);
  const reactor = new DiscordReactor(link);
  return {
    post: async (op, attempt) => await sender.post(op, attempt),
    edit: async (op, attempt) => await editor.edit(op, attempt),
    delete: async (op, attempt) => await remover.delete(op, attempt),
    react: async (op, attempt) => await reactor.react(op, attempt),
  };
}
