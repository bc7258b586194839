import { parse } from "../../src/content/formats.ts";
import type { Body, SharedFile } from "../../src/contract/content.ts";
import type { ChannelRef, MessageRef, OpId } from "../../src/contract/ids.ts";
import { mint } from "../../src/contract/ids.ts";
import type { DeleteOp, EditOp, Op, OpAuthor, PostOp, ReactOp, TopicOp } from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { AnyHandlers } from "../../src/contract/session.ts";
import { RecordingAttempt } from "./recording-attempt.ts";

/** What the core asks of an adapter, without the core: each with an id of its own. */

export const BOB: OpAuthor = { id: "bob", name: "Bob", shown: "[irc] <Bob> ", avatar: null, account: "irc.a" };

export const bodyOf = (text: string, files: readonly SharedFile[] = [], format = "plain"): Body => ({
  style: "normal",
  source: { format, text },
  blocks: parse(format, text),
  files,
});

let ops = 0;
const nextId = (): OpId => mint("OpId", `op ${(ops += 1)}`);

export function postOf(channel: ChannelRef, text: string, more: Partial<PostOp> = {}): PostOp {
  return {
    kind: "post",
    id: nextId(),
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

export function editOf(
  channel: ChannelRef,
  target: readonly MessageRef[],
  text: string,
  more: Partial<EditOp> = {},
): EditOp {
  const { resume: _, kind: __, ...draft } = postOf(channel, text);
  return { ...draft, kind: "edit", target, ...more };
}

export function deleteOf(channel: ChannelRef, target: readonly MessageRef[]): DeleteOp {
  return { kind: "delete", id: nextId(), channel, attempt: 1, target, author: null };
}

export function reactOf(channel: ChannelRef, target: MessageRef, emoji: string, standing: readonly string[]): ReactOp {
  return {
    kind: "react",
    id: nextId(),
    channel,
    attempt: 1,
    target,
    author: BOB,
    emoji,
    on: standing.includes(emoji),
    standing: standing.map((one) => ({ emoji: one, names: ["Bob"] })),
  };
}

export function topicOf(channel: ChannelRef, topic: string): TopicOp {
  return { kind: "topic", id: nextId(), channel, attempt: 1, topic };
}

export interface Tried {
  readonly outcome: Outcome;
  readonly attempt: RecordingAttempt;
}

const MISSING: Outcome = { is: "rejected", why: { code: "unsupported", message: "there is no such handler" } };

/** What became of it; throws where what was said of the attempt does not fit together. */
export async function doOp({ handlers }: { readonly handlers: AnyHandlers }, op: Op): Promise<Tried> {
  const attempt = new RecordingAttempt();
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
      case "topic":
        return (await handlers.topic?.(op, attempt)) ?? MISSING;
    }
  };
  const outcome = await run();
  attempt.end(outcome);
  if (attempt.faults.length > 0) throw new Error(attempt.faults.join("; "));
  return { outcome, attempt };
}

export const messagesOf = (outcome: Outcome): readonly MessageRef[] =>
  outcome.is === "delivered" ? outcome.receipt.messages : [];
