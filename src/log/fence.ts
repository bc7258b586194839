/**
 * Who may write for an account, where several nodes write to one log. An account is nobody's (all may, in epoch 0) or
 * one process's, by a claim of an epoch that is higher than all before. What a process appends for an account carries
 * the epoch that it holds, 0 if none; where that is no longer the epoch of the account, it is void. Both are decided
 * when they are applied, in the order of the stream, and so the same on every node.
 */

/** In place of an account, the log itself: who holds it says what retention deletes, and is right about its state. */
export const LOG_ACCOUNT = "rialto.log";

/** A process: a node that was restarted is another one, and holds nothing. */
export interface Runner {
  /** Name of the node; empty: nobody. */
  readonly node: string;
  readonly run: string;
}

export interface Holder extends Runner {
  readonly epoch: number;
}

/** `node` and `run`: who is to hold it, which is whoever made the claim, or to whom it hands the account over. */
export interface EpochClaim extends Holder {
  readonly account: string;
}

export const NOBODY: Holder = { epoch: 0, node: "", run: "" };

/** Whether a claim counts, by who holds the account. */
export const isRaised = (current: Pick<Holder, "epoch">, { epoch }: Pick<EpochClaim, "epoch">): boolean =>
  epoch > current.epoch;

/** Whether what carries this epoch is void, by who holds the account. */
export const isVoid = (current: Pick<Holder, "epoch">, epoch: number): boolean => epoch !== current.epoch;

/** The accounts of a log, as applied here. */
export interface Fence {
  /** This process. */
  readonly own: Runner;
  current(account: string): Holder;
  /** All that somebody holds, by account. */
  readonly held: ReadonlyMap<string, Holder>;
  /**
   * Puts claims into the stream; resolves when they were applied here, with those that counted: others had this or a
   * later epoch. Rejects with a LogError `unreachable`; or `unknown`, after which they may count all the same, as they
   * may when `signal` is aborted: then it resolves with what was decided before, and publishes nothing more.
   */
  raise(claims: readonly EpochClaim[], signal?: AbortSignal): Promise<readonly EpochClaim[]>;
  /** Told of each claim that counted, in the order of the stream. Returns the function that ends it. */
  changed(listener: (claim: EpochClaim) => void): () => void;
}
