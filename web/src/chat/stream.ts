import { serverSent } from "../../../src/client/server-sent.ts";
import type { WebEvent } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, get } from "../lib/api.ts";
import { inRoom } from "./rooms.ts";

export type ChatWire = "connecting" | "live" | "lost";

export interface StreamHooks {
  readonly onEvent: (event: WebEvent) => void;
  readonly onWire: (wire: ChatWire) => void;
  /** Nobody is let in by trying again. */
  readonly onRefused: (problem: ApiProblem) => void;
}

/** The server says something every 15 s. */
const SILENCE_MS = 40_000;
const RETRY_MS = { least: 500, most: 10_000 };

/**
 * Follows the room from where it stands, over breaks too, until the function that it returns is called. Not an
 * EventSource: that one gives up for good at the first refusal, and does not notice silence.
 */
export function follow(hooks: StreamHooks): () => void {
  const over = new AbortController();
  const stream = new Stream(hooks, over);
  const onOnline = (): void => stream.wake();
  addEventListener("online", onOnline);
  void stream.run();
  return () => {
    removeEventListener("online", onOnline);
    over.abort();
    stream.wake();
  };
}

class Stream {
  /** Ends a pause. */
  wake: () => void = () => undefined;
  readonly #hooks: StreamHooks;
  readonly #over: AbortController;
  #position = "";
  #retryMs: number = RETRY_MS.least;

  constructor(hooks: StreamHooks, over: AbortController) {
    this.#hooks = hooks;
    this.#over = over;
  }

  async run(): Promise<void> {
    this.#hooks.onWire("connecting");
    for (;;) {
      // Whatever ended it, the next try says more.
      await this.#once().catch(() => undefined);
      if (this.#over.signal.aborted) return;
      this.#hooks.onWire("lost");
      await this.#pause();
    }
  }

  async #once(): Promise<void> {
    const broken = new AbortController();
    const give = (): void => broken.abort();
    let silence = setTimeout(give, SILENCE_MS);
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(give, SILENCE_MS);
    };
    try {
      const position = this.#position;
      const answer = await fetch(inRoom("/v1/events"), {
        headers: { Accept: "text/event-stream", ...(position !== "" && { "Last-Event-ID": position }) },
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.any([this.#over.signal, broken.signal]),
      });
      if (answer.status === 401 || answer.status === 403) await this.#refused();
      if (!answer.ok) return;
      for await (const { id, data } of serverSent(answer.body, heard)) {
        const event = JSON.parse(data) as WebEvent;
        if (id !== "") this.#position = id;
        if (event.type === "ready") {
          this.#retryMs = RETRY_MS.least;
          this.#hooks.onWire("live");
        }
        this.#hooks.onEvent(event);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async #refused(): Promise<void> {
    const answer = await get(inRoom("/v1/me"), { signal: this.#over.signal });
    if (answer.ok || (answer.problem.status !== 401 && answer.problem.status !== 403)) return;
    this.#over.abort();
    this.#hooks.onRefused(answer.problem);
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#retryMs * (0.5 + Math.random() / 2));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
  }
}
