import type { Message } from "../../contract/message.ts";
import type { Drop } from "../../gateway/drops.ts";
import type { Appended, Batch } from "../../log/log.ts";
import type { ActionContext } from "./acting.ts";
import type { OutcomeWaiter } from "./waiter.ts";

/** What is as it is while something is said: a reload waits until it is stored. */
export interface SayScene extends ActionContext {
  /** The moment, as `Message.timestamp`. */
  readonly stamp: () => string;
}

/** What is to be stored of what a client of `/v1` says; `dropped`: a filter keeps it from going further. */
export interface Said {
  readonly batch: Batch | null;
  readonly dropped: { readonly message: Message; readonly drop: Drop } | null;
}

/** `appended` null: there was nothing to store. */
export interface SayOutcome {
  readonly said: Said;
  readonly appended: Appended | null;
}

/** Called in its turn. What it throws or rejects with reaches the waiter as it is; a promise only where it waits. */
type MakeSaid = (scene: SayScene) => Said | Promise<Said>;

/** Something that is said, which waits for its own end. */
export interface Speech extends OutcomeWaiter<SayOutcome> {
  readonly make: MakeSaid;
}
