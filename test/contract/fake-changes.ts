import type { ChannelRef, MessageRef } from "../../src/contract/ids.ts";
import type { DeleteOp, EditOp, ReactOp, TopicOp } from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { AnyHandlers } from "../../src/contract/session.ts";
import { deferred, type PostRoad } from "./fake-poster.ts";
import { type FakeMessage, type FakeRoom, plainLine } from "./fake-room.ts";
import { partsOf } from "./fake-text.ts";

type Changes = Required<Omit<AnyHandlers, "post">>;

/**
 * The handlers for what changes messages, and the topic. All are safe to repeat, so a broken connection leaves them
 * deferred.
 */
export function changesOn(road: Pick<PostRoad, "link" | "server" | "member" | "traits">): Changes {
  const { link, server, member, traits } = road;
  const { limits } = traits;
  const ask = async (
    channel: ChannelRef,
    change: (room: FakeRoom) => readonly MessageRef[] | null,
  ): Promise<Outcome> => {
    const answer = await link.ask(() => change(server.room(channel)));
    if (!answer.ok) return deferred("network", "the session is over", "session");
    if (answer.value === null)
      return { is: "rejected", why: { code: "not_found", message: "there is no such message" } };
    return { is: "delivered", receipt: { messages: answer.value, losses: [] } };
  };
  return {
    edit: async (op: EditOp) =>
      await ask(op.channel, (room) => {
        const targets = op.target.flatMap((ref) => room.byRef(ref) ?? []);
        if (targets.length === 0) return null;
        const { parts } = partsOf(op, traits);
        for (const [at, message] of targets.entries()) {
          const part = parts[at];
          if (part === undefined) room.erase(message, member.name);
          else if (part.text !== message.text) room.edit(message, member.name, part.text);
        }
        const more = parts.slice(targets.length).map(({ text }, at): FakeMessage => {
          return server.say(room.name, member.name, plainLine(text, op.body.style), `${op.id}/${at}`);
        });
        return [...targets.slice(0, parts.length), ...more].map(({ ref }) => ref as MessageRef);
      }),
    delete: async (op: DeleteOp) =>
      await ask(op.channel, (room) => {
        for (const ref of op.target) {
          const message = room.byRef(ref);
          if (message !== null) room.erase(message, member.name);
        }
        return [];
      }),
    react: async ({ channel, target, emoji, standing }: ReactOp) =>
      await ask(channel, (room) => {
        const message = room.byRef(target);
        if (message === null || limits.reactions?.includes(emoji) === false) return null;
        const on = standing.some((one) => one.emoji === emoji);
        if (on !== (message.reactions.get(emoji)?.has(member.name) ?? false))
          room.react(message, member.name, emoji, on);
        return [];
      }),
    topic: async ({ channel, topic }: TopicOp) =>
      await ask(channel, (room) => {
        room.setTopic(member.name, topic);
        return [];
      }),
  };
}
