import type { StoredCommit } from "../sqlite/stream-place.ts";

/** Each commit names in this header the commit that its node stored before it, as `run/number`. */
export const FOLLOWS = "Rialto-Follows";

export const followsText = ({ run, number }: StoredCommit): string => `${run}/${number}`;

/** Null where the header is missing: a version before this one wrote the commit, or it is the first of its node. */
export function parseFollows(text: string): StoredCommit | null {
  const [, run, number] = /^([\w-]{1,64})\/(\d{1,15})$/.exec(text) ?? [];
  return run === undefined ? null : { run, number: Number(number) };
}

/** Processes of a node that are remembered, as many as `Replica` remembers. */
const RUNS = 2;

/**
 * The last commits of each node, which show whether a commit of a node was deleted from the stream. The place of a
 * commit cannot show that: a message that is not of Rialto leaves the same gap when somebody deletes it.
 */
export class Follows {
  /** For each node the last commit of each of its processes, the newest process first. */
  readonly #stored = new Map<string, readonly StoredCommit[]>();

  constructor(commits: readonly (StoredCommit & { readonly node: string })[]) {
    for (const { node, ...commit } of commits) this.#stored.set(node, [...this.#of(node), commit]);
  }

  /** The last commit of the node, which its next commit names. */
  last(node: string): StoredCommit | null {
    return this.#of(node)[0] ?? null;
  }

  /** Notes a commit that came by the stream. False when the commit that it names never came. */
  take(node: string, { run, number }: StoredCommit, named: StoredCommit | null): boolean {
    const known = this.#of(node);
    const isRepeated = known.some((each) => each.run === run && each.number >= number);
    if (isRepeated) return true;
    const others = known.filter((each) => each.run !== run);
    this.#stored.set(node, [{ run, number }, ...others].slice(0, RUNS));
    return named === null || known.some((each) => each.run === named.run && each.number >= named.number);
  }

  #of(node: string): readonly StoredCommit[] {
    return this.#stored.get(node) ?? [];
  }
}
