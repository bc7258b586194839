import { REST, RequestMethod, type ResponseLike } from "@discordjs/rest";
import type { AdapterLog, Clock, Host } from "../../contract/host.ts";
import { onAbort } from "../../lib/abort.ts";
import { quote } from "../kit/ends.ts";
import type { Reason } from "../../contract/outcome.ts";
import { discard, type Http, type HttpAnswer, type HttpMethod, type Upload } from "../kit/http.ts";
import { isObject, type Json, numberIn, parsed, written } from "../kit/json.ts";
import { isCertain } from "../kit/outcomes.ts";
import { limited, NO_FAILURE, responseOf, routeOf, wordsOf } from "./rest-answer.ts";
import { DiscordLimits, type DiscordRoute } from "./rest-limits.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";

const CALL_MS = 30_000;
/** Of an upload, beside what it takes at 64 KiB a second. */
const UPLOAD_MS = 120_000;
/** A question waits for its limit to be over if that is as soon as this … */
const PATIENCE_MS = 15_000;
/** … and is asked so often, before the limit is handed on as a failure. */
const TRIES_MAX = 4;
/** More than any request takes: time is measured by our own clock. `setTimeout` takes no more. */
const NEVER_MS = 2 ** 31 - 1;
const SWEEP_MS = 3_600_000;

interface DiscordRestOptions {
  readonly http: Http;
  readonly clock: Clock;
  readonly log: AdapterLog;
  readonly degraded: Host["degraded"];
  /** Without the version. */
  readonly base: string;
  /** The version of the API, such as `10`. */
  readonly version: string;
  readonly token: string;
}

export interface DiscordCall {
  readonly method: HttpMethod;
  /** Behind the version; texts of others in it went through `segment`. */
  readonly path: string;
  /** What is null is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null>>;
  /** JSON, or a form. */
  readonly body?: Json | Upload;
  /** A webhook's token in the path is enough. */
  readonly open?: boolean;
  readonly signal: AbortSignal;
}

/** What the library takes along to where requests are made. */
class Parcel {
  readonly content: string | Upload | null;

  constructor(content: string | Upload | null) {
    this.content = content;
  }
}

/** A refusal on its way through the library. */
class Refused extends Error {
  readonly failure: DiscordFailure;

  constructor(failure: DiscordFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * The network's API behind `@discordjs/rest`, which keeps requests of one route to one place in their order. Time,
 * limits and connections are ours: it is told of no limit, and never tries again. Every answer is a value.
 */
export class DiscordRest {
  /** The token is not accepted, or no longer. */
  onUnauthorized: (failure: DiscordFailure) => void = () => undefined;
  readonly #options: DiscordRestOptions;
  readonly #rest: REST;
  readonly #limits: DiscordLimits;
  /** What stands before the paths of requests. */
  readonly #prefix: string;
  /** That nothing is asked has been said; calls off what says that it is over. */
  #unwarn: (() => void) | null = null;

  constructor(options: DiscordRestOptions) {
    this.#options = options;
    this.#limits = new DiscordLimits(options.clock);
    this.#prefix = new URL(`${options.base}/v${options.version}`).pathname;
    this.#rest = new REST({
      version: options.version,
      api: options.base,
      userAgentAppendix: "Rialto",
      retries: 0,
      timeout: NEVER_MS,
      globalRequestsPerSecond: Infinity,
      hashSweepInterval: 0,
      handlerSweepInterval: SWEEP_MS,
      makeRequest: async (url, init) => await this.#make(new URL(url), textsIn(init.headers), init),
    }).setToken(options.token);
  }

  close(): void {
    this.#unwarn?.();
    this.#rest.clearHandlerSweeper();
    this.#rest.clearHashSweeper();
  }

  /** The value is what its JSON says; null when there is nothing. A GET waits for a limit that is soon over. */
  async call(call: DiscordCall): Promise<DiscordResult<unknown>> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#once(call);
      if (answer.ok || call.method !== "GET" || answer.failure.scope === null || tries >= TRIES_MAX) return answer;
      const waitMs = answer.failure.retryAfterMs ?? PATIENCE_MS;
      if (waitMs > PATIENCE_MS || !(await this.#wait(waitMs, call.signal))) return answer;
    }
  }

