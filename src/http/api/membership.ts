import type { Log, Mark, Seq } from "../../log/log.ts";

/**
 * Since when an account is in each gateway: nobody is handed what was said before the bridge existed. A gateway is remembered the
 * first time it is seen, and forgotten when the account leaves it. Marks are `<prefix>since/<gateway>`.
 */
export async function settleMembership(
  log: Log,
  prefix: string,
  marks: ReadonlyMap<string, string>,
  gateways: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Seq>> {
  const stem = `${prefix}since/`;
  const since = new Map<string, Seq>();
  const gone: string[] = [];
  for (const [name, value] of marks) {
    if (!name.startsWith(stem)) continue;
    const gateway = name.slice(stem.length);
    if (gateways.has(gateway)) since.set(gateway, Number(value));
    else gone.push(name);
  }
  const fresh: Mark[] = [];
  for (const gateway of gateways) {
    if (since.has(gateway)) continue;
    since.set(gateway, log.head);
    fresh.push({ name: stem + gateway, value: String(log.head) });
  }
  if (gone.length > 0) await log.unmark(gone);
  if (fresh.length > 0) await log.mark(fresh);
  return since;
}
