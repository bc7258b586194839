import { joinSources, settleSources, type SourcesChange } from "../../gateway/sources.ts";
import type { Mark, Seq, Subject } from "../../log/log.ts";

/** By gateway: since when the account hears each subject there. */
export type SinceByGateway = ReadonlyMap<string, ReadonlyMap<Subject, Seq>>;

type Reads = ReadonlyMap<Subject, readonly string[]>;

/** `marks`: as they are on disk. */
interface Written {
  readonly prefix: string;
  readonly marks: ReadonlyMap<string, string>;
  readonly head: Seq;
}

/** What there is to write down of an account's membership; see `settleMembership`. */
export interface Settled {
  readonly since: SinceByGateway;
  readonly changed: readonly Mark[];
}

/**
 * Since when an account hears what in each gateway: nobody is handed what was said before the bridges existed, neither
 * its own nor the one it was said at. A gateway that the account leaves is forgotten by `forgetReaders`. Marks are
 * `<prefix>since/<gateway>`. Pure.
 */
export function settleMembership({ prefix, marks, head }: Written, reads: Reads): Settled {
  const since = new Map<string, ReadonlyMap<Subject, Seq>>();
  const changed: Mark[] = [];
  for (const [gateway, subjects] of byGateway(reads)) {
    const name = sinceOf(prefix, gateway);
    const written = marks.get(name);
    const sources = settleSources(written, subjects, head);
    since.set(gateway, sources.since);
    if (sources.value !== written) changed.push({ name, value: sources.value });
  }
  return { since, changed };
}

/** What a change of the configuration puts there before it counts, as `joinSources` says. Pure. */
export function joinMembership(
  { prefix, marks, head }: Written,
  { before, after, isAlone = false }: SourcesChange<Reads>,
): readonly Mark[] {
  const heard = byGateway(before);
  return [...byGateway(after)].flatMap(([gateway, subjects]) => {
    const name = sinceOf(prefix, gateway);
    const change = { before: heard.get(gateway) ?? [], after: subjects, isAlone };
    const value = joinSources(marks.get(name), change, head);
    return value === marks.get(name) ? [] : [{ name, value }];
  });
}

/** Name of the mark of a gateway. */
export const sinceOf = (prefix: string, gateway: string): string => `${prefix}since/${gateway}`;

function byGateway(reads: Reads): ReadonlyMap<string, readonly Subject[]> {
  const subjects = new Map<string, Subject[]>();
  for (const [subject, gateways] of reads) {
    for (const gateway of gateways) {
      const known = subjects.get(gateway);
      if (known === undefined) subjects.set(gateway, [subject]);
      else known.push(subject);
    }
  }
  return subjects;
}
