import type { Idempotency } from "../../contract/capabilities.ts";
import { END, type MessageRef, type Progress } from "../../contract/ids.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import type { Copies, Receipt, Seq } from "../../log/log.ts";
import { type Backoff, fullJitter } from "../retry.ts";

/**
 * What follows from the end of an attempt. An op is *waiting* until an attempt ends it; it ends as
 *
 *   sent         the network has it, as far as the network says such things
 *   failed       it was refused for good, or its handler has a bug that no retry fixes
 *   unconfirmed  it, or a part of it, may have been sent, and sending it again could double it
 *   expired      it waited too long
 *   folded       its content went out with the message it changes
 *   cancelled    it was taken back before it was sent
 *   omitted      the destination has no way to show it
 *   withheld     it belongs to a loop through another bridge
 *
 * or it waits again, and the next attempt begins after the confirmed parts. Where a repeated op is safe (by key or
 * echo) doubt means another try. Where it is not, or turns out not to be (`final`), the part in doubt is given up as
 * unconfirmed and the next attempt begins after it.
 */

/** What is known of an op when an attempt of it ends. */
export interface AttemptState {
  readonly by: Idempotency["by"];
  /**
   * Up to here it may have been sent: the last `sending` that was answered with true; at first equal to `confirmed`.
   */
  readonly announced: Progress | null;
  /** Up to here it certainly was sent. */
  readonly confirmed: Progress | null;
  /** Attempts in a row, this one included, that ended with a throw. */
  readonly throws: number;
}

export type Decision =
  | { readonly is: "finish"; readonly state: Receipt["state"]; readonly why: Reason | null }
  | {
      readonly is: "retry";
      readonly resume: Progress | null;
      readonly why: Reason;
      readonly wait: Wait;
      /** The parts before `resume` are not all confirmed. */
      readonly unconfirmed: boolean;
      /** The attempt may have sent something after `resume`. */
      readonly doubt: boolean;
    };

export type Wait = { readonly for: "backoff" } | { readonly for: "channel" | "session"; readonly ms: number };

/** A handler that throws each time must not hold up all that comes after until it expires. */
const THROWS_MAX = 10;

/** Pure: a table over the outcome and what is known of the op. */
export function settle(standing: AttemptState, outcome: Outcome): Decision {
  if (standing.confirmed === END) return { is: "finish", state: "sent", why: null };
  switch (outcome.is) {
    case "delivered":
      return { is: "finish", state: "sent", why: null };
    case "rejected":
      return { is: "finish", state: "failed", why: outcome.why };
    case "deferred":
      return again(standing.confirmed, outcome.why, { for: outcome.scope, ms: outcome.retryInMs });
    case "unknown": {
      const by = "final" in outcome ? "none" : standing.by;
      return settleUnknown({ ...standing, by, announced: outcome.upTo ?? standing.announced }, outcome.why);
    }
  }
}

function settleUnknown({ by, announced, confirmed, throws }: AttemptState, why: Reason): Decision {
  const inDoubt = by !== "none" || announced !== confirmed;
  if (throws >= THROWS_MAX) return { is: "finish", state: inDoubt ? "unconfirmed" : "failed", why };
  const wait = { for: "backoff" } as const;
  if (!inDoubt) return again(confirmed, why, wait);
  if (by !== "none") return { ...again(confirmed, why, wait), doubt: true };
  if (announced === END) return { is: "finish", state: "unconfirmed", why };
  return { ...again(announced, why, wait), unconfirmed: true };
}

function again(resume: Progress | null, why: Reason, wait: Wait): Extract<Decision, { is: "retry" }> {
  return { is: "retry", resume, why, wait, unconfirmed: false, doubt: false };
}

/** After failures in a row, of whatever kind. */
export const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 };
/** Shortest and longest wait that an outcome can ask for, in ms. */
const WAIT_MIN_MS = 100;
const WAIT_MAX_MS = 60 * 60_000;

/** How long to wait, in ms, after so many attempts; `random` gives 0 <= x < 1. */
export function waitMs(wait: Wait, attempts: number, random: () => number): number {
  if (wait.for === "backoff") return fullJitter(attempts, BACKOFF, random);
  // Not a number is no wait to speak of.
  return wait.ms > WAIT_MIN_MS ? Math.min(wait.ms, WAIT_MAX_MS) : WAIT_MIN_MS;
}

/** How an op ended, with everything worth writing down. */
export interface OpEnd {
  readonly state: Receipt["state"];
  readonly why: Reason | null;
  /** Of all attempts, in the order of the parts. */
  readonly messages: readonly MessageRef[];
  readonly losses: readonly Loss[];
  /** As the receipt has them; null: nothing changes. */
  readonly copies: Copies | null;
  /** Up to here it is there; null: nothing is, or that does not matter any more. */
  readonly from?: Progress | null;
  /** A part of it is in doubt, and parts behind that are there. */
  readonly gap?: boolean;
  /** The message has a receipt from before it was sent again. */
  readonly replaces?: boolean;
}

/** The row for the log; null when "it was sent" says it all, which the cursor says already. */
export function receiptOf(lane: string, seq: Seq, end: OpEnd): Receipt | null {
  const { state, why, messages, losses, copies, from = null, gap = false, replaces = false } = end;
  const saysNothing = state === "sent" && messages.length === 0 && losses.length === 0 && copies === null;
  if (saysNothing && !replaces) return null;
  const detail = JSON.stringify({
    ...(messages.length > 0 && { messages }),
    ...(losses.length > 0 && { losses }),
    ...(why !== null && { why }),
    ...(from !== null && { from }),
    ...(gap && { gap }),
  });
  return { lane, seq, state, detail, ...(copies !== null && { copies }) };
}
