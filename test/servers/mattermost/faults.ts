import type { Answer } from "./requests.ts";

/** Which requests a fault concerns: by method and a part of the path behind `/api/v4`, any where absent. */
export interface Which {
  readonly method?: string;
  readonly path?: string | RegExp;
}

interface Fault extends Which {
  left: number;
  readonly kind: "instead" | "lose" | "break" | "hold";
  readonly answer?: Answer;
  readonly until?: Promise<void>;
}

export interface Incident {
  /** Given in place of the real one, which is not made. */
  readonly instead: Answer | null;
  /** The connection breaks: before anything was done, or after it was. */
  readonly breaks: "before" | "after" | null;
  /** Nothing is done before this. */
  readonly until: Promise<void> | null;
}

interface Limiter {
  readonly perSecond: number;
  readonly burst: number;
  /** For each key, when its bucket is empty again. */
  readonly full: Map<string, number>;
}

/** What goes wrong with requests when a test wants it. */
export class Faults {
  #faults: Fault[] = [];
  #limiter: Limiter | null = null;
  /** How many requests the limiter has refused. */
  limiterRefused = 0;

  /** Answers requests with this instead of doing them. */
  answer(which: Which, answer: Answer, times = 1): void {
    this.#faults.push({ ...which, kind: "instead", answer, left: times });
  }

  /** As a server in trouble, or what stands before it, answers. */
  fail(which: Which, status: number, times = 1): void {
    const page = `<html><body><h1>${status}</h1></body></html>`;
    this.answer(which, { status, headers: { "content-type": "text/html" }, bytes: page }, times);
  }

  /** Does what is asked for, and then breaks the connection instead of answering. */
  loseAnswer(which: Which, times = 1): void {
    this.#faults.push({ ...which, kind: "lose", left: times });
  }

  /** Breaks the connection without doing anything. */
  break(which: Which, times = 1): void {
    this.#faults.push({ ...which, kind: "break", left: times });
  }

  /** Does nothing with requests until the function it gives is called. */
  hold(which: Which, times = 1): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#faults.push({ ...which, kind: "hold", until: promise, left: times });
    return resolve;
  }

  /** As the server's own limiter says it: in plain text, with the seconds after which there is no limit. */
  limit(which: Which, seconds: number, times = 1): void {
    this.answer(which, tooMany({ limit: 101, remaining: 0, reset: seconds, retry: seconds }), times);
  }

  /** The server's own limiter: so many requests a second for each session, and a burst. Null: off. */
  limiter(perSecond: number | null, burst = 100): void {
    this.#limiter = perSecond === null ? null : { perSecond, burst, full: new Map() };
  }

  clear(): void {
    this.#faults = [];
    this.#limiter = null;
  }

  /** What the limiter says to this request; the headers go on every answer while it is on. */
  limited(key: string, now: number): { refused: Answer | null; headers: Record<string, string> } {
    if (this.#limiter === null) return { refused: null, headers: {} };
    const { perSecond, burst, full } = this.#limiter;
    const each = 1000 / perSecond;
    const free = Math.max(now, full.get(key) ?? 0) + each;
    const allowAt = free - (burst + 1) * each;
    const refused = now < allowAt;
    if (refused) this.limiterRefused += 1;
    else full.set(key, free);
    const reset = Math.ceil(((refused ? free - each : free) - now) / 1000);
    const state = {
      limit: burst + 1,
      remaining: refused ? 0 : Math.floor((now - allowAt) / each),
      reset,
      retry: refused ? Math.ceil((allowAt - now) / 1000) : -1,
    };
    return { refused: refused ? tooMany(state) : null, headers: limitHeaders(state) };
  }

  /** What befalls this request. */
  meet(method: string, path: string): Incident {
    const incident = {
      instead: null as Answer | null,
      breaks: null as Incident["breaks"],
      until: null as Incident["until"],
    };
    for (const fault of this.#faults) {
      if (fault.left === 0 || !concerns(fault, method, path)) continue;
      fault.left -= 1;
      if (fault.kind === "instead") incident.instead = fault.answer ?? null;
      if (fault.kind === "lose") incident.breaks = "after";
      if (fault.kind === "break") incident.breaks = "before";
      if (fault.kind === "hold") incident.until = fault.until ?? null;
      break;
    }
    return incident;
  }
}

function concerns({ method, path }: Which, asked: string, at: string): boolean {
  if (method !== undefined && method !== asked) return false;
  if (path === undefined) return true;
  return typeof path === "string" ? at.startsWith(path) : path.test(at);
}

interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retry: number;
}

function limitHeaders(state: LimitState): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(state.limit),
    "X-RateLimit-Remaining": String(state.remaining),
    "X-RateLimit-Reset": String(state.reset),
    ...(state.retry >= 0 && { "Retry-After": String(state.retry) }),
  };
}

function tooMany(state: LimitState): Answer {
  const headers = { ...limitHeaders(state), "content-type": "text/plain; charset=utf-8" };
  return { status: 429, headers, bytes: "limit exceeded\n" };
}
