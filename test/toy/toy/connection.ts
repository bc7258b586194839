import { connect, type Socket } from "node:net";
import type { Clock } from "../../../src/contract/host.ts";
import type { Ended } from "../../../src/contract/session.ts";
import type { Push } from "./receive.ts";

/** `error`: what the server refused; "unsent" when nothing was sent, "lost" when there is no answer to what was. */
export interface Answer {
  readonly id?: string;
  readonly error?: string;
}

/** Without an answer for so long the connection is dead. */
const ANSWER_MS = 30_000;
/** So often we ask for one. */
const PING_MS = 60_000;
/** What one line may hold at most, in UTF-16 units. */
const LINE_MAX = 1_000_000;

/** Lines of JSON over TCP. It ends once, for one reason, and leaves neither a socket nor a timer. */
export class Connection {
  readonly ended: Promise<Ended>;
  readonly #end: (ended: Ended) => void;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #take: (push: Push) => void;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #timers = new Set<() => void>();
  #over = false;
  #rest = "";
  #paused = false;
  #count = 0;

  constructor(address: { readonly host: string; readonly port: number }, clock: Clock, take: (push: Push) => void) {
    ({ promise: this.ended, resolve: this.#end } = Promise.withResolvers<Ended>());
    this.#clock = clock;
    this.#take = take;
    const lost = (why: string): void => this.end({ cause: "lost", why: { code: "network", message: why } });
    this.#socket = connect({ ...address, noDelay: true });
    this.#socket.setEncoding("utf8");
    this.#socket.on("data", (data: string) => {
      this.#rest += data;
      if (this.#rest.length > LINE_MAX && !this.#paused) lost("the server sent a line without an end");
      else this.#drain();
    });
    this.#socket.on("error", (error) =>
      lost(`the connection broke: ${"code" in error ? String(error.code) : error.name}`),
    );
    this.#socket.on("close", () => lost("the server closed the connection"));
    this.#later(PING_MS, () => void this.#ping());
  }

  /** Writes at once, in the order of the calls. */
  async ask(request: object, signal?: AbortSignal): Promise<Answer> {
    if (this.#over || signal?.aborted === true) return { error: "unsent" };
    this.#count += 1;
    const n = this.#count;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const giveUp = (): void => resolve({ error: "lost" });
    signal?.addEventListener("abort", giveUp, { once: true });
    const late: Ended = { cause: "lost", why: { code: "timeout", message: "the server does not answer" } };
    const inTime = this.#later(ANSWER_MS, () => this.end(late));
    this.#waiting.set(n, resolve);
    this.#socket.write(`${JSON.stringify({ n, ...request })}\n`);
    const answer = await promise;
    this.#waiting.delete(n);
    signal?.removeEventListener("abort", giveUp);
    inTime();
    return answer;
  }

  /** Stops reading, and goes on. Answers wait, too. */
  pause(paused: boolean): void {
    this.#paused = paused;
    if (paused) this.#socket.pause();
    else {
      this.#socket.resume();
      this.#drain();
    }
  }

  end(ended: Ended): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.destroy();
    for (const cancel of this.#timers) cancel();
    for (const answer of this.#waiting.values()) answer({ error: "lost" });
    this.#end(ended);
  }

  #drain(): void {
    for (let at = this.#rest.indexOf("\n"); at >= 0 && !this.#paused && !this.#over; at = this.#rest.indexOf("\n")) {
      const line = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at + 1);
      this.#read(line);
    }
  }

  #read(line: string): void {
    try {
      const said = JSON.parse(line) as Push | (Answer & { readonly re: number });
      if ("re" in said) this.#waiting.get(said.re)?.(said);
      else this.#take(said);
    } catch {
      this.end({ cause: "lost", why: { code: "remote_error", message: "the server does not speak as it should" } });
    }
  }

  async #ping(): Promise<void> {
    await this.ask({ do: "ping" });
    if (!this.#over) this.#later(PING_MS, () => void this.#ping());
  }

  #later(ms: number, task: () => void): () => void {
    const stop = this.#clock.after(ms, () => {
      this.#timers.delete(cancel);
      task();
    });
    const cancel = (): void => {
      this.#timers.delete(cancel);
      stop();
    };
    this.#timers.add(cancel);
    return cancel;
  }
}
