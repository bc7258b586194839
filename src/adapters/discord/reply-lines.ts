import type { MessageRef } from "../../contract/ids.ts";
import type { DeleteOp, OpReply } from "../../contract/ops.ts";
import { Lru } from "../../lib/lru.ts";
import { readMessageRef } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordMessage } from "./model.ts";
import { leadOf, replyLine } from "./render.ts";
import type { DiscordRoom } from "./room.ts";
import { channelOf } from "./threads.ts";
import type { DiscordHooks } from "./webhooks.ts";

/** Messages whose answers are remembered, and answers of one message. */
const TARGETS_MAX = 2_000;
const ANSWERS_MAX = 20;

interface Answer {
  readonly ref: MessageRef;
  /** Who is answered. */
  readonly name: string;
}

/**
 * The lines by which our messages answer others. What was deleted disappears from those of this session; a line that
 * cannot be changed stays.
 */
export class DiscordReplyLines {
  readonly #link: DiscordLink;
  readonly #hooks: DiscordHooks;
  readonly #answers = new Lru<MessageRef, readonly Answer[]>(TARGETS_MAX);

  constructor(link: DiscordLink, hooks: DiscordHooks) {
    this.#link = link;
    this.#hooks = hooks;
  }

  note({ target, name }: Pick<OpReply, "target" | "name">, ref: MessageRef): void {
    const known = this.#answers.get(target) ?? [];
    this.#answers.set(target, [...known, { ref, name }].slice(-ANSWERS_MAX));
  }

  async withdraw({ channel, target }: Pick<DeleteOp, "channel" | "target">, signal: AbortSignal): Promise<void> {
    const room = this.#link.room(channel);
    if (room === null) return;
    for (const one of target) {
      for (const answer of this.#answers.get(one) ?? []) await this.#shorten(answer, room, signal);
      this.#answers.delete(one);
    }
  }

  async #shorten({ ref, name }: Answer, room: DiscordRoom, signal: AbortSignal): Promise<void> {
    const place = readMessageRef(ref);
    const at = channelOf(place, room);
    const message = await this.#link.api.message(at, place.id, signal);
    if (!message.ok) return;
    const { content } = message.value;
    const lead = leadOf(content, room.guild);
    const [, jump = ""] = /\(<([^<>]*)>\)$/u.exec(lead) ?? [];
    const line = replyLine({ name, excerpt: "" }, jump);
    if (lead !== "" && lead !== line)
      await this.#write(message.value, at, line + content.slice(lead.length), room, signal);
  }

  async #write(
    { id, webhook }: DiscordMessage,
    at: string,
    content: string,
    room: DiscordRoom,
    signal: AbortSignal,
  ): Promise<void> {
    const { api } = this.#link;
    const body = { content, allowed_mentions: { parse: [] } };
    if (webhook === "") {
      await api.editMessage(at, id, body, [], signal);
      return;
    }
    const hook = await this.#hooks.byId(room, webhook, signal);
    if (!hook.ok || hook.value === null) return;
    const thread = at === room.hookChannel ? null : at;
    await api.editWebhookMessage(hook.value, id, { thread }, body, [], signal);
  }
}
