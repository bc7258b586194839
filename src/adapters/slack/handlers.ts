import type { Handlers } from "../../contract/session.ts";
import type { capabilities } from "./capabilities.ts";
import { SlackEditor } from "./editor.ts";
import type { SlackLink } from "./link.ts";
import { SlackReactor } from "./reactor.ts";
import { SlackSender } from "./sender.ts";
import { setTopic } from "./topic.ts";

/** What the core asks of a session, done by the Web API. */
export function handlersOf(link: SlackLink): Handlers<typeof capabilities> {
  const sender = new SlackSender(link);
  const editor = new SlackEditor(sender);
  const reactor = new SlackReactor(link);
  return {
    post: async (op, attempt) => await sender.post(op, attempt),
    edit: async (op, attempt) => await editor.edit(op, attempt),
    delete: async (op, attempt) => await sender.delete(op, attempt),
    react: async (op, attempt) => await reactor.react(op, attempt),
    topic: async (op, attempt) => await setTopic(op, link, attempt),
  };
}
