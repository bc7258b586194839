import type { Reason, ReasonCode } from "../../contract/outcome.ts";
import { quote } from "../kit/ends.ts";
import type { HttpFailure } from "../kit/http.ts";
import { type Json, numberIn, textIn } from "../kit/json.ts";
import { codeOf, isCertain, retryWithin } from "../kit/outcomes.ts";
import { secondsIn } from "../kit/rest.ts";

/** Why the homeserver has not done what it was asked. */
export interface MatrixFailure {
  readonly why: Reason;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** `M_…`; empty when there is none. */
  readonly errcode: string;
  /** It was certainly not done. */
  readonly certain: boolean;
  /** The certificate is not one to trust, or there is no TLS at all. */
  readonly certificate: boolean;
  /** When to try again, by the server's own word. */
  readonly retryInMs: number | null;
}

const RATE_MS = 5_000;

/** `base`: the homeserver as its URL has it. */
export function unreachable({ why, message, certain }: HttpFailure, base: string): MatrixFailure {
  const said = {
    code: codeOf({ why, status: 0 }),
    message: why === "aborted" ? message : `${base} cannot be reached: ${message}`,
  };
  const certificate = why === "certificate" || why === "no_tls";
  return { why: said, status: 0, errcode: "", certain, certificate, retryInMs: null };
}

/** What an answer that is not a success means (client-server API, "Standard error response"). */
export function refused(status: number, json: Json, retryAfter: string | undefined): MatrixFailure {
  const errcode = textIn(json, "errcode") ?? "";
  const words = quote(textIn(json, "error") ?? "");
  const code = refusalCode(status, errcode);
  const said = [errcode || `HTTP ${status}`, words].filter(Boolean).join(": ");
  return {
    why: { code, message: `the homeserver answers ${said}` },
    status,
    errcode,
    certain: isCertain(status),
    certificate: false,
    retryInMs:
      code === "rate_limited"
        ? retryWithin(numberIn(json, "retry_after_ms") ?? secondsIn(retryAfter) ?? RATE_MS)
        : null,
  };
}

function refusalCode(status: number, errcode: string): ReasonCode {
  if (status === 429 || errcode === "M_LIMIT_EXCEEDED") return "rate_limited";
  if (AUTH.has(errcode)) return "auth";
  // Of a proxy before it, which says nothing of our login or of what was sent: it passes.
  if (status === 401 && errcode === "") return "remote_error";
  if (status === 401 || status === 408) return "bad_content";
  return errcode === "M_TOO_LARGE" ? "too_large" : codeOf({ why: "refused", status });
}

const AUTH: ReadonlySet<string> = new Set([
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_DEACTIVATED",
  "M_USER_LOCKED",
  "M_USER_SUSPENDED",
]);
