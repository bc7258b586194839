import type { Level } from "../../src/contract/capabilities.ts";
import type { Clock } from "../../src/contract/host.ts";
import type { OptionalKind } from "../../src/contract/ops.ts";
import type { Outcome, ReasonCode } from "../../src/contract/outcome.ts";
import type { Ended, RoomLimits } from "../../src/contract/session.ts";

/** What the fake network is like; fixed for its life. */
export interface FakeTraits {
  /** Its time, for the road and the rate; sessions use their host's. */
  readonly clock: Clock;
  /** Milliseconds one way; 0: at once, without any timer. */
  readonly latencyMs: number;
  readonly idempotency: "key" | "echo" | "none";
  /** Whether messages can be edited, deleted, answered, alert people, get reactions, carry files, and be had later. */
  readonly ops: Extract<Level, "native" | "none">;
  /** What a channel goes without of that. */
  readonly without: readonly OptionalKind[];
  /** What its channels take less of; what is too much is refused. */
  readonly limits: RoomLimits;
  readonly inflightMax: number;
  /** Of one line, in code points, the author before it included. */
  readonly textMax: number;
  /** Lines that a session writes before the first of them is answered. */
  readonly window: number;
  /** Whether ids of messages count per room, so that two rooms have equal ones. */
  readonly refsPerRoom: boolean;
}

/**
 * How one call of the post handler goes, after `after` parts of it (0 when absent) went well:
 * - `deliver`: all goes well.
 * - `defer`, `reject`: it ends so, and nothing is in doubt.
 * - `unknown`: the next part is announced and written; it arrives or not, and nobody learns which.
 * - `die`: as `unknown`, and the connection breaks.
 * - `hang`: it ends only when it is aborted (as deferred); a `deaf` one never.
 * - `throw`: a bug.
 * - `again`: it is delivered, and all it told is told a second time later.
 */
export type Step =
  | { readonly is: "deliver"; readonly after?: number }
  | {
      readonly is: "defer";
      readonly after?: number;
      readonly retryInMs: number;
      readonly scope?: "channel" | "session";
      readonly code?: ReasonCode;
    }
  | { readonly is: "reject"; readonly after?: number; readonly code?: ReasonCode }
  | { readonly is: "unknown" | "die"; readonly after?: number; readonly arrives: boolean }
  | { readonly is: "hang"; readonly after?: number; readonly deaf?: boolean }
  | { readonly is: "throw" | "again"; readonly after?: number };

/** How one call of open goes: it ends so, or never (until it is given up). */
export type OpenStep = Ended | "hang";

/** At most `lines` per `windowMs` and session; more are deferred for the whole session until the window is over. */
export interface Rate {
  readonly lines: number;
  readonly windowMs: number;
}

/** The outcome that a step asks for when it bites before anything is in doubt; null: another kind of step. */
export function outcomeOf(step: Step): Outcome | null {
  if (step.is === "reject") {
    return { is: "rejected", why: { code: step.code ?? "bad_content", message: "the script rejects it" } };
  }
  if (step.is !== "defer") return null;
  return {
    is: "deferred",
    why: { code: step.code ?? "remote_error", message: "the script defers it" },
    retryInMs: step.retryInMs,
    scope: step.scope ?? "channel",
  };
}
