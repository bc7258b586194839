import type { View } from "../../gateway/view.ts";
import type { Log, Seq, Subject } from "../../log/log.ts";
import type { GatewayItem } from "./feed.ts";
import type { SinceByGateway } from "./membership.ts";

export interface BacklogQuery {
  readonly log: Log;
  readonly view: View;
  /** The subjects the account reads, each with its gateways. */
  readonly reads: ReadonlyMap<Subject, readonly string[]>;
  readonly since: SinceByGateway;
  /** Everything up to here was read. */
  readonly after: Seq;
  readonly limit: number;
}

/** Entries looked at before those that the account does not see make it give up on older ones. */
const LOOKED_AT_MAX = 100_000;

/**
 * What an account has not read, from the log: the newest `limit` items, oldest first, without their texts, and how many
 * entries are older than those. Entries that the account does not see do not count, however many they are.
 */
export async function loadBacklog(
  query: BacklogQuery,
): Promise<{ readonly items: readonly GatewayItem[]; readonly skipped: number }> {
  const { log, reads, after, limit } = query;
  for (let asked = limit; ; asked *= 4) {
    const { entries, skipped } = await log.newest({ subjects: [...reads.keys()], after, limit: asked });
    const items: GatewayItem[] = [];
    for (const head of entries) {
      if (query.view.admits(head.label)) items.push(...itemsOf({ ...head, payload: null }, query));
    }
    if (items.length >= limit || skipped === 0 || asked >= LOOKED_AT_MAX) {
      const surplus = Math.max(0, items.length - limit);
      return { items: items.slice(surplus), skipped: skipped + surplus };
    }
  }
}

function itemsOf(entry: GatewayItem["entry"], { reads, since }: BacklogQuery): GatewayItem[] {
  const gateways = (reads.get(entry.subject) ?? []).filter(
    (gateway) => entry.seq > (since.get(gateway)?.get(entry.subject) ?? 0),
  );
  return gateways.map((gateway) => ({ entry, gateway }));
}
