import type { ClusterBugs } from "./node.ts";
import type { ClusterInvariant } from "./oracle.ts";

/** Bugs, and the invariant that each breaks. `seeds`: some that met it when this was written. */
export const CLUSTER_PLANTED: readonly {
  readonly bug: string;
  readonly invariant: ClusterInvariant;
  readonly bugs: ClusterBugs;
  readonly seeds: readonly number[];
}[] = [
  {
    bug: "what is of an epoch that is over is stored",
    invariant: "one epoch at a time",
    bugs: { storesVoid: true },
    seeds: [1, 2, 3, 4],
  },
  {
    bug: "an append is answered when the servers have it",
    invariant: "what is answered is stored",
    bugs: { answersEarly: true },
    seeds: [1, 2, 3, 4],
  },
  {
    bug: "silence counts without a voice of one's own",
    invariant: "nothing moves with the leader",
    bugs: { countsAlways: true },
    seeds: [10, 15, 20, 25],
  },
  {
    bug: "a node without a voice goes on",
    invariant: "no two sessions for long",
    bugs: { goesOn: true },
    seeds: [3, 6, 7, 19],
  },
  {
    bug: "a node that was restarted leaves what it ran to others",
    invariant: "every account is run",
    bugs: { forgets: true },
    seeds: [1, 2, 3, 4],
  },
];
