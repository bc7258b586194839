import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import type { PostRow } from "../../../test/servers/mattermost/wire.ts";
import type { Body, SharedFile } from "../../contract/content.ts";
import type { ChannelRef, MessageRef, OpId } from "../../contract/ids.ts";
import type { DeleteOp, EditOp, OpAuthor, PostOp, ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { parse } from "../../content/formats.ts";
import type { Life, MattermostTown } from "./town.suite.ts";

export const BOB: OpAuthor = { id: "bob", name: "Bob", shown: "[irc] <Bob> ", avatar: null, account: "irc.a" };

export const bodyOf = (text: string, files: readonly SharedFile[] = [], format = "plain"): Body => ({
  style: "normal",
  source: { format, text },
  blocks: parse(format, text),
  files,
});

let ops = 0;

export function postOf(channel: ChannelRef, text: string, more: Partial<PostOp> = {}): PostOp {
  return {
    kind: "post",
    id: `op ${(ops += 1)}` as OpId,
    channel,
    attempt: 1,
    author: BOB,
    body: bodyOf(text),
    reply: null,
    thread: null,
    mayPing: { users: true, everyone: false },
    resume: null,
    ...more,
  };
}

export function editOf(channel: ChannelRef, target: readonly MessageRef[], text: string, more: Partial<EditOp> = {}) {
  const { resume: _, kind: __, ...draft } = postOf(channel, text);
  return { ...draft, kind: "edit", target, ...more } satisfies EditOp;
}

export function deleteOf(channel: ChannelRef, target: readonly MessageRef[]): DeleteOp {
  return { kind: "delete", id: `op ${(ops += 1)}` as OpId, channel, attempt: 1, target, author: null };
}

export function reactOf(channel: ChannelRef, target: MessageRef, emoji: string, standing: readonly string[]): ReactOp {
  return {
    kind: "react",
    id: `op ${(ops += 1)}` as OpId,
    channel,
    attempt: 1,
    target,
    author: BOB,
    emoji,
    on: standing.includes(emoji),
    standing: standing.map((one) => ({ emoji: one, names: ["Bob"] })),
  };
}

export interface Tried {
  readonly outcome: Outcome;
  readonly attempt: RecordingAttempt;
}

export async function doOp({ session }: Life, op: PostOp | EditOp | DeleteOp | ReactOp): Promise<Tried> {
  const attempt = new RecordingAttempt();
  const { handlers } = session;
  const run = async (): Promise<Outcome> => {
    switch (op.kind) {
      case "post":
        return await handlers.post(op, attempt);
      case "edit":
        return (await handlers.edit?.(op, attempt)) ?? MISSING;
      case "delete":
        return (await handlers.delete?.(op, attempt)) ?? MISSING;
      case "react":
        return (await handlers.react?.(op, attempt)) ?? MISSING;
    }
  };
  const outcome = await run();
  attempt.end(outcome);
  return { outcome, attempt };
}

const MISSING: Outcome = { is: "rejected", why: { code: "unsupported", message: "there is no such handler" } };

/** What stands in the channel and our bot has posted, the oldest first. */
export function ours({ server, bot, channel }: MattermostTown): readonly PostRow[] {
  return [...server.world.posts.values()].filter(
    ({ user_id: user, channel_id: place, delete_at: gone, original_id: of, type }) =>
      user === bot.id && place === channel.id && gone === 0 && of === "" && type === "",
  );
}

export const messagesOf = (outcome: Outcome): readonly MessageRef[] =>
  outcome.is === "delivered" ? outcome.receipt.messages : [];
