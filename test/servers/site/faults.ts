import type { Answer } from "./answer.ts";

/** Which requests a fault concerns: by method and how the path begins, any where absent. */
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

/** What goes wrong with requests when a test wants it. */
export class Faults {
  readonly #faults: Fault[] = [];

  /** Answers requests with this instead of doing them. */
  answer(which: Which, answer: Answer, times = 1): void {
    this.#faults.push({ ...which, kind: "instead", answer, left: times });
  }

  /** As what stands before the servers answers when these are in trouble. */
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

  /** Nothing goes wrong any more. */
  clear(): void {
    this.#faults.length = 0;
  }

  /** What befalls this request. */
  meet(method: string, path: string): Incident {
    const fault = this.#faults.find((fault) => fault.left > 0 && concerns(fault, method, path));
    if (fault === undefined) return { instead: null, breaks: null, until: null };
    fault.left -= 1;
    return {
      instead: fault.answer ?? null,
      breaks: fault.kind === "lose" ? "after" : fault.kind === "break" ? "before" : null,
      until: fault.until ?? null,
    };
  }
}

function concerns({ method, path }: Which, asked: string, at: string): boolean {
  if (method !== undefined && method !== asked) return false;
  if (path === undefined) return true;
  return typeof path === "string" ? at.startsWith(path) : path.test(at);
}
