import type { Access } from "../access/access.ts";
import type { Seq } from "../log/log.ts";
import type { EventFilter, FeedItem } from "./feed.ts";

/** Where a consumer begins. */
export type ConsumerStart =
  | "new"
  | "all"
  | { readonly after: Seq }
  /** Unix ms. */
  | { readonly time: number }
  /** So many events that pass the filter. */
  | { readonly last: number };

/** `PUT /v1/consumers/{name}`, with its defaults filled in and checked; durations in ms. */
export interface ConsumerSpec {
  readonly start: ConsumerStart;
  readonly filter: EventFilter;
  readonly ack: "explicit" | "all" | "none";
  readonly ackWaitMs: number;
  readonly maxInFlight: number;
  /** 0: no bound. */
  readonly maxDeliver: number;
  readonly backoffMs: readonly number[];
  readonly ordered: boolean;
  readonly idleMs: number;
}

export interface ConsumerView {
  readonly name: string;
  readonly spec: ConsumerSpec;
  /** Everything up to it is acknowledged. */
  readonly floor: Seq;
  readonly head: Seq;
  /** Not delivered yet; counted up to a bound. */
  readonly pending: number;
  readonly inFlight: number;
  readonly redelivered: number;
  /** When the oldest that is unacknowledged was delivered first, Unix ms. */
  readonly oldestUnackedMs: number | null;
  readonly dead: number;
  readonly lastSeenMs: number | null;
  /** Names the configuration. */
  readonly etag: string;
}

export interface Delivered {
  /** How many times it was handed out, this one included. */
  readonly delivery: number;
  /** Unix ms; after it the event comes again. */
  readonly deadlineMs: number | null;
  readonly item: FeedItem;
}

export interface Pulled {
  readonly events: readonly Delivered[];
  readonly pending: number;
  /** What retention took before it was delivered; null: nothing. */
  readonly gap: { readonly from: Seq; readonly to: Seq; readonly count: number } | null;
}

export interface AckRequest {
  readonly upto?: Seq;
  readonly ack?: readonly Seq[];
  /** Null: as the back-off has it. */
  readonly nack?: readonly { readonly seq: Seq; readonly inMs: number | null }[];
  /** Given back without a failure: they are due at once. */
  readonly release?: readonly Seq[];
  readonly extend?: readonly Seq[];
  readonly drop?: readonly Seq[];
}

export interface Acked {
  readonly floor: Seq;
  readonly inFlight: number;
}

/** An event that was given up. */
export interface DeadLetter {
  /** How many times it was handed out. */
  readonly deliveries: number;
  /** `max_deliver`: as often as its consumer allows; `dropped`: by an ack. */
  readonly why: "max_deliver" | "dropped";
  readonly item: FeedItem;
}

/** Oldest first. `next`: there are more after it. */
export interface DeadPage {
  readonly letters: readonly DeadLetter[];
  readonly next: Seq | null;
}

export interface PullQuery {
  readonly max: number;
  readonly waitMs: number;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** Pulls for one connection, such as a stream, which together hold what they are handed. */
export interface ConsumerConnection {
  pull(query: PullQuery): Promise<Pulled>;
  /**
   * Gives back what the connection holds, which is then due at once: pulls that are asked for later get it first.
   * `failed`: the client broke off, so the first of these events counts as a failed delivery. Never rejects.
   */
  close(how: { readonly failed: boolean }): Promise<void>;
}

/** A durable, named reader of one API account. Throws ConsumerError; rejects with the log's LogError. */
export interface Consumer {
  readonly name: string;
  readonly spec: ConsumerSpec;
  /**
   * Waits up to `waitMs` for the first event; empty after it, or when the signal is aborted. `restart`: what was handed
   * out to anyone is given back first, as by a connection that broke off, and pulls that wait are answered.
   */
  pull(query: PullQuery & { readonly restart?: boolean }): Promise<Pulled>;
  connect(): ConsumerConnection;
  /** Durable when it resolves. */
  ack(request: AckRequest): Promise<Acked>;
  view(): Promise<ConsumerView>;
  seek(start: ConsumerStart): Promise<ConsumerView>;
  /** Those with seq > after. What retention has taken is none of them any more. */
  dead(after?: Seq): Promise<DeadPage>;
  /** Delivers it once more; false: it is none of the dead. */
  retry(seq: Seq): Promise<boolean>;
}

/** All consumers of one API account. */
export interface Consumers {
  /**
   * `created`, `same` or `changed` (only with the ETag of what stands); throws ConsumerError `conflict`,
   * `precondition_failed`, or `forbidden` for a filter with gateways that the token does not see. What a token
   * that does not see all gateways makes sees only those.
   */
  put(
    name: string,
    spec: ConsumerSpec,
    how: { readonly access: Access; readonly ifMatch: string | null },
  ): Promise<{ readonly is: "created" | "same" | "changed"; readonly consumer: Consumer }>;
  /** Throws ConsumerError `not_found` or `consumer_gone`; one of gateways that the caller may not see is not found. */
  get(name: string, access: Access): Promise<Consumer>;
  list(access: Access): Promise<readonly Consumer[]>;
  remove(name: string, access: Access): Promise<boolean>;
  /** Names of those whose marks cannot be read, which are left out until they are made again or deleted. */
  readonly unreadable: readonly string[];
  close(): Promise<void>;
}

export class ConsumerError extends Error {
  override readonly name = "ConsumerError";
  readonly code:
    | "not_found"
    | "consumer_gone"
    | "conflict"
    | "precondition_failed"
    | "position_unknown"
    | "forbidden"
    | "events_held"
    | "unprocessable";
  /** With `events_held`: the events that another pull or connection has. */
  readonly held: readonly Seq[];

  constructor(code: ConsumerError["code"], message: string, held: readonly Seq[] = []) {
    super(message);
    this.code = code;
    this.held = held;
  }
}
