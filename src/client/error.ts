/** One field that was refused; `pointer`: RFC 6901. */
export interface RefusedField {
  readonly pointer: string;
  readonly detail: string;
}

/** A refusal of Rialto, as its problem says it (RFC 9457), or that it could not be reached. */
export class RialtoError extends Error {
  override readonly name = "RialtoError";
  /** Such as `not_found`; `unreachable`: no answer came; `unknown`: what answered is no Rialto. */
  readonly code: string;
  /** Of HTTP; 0: no answer came. */
  readonly status: number;
  /** What can be done about it; may be empty. */
  readonly remedy: string;
  readonly errors: readonly RefusedField[];
  /** Names the request in the log of Rialto; may be empty. */
  readonly instance: string;
  /** What Rialto asks to wait for, in ms. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    problem: {
      readonly code: string;
      readonly status: number;
      readonly remedy?: string;
      readonly errors?: readonly RefusedField[];
      readonly instance?: string;
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, problem.cause === undefined ? {} : { cause: problem.cause });
    this.code = problem.code;
    this.status = problem.status;
    this.remedy = problem.remedy ?? "";
    this.errors = problem.errors ?? [];
    this.instance = problem.instance ?? "";
    this.retryAfterMs = problem.retryAfterMs ?? null;
  }

  /** Whether the same request may go well later. */
  get passes(): boolean {
    const { status } = this;
    return status === 0 || status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What Rialto answers has the shape that its description says; more keys may come. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what the description says
export const isAnswer = <T extends object>(value: unknown): value is T => isRecord(value);

const textOf = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);

/** Of an answer that is no success, and its body. */
export function problemOf({ status, headers }: Pick<Response, "status" | "headers">, body: string): RialtoError {
  let problem: unknown = null;
  try {
    problem = JSON.parse(body);
  } catch {
    // A proxy may have answered in its own words.
  }
  const fields = isRecord(problem) ? problem : {};
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const errors = Array.isArray(fields["errors"]) ? fields["errors"] : [];
  const title = textOf(fields["title"], `the server answers ${status}`);
  return new RialtoError(textOf(fields["detail"], title), {
    code: textOf(fields["code"], "unknown"),
    status,
    remedy: textOf(fields["remedy"], ""),
    errors: errors.filter(isRefusedField),
    instance: textOf(fields["instance"], ""),
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null,
  });
}

function isRefusedField(value: unknown): value is RefusedField {
  return isRecord(value) && typeof value["pointer"] === "string" && typeof value["detail"] === "string";
}