  /** Why nothing is asked now; null: it is. */
  #banned(route: DiscordRoute): DiscordFailure | null {
    const tooOftenMs = this.#limits.refusedTooOftenMs();
    if (tooOftenMs !== null) {
      const message = `Discord has refused so many requests that Rialto asks nothing for ${Math.ceil(tooOftenMs / 1000)} s: it bans addresses that go on`;
      this.#warn({ code: "rate_limited", message }, tooOftenMs);
      return limited(message, { leftMs: tooOftenMs, scope: "global" });
    }
    const ban = this.#limits.ban(route);
    return ban === null ? null : limited("Discord limits how much may be asked", ban);
  }

  #warn(why: Reason, forMs: number): void {
    if (this.#unwarn !== null) return;
    const { log, clock, degraded } = this.#options;
    log.warn({ forMs }, why.message);
    degraded(why, "refusals");
    this.#unwarn = clock.after(forMs, () => {
      this.#unwarn = null;
      degraded(null, "refusals");
    });
  }

  async #once({ method, path, query = {}, body, open = false, signal }: DiscordCall): Promise<DiscordResult<unknown>> {
    const upload = body !== undefined && isUpload(body) ? body : null;
    const parcel = new Parcel(upload ?? (body === undefined ? null : written(body)));
    // The library never takes its ear from a signal.
    const given = new AbortController();
    const release = onAbort(signal, () => given.abort());
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== null) search.set(name, String(value));
    try {
      const made = await this.#rest.queueRequest({
        method: METHODS[method],
        fullRoute: `/${path.replace(/^\//u, "")}`,
        query: search,
        auth: !open,
        signal: given.signal,
        passThroughBody: true,
        ...(body !== undefined && { body: parcel }),
      });
      const text = await made.text();
      const value = text === "" ? null : parsed(text);
      if (value !== undefined) return { ok: true, value };
      const message = `Discord answers what is not JSON (HTTP ${made.status})`;
      return failed({ ...NO_FAILURE, why: "unreadable", status: made.status, message, certain: false });
    } catch (error) {
      await discard(upload);
      if (!(error instanceof Refused)) return failed(this.#unasked(error, signal));
      if (error.failure.status === 401 && !open) this.onUnauthorized(error.failure);
      return failed(error.failure);
    } finally {
      release();
    }
  }

  /** The library has made no request: it was cancelled, or its token is gone after an answer with 401. */
  #unasked(error: unknown, signal: AbortSignal): DiscordFailure {
    if (signal.aborted) return { ...NO_FAILURE, why: "aborted", message: "the request was cancelled" };
    const words = error instanceof Error ? error.message : String(error);
    this.#options.log.debug({ words: this.#clean(words) }, "a request was not made");
    return { ...NO_FAILURE, why: "refused", status: 401, message: "Discord no longer accepts the token" };
  }

  async #make(url: URL, headers: Readonly<Record<string, string>>, init: Made): Promise<ResponseLike> {
    const { http } = this.#options;
    const method = methodIn(init.method);
    const route = routeOf(method, url.pathname.slice(this.#prefix.length));
    const banned = this.#banned(route);
    if (banned !== null) throw new Refused(banned);
    const content = init.body instanceof Parcel ? init.body.content : null;
    const timeoutMs = content === null || typeof content === "string" ? CALL_MS : UPLOAD_MS + content.bytes / 64;
    const { signal } = init;
    const answer = await http.request({
      method,
      url,
      headers,
      body: content,
      timeoutMs,
      again: method !== "POST",
      signal: signal instanceof AbortSignal ? signal : never,
    });
    return this.#taken(answer, route, url);
  }

  /** Everything but a success is thrown. */
  #taken(answer: HttpAnswer, route: DiscordRoute, { origin }: URL): ResponseLike {
    if (answer.is === "failed") {
      const { why, certain } = answer;
      const message = why === "aborted" ? answer.message : `${origin} cannot be reached: ${answer.message}`;
      throw new Refused({ ...NO_FAILURE, why, message, certain });
    }
    const { status, headers, text } = answer;
    const isSuccess = status >= 200 && status < 300;
    const said = isSuccess ? undefined : parsed(text);
    const ban = this.#limits.note(route, status, headers, said);
    if (isSuccess) return responseOf(status, text);
    const words = quote(this.#clean(wordsOf(said)));
    const code = isObject(said) ? (numberIn(said, "code") ?? 0) : 0;
    if (ban !== null) throw new Refused(limited(`Discord limits how much may be asked: ${words}`, ban, code));
    // Without a code of its own, it is the endpoint that is missing; servers like Discord's do not have them all.
    const asked = status === 404 && (code === 0 || code === 404) ? ` (${route.name})` : "";
    throw new Refused({
      why: "refused",
      status,
      code,
      message: `Discord answers HTTP ${status}${words === "" ? "" : `: ${words}`}${asked}`,
      certain: isCertain(status),
      retryAfterMs: null,
      scope: null,
    });
  }

  /** Some servers repeat what they were sent. */
  #clean(text: string): string {
    return text.replaceAll(this.#options.token, "…").replaceAll(/(?<=\/webhooks\/\d+\/)[\w-]+/gu, "…");
  }

  /** False when it was given up. */
  async #wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    if (signal.aborted) return false;
    return await new Promise((resolve) => {
      const release = onAbort(signal, () => {
        cancel();
        resolve(false);
      });
      const cancel = clock.after(ms, () => {
        release();
        resolve(true);
      });
    });
  }
}

/** Of what the library says of a request, what counts here; its own type is that of a client that is not used. */
interface Made {
  readonly method?: string | undefined;
  readonly body?: unknown;
  readonly signal?: unknown;
}

const never = new AbortController().signal;

const METHODS: Readonly<Record<HttpMethod, RequestMethod>> = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PUT: RequestMethod.Put,
  PATCH: RequestMethod.Patch,
  DELETE: RequestMethod.Delete,
};

function methodIn(said: string | undefined): HttpMethod {
  return said === "POST" || said === "PUT" || said === "PATCH" || said === "DELETE" ? said : "GET";
}

function textsIn(headers: unknown): Readonly<Record<string, string>> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

function isUpload(body: Json | Upload): body is Upload {
  return body["stream"] instanceof ReadableStream;
}

const failed = (failure: DiscordFailure): DiscordResult<never> => ({ ok: false, failure });
