import type { Outcome, Reason, ReasonCode } from "../../contract/outcome.ts";
import { quote } from "../kit/ends.ts";
import type { HttpFailure } from "../kit/http.ts";
import { type Json, numberIn, textIn } from "../kit/json.ts";

/** Why the homeserver has not done what it was asked. */
export interface MatrixFailure {
  readonly why: Reason;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** `M_…`; empty when there is none. */
  readonly errcode: string;
  /** It was certainly not done. */
  readonly certain: boolean;
  /** The certificate is not one to trust. */
  readonly certificate: boolean;
  /** When to try again, by the server's own word. */
  readonly retryInMs: number | null;
}

const RATE_MS = 5_000;
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 3_600_000;

/** `base`: the homeserver as its URL has it. */
export function unreachable({ why, message, certain }: HttpFailure, base: string): MatrixFailure {
  const codes = {
    network: "network",
    timeout: "timeout",
    aborted: "stopping",
    certificate: "network",
    too_large: "too_large",
  } as const;
  const said = {
    code: codes[why],
    message: why === "aborted" ? message : `${base} cannot be reached: ${message}`,
  };
  return { why: said, status: 0, errcode: "", certain, certificate: why === "certificate", retryInMs: null };
}

/** What an answer that is not a success means (client-server API, "Standard error response"). */
export function refused(status: number, json: Json, retryAfter: string | undefined): MatrixFailure {
  const errcode = textIn(json, "errcode") ?? "";
  const words = quote(textIn(json, "error") ?? "");
  const code = codeOf(status, errcode);
  const said = [errcode || `HTTP ${status}`, words].filter(Boolean).join(": ");
  return {
    why: { code, message: `the homeserver answers ${said}` },
    status,
    errcode,
    certain: status >= 400 && status < 500 && status !== 408,
    certificate: false,
    retryInMs:
      code === "rate_limited" ? within(numberIn(json, "retry_after_ms") ?? seconds(retryAfter) ?? RATE_MS) : null,
  };
}

/** A server may say anything, such as 0 forever. */
function within(ms: number): number {
  return Math.min(Math.max(ms, RETRY_MIN_MS), RETRY_MAX_MS);
}

function seconds(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/u.test(header) ? Number(header) * 1000 : null;
}

function codeOf(status: number, errcode: string): ReasonCode {
  if (status === 429 || errcode === "M_LIMIT_EXCEEDED") return "rate_limited";
  if (AUTH.has(errcode)) return "auth";
  if (status === 413 || errcode === "M_TOO_LARGE") return "too_large";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  return status >= 400 && status < 500 ? "bad_content" : "remote_error";
}

const AUTH: ReadonlySet<string> = new Set([
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_DEACTIVATED",
  "M_USER_LOCKED",
  "M_USER_SUSPENDED",
]);

/** How a request ended that was to change something, when not well. */
export function outcomeOf({ why, certain, retryInMs }: MatrixFailure): Outcome {
  if (why.code === "rate_limited") return { is: "deferred", why, retryInMs: retryInMs ?? RATE_MS, scope: "session" };
  if (!certain) return { is: "unknown", why };
  if (why.code === "network" || why.code === "timeout" || why.code === "stopping" || why.code === "auth") {
    return { is: "deferred", why, retryInMs: 1_000, scope: "session" };
  }
  return { is: "rejected", why };
}
