/**
 * Every refusal of `/v1`, once: answers, the pages below `/v1/problems/`, the description and docs/api-v1.md are made
 * of it (RFC 9457).
 */
export const PROBLEMS = {
  bad_request: { status: 400, title: "The request cannot be understood", remedy: "Correct what `errors` names." },
  unauthorized: {
    status: 401,
    title: "No credential, or none that counts",
    remedy: "Send `Authorization: Bearer <token>` with the account's Token or one of `rialto token create`.",
  },
  forbidden: {
    status: 403,
    title: "The credential does not allow this",
    remedy: "Use a token with the scope and the gateway that `detail` names.",
  },
  not_found: {
    status: 404,
    title: "There is no such thing",
    remedy: "Check the address and what it names; see `detail`.",
  },
  method_not_allowed: {
    status: 405,
    title: "The address does not take this method",
    remedy: "Use one of those in `Allow`.",
  },
  request_timeout: {
    status: 408,
    title: "The body came in too slowly",
    remedy: "Send it again, and faster.",
  },
  conflict: {
    status: 409,
    title: "It is there already, and is otherwise",
    remedy: "Send If-Match with its ETag to change it.",
  },
  events_held: {
    status: 409,
    title: "Another pull or connection holds some of these events",
    remedy:
      "Acknowledge single events with `ack`. What the holders in `held` do not acknowledge comes again; a pull with " +
      "`restart` brings it at once.",
  },
  consumer_gone: {
    status: 410,
    title: "The consumer was idle for too long and has ended",
    remedy: "Create it again, and fetch what it missed from the history.",
  },
  position_unknown: {
    status: 410,
    title: "The position is one of another log",
    remedy: "Begin anew: at a time, or with the newest events.",
  },
  precondition_failed: {
    status: 412,
    title: "It has changed meanwhile",
    remedy: "Read it again, and repeat with its new ETag.",
  },
  too_large: { status: 413, title: "The body is too large", remedy: "Send less at once; files go to /v1/files." },
  unsupported_media_type: {
    status: 415,
    title: "The media type is not read here",
    remedy: "Send application/json.",
  },
  range_not_satisfiable: {
    status: 416,
    title: "The file is not that long",
    remedy: "Ask for bytes that it has; `Content-Range` says how many.",
  },
  misdirected: {
    status: 421,
    title: "This address does not answer to that name",
    remedy: "Call it by its IP address or as localhost, or add the name to AllowedHosts.",
  },
  idempotency_mismatch: {
    status: 422,
    title: "The Idempotency-Key was used with another body",
    remedy: "Use a new key for a new message.",
  },
  unprocessable: { status: 422, title: "The request makes no sense here", remedy: "See `detail`." },
  upgrade_required: {
    status: 426,
    title: "The address speaks WebSocket",
    remedy: "Send an upgrade request (RFC 6455 §4.1).",
  },
  rate_limited: { status: 429, title: "Too many requests", remedy: "Wait for as long as Retry-After says." },
  internal: { status: 500, title: "The service failed on this request", remedy: "See its log for the request's id." },
  not_implemented: {
    status: 501,
    title: "The transfer coding is not understood",
    remedy: "Send the body plain or chunked.",
  },
  unavailable: {
    status: 503,
    title: "The log takes or gives nothing now",
    remedy: "Repeat it with the same Idempotency-Key after Retry-After.",
  },
} as const satisfies Readonly<Record<string, { status: number; title: string; remedy: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldError {
  /** RFC 6901. */
  readonly pointer: string;
  readonly detail: string;
}

/** A refusal on its way to the client; handlers throw it. `detail`: for people, without message text or secrets. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  /** What only this operation tells, beside what every refusal does. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: Partial<Pick<ProblemError, "errors" | "headers" | "more">> = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
    this.more = more.more ?? {};
  }
}
