import type { Seq } from "../log/log.ts";
import { ConsumerError, type ConsumerStart } from "./consumers.ts";
import type { EventFilter, Feed } from "./feed.ts";

/** Rejects with the log's LogError, and a ConsumerError for a position that the log has not reached. */
export async function positionOf(start: ConsumerStart, filter: EventFilter, feed: Feed): Promise<Seq> {
  if (start === "new") return feed.head;
  if (start === "all") return 0;
  if ("time" in start) return await feed.since(start.time);
  if ("last" in start) return start.last === 0 ? feed.head : await feed.last(start.last, filter);
  if (start.after > feed.head) {
    throw new ConsumerError("position_unknown", `the log ends at ${feed.head}, before ${start.after}`);
  }
  return start.after;
}
