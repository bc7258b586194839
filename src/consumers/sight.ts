import type { SeenSubject } from "../gateway/seen.ts";
import { settleSources } from "../gateway/sources.ts";
import type { Seq, Subject } from "../log/log.ts";
import type { EventFilter } from "./feed.ts";
import { type FilterPlan, planFilter } from "./filter.ts";

export type Seen = ReadonlyMap<Subject, SeenSubject>;

/** What an account sees by one configuration, and since when. */
export interface Sight {
  readonly seen: Seen;
  /** By subject: the gateways in which it is seen, and the seq after which. */
  readonly since: ReadonlyMap<Subject, readonly { readonly name: string; readonly since: Seq }[]>;
  /** Up to here there is nothing for the account. */
  readonly begins: Seq;
  readonly planOf: (filter: EventFilter) => FilterPlan;
}

/** The marks in which readers note since when they hear what; see http/api/membership.ts. */
export const sincePrefix = (accountKey: string): string => `api/${accountKey}/since/`;

/** Pure. `head`: where what is not in the marks begins. */
export function sightOf(
  seen: Seen,
  { prefix, marks, head }: { readonly prefix: string; readonly marks: ReadonlyMap<string, string>; readonly head: Seq },
): Sight {
  const joined = joinedBy(seen, { prefix, marks, head });
  const since = new Map(
    Array.from(seen, ([subject, { gateways }]) => [
      subject,
      gateways.map(({ name, since: subjects }) => {
        const seqs = subjects.map((other) => joined.get(name)?.get(other) ?? head);
        return { name, since: Math.max(0, ...seqs) };
      }),
    ]),
  );
  const all = [...since.values()].flat().map(({ since: seq }) => seq);
  const plans = new WeakMap<EventFilter, FilterPlan>();
  const planOf = (filter: EventFilter): FilterPlan => {
    const known = plans.get(filter);
    if (known !== undefined) return known;
    const made = planFilter(filter, seen, since);
    plans.set(filter, made);
    return made;
  };
  return { seen, since, begins: all.length === 0 ? 0 : Math.min(...all), planOf };
}

function joinedBy(
  seen: Seen,
  { prefix, marks, head }: Parameters<typeof sightOf>[1],
): ReadonlyMap<string, ReadonlyMap<Subject, Seq>> {
  const wanted = new Map<string, Set<Subject>>();
  for (const { name, since } of [...seen.values()].flatMap(({ gateways }) => gateways)) {
    const subjects = wanted.get(name) ?? new Set();
    wanted.set(name, subjects);
    for (const subject of since) subjects.add(subject);
  }
  return new Map(
    Array.from(wanted, ([name, subjects]) => [
      name,
      settleSources(marks.get(prefix + name), [...subjects], head).since,
    ]),
  );
}
