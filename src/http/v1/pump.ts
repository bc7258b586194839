import type { SkippedEvent } from "../../contract/api-v1.ts";
import type { EventFilter, Feed, FeedGap, FeedItem } from "../../consumers/feed.ts";
import { isAborted } from "../../lib/abort.ts";
import type { Seq } from "../../log/log.ts";

/** Who is handed events as they come. */
export interface EventSink {
  /** Aborted when nobody wants them any more. */
  readonly ended: AbortSignal;
  /** How many it takes now; asked after `ready`. */
  readonly room: number;
  /** Resolves when it takes one, or nobody wants them any more. */
  ready(): Promise<void>;
  items(items: readonly FeedItem[]): void;
  skipped(event: SkippedEvent): void;
  /** There is nothing for it up to here. */
  passed(position: Seq): void;
}

/** Of one look at the feed. */
const PAGE_EVENTS = 256;
const PAGE_BYTES = 64 * 1024;

/**
 * Hands on what a feed has after a position, and then what comes, until nobody wants it any more. Rejects with the
 * log's LogError.
 */
export async function pumpEvents(
  { feed, filter, from }: { readonly feed: Feed; readonly filter: EventFilter; readonly from: Seq },
  sink: EventSink,
): Promise<void> {
  const news = new News(feed, sink.ended);
  try {
    for (let at = from; ;) {
      await sink.ready();
      if (isAborted(sink.ended)) return;
      news.clear();
      const limit = Math.min(PAGE_EVENTS, sink.room);
      const { items, next, gap } = await feed.read({ after: at, filter, limit, bytes: PAGE_BYTES });
      if (isAborted(sink.ended)) return;
      if (gap !== null) sink.skipped(skippedOf(gap));
      sink.items(items);
      sink.passed(next);
      if (next > at) at = next;
      else await news.next();
    }
  } finally {
    news.close();
  }
}

/** A gap as clients are told. */
export const skippedOf = ({ from, to, count }: FeedGap): SkippedEvent => ({
  type: "skipped",
  from: String(from),
  to: String(to),
  count,
});

/** Whether something was committed since it was looked for. */
class News {
  readonly #unlisten: () => void;
  readonly #ended: AbortSignal;
  readonly #wake = (): void => this.#tell();
  #come = Promise.withResolvers<void>();

  constructor(feed: Feed, ended: AbortSignal) {
    this.#ended = ended;
    this.#unlisten = feed.onCommit(this.#wake);
    ended.addEventListener("abort", this.#wake);
  }

  clear(): void {
    this.#come = Promise.withResolvers();
  }

  async next(): Promise<void> {
    if (!this.#ended.aborted) await this.#come.promise;
  }

  close(): void {
    this.#unlisten();
    this.#ended.removeEventListener("abort", this.#wake);
  }

  #tell(): void {
    this.#come.resolve();
  }
}
