import { type Consumer, ConsumerError, type Pulled } from "../../consumers/consumers.ts";
import type { EventFilter, Feed, FeedItem } from "../../consumers/feed.ts";
import { toJson } from "../../consumers/held.ts";
import type { ApiEvent, HintEvent, SkippedEvent } from "../../contract/api-v1.ts";
import { isAborted, onAbort } from "../../lib/abort.ts";
import type { Seq } from "../../log/log.ts";
import { deliveredJson } from "./consumer-shapes.ts";
import { type EventSink, pumpEvents, skippedOf } from "./pump.ts";

/** Of one pull for a socket. */
const PULL = { waitMs: 55_000, bytes: 64 * 1024 };
const PULL_MAX = 256;
/** Most events that a subscription may have asked for and not got. */
const CREDIT_MAX = 1_000_000;

/** Why a socket has closed that its client did not close: the client, or the way to it, is dead. */
export const BROKEN = Symbol("broken");

/** The socket under a subscription. */
export interface SocketOut {
  readonly isFull: boolean;
  /** Resolves when there is room again, or the socket has closed. */
  drained(): Promise<void>;
  /** Whole frames of JSON, in one write. */
  send(...frames: readonly string[]): void;
}

/** The events that a client has asked for under one id: no more of them than it has given credit for. */
export class Subscription implements EventSink {
  readonly #id: string;
  readonly #out: SocketOut;
  readonly #ending = new AbortController();
  readonly #forget: () => void;
  /** Raised by the client's connection when it breaks off. */
  #isBroken = false;
  #credit: number;
  #given = Promise.withResolvers<void>();

  /** `closed`: of the socket, for the reason BROKEN if the client did not close it. */
  constructor(id: string, credit: number, out: SocketOut, closed: AbortSignal) {
    this.#id = JSON.stringify(id);
    this.#credit = credit;
    this.#out = out;
    this.#forget = onAbort(closed, () => this.end({ isBroken: closed.reason === BROKEN }));
  }

  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  get room(): number {
    return this.#credit;
  }

  give(credit: number): void {
    this.#credit = Math.min(CREDIT_MAX, this.#credit + credit);
    this.#wake();
  }

  end({ isBroken = false }: { readonly isBroken?: boolean } = {}): void {
    this.#isBroken ||= isBroken && !isAborted(this.ended);
    this.#forget();
    this.#ending.abort();
    this.#wake();
  }

  async ready(): Promise<void> {
    while (!isAborted(this.ended)) {
      if (this.#credit <= 0) await this.#given.promise;
      else if (this.#out.isFull) await this.#out.drained();
      else return;
    }
  }

  items(items: readonly FeedItem[]): void {
    this.#credit -= items.length;
    this.#out.send(...items.map(({ json }) => `{"op":"event","id":${this.#id},"event":${json}}`));
  }

  skipped({ from, to, count }: SkippedEvent): void {
    this.#out.send(`{"op":"skipped","id":${this.#id},"from":"${from}","to":"${to}","count":${count}}`);
  }

  passed(): void {
    // A socket that breaks begins again after the last event that it got.
  }

  /** What has no place in the log: it takes no credit, and is dropped while the socket is full. */
  aside(shown: HintEvent | ApiEvent | null): void {
    if (shown !== null && !this.#out.isFull) this.#out.send(`{"op":"event","id":${this.#id},"event":${toJson(shown)}}`);
  }

  /** Until it ends. Rejects with the log's LogError. */
  async follow(feed: Feed, filter: EventFilter, from: Seq): Promise<void> {
    await pumpEvents({ feed, filter, from }, this);
  }

  /**
   * Until it ends; what it held is given back then. `find`: the consumer of the name as the caller has it now. Rejects
   * with a ConsumerError, also when that is no longer this one, or the log's LogError.
   */
  async consume(consumer: Consumer, find: () => Promise<Consumer>): Promise<void> {
    const connection = consumer.connect();
    const signal = this.ended;
    onAbort(signal, () => void connection.close({ failed: this.#isBroken }));
    for (;;) {
      await this.ready();
      if (isAborted(signal)) return;
      if ((await find()) !== consumer) throw new ConsumerError("not_found", "the consumer was deleted");
      this.#deliver(await connection.pull({ ...PULL, max: Math.min(PULL_MAX, this.#credit), signal }));
    }
  }

  #deliver({ events, gap }: Pulled): void {
    if (gap !== null) this.skipped(skippedOf(gap));
    this.#credit -= events.length;
    this.#out.send(...events.map((delivered) => `{"op":"event","id":${this.#id},${deliveredJson(delivered).slice(1)}`));
  }

  #wake(): void {
    const { resolve } = this.#given;
    this.#given = Promise.withResolvers();
    resolve();
  }
}
