import type { ChannelRef } from "../contract/ids.ts";
import type { PostOp } from "../contract/ops.ts";
import type { Handler } from "../contract/session.ts";

/** What a lane needs of a live session once its channel is joined. */
export interface Outlet {
  readonly channel: ChannelRef;
  readonly post: Handler<PostOp>;
  readonly gate: Gate;
  readonly pulse: Pulse;
}

/** One per session: a rate limit of all its channels. */
export interface Gate {
  /** Unix ms before which nothing is sent on this session. */
  readonly untilMs: number;
  /** Closes it until then, unless it is closed for longer already. */
  hold(untilMs: number): void;
}

/** One per session: whether it does anything at all. Its channels may wait for each other. */
export interface Pulse {
  /** When one of its handlers last ended or told something, Unix ms. */
  readonly lastMs: number;
  beat(): void;
}
