import type { Handlers } from "../../contract/session.ts";
import { ShutChannels } from "../kit/shut-channels.ts";
import { TypingRequests } from "../kit/typing-requests.ts";
import type { capabilities } from "./capabilities.ts";
import { TelegramEditor } from "./editor.ts";
import type { TelegramLink } from "./link.ts";
import { TelegramReactor } from "./reactor.ts";
import { TelegramSender } from "./sender.ts";

/** How long Telegram shows that somebody types, in ms. */
const TYPING_MS = 5_000;

/** What the core asks of a session, done by the Bot API. */
export function doersOf(link: TelegramLink): {
  readonly handlers: Handlers<typeof capabilities>;
  readonly typing: TypingRequests;
} {
  const sender = new TelegramSender(link);
  const editor = new TelegramEditor(sender);
  const reactor = new TelegramReactor(sender);
  const shut = new ShutChannels({ host: link.host, isJoined: (channel) => link.room(channel) !== null });
  const handlers: Handlers<typeof capabilities> = {
    post: async (op, attempt) => shut.noted(op.channel, op.channel, await sender.post(op, attempt)),
    edit: async (op, attempt) => await editor.edit(op, attempt),
    delete: async (op, attempt) => await sender.delete(op, attempt),
    react: async (op, attempt) => await reactor.react(op, attempt),
  };
  const typing = new TypingRequests({
    clock: link.host.clock,
    lastsMs: TYPING_MS,
    ends: false,
    send: async (channel, _, signal) => await sender.poster.calls.typing(channel, signal),
  });
  return { handlers, typing };
}
