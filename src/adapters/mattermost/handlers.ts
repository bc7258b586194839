import type { Handlers } from "../../contract/session.ts";
import type { capabilities } from "./capabilities.ts";
import { PostEditor } from "./editor.ts";
import { setHeader } from "./header.ts";
import { identityAdvice } from "./identity.ts";
import type { MattermostLink } from "./link.ts";
import { PostReactor } from "./reactor.ts";
import { PostSender } from "./sender.ts";
import { ShutChannels } from "../kit/shut-channels.ts";

/** What the core asks of a session, done by REST. */
export function handlersOf(link: MattermostLink): Handlers<typeof capabilities> {
  const sender = new PostSender(link);
  const editor = new PostEditor(sender);
  const reactor = new PostReactor(sender);
  const { host } = link;
  const shut = new ShutChannels({ host, isJoined: (channel) => link.room(channel) !== null });
  host.degraded(identityAdvice(link), "names");
  return {
    post: async (op, attempt) => {
      const name = link.room(op.channel)?.name ?? op.channel;
      return shut.noted(op.channel, name, await sender.post(op, attempt));
    },
    edit: async (op, attempt) => await editor.edit(op, attempt),
    delete: async (op, attempt) => await sender.delete(op, attempt),
    react: async (op, attempt) => await reactor.react(op, attempt),
    topic: async (op, attempt) => await setHeader(link, op, attempt),
  };
}
