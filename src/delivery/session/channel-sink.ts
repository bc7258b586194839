import type { ChannelRef } from "../../contract/ids.ts";
import type { Op, OptionalKind } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
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

/**
 * Calls the handler of the op's kind before it first waits. Null when it threw, which is a bug: `threw` is told. Never
 * rejects.
 */
export async function perform(
  { handlers, heard }: ChannelSink,
  op: Op,
  attempt: Attempt,
  threw: (error: string) => void,
): Promise<Outcome | null> {
  const listening: Attempt = {
    signal: attempt.signal,
    sending: (upTo) => attempt.sending(upTo),
    sent: (upTo, messages) => {
      heard();
      attempt.sent(upTo, messages);
    },
  };
  try {
    const outcome = await call(handlers, op, listening);
    if (outcome.is === "delivered") heard();
    return outcome;
  } catch (error) {
    threw(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return null;
  }
}

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
