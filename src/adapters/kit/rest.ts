import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../contract/host.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { download } from "./download.ts";
import { quote } from "./ends.ts";
import { discard, type Http, type HttpFailure, type HttpMethod, type HttpRequest, type Upload } from "./http.ts";
import { parsedInTurns, written } from "./json.ts";
import { isCertain, retryWithin } from "./outcomes.ts";

const CALL_MS = 60_000;
/** Of an upload, beside what it takes at 64 KiB a second. */
const UPLOAD_MS = 120_000;

/** What a network's refusals say, in its own way. */
export interface RestDialect {
  /** The words for people; null: there are none. */
  words(body: unknown): string | null;
  /** In how many milliseconds to try again; null: it does not say, and the header Retry-After counts. */
  retryAfterMs(refusal: RestRefusal): number | null;
}

/** An answer that is no success. */
export interface RestRefusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What its JSON says; undefined when it is none. */
  readonly body: unknown;
}

interface RestOptions {
  readonly http: Http;
  readonly clock: Pick<Clock, "nowMs" | "monoMs">;
  /** Its path comes before that of each call. */
  readonly base: URL;
  /** Who is asked, for people: "the server". */
  readonly who: string;
  /** What comes before the token: "Bearer". */
  readonly scheme: string;
  readonly dialect: RestDialect;
  /** What a 429 concerns: `all`: nothing is asked until it is over; `call`: that call alone. */
  readonly limit: "all" | "call";
}

interface RestPlace {
  /** Behind that of `base`; texts of others in it went through `segment`. */
  readonly path: string;
  /** What is null is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface RestCall extends RestPlace {
  readonly method: HttpMethod;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  /** Sent as a form, in place of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  /** See `HttpRequest`; only a GET is, when nothing is said. */
  readonly again?: boolean | undefined;
  /** Asked also while all calls are forbidden: for a goodbye, which cannot be said later. */
  readonly urgent?: boolean;
}

export interface RestUpload extends RestPlace {
  readonly method: HttpMethod;
  /** As it is, or made by `multipart`. */
  readonly content: Upload;
}

export type RestAnswer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** What its JSON says; null when there is nothing. */
      readonly value: unknown;
    }
  | { readonly ok: false; readonly failure: RestFailure };

export interface RestFailure extends RestRefusal {
  /** `refused`: see `status`, which is 0 when no answer came. `unreadable`: a success that is not JSON. */
  readonly why: HttpFailure["why"] | "refused" | "unreadable";
  /** For people; has neither token nor query in it. */
  readonly message: string;
  /** When to try again, by the server's own word. */
  readonly retryAfterMs: number | null;
  /** It was certainly not done. */
  readonly certain: boolean;
}

const never = new AbortController().signal;
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** An API of JSON over HTTP. Every answer is a value, whatever it is. */
export class Rest {
  readonly #options: RestOptions;
  #token: string | null = null;
  /** The refusal that forbids all calls, and until when. */
  #ban: { readonly failure: RestFailure; readonly untilMs: number } | null = null;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Sent with every call from now on; null: none. */
  set token(token: string | null) {
    this.#token = token;
  }

  async call(call: RestCall): Promise<RestAnswer> {
    const { method, body, form, timeoutMs = CALL_MS, again = method === "GET", urgent = false } = call;
    const text = form !== undefined ? String(new URLSearchParams(form)) : body === undefined ? null : written(body);
    const headers = form === undefined ? {} : FORM;
    return await this.#ask(call, { method, headers, body: text, timeoutMs, again }, urgent);
  }

  async upload(call: RestUpload): Promise<RestAnswer> {
    const { method, content, timeoutMs = UPLOAD_MS + content.bytes / 64 } = call;
    return await this.#ask(call, { method, headers: {}, body: content, timeoutMs, again: false });
  }

