import { LogError } from "../errors.ts";
import type { Batch, SeqMark } from "../log.ts";

/** For whom the batches of a commit are, and in which epoch: each pair of the two columns once. */
export interface Owners {
  readonly accounts: readonly string[];
  readonly epochs: readonly number[];
  /** Per batch: index into both. */
  readonly ownerOf: readonly number[];
}

/** What a batch carries so that each node can say whether it is void. */
export interface Owned {
  readonly account: string;
  readonly epoch: number;
  /** Null when none is of another account. */
  readonly seqMarks: readonly (SeqMark & { readonly epoch?: number })[] | null;
}

export function ownedBy({ account, seqMarks = [] }: Batch, epochOf: (account: string) => number): Owned {
  const isShared = seqMarks.some((mark) => mark.account !== undefined);
  const marks = isShared
    ? seqMarks.map((mark) => (mark.account === undefined ? mark : { ...mark, epoch: epochOf(mark.account) }))
    : null;
  return { account, epoch: epochOf(account), seqMarks: marks };
}

/** The column of a commit; empty where nobody else writes to the log. */
export function encodeOwners(items: readonly { readonly owned: Owned | null }[]): { readonly owners?: Owners } {
  const known = new Map<string, number>();
  const accounts: string[] = [];
  const epochs: number[] = [];
  const ownerOf: number[] = [];
  for (const { owned } of items) {
    if (owned === null) return {};
    const { account, epoch } = owned;
    const pair = `${epoch} ${account}`;
    let number = known.get(pair);
    if (number === undefined) {
      known.set(pair, (number = known.size));
      accounts.push(account);
      epochs.push(epoch);
    }
    ownerOf.push(number);
  }
  return { owners: { accounts, epochs, ownerOf } };
}

export function fencedBy(account: string, node: string): LogError {
  return new LogError("fenced", `The node ${node} holds ${account}: nothing was stored.`);
}
