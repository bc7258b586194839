import type { Outcome, Reason, ReasonCode } from "../../contract/outcome.ts";

/** When to try again what was too much, where the server does not say it. */
export const RATE_MS = 5_000;
/** … and where it does: it may say anything, such as 0 forever. */
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 3_600_000;
/** … and what is likely to go at once. */
export const AGAIN_MS = 1_000;

/** How a request failed. */
interface FailedRequest {
  readonly why: "network" | "timeout" | "aborted" | "certificate" | "no_tls" | "too_large" | "refused" | "unreadable";
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
}

/** The same in the words of the contract. */
export function codeOf({ why, status }: FailedRequest): ReasonCode {
  if (why === "timeout" || why === "too_large" || why === "network") return why;
  if (why === "aborted") return "stopping";
  if (why === "certificate" || why === "no_tls") return "network";
  const known = REFUSALS.get(status);
  return known ?? (status >= 400 && status < 500 ? "bad_content" : "remote_error");
}

const REFUSALS: ReadonlyMap<number, ReasonCode> = new Map([
  [401, "auth"],
  [403, "forbidden"],
  [404, "not_found"],
  [408, "timeout"],
  [413, "too_large"],
  [429, "rate_limited"],
]);

/** An answer of this status to a request says for certain that it was not done. */
export function isCertain(status: number): boolean {
  return (status >= 400 && status < 500 && status !== 408) || MOVED.has(status);
}

const MOVED: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** When to try again by the server's word, within limits. */
export function retryWithin(ms: number): number {
  return Math.min(Math.max(ms, RETRY_MIN_MS), RETRY_MAX_MS);
}

/** How a request ended that was to change something, when not well. */
export function outcomeOf(failure: {
  readonly why: Reason;
  /** It was certainly not done. */
  readonly certain: boolean;
  readonly retryInMs: number | null;
}): Outcome {
  const { why, certain, retryInMs } = failure;
  if (why.code === "rate_limited") return { is: "deferred", why, retryInMs: retryInMs ?? RATE_MS, scope: "session" };
  if (!certain) return { is: "unknown", why };
  if (PASSING.has(why.code)) return { is: "deferred", why, retryInMs: AGAIN_MS, scope: "session" };
  return { is: "rejected", why };
}

/** What a later try may find otherwise. A server at fault that has certainly done nothing is one that moved. */
const PASSING: ReadonlySet<ReasonCode> = new Set(["network", "timeout", "stopping", "auth", "remote_error"]);

export const deferred = (why: Reason, retryInMs: number, scope: "channel" | "session"): Outcome => ({
  is: "deferred",
  why,
  retryInMs,
  scope,
});

export const rejected = (code: ReasonCode, message: string): Outcome => ({ is: "rejected", why: { code, message } });

/** We are not in the channel, or no longer: who joins it says when that changes. */
export const NOT_THERE: Outcome = deferred(
  { code: "not_found", message: "Rialto is not in the channel" },
  AGAIN_MS,
  "channel",
);
/** `attempt.signal` said so before anything left. */
export const GIVEN_UP: Outcome = deferred({ code: "stopping", message: "sending was cancelled" }, AGAIN_MS, "channel");
/** Nothing came of it that has an id. */
export const DONE: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };
export const GONE: Outcome = rejected("not_found", "the message no longer exists");
