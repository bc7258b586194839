import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../contract/host.ts";
import { quote } from "../kit/ends.ts";
import type { Http } from "../kit/http.ts";
import { isObject, type Json, listIn, NOTHING, objectIn, textIn, written } from "../kit/json.ts";
import { Rest, type RestAnswer, type RestDialect, type RestFailure } from "../kit/rest.ts";
import { factsOf } from "./errors.ts";
import { limitsOf, type SlackLimits } from "./limits.ts";
import type { SlackFailure, SlackResult } from "./result.ts";

/** Refusals have the status 200 and are read here; others are of what stands before Slack's servers. */
const dialect: RestDialect = {
  words: (body) => (isObject(body) ? textIn(body, "error") : null),
  retryAfterMs: () => null,
};

interface WebOptions {
  readonly http: Http;
  readonly clock: Pick<Clock, "nowMs" | "monoMs" | "after">;
  /** What stands before the names of methods, as `https://slack.com/api/`. */
  readonly base: URL;
  readonly token: string;
  /** Where the token is given further scopes, for people. */
  readonly scopesAt: string;
}

interface WebCall {
  /** Such as `chat.postMessage`. */
  readonly method: string;
  /** What is null is left out. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

export interface WebRead extends WebCall {
  /** For how long the method may be forbidden before this fails. */
  readonly waitMs: number;
}

export interface WebWrite extends WebCall {
  /** What is counted apart from others by the server: posts to one channel. */
  readonly part?: string;
  /** Twice is no more than once: it may be sent again on another connection. */
  readonly again?: boolean;
}

/** The Web API with one token: calls by the names of methods. Every answer is a value. */
export class SlackWeb {
  /** The token has other scopes than before: somebody has installed the app anew. */
  onScopes: () => void = () => undefined;
  readonly #options: WebOptions;
  readonly #rest: Rest;
  readonly #limits: SlackLimits;
  /** What the token may do; null: nobody has said it. */
  #scopes: ReadonlySet<string> | null = null;
  /** The server's clock when it answered last, and ours. */
  #time: { readonly serverMs: number; readonly atMs: number } | null = null;

  constructor(options: WebOptions) {
    const { http, clock, base, token } = options;
    this.#options = options;
    this.#rest = new Rest({ http, clock, base, who: "Slack", scheme: "Bearer", dialect, limit: "call" });
    this.#rest.token = token;
    this.#limits = limitsOf(token, clock);
  }

  get scopes(): ReadonlySet<string> | null {
    return this.#scopes;
  }

