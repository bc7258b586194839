import type { ApiEvent } from "../contract/api-v1.ts";
import { type RialtoCaller, pathOf } from "./caller.ts";
import { RialtoError } from "./error.ts";

/** Configuration of a consumer, see `PUT /v1/consumers/{name}`; durations such as "30s". */
export interface ConsumerWords {
  readonly start?: "new" | "all" | { readonly after: string } | { readonly time: string } | { readonly last: number };
  readonly filter?: {
    readonly gateways?: readonly string[];
    readonly types?: readonly string[];
    readonly accounts?: readonly string[];
    readonly mine?: boolean;
  };
  readonly ack?: "explicit" | "all" | "none";
  readonly ack_wait?: string;
  readonly max_in_flight?: number;
  readonly max_deliver?: number;
  readonly backoff?: readonly string[];
  readonly ordered?: boolean;
  readonly idle?: string;
}

export interface ReadingOptions {
  readonly signal?: AbortSignal;
  /** Events that are fetched at once; 100. */
  readonly max?: number;
  /**
   * This program alone reads the consumer, and starts again: what an earlier run was handed and did not acknowledge
   * comes first, at once. Otherwise it comes when the time of that run is over, and newer events come before it.
   */
  readonly restart?: boolean;
  /** Told how many events retention took before they were read. */
  readonly onSkipped?: (count: number) => void;
}

/** An event, and what the consumer is told about it. All resolve when it is on disk. */
export type ConsumedEvent = ApiEvent & {
  /** How often it was handed out, this time included. */
  readonly delivery: number;
  /** RFC 3339: comes again after it; null: it does not. */
  readonly deadline: string | null;
  /** Done: it never comes again. */
  ack(): Promise<void>;
  /** Could not be worked on: it comes again, after so long ("10s") or as `backoff` has it. */
  nack(after?: string): Promise<void>;
  /** Not tried: it comes again at once, to whom pulls next, and this delivery does not count as failed. */
  release(): Promise<void>;
  /** Still worked on: the deadline begins anew. */
  extend(): Promise<void>;
  /** Never again, and a dead letter. */
  drop(): Promise<void>;
};

interface PullAnswer {
  readonly events: readonly {
    readonly delivery: number;
    readonly deadline: string | null;
    readonly event: ApiEvent;
  }[];
  readonly skipped: number;
}

interface AckWords {
  ack: string[];
  nack: { seq: string; in?: string }[];
  release: string[];
  extend: string[];
  drop: string[];
}

/** What one request may hold of each. */
const ACKS_MAX = 1000;
const WAIT_S = 30;

/** A named reader that keeps its place on the server. It is made when it is first read from. */
export class RialtoConsumer {
  readonly name: string;
  readonly #caller: RialtoCaller;
  readonly #words: ConsumerWords | undefined;
  /** What is told with the next request; one is under way at most. */
  #next: { readonly words: AckWords; readonly sent: Promise<void> } | null = null;
  #sending: Promise<void> = Promise.resolve();

  /** Without `words`, one that is there is taken as it is. */
  constructor(name: string, words: ConsumerWords | undefined, caller: RialtoCaller) {
    this.name = name;
    this.#words = words;
    this.#caller = caller;
  }

  [Symbol.asyncIterator](): AsyncGenerator<ConsumedEvent, void, void> {
    return this.events();
  }

  /**
   * What it has not acknowledged, then what comes, without end: failures that pass are waited for. What was fetched and
   * not looked at when the loop is left is released at once.
   */
  async *events(options: ReadingOptions = {}): AsyncGenerator<ConsumedEvent, void, void> {
    const { signal } = options;
    await this.#patiently(signal, async () => await this.#make(signal));
    for (let restart = options.restart ?? false; ; restart = false) {
      const pull = async (): Promise<PullAnswer> => await this.#pull({ ...options, restart });
      const { events, skipped } = await this.#patiently(signal, pull);
      if (skipped > 0) options.onSkipped?.(skipped);
      let seen = 0;
      try {
        for (const { event, delivery, deadline } of events) {
          signal?.throwIfAborted();
          seen += 1;
          yield this.#consumed(event, { delivery, deadline });
        }
      } finally {
        const left = events.slice(seen);
        if (left.length > 0 && this.#words?.ack !== "none") {
          const seqs = left.map(({ event }) => event.seq);
          await this.#tell(({ release }) => release.push(...seqs)).catch(() => undefined);
        }
      }
    }
  }

  /** Forgets it, and where it stands. */
  async delete(signal?: AbortSignal): Promise<void> {
    await this.#caller.json({ method: "DELETE", path: pathOf("consumers", this.name), signal });
  }

  async #make(signal: AbortSignal | undefined): Promise<void> {
    const path = pathOf("consumers", this.name);
    if (this.#words === undefined) {
      try {
        await this.#caller.json({ method: "GET", path, signal, retries: 0 });
        return;
      } catch (error) {
        if (!(error instanceof RialtoError) || error.status !== 404) throw error;
      }
    }
    await this.#caller.json({ method: "PUT", path, body: this.#words ?? {}, signal, retries: 0 });
  }

  async #pull({ max = 100, restart = false, signal }: ReadingOptions): Promise<PullAnswer> {
    const body = { max, wait: `${WAIT_S}s`, ...(restart && { restart }) };
    const path = pathOf("consumers", this.name, "pull");
    const request = { method: "POST", path, body, signal, waitMs: WAIT_S * 1000, retries: 0 } as const;
    return await this.#caller.answer(request);
  }

  async #patiently<T>(signal: AbortSignal | undefined, task: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await task();
      } catch (error) {
        await this.#caller.afterFailure(error, failures, signal);
      }
    }
  }

  #consumed(event: ApiEvent, how: Pick<ConsumedEvent, "delivery" | "deadline">): ConsumedEvent {
    const { seq } = event;
    return {
      ...event,
      ...how,
      ack: async () => await this.#tell(({ ack }) => ack.push(seq)),
      nack: async (after) =>
        await this.#tell(({ nack }) => nack.push({ seq, ...(after !== undefined && { in: after }) })),
      release: async () => await this.#tell(({ release }) => release.push(seq)),
      extend: async () => await this.#tell(({ extend }) => extend.push(seq)),
      drop: async () => await this.#tell(({ drop }) => drop.push(seq)),
    };
  }

  /** With the next request: acks that are not waited for one by one travel together. */
  async #tell(add: (words: AckWords) => void): Promise<void> {
    if (this.#next === null || sizeOf(this.#next.words) >= ACKS_MAX) {
      const words: AckWords = { ack: [], nack: [], release: [], extend: [], drop: [] };
      const sent = this.#sending.then(async () => await this.#send(words));
      this.#sending = sent.catch(() => undefined);
      this.#next = { words, sent };
    }
    add(this.#next.words);
    await this.#next.sent;
  }

  async #send(words: AckWords): Promise<void> {
    if (this.#next?.words === words) this.#next = null;
    const body = Object.fromEntries(Object.entries(words).filter(([, list]: [string, unknown[]]) => list.length > 0));
    await this.#caller.json({ method: "POST", path: pathOf("consumers", this.name, "ack"), body });
  }
}

const sizeOf = (words: AckWords): number => Math.max(...Object.values(words).map(({ length }: unknown[]) => length));
