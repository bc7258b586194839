import { type EpochClaim, type Holder } from "../log/fence.ts";
import { Election, type ElectionEffect, type ElectionInput } from "./election.ts";
import { BEAT_MS, SILENCE_MS } from "./peers.ts";

export const OWN = { node: "n1", run: "r1" };
export const OTHER = { node: "n2", run: "r2" };
export const holder = (epoch: number, { node, run } = OWN): Holder => ({ epoch, node, run });
export const claimOf = (account: string, epoch: number, by = OWN): EpochClaim => ({ account, epoch, ...by });
export const claims = (account: string, epoch: number, by = OWN): ElectionEffect => ({
  do: "claim",
  claim: claimOf(account, epoch, by),
});

/** One node, and what it is told of others. Its claims are applied only when the test says so. */
export class ElectionStage {
  readonly election: Election;
  monoMs = 1000;
  /** Others that live, and whether they take anything. */
  readonly others = new Map<string, { run: string; takes: boolean; hasVoice: boolean; config: string }>();
  isAcked = true;
  isStuck = false;

  constructor(accounts: readonly string[], held: readonly (readonly [string, Holder])[] = []) {
    this.election = new Election(OWN, held);
    this.election.take({ is: "wanted", accounts });
  }

  live(
    node: string,
    more: {
      readonly run?: string;
      readonly takes?: boolean;
      readonly hasVoice?: boolean;
      readonly config?: string;
    } = {},
  ): void {
    this.others.set(node, { run: node.replace("n", "r"), takes: true, hasVoice: true, config: "", ...more });
  }

  /** What it does in that time, with a beat of everybody each 0.4 s. */
  pass(ms: number): ElectionEffect[] {
    const effects: ElectionEffect[] = [];
    for (const end = this.monoMs + ms; this.monoMs < end;) {
      this.monoMs += BEAT_MS;
      const { monoMs } = this;
      for (const [node, state] of this.others) this.election.take({ is: "heard", beat: { node, ...state }, monoMs });
      if (this.isAcked) this.election.take({ is: "acked", sentMs: monoMs });
      effects.push(...this.election.take({ is: "tick", monoMs, isStuck: this.isStuck }));
    }
    return effects;
  }

  apply(account: string, epoch: number, by = OWN): readonly ElectionEffect[] {
    return this.take({ is: "applied", claim: claimOf(account, epoch, by), monoMs: this.monoMs });
  }

  take(input: ElectionInput): readonly ElectionEffect[] {
    return this.election.take(input);
  }
}

/** It runs these, and others live. */
export function running(accounts: readonly string[], ...others: readonly string[]): ElectionStage {
  const stage = new ElectionStage(accounts);
  for (const node of others) stage.live(node);
  stage.pass(SILENCE_MS + 800);
  for (const account of accounts) stage.apply(account, 1);
  return stage;
}