  /** By the server's clock, which counts seconds; null: nothing was answered yet. */
  get serverMs(): number | null {
    if (this.#time === null) return null;
    return this.#time.serverMs + this.#options.clock.monoMs() - this.#time.atMs;
  }

  isLimited(method: string): boolean {
    return this.limitedMs(method) > 0;
  }

  /** For how long Slack does not want to be asked this. */
  limitedMs(method: string): number {
    return this.#limits.leftMs(method);
  }

  /** While the method is forbidden, that is waited for. */
  async read({ waitMs, ...call }: WebRead): Promise<SlackResult<Json>> {
    const { method, signal } = call;
    const { clock } = this.#options;
    const untilMs = clock.monoMs() + waitMs;
    const ask = async (): Promise<SlackResult<Json>> => await this.#ask(call, method, true);
    for (;;) {
      const result = await this.#limits.inTurn(method, untilMs - clock.monoMs(), signal, ask);
      if (result === null) return { ok: false, failure: this.#forbidden(method, method) };
      if (result.ok || result.failure.error !== LIMITED) return result;
    }
  }

  /** While it is forbidden, it is not asked. */
  async write({ part, again = false, ...call }: WebWrite): Promise<SlackResult<Json>> {
    const { method } = call;
    const kind = part === undefined ? method : `${method} ${part}`;
    if (this.#limits.leftMs(kind) > 0) return { ok: false, failure: this.#forbidden(method, kind) };
    return await this.#ask(call, kind, again);
  }

  /** As Slack's own libraries do it: not every method takes JSON, nor anything but POST everywhere. */
  async #ask(
    { method, args = {}, signal, timeoutMs }: WebCall,
    kind: string,
    again: boolean,
  ): Promise<SlackResult<Json>> {
    const call = { method: "POST", path: `/${method}`, form: formOf(args), again, signal, timeoutMs } as const;
    return this.#result(method, kind, await this.#rest.call(call));
  }

  #result(method: string, kind: string, answer: RestAnswer): SlackResult<Json> {
    if (!answer.ok) return { ok: false, failure: this.#failed(method, kind, answer.failure) };
    const { status, headers, value } = answer;
    const body = isObject(value) ? value : NOTHING;
    this.#note(headers);
    if (body["ok"] === true) return { ok: true, value: body };
    const refusal = { status, headers, body: value, why: "refused", retryAfterMs: null, certain: true } as const;
    const error = this.#word(body, "error");
    if (body["ok"] !== false || error === "") {
      const message = `what answers to ${method} is not Slack's API`;
      return { ok: false, failure: { ...refusal, why: "unreadable", message, certain: false, error: "", needed: "" } };
    }
    if (error === LIMITED || error === "rate_limited") {
      this.#limits.forbid(kind, null);
      return { ok: false, failure: this.#forbidden(method, kind) };
    }
    const needed = this.#word(body, "needed");
    const isScope = error === "missing_scope" && needed !== "";
    const message = isScope ? this.#lacks(method, needed) : `Slack refuses ${method}: ${error}${this.#details(body)}`;
    return { ok: false, failure: { ...refusal, message, certain: factsOf(error).kind !== "trouble", error, needed } };
  }

  #note({ date, "x-oauth-scopes": scopes }: IncomingHttpHeaders): void {
    if (typeof scopes === "string") this.#noteScopes(new Set(scopes.split(",").map((scope) => scope.trim())));
    const serverMs = Date.parse(date ?? "");
    if (!Number.isNaN(serverMs)) this.#time = { serverMs, atMs: this.#options.clock.monoMs() };
  }

  #noteScopes(scopes: ReadonlySet<string>): void {
    const before = this.#scopes;
    this.#scopes = scopes;
    if (before === null || (before.size === scopes.size && [...scopes].every((scope) => before.has(scope)))) return;
    this.onScopes();
  }

  #failed(method: string, kind: string, failure: RestFailure): SlackFailure {
    const { status, retryAfterMs, body } = failure;
    if (status !== 429) return { ...failure, error: isObject(body) ? this.#word(body, "error") : "", needed: "" };
    const leftMs = this.#limits.forbid(kind, retryAfterMs);
    return { ...failure, message: tooMuch(method), retryAfterMs: leftMs, error: LIMITED, needed: "" };
  }

  /** What is answered in Slack's place while it does not want to be asked. */
  #forbidden(method: string, kind: string): SlackFailure {
    const retryAfterMs = this.#limits.leftMs(kind);
    const refused = { status: 429, headers: {}, body: undefined, why: "refused", certain: true } as const;
    return { ...refused, message: tooMuch(method), retryAfterMs, error: LIMITED, needed: "" };
  }

  /** Some servers repeat what they were sent; and Slack's own words are short. */
  #word(body: Json, key: string): string {
    return quote((textIn(body, key) ?? "").replaceAll(this.#options.token, "…"));
  }

  #details(body: Json): string {
    const said = listIn(objectIn(body, "response_metadata"), "messages").filter((one) => typeof one === "string");
    return said.length === 0 ? "" : ` (${this.#word({ said: said.join("; ") }, "said")})`;
  }

  #lacks(method: string, needed: string): string {
    const scopes = needed.split(",").join(" or ");
    return `Slack refuses ${method}: the app lacks the scope ${scopes}; add it at ${this.#options.scopesAt}, and install the app anew`;
  }
}

const LIMITED = "ratelimited";

const tooMuch = (method: string): string => `Slack does not want to be asked ${method} so often`;

function formOf(args: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(args).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "string" ? value : written(value)]));
}
