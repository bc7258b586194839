import type { ApiEvent, DurableType } from "../contract/api-v1.ts";
import type { SeenSubject } from "../gateway/seen.ts";
import type { Seq, Subject } from "../log/log.ts";
import type { EventFilter, FeedItem } from "./feed.ts";

/** What a filter means for the subjects of one account, worked out once. */
export interface FilterPlan {
  /** Those that can hold what passes. */
  readonly subjects: ReadonlySet<Subject>;
  /** The same for the same subjects. */
  readonly key: string;
  /** Null: all. */
  readonly gateways: ReadonlySet<string> | null;
  readonly takes: (type: DurableType) => boolean;
  /** Seq up to which something of these subjects is not for the account. */
  readonly joined: Seq;
}

export function planFilter(
  filter: EventFilter,
  seen: ReadonlyMap<Subject, SeenSubject>,
  since: ReadonlyMap<Subject, readonly { readonly name: string; readonly since: Seq }[]>,
): FilterPlan {
  const gateways = filter.gateways.length === 0 ? null : new Set(filter.gateways);
  const accounts = new Set(filter.accounts.map((account) => account.toLowerCase()));
  const subjects = new Set<Subject>();
  let joined = 0;
  for (const [subject, { mine, account }] of seen) {
    if (mine && !filter.mine) continue;
    if (accounts.size > 0 && !accounts.has(account)) continue;
    const names = (since.get(subject) ?? []).filter(({ name }) => gateways?.has(name) !== false);
    if (names.length === 0) continue;
    subjects.add(subject);
    for (const { since: seq } of names) joined = Math.max(joined, seq);
  }
  const key = subjects.size === seen.size ? "" : [...subjects].join("\n");
  return { subjects, key, gateways, takes: typesOf(filter.types), joined };
}

/** Whether a filter takes events of this type; none named: all. */
export function typesOf(types: readonly string[]): (type: string) => boolean {
  if (types.length === 0 || types.includes("*")) return () => true;
  const whole = new Set(types);
  const stems = types.filter((type) => type.endsWith(".*")).map((type) => type.slice(0, -1));
  return (type) => whole.has(type) || stems.some((stem) => type.startsWith(stem));
}

/** Whether an event that a feed has given passes another filter. */
export function passes(filter: EventFilter, { event }: Pick<FeedItem, "event">): boolean {
  const { gateways, accounts } = filter;
  if (!filter.mine && "author" in event && event.author.mine) return false;
  if (gateways.length > 0 && !event.gateways.some((name) => gateways.includes(name))) return false;
  const account = event.source.account.toLowerCase();
  if (accounts.length > 0 && !accounts.some((name) => name.toLowerCase() === account)) return false;
  return typesOf(filter.types)(event.type);
}

/** The same event with no gateways but these; null: none of its own is among them. */
export function within(event: ApiEvent, gateways: ReadonlySet<string>): ApiEvent | null {
  const names = event.gateways.filter((name) => gateways.has(name));
  if (names.length === event.gateways.length) return event;
  return names.length === 0 ? null : { ...event, gateways: names };
}
