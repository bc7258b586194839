import { settleSources } from "../../gateway/sources.ts";
import type { Log, Mark, Seq, Subject } from "../../log/log.ts";

/** By gateway: since when the account hears each subject there. */
export type Membership = ReadonlyMap<string, ReadonlyMap<Subject, Seq>>;

/**
 * Since when an account hears what in each gateway: nobody is handed what was said before the bridges existed, neither its own nor
 * the one it was said at. A gateway is forgotten when the account leaves it. Marks are `<prefix>since/<gateway>`.
 */
export async function settleMembership(
  log: Log,
  prefix: string,
  marks: ReadonlyMap<string, string>,
  reads: ReadonlyMap<Subject, readonly string[]>,
): Promise<Membership> {
  const stem = `${prefix}since/`;
  const since = new Map<string, ReadonlyMap<Subject, Seq>>();
  const changed: Mark[] = [];
  for (const [gateway, subjects] of byGateway(reads)) {
    const name = stem + gateway;
    const written = marks.get(name);
    const sources = settleSources(written, subjects, log.head);
    since.set(gateway, sources.since);
    if (sources.value !== written) changed.push({ name, value: sources.value });
  }
  const gone = [...marks.keys()].filter((name) => name.startsWith(stem) && !since.has(name.slice(stem.length)));
  if (gone.length > 0) await log.unmark(gone);
  if (changed.length > 0) await log.mark(changed);
  return since;
}

function byGateway(reads: ReadonlyMap<Subject, readonly string[]>): ReadonlyMap<string, readonly Subject[]> {
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
