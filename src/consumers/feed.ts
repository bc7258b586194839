import type { ApiEvent, DurableType } from "../contract/api-v1.ts";
import type { Seq } from "../log/log.ts";

/** Which events somebody wants. Empty lists: all. */
export interface EventFilter {
  readonly gateways: readonly string[];
  /** Types, or with `.*` at the end all that begin so. */
  readonly types: readonly string[];
  /** `<protocol>.<name>`. */
  readonly accounts: readonly string[];
  /** Also what was said through the account itself. */
  readonly mine: boolean;
}

/** An event with its place in the log, and as the text that is sent. */
export interface FeedItem {
  readonly seq: Seq;
  readonly type: DurableType;
  readonly event: ApiEvent;
  /** Compact JSON of `event`, made once for all that read it. */
  readonly json: string;
}

/** What is lost: all of from <= seq <= to. */
export interface FeedGap {
  readonly from: Seq;
  readonly to: Seq;
  /** Entries that retention has removed there. The numbers have holes where several machines write. */
  readonly count: number;
}

export interface FeedPage {
  readonly items: readonly FeedItem[];
  /** What retention has taken between the position that was asked for and the first item, or `next`. */
  readonly gap: FeedGap | null;
  /** All up to here has been looked at: go on after it. At the end of the log it is the head. */
  readonly next: Seq;
}

/**
 * The log as one account of the API sees it: what is said in its gateways, what it says itself, and what became of the
 * places there. All reject with the log's LogError.
 */
export interface Feed {
  readonly head: Seq;
  /**
   * Events with seq > after that pass the filter, oldest first, at most `limit` and about `bytes` of JSON (one at
   * least). A call looks through a bounded part of the log: no items and `next` < head means that there is more.
   */
  read(query: {
    readonly after: Seq;
    readonly filter: EventFilter;
    readonly limit: number;
    readonly bytes: number;
  }): Promise<FeedPage>;
  /** The event of one entry, without those around it; null: it has none that passes the filter. */
  at(seq: Seq, filter: EventFilter): Promise<FeedItem | null>;
  /** What retention has taken with seq > after; null: nothing. */
  gap(after: Seq): Promise<FeedGap | null>;
  /** The position from which `count` events that pass the filter remain. */
  last(count: number, filter: EventFilter): Promise<Seq>;
  /** The position before the first event that was accepted at that moment (Unix ms) or later. */
  since(ms: number): Promise<Seq>;
  /**
   * How many events with seq > after pass the filter, at most `max`. Where many are to be looked through, those count
   * that are of other types.
   */
  count(after: Seq, filter: EventFilter, max: number): Promise<number>;
  /** Calls back after each commit with something for this account. Returns what ends that. */
  onCommit(listener: () => void): () => void;
}
