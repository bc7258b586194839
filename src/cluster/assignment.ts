import type { Runner } from "../log/fence.ts";

/**
 * Who runs what, by rendezvous hashing: each account has an order of its own of the nodes, which is the same wherever
 * it is computed, and which a node that comes or goes does not change for the others. No node is given more than its
 * share.
 */

/** 32 bits that say how much an account wants to be on a node. */
export function affinity(account: string, node: string): number {
  let hash = 0x811c9dc5;
  for (const char of `${account}\n${node}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  // Names that differ in their last letter alone must not have neighbouring hashes.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** An account that nobody runs; `last`: the node that did. */
export interface Orphan {
  readonly account: string;
  readonly last: string;
}

/**
 * The nodes for each orphan, the best first: the one that ran it if it is back, then those with room for it, then the
 * others. `loads`: how many accounts each of them runs.
 */
export function takersOf(
  orphans: readonly Orphan[],
  loads: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly string[]> {
  const total = orphans.length + [...loads.values()].reduce((sum, load) => sum + load, 0);
  const share = Math.ceil(total / Math.max(1, loads.size));
  const load = new Map(loads);
  const found = new Map<string, readonly string[]>();
  const rank = (node: string, { account, last }: Orphan): number =>
    (node === last ? 2 ** 34 : 0) + ((load.get(node) ?? 0) < share ? 2 ** 33 : 0) + affinity(account, node);
  for (const orphan of [...orphans].sort((a, b) => (a.account < b.account ? -1 : 1))) {
    const ranked = [...load.keys()].map((node) => ({ node, rank: rank(node, orphan) }));
    const order = ranked.sort((a, b) => b.rank - a.rank || (a.node < b.node ? -1 : 1)).map(({ node }) => node);
    const [first] = order;
    if (first !== undefined) load.set(first, (load.get(first) ?? 0) + 1);
    found.set(orphan.account, order);
  }
  return found;
}

/**
 * One account that should move so that the loads become more even, and where to; null: none. A difference of one is
 * even. The same wherever it is computed, so that only one is moved at a time.
 */
export function moveOf(
  runs: ReadonlyMap<string, readonly string[]>,
  targets: readonly Runner[],
): { readonly from: string; readonly account: string; readonly to: Runner } | null {
  const loadOf = (node: string): number => runs.get(node)?.length ?? 0;
  const byName = (a: string, b: string): number => (a < b ? -1 : 1);
  const [most] = [...runs.keys()].sort((a, b) => loadOf(b) - loadOf(a) || byName(a, b));
  const [least] = [...targets].sort((a, b) => loadOf(a.node) - loadOf(b.node) || byName(a.node, b.node));
  if (most === undefined || least === undefined || loadOf(most) - loadOf(least.node) < 2) return null;
  const scored = (runs.get(most) ?? []).map((account) => ({ account, score: affinity(account, least.node) }));
  const [best] = scored.sort((a, b) => b.score - a.score || byName(a.account, b.account));
  return best === undefined ? null : { from: most, account: best.account, to: least };
}
