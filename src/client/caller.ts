import { isAnswer, problemOf, RialtoError } from "./error.ts";
import { backOff, pause, SilenceWatch } from "./pauses.ts";

export interface RialtoOptions {
  /** Of the API account, such as `http://127.0.0.1:4242`. */
  readonly url: string;
  /** The account's Token, or one of `rialto token create`. */
  readonly token?: string;
  /** How often a request is repeated that failed for a reason that passes; 5. Streams and consumers go on for ever. */
  readonly retries?: number;
  /** How long a request may take, in ms; 30 000. */
  readonly timeoutMs?: number;
  /** Told of each failure that is followed by another try. */
  readonly onRetry?: (error: RialtoError) => void;
  readonly fetch?: typeof fetch;
}

type QueryValue = string | number | readonly string[] | undefined;

export interface CallRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Lists with commas between their parts; what is undefined is left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Instead of it, as it is. A stream can be sent once only. */
  readonly raw?: Blob | Uint8Array | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  /** How long the server is asked to wait, in ms. */
  readonly waitMs?: number;
  /** How often it is repeated; absent: as the options say. */
  readonly retries?: number;
}

/** Parts of a path, percent-encoded: names come from people. */
export const pathOf = (...parts: readonly string[]): string => `/v1/${parts.map(encodeURIComponent).join("/")}`;

/** Requests to one API account. All reject with RialtoError, or with the reason of the signal. */
export class RialtoCaller {
  readonly #base: string;
  readonly #options: RialtoOptions;
  readonly #fetch: typeof fetch;

  constructor(options: RialtoOptions) {
    this.#base = options.url.replace(/\/+$/u, "");
    this.#options = options;
    // Browsers refuse it as a method of something else.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
  }

  /** The answer's JSON; undefined: it has no body. */
  async json(request: CallRequest): Promise<unknown> {
    return await this.#repeated(request, async (watch) => {
      const response = await this.#send(request, watch);
      const text = await response.text();
      watch.done();
      if (!response.ok) throw problemOf(response, text);
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    });
  }

  /** The same, where there is an answer to be read. */
  async answer<T extends object>(request: CallRequest): Promise<T> {
    const value = await this.json(request);
    if (isAnswer<T>(value)) return value;
    throw new RialtoError("what answers is no Rialto", { code: "unknown", status: 200, remedy: "Check the address." });
  }

  /** An answer of which only the head has come. */
  async open(request: CallRequest): Promise<Response> {
    return await this.#repeated(request, async (watch) => await this.opened(request, watch.signal));
  }

  /** The same, once; the signal ends the body as well. */
  async opened(request: CallRequest, signal: AbortSignal): Promise<Response> {
    const response = await this.#send(request, { signal });
    if (!response.ok) throw problemOf(response, await response.text());
    return response;
  }

  /** Waits before the next try; throws what does not pass. */
  async afterFailure(error: unknown, failures: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const known = asRialtoError(error);
    if (!known.passes) throw known;
    this.#options.onRetry?.(known);
    await pause(backOff(failures, known.retryAfterMs, Math.random()), signal);
  }

  async #repeated<T>(request: CallRequest, once: (watch: SilenceWatch) => Promise<T>): Promise<T> {
    const { signal, raw, waitMs = 0, retries = this.#options.retries ?? 5 } = request;
    const last = raw instanceof ReadableStream ? 0 : retries;
    for (let failures = 0; ; failures += 1) {
      const watch = new SilenceWatch((this.#options.timeoutMs ?? 30_000) + waitMs, signal);
      try {
        return await once(watch);
      } catch (error) {
        watch.done();
        if (signal?.aborted === true) throw signal.reason;
        if (failures >= last) throw asRialtoError(error);
        await this.afterFailure(error, failures + 1, signal);
      } finally {
        // A body that is still to come ends with the caller's signal, and not by time.
        watch.calm();
      }
    }
  }

  async #send(request: CallRequest, { signal }: Pick<SilenceWatch, "signal">): Promise<Response> {
    const { method, path, query = {}, body, raw } = request;
    const { token } = this.#options;
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) words.set(name, Array.isArray(value) ? value.join(",") : String(value));
    }
    const search = words.size === 0 ? "" : `?${words.toString()}`;
    return await this.#fetch(this.#base + path + search, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(raw !== undefined && { "Content-Type": "application/octet-stream" }),
        ...request.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw, ...(raw instanceof ReadableStream && { duplex: "half" as const }) }),
      signal,
      // The token is for this address alone.
      redirect: "error",
      cache: "no-store",
    });
  }
}

function asRialtoError(error: unknown): RialtoError {
  if (error instanceof RialtoError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new RialtoError(`Rialto cannot be reached: ${why}`, {
    code: "unreachable",
    status: 0,
    remedy: "Check that Rialto runs, and its address.",
    cause: error,
  });
}
