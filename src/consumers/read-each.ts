import type { Seq } from "../log/log.ts";
import type { EventFilter, Feed, FeedGap, FeedItem } from "./feed.ts";

const LIMIT = 32;

/**
 * Events by their seqs, which ascend, until there are so many bytes of them (one at least). `lost`: those that cannot
 * be read any more, among what was looked at. Rejects with the log's LogError.
 */
export async function readEach(
  feed: Feed,
  filter: EventFilter,
  seqs: readonly Seq[],
  bytes: number,
): Promise<{ readonly found: readonly FeedItem[]; readonly lost: readonly Seq[] }> {
  const found: FeedItem[] = [];
  const lost: Seq[] = [];
  let size = 0;
  let page = new Map<Seq, FeedItem>();
  let looked: Seq = 0;
  for (const [index, seq] of seqs.entries()) {
    if (seq > looked) {
      const limit = Math.min(LIMIT, seqs.length - index);
      const read = await feed.read({ after: seq - 1, filter, limit, bytes: Math.max(1, bytes - size) });
      page = new Map(read.items.map((item) => [item.seq, item]));
      looked = read.next;
    }
    const item = page.get(seq);
    if (item === undefined) {
      lost.push(seq);
      continue;
    }
    if (found.length > 0 && size + item.json.length > bytes) break;
    found.push(item);
    size += item.json.length;
  }
  return { found, lost };
}

/** What retention took of events that could not be read any more. Rejects with the log's LogError. */
export async function goneOf(feed: Feed, lost: readonly Seq[]): Promise<FeedGap | null> {
  const [from] = lost;
  if (from === undefined) return null;
  const end = (await feed.gap(from - 1))?.to ?? 0;
  const gone = lost.filter((seq) => seq <= end);
  return gone.length === 0 ? null : { from, to: gone.at(-1) ?? from, count: gone.length };
}