  /** The content of a file of the API. */
  async download(place: Pick<RestPlace, "path" | "query">, signal: AbortSignal): Promise<OpenedFile> {
    const { http, who } = this.#options;
    const banned = this.#banned();
    if (banned !== null) return { ok: false, why: { code: "rate_limited", message: banned.message } };
    return await download(http, { url: this.#url(place), headers: this.#headers, who, signal });
  }

  get #headers(): Readonly<Record<string, string>> {
    return this.#token === null ? {} : { Authorization: `${this.#options.scheme} ${this.#token}` };
  }

  #url({ path, query = {} }: Pick<RestPlace, "path" | "query">): URL {
    const url = new URL(this.#options.base);
    // Set like this, a path leads to no other server, whatever it is.
    url.pathname = url.pathname.replace(/\/+$/u, "") + path;
    url.search = "";
    url.hash = "";
    for (const [name, value] of Object.entries(query)) {
      if (value !== null) url.searchParams.set(name, String(value));
    }
    return url;
  }

  async #ask(
    place: RestPlace,
    request: Pick<HttpRequest, "method" | "headers" | "body" | "timeoutMs" | "again">,
    urgent = false,
  ): Promise<RestAnswer> {
    const { http, who, base } = this.#options;
    const { signal = never } = place;
    const banned = urgent ? null : this.#banned();
    if (banned !== null) {
      await discard(request.body);
      return failed(banned);
    }
    const headers = { ...request.headers, ...this.#headers };
    const answer = await http.request({ ...request, url: this.#url(place), headers, signal });
    if (answer.is === "failed") {
      const { why, certain } = answer;
      const server = `${base.origin}${base.pathname.replace(/\/+$/u, "")}`;
      const message = why === "aborted" ? answer.message : `${server} cannot be reached: ${answer.message}`;
      return failed({ status: 0, headers: {}, body: undefined, why, message, retryAfterMs: null, certain });
    }
    const { status, headers: told, text } = answer;
    const body = text === "" ? null : await parsedInTurns(text);
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && body !== undefined) return { ok: true, status, headers: told, value: body };
    if (isSuccess) {
      const message = `${who} answers what is not JSON (HTTP ${status})`;
      return failed({ status, headers: told, body, why: "unreadable", message, retryAfterMs: null, certain: false });
    }
    const failure = this.#refused({ status, headers: told, body });
    this.#note(failure);
    return failed(failure);
  }

  #note(failure: RestFailure): void {
    const { limit, clock } = this.#options;
    if (limit !== "all" || failure.status !== 429 || failure.retryAfterMs === null) return;
    const untilMs = clock.monoMs() + failure.retryAfterMs;
    if (untilMs > (this.#ban?.untilMs ?? 0)) this.#ban = { failure, untilMs };
  }

  /** What every call is answered for now, without asking; null: none. */
  #banned(): RestFailure | null {
    if (this.#ban === null) return null;
    const leftMs = this.#ban.untilMs - this.#options.clock.monoMs();
    return leftMs > 0 ? { ...this.#ban.failure, retryAfterMs: Math.ceil(leftMs) } : null;
  }

  #refused(refusal: RestRefusal): RestFailure {
    const { dialect, who, clock } = this.#options;
    const { status, headers, body } = refusal;
    const words = quote(this.#clean((body === undefined ? null : dialect.words(body)) ?? ""));
    const waitMs = dialect.retryAfterMs(refusal) ?? retryAfterMs(headers, clock.nowMs());
    return {
      ...refusal,
      why: "refused",
      message: `${who} answers HTTP ${status}${words === "" ? "" : `: ${words}`}`,
      retryAfterMs: waitMs === null ? null : retryWithin(waitMs),
      certain: isCertain(status),
    };
  }

  /** Some servers repeat what they were sent. */
  #clean(text: string): string {
    return this.#token === null || this.#token === "" ? text : text.replaceAll(this.#token, "…");
  }
}

const failed = (failure: RestFailure): RestAnswer => ({ ok: false, failure });

/** Milliseconds of a header that counts seconds; null: it does not. */
export function secondsIn(header: string | readonly string[] | undefined): number | null {
  return typeof header === "string" && /^\d{1,9}(?:\.\d{1,9})?$/u.test(header)
    ? Math.ceil(Number(header) * 1000)
    : null;
}

/** RFC 9110 §10.2.3. A date counts from the server's own one, where it says that. */
function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const header = headers["retry-after"];
  const atMs = dateIn(header);
  return secondsIn(header) ?? (atMs === null ? null : atMs - (dateIn(headers.date) ?? nowMs));
}

function dateIn(header: string | undefined): number | null {
  const atMs = header?.endsWith(" GMT") === true ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}
