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
  const remedy = remedyOf(errcode, json);
  return {
    why: { code, message: `the homeserver answers ${said}${remedy === null ? "" : `; ${remedy}`}` },
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
  if (FORBIDDEN.has(errcode)) return "forbidden";
  // Of the whole server, until its admins make room.
  if (errcode === "M_RESOURCE_LIMIT_EXCEEDED") return "remote_error";
  return errcode === "M_TOO_LARGE" ? "too_large" : codeOf({ why: "refused", status });
}

/** What people do about an answer with this code; null: its words say it. */
function remedyOf(errcode: string, json: Json): string | null {
  if (USER_LIMIT.has(errcode)) return limitRemedy(json);
  if (SAFETY.has(errcode))
    return "its safety rules refuse the message: its admins, or those of the room, can change them";
  return REMEDIES.get(errcode) ?? null;
}

/** MSC4335: the answer names a page about the limit, and one to raise it where that can be done. */
function limitRemedy(json: Json): string {
  const page = (name: string): string | null => {
    const url = textIn(json, name) ?? textIn(json, `org.matrix.msc4335.${name}`) ?? "";
    return /^https?:\/\/\S+$/u.test(url) ? quote(url) : null;
  };
  const [info, increase] = [page("info_uri"), page("increase_uri")];
  const raise = increase === null ? "ask the homeserver's admins to raise it" : `raise it at ${increase}`;
  return `Rialto's user has used up a limit of its account: ${raise}${info === null ? "" : `, or read ${info}`}`;
}

const USER_LIMIT: ReadonlySet<string> = new Set(["M_USER_LIMIT_EXCEEDED", "ORG.MATRIX.MSC4335_USER_LIMIT_EXCEEDED"]);
/** MSC4387. */
const SAFETY: ReadonlySet<string> = new Set(["M_SAFETY", "ORG.MATRIX.MSC4387_SAFETY"]);
const FORBIDDEN: ReadonlySet<string> = new Set([...USER_LIMIT, ...SAFETY]);
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ["M_USER_LOCKED", "Rialto's user is locked: the homeserver's admins can unlock it"],
  ["M_USER_SUSPENDED", "Rialto's user is suspended: the homeserver's admins can lift that"],
  ["M_RESOURCE_LIMIT_EXCEEDED", "the homeserver has reached a limit of its own: its admins can raise it"],
]);

/** The user may log in, but not act, until a person changes that. */
export const isBarred = ({ errcode }: MatrixFailure): boolean =>
  errcode === "M_USER_LOCKED" || errcode === "M_USER_SUSPENDED";

const AUTH: ReadonlySet<string> = new Set([
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_DEACTIVATED",
  "M_USER_LOCKED",
  "M_USER_SUSPENDED",
]);
