import { signal } from "@preact/signals";

/** A refusal as the service says it (RFC 9457), or why there was no answer (`status` 0). */
export interface ApiProblem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly remedy: string | null;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** All of it, with what only this call answers. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type ApiAnswer<Value> =
  | { readonly ok: true; readonly value: Value; readonly etag: string | null; readonly status: number }
  | { readonly ok: false; readonly problem: ApiProblem };

export interface ApiOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Instead of 30 s. */
  readonly timeoutMs?: number;
  /** It is sent although the page is being left. */
  readonly keepalive?: boolean;
}

const TIMEOUT_MS = 30_000;

/** A call was answered 401: whoever shows the page asks for a way in. */
export const unauthorized = signal(false);

export const get = <Value>(path: string, options?: ApiOptions): Promise<ApiAnswer<Value>> => call("GET", path, options);

export const post = <Value>(path: string, body?: unknown, options?: ApiOptions): Promise<ApiAnswer<Value>> =>
  call("POST", path, options, body);

export const put = <Value>(path: string, body: unknown, options?: ApiOptions): Promise<ApiAnswer<Value>> =>
  call("PUT", path, options, body);

export const patch = <Value>(path: string, body: unknown, options?: ApiOptions): Promise<ApiAnswer<Value>> =>
  call("PATCH", path, options, body);

export const del = <Value>(path: string, options?: ApiOptions): Promise<ApiAnswer<Value>> =>
  call("DELETE", path, options);

/** For a call that says something: without an answer, nobody knows whether it did. */
export function inDoubt(problem: ApiProblem): ApiProblem {
  if (problem.status !== 0 || problem.code === "aborted") return problem;
  const detail = "Nobody knows whether it was said.";
  return { ...problem, detail, remedy: "It may have been: look into the room before you send it again." };
}

/** Parts of a path that others named. */
export const path = (parts: readonly (string | number)[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join("");

/** Never rejects. A Blob as body goes as it is, all else as JSON. */
async function call<Value>(
  method: string,
  path: string,
  options: ApiOptions = {},
  body?: unknown,
): Promise<ApiAnswer<Value>> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const headers = new Headers({ "X-Rialto": "1", Accept: "application/json", ...options.headers });
  if (body !== undefined && !(body instanceof Blob)) headers.set("Content-Type", "application/json");
  try {
    const response = await fetch(path, {
      method,
      headers,
      signal: options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]),
      credentials: "same-origin",
      cache: "no-store",
      keepalive: options.keepalive ?? false,
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) {
      const value = (text === "" ? null : JSON.parse(text)) as Value;
      return { ok: true, value, etag: response.headers.get("ETag"), status: response.status };
    }
    if (response.status === 401) unauthorized.value = true;
    return { ok: false, problem: problemOf(response.status, text) };
  } catch (error) {
    return { ok: false, problem: withoutAnswer(error) };
  }
}

function problemOf(status: number, text: string): ApiProblem {
  const body = objectOf(text);
  const said = (name: string): string | null => (typeof body[name] === "string" ? body[name] : null);
  return {
    status,
    code: said("code") ?? String(status),
    title: said("title") ?? `The service answered ${status}`,
    detail: said("detail") ?? "",
    remedy: said("remedy"),
    errors: Array.isArray(body["errors"]) ? (body["errors"] as ApiProblem["errors"]) : [],
    body,
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** `aborted`: the page itself gave it up, and has nothing to say. */
function withoutAnswer(error: unknown): ApiProblem {
  const name = error instanceof Error ? error.name : "";
  const code = name === "AbortError" ? "aborted" : name === "TimeoutError" ? "timeout" : "unreachable";
  const title = code === "timeout" ? "Rialto did not answer in time" : "Rialto cannot be reached";
  const remedy = "Check that Rialto runs and that the network is there, then try again.";
  return { status: 0, code, title, detail: "", remedy, errors: [], body: {} };
}
