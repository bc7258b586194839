import type { ChannelRef } from "../../contract/ids.ts";
import type { EditOp, Op, OptionalKind } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { AnyHandlers, Attempt, RoomLimits } from "../../contract/session.ts";

/** What a lane needs of a live session once its channel is joined. */
export interface ChannelSink {
  readonly channel: ChannelRef;
  readonly handlers: AnyHandlers;
  /** As the join said. */
  readonly without: readonly OptionalKind[];
  readonly limits: RoomLimits;
  readonly gate: Gate;
  readonly activity: Activity;
  /** Called when the network has confirmed something that was sent. */
  readonly heard: () => void;
}

/** One per session: a rate limit of all its channels. */
export interface Gate {
  /** Before this moment, by `Clock.monoMs`, nothing is sent on this session. */
  readonly untilMs: number;
  /** Closes it until then, unless it is closed for longer already. */
  hold(untilMs: number): void;
}

/** One per session: whether it does anything at all. Its channels may wait for each other. */
export interface Activity {
  /** When one of its handlers last ended or told something, by `Clock.monoMs`. */
  readonly lastMs: number;
  beat(): void;
}

/** What a lane has done in one go. */
export interface PerformedOps {
  readonly op: Op;
  /** Follow a deletion: they take the deleted words out of answers. Repeating all of it does no harm. */
  readonly answers: readonly EditOp[];
}

/**
 * Calls the handler of the op's kind before it first waits. Null when it threw, which is a bug: `threw` is told. Never
 * rejects.
 */
export async function perform(
  { handlers, heard }: ChannelSink,
  { op, answers }: PerformedOps,
  attempt: Attempt,
  threw: (error: string) => void,
): Promise<Outcome | null> {
  const listening: Attempt = {
    signal: attempt.signal,
    sending: (upTo) => attempt.sending(upTo),
    sent: (upTo, messages) => {
      heard();
      // With the end of the deletion the whole op would count as done.
      if (answers.length === 0) attempt.sent(upTo, messages);
    },
  };
  try {
    const outcome = await callAll(handlers, { op, answers }, listening);
    if (outcome.is === "delivered") heard();
    return outcome;
  } catch (error) {
    threw(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return null;
  }
}

async function callAll(handlers: AnyHandlers, { op, answers }: PerformedOps, attempt: Attempt): Promise<Outcome> {
  const isDone = op.kind === "delete" && op.target.length === 0;
  const outcome = isDone ? NOTHING_DELETED : await call(handlers, op, attempt);
  if (outcome.is !== "delivered") return outcome;
  const losses: Loss[] = [...outcome.receipt.losses];
  for (const answer of answers) {
    const edited = await call(handlers, answer, attempt);
    if (edited.is === "deferred" || edited.is === "unknown") return edited;
    if (edited.is === "rejected")
      losses.push({ what: "delete", note: `an answer still quotes it: ${edited.why.message}` });
  }
  return { ...outcome, receipt: { ...outcome.receipt, losses } };
}

const NOTHING_DELETED: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };

async function call(handlers: AnyHandlers, op: Op, attempt: Attempt): Promise<Outcome> {
  switch (op.kind) {
    case "post":
      return await handlers.post(op, attempt);
    case "edit":
      return (await handlers.edit?.(op, attempt)) ?? unsupported(op);
    case "delete":
      return (await handlers.delete?.(op, attempt)) ?? unsupported(op);
    case "react":
      return (await handlers.react?.(op, attempt)) ?? unsupported(op);
    case "topic":
      return (await handlers.topic?.(op, attempt)) ?? unsupported(op);
  }
}

function unsupported({ kind }: Op): Outcome {
  return { is: "rejected", why: { code: "unsupported", message: `The session has no handler for the op "${kind}".` } };
}
