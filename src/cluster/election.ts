import { type EpochClaim, type Holder, isRaised, NOBODY, type Runner } from "../log/fence.ts";
import { moveOf, type Orphan, takersOf } from "./assignment.ts";
import { ACK_GAP_MS, type NodeBeat, Peers, SILENCE_MS } from "./peers.ts";

/**
 * Which accounts this node runs, of all that several nodes share. PURE: time and what is heard come in, and what is to
 * be done goes out. An account, as this node has it:
 *
 *   none ──its epoch is applied, and it is ours──▶ runs ──to be moved, or the node stops──▶ ends ──quiesced──▶ given
 *    ▲ ▲                                            │                                        │                   │
 *    │ └────another's epoch is applied; or the node has had no voice for 12 s, or is stuck───┴───────────────────┘
 *    └── claimed, if nobody who lives holds it and this node is the best for it; by the next best 3 s later
 *
 * An epoch counts when it is applied, never when it is claimed, so two that claim at once are no harm. A node that lost
 * its voice claims what it had anew: that claim fails if another had it meanwhile. So does one that was stuck: it could
 * not apply what the stream has, said that it has no voice, and the others took over.
 */

/** A node without a voice for so long ends its sessions: the others have taken over long ago. In ms. */
export const ISOLATED_MS = 12_000;
/** A node that leaves stops waiting when the servers have acknowledged nothing for this time, in ms. */
const UNHEARD_MS = 2200;
/** A claim that was not applied within so long is made again, by others as well; in ms. */
const CLAIM_MS = 3000;
/** Time from one change of hands to the next move for the sake of balance, in ms. */
const MOVE_MS = 1000;
/** Only to a node that has lived for so long is anything moved, in ms. */
const STEADY_MS = 10_000;

export type ElectionEffect =
  | { readonly do: "claim"; readonly claim: EpochClaim }
  | { readonly do: "run"; readonly account: string }
  /** At once: somebody else has it. */
  | { readonly do: "stop"; readonly account: string }
  /** In order, and then say `quiesced`: it is handed over afterwards. */
  | { readonly do: "quiesce"; readonly account: string };

/** All times are monotonic, in ms. */
export type ElectionInput =
  /** `isStuck`: for some time, nothing of what the stream has could be applied here. */
  | { readonly is: "tick"; readonly monoMs: number; readonly isStuck: boolean }
  | { readonly is: "heard"; readonly beat: NodeBeat; readonly monoMs: number }
  /** The servers have our beat of that time, most of them. */
  | { readonly is: "acked"; readonly sentMs: number }
  /** In the order of the stream. */
  | { readonly is: "applied"; readonly claim: EpochClaim; readonly monoMs: number }
  /**
   * These are to be run by somebody, by this configuration; those that stay are not moved for the sake of balance.
   */
  | {
      readonly is: "wanted";
      readonly accounts: readonly string[];
      readonly stays?: readonly string[];
      readonly config?: string;
    }
  /** Where accounts belong that run here: they are moved there when that node is another, and lives. */
  | { readonly is: "homes"; readonly homes: ReadonlyMap<string, string> }
  | { readonly is: "quiesced"; readonly account: string; readonly monoMs: number }
  /** This node is to hand over what it runs, and takes nothing more. */
  | { readonly is: "leaves" };

/** `given`: it has ended here, and the claim for another is under way. `to`: where it is moved; null: wherever. */
type Phase =
  | { readonly is: "runs" }
  | { readonly is: "ends"; readonly to: Runner | null }
  | { readonly is: "given"; readonly to: Runner | null; readonly claimedMs: number };

export class Election {
  readonly #own: Runner;
  readonly #peers = new Peers();
  readonly #held: Map<string, Holder>;
  readonly #phases = new Map<string, Phase>();
  /** When each account without a holder that lives was seen to be so, and was last claimed here. */
  readonly #orphans = new Map<string, { readonly sinceMs: number; claimedMs: number }>();
  /** When each account was last seen to become another's: that one lived then, whether it is heard or not. */
  readonly #lostMs = new Map<string, number>();
  #wanted: ReadonlySet<string> = new Set();
  #stays: ReadonlySet<string> = new Set();
  #homes: ReadonlyMap<string, string> = new Map();
  #config = "";
  #isLeaving = false;
  #isStuck = false;
  #timesStuck = 0;
  #changedMs = -Infinity;
  /** When another process was heard that has the name of this node: they would take everything from each other. */
  #twinMs = -Infinity;
  /** When it began to listen. */
  #sinceMs: number | null = null;
  #effects: ElectionEffect[] = [];

  /** `held`: as applied when it begins; of that nothing is of this process. */
  constructor(own: Runner, held: Iterable<readonly [string, Holder]>) {
    this.#own = own;
    this.#held = new Map(held);
  }

  take(input: ElectionInput): readonly ElectionEffect[] {
    this.#effects = [];
    this.#handle(input);
    return this.#effects;
  }

  /** What this node says of itself. */
  beat(monoMs: number): NodeBeat {
    return { ...this.#own, takes: !this.#isLeaving, hasVoice: !this.isIsolated(monoMs), config: this.#config };
  }

  /** Most of the servers have lately had our beat, so that what others claim has come here as well, and is applied. */
  hasVoice(monoMs: number): boolean {
    return !this.#isStuck && this.#peers.ackedMs !== null && monoMs - this.#peers.ackedMs <= ACK_GAP_MS;
  }

  /** It may run nothing: the others take it for dead, or are to. */
  isIsolated(monoMs: number): boolean {
    const since = this.#peers.ackedMs ?? this.#sinceMs ?? monoMs;
    return this.#isStuck || monoMs - since >= ISOLATED_MS;
  }

  /** How often it had no voice: others may have taken over in each of these times. */
  get gaps(): number {
    return this.#peers.gaps + this.#timesStuck;
  }

  get runs(): readonly string[] {
    return [...this.#phases].filter(([, { is }]) => is === "runs").map(([account]) => account);
  }

  /** Nothing of it is left to hand over. */
  get hasLeft(): boolean {
    return this.#isLeaving && this.#phases.size === 0;
  }

  /** The servers answer nothing: a node that leaves cannot hand over what it ran. The others notice by themselves. */
  isUnheard(monoMs: number): boolean {
    return this.#peers.ackedMs === null || monoMs - this.#peers.ackedMs > UNHEARD_MS;
  }

  get peers(): Peers {
    return this.#peers;
  }

  #handle(input: ElectionInput): void {
    switch (input.is) {
      case "heard":
        if (input.beat.node !== this.#own.node) this.#peers.heard(input.beat, input.monoMs);
        else if (input.beat.run !== this.#own.run) this.#twinMs = input.monoMs;
        return;
      case "acked":
        return this.#peers.acked(input.sentMs);
      case "wanted":
        this.#stays = new Set(input.stays);
        this.#config = input.config ?? "";
        return this.#want(input.accounts);
      case "homes":
        this.#homes = input.homes;
        return;
      case "applied":
        return this.#apply(input.claim, input.monoMs);
      case "quiesced":
        if (this.#phases.get(input.account)?.is === "ends") this.#give(input.account, input.monoMs);
        return;
      case "leaves":
        this.#isLeaving = true;
        for (const account of this.runs) this.#end(account, null);
        return;
      case "tick":
        if (input.isStuck && !this.#isStuck) this.#timesStuck += 1;
        this.#isStuck = input.isStuck;
        return this.#tick(input.monoMs);
    }
  }

  #want(accounts: readonly string[]): void {
    this.#wanted = new Set(accounts);
    for (const known of [this.#orphans, this.#lostMs]) {
      for (const account of known.keys()) if (!this.#wanted.has(account)) known.delete(account);
    }
    for (const account of this.runs) if (!this.#wanted.has(account)) this.#stop(account);
  }

  #apply(claim: EpochClaim, monoMs: number): void {
    const { account, epoch, node, run } = claim;
    if (!isRaised(this.#held.get(account) ?? NOBODY, claim)) return;
    this.#held.set(account, { epoch, node, run });
    this.#orphans.delete(account);
    this.#changedMs = monoMs;
    if (!this.#isOwn(account)) {
      this.#lostMs.set(account, monoMs);
      return this.#stop(account);
    }
    const phase = this.#phases.get(account);
    if (!this.#wanted.has(account) || this.isIsolated(monoMs) || phase?.is === "runs" || phase?.is === "ends") return;
    if (this.#isLeaving) {
      this.#phases.set(account, { is: "given", to: null, claimedMs: monoMs });
      return this.#give(account, monoMs);
    }
    this.#phases.set(account, { is: "runs" });
    this.#effects.push({ do: "run", account });
  }

  #tick(monoMs: number): void {
    this.#sinceMs ??= monoMs;
    if (this.isIsolated(monoMs)) for (const account of this.#phases.keys()) this.#stop(account);
    if (!this.hasVoice(monoMs)) return;
    for (const [account, phase] of this.#phases) {
      if (phase.is === "given" && monoMs - phase.claimedMs >= CLAIM_MS) this.#give(account, monoMs);
    }
    if (this.#isLeaving || monoMs - this.#twinMs < SILENCE_MS) return;
    this.#claimOrphans(monoMs);
    this.#balance(monoMs);
  }

  /** The session has ended: the account becomes another's, or ours again when there is no other. */
  #give(account: string, monoMs: number): void {
    const phase = this.#phases.get(account);
    const wish = phase === undefined || phase.is === "runs" ? null : phase.to;
    const to = this.#peers.takers(this.#config).find(({ node, run }) => node === wish?.node && run === wish.run);
    const next = to ?? this.#bestFor(account);
    if (next === null) return void this.#phases.delete(account);
    this.#phases.set(account, { is: "given", to: wish, claimedMs: monoMs });
    this.#claim(account, next);
  }

  #claimOrphans(monoMs: number): void {
    const orphans = [...this.#wanted].flatMap((account): Orphan[] => {
      const holder = this.#held.get(account) ?? NOBODY;
      if (this.#isRun(account, holder)) return [];
      return [{ account, last: holder.node }];
    });
    const found = new Set(orphans.map(({ account }) => account));
    for (const account of this.#orphans.keys()) if (!found.has(account)) this.#orphans.delete(account);
    if (orphans.length === 0) return;
    const takers = takersOf(orphans, this.#loads(found));
    for (const { account, last } of orphans) {
      const orphan = this.#orphans.get(account) ?? { sinceMs: monoMs, claimedMs: -Infinity };
      this.#orphans.set(account, orphan);
      const isLate = monoMs - Math.max(orphan.claimedMs, this.#lostMs.get(account) ?? -Infinity) >= CLAIM_MS;
      // Whoever is asked first may be unable to.
      const asked = 1 + Math.floor((monoMs - orphan.sinceMs) / CLAIM_MS);
      const isAsked = takers.get(account)?.slice(0, asked).includes(this.#own.node) === true;
      const mayAsk = last === this.#own.node ? this.#peers.knowsTwins : this.#peers.knowsAll;
      if (!isLate || !isAsked || !mayAsk) continue;
      orphan.claimedMs = monoMs;
      this.#claim(account, this.#own);
    }
  }

  /** Whether somebody runs the account, or is about to. */
  #isRun(account: string, holder: Holder): boolean {
    if (holder.node === this.#own.node) return holder.run === this.#own.run && this.#phases.has(account);
    return holder.epoch > 0 && this.#peers.mayLive(holder);
  }

  #balance(monoMs: number): void {
    const isBusy = this.#orphans.size > 0 || [...this.#phases.values()].some(({ is }) => is !== "runs");
    const isSteady = monoMs - (this.#sinceMs ?? monoMs) >= STEADY_MS && monoMs - this.#changedMs >= MOVE_MS;
    if (isBusy || !isSteady) return;
    const steady = this.#peers.takers(this.#config, monoMs - STEADY_MS);
    for (const account of this.runs) {
      const home = steady.find(({ node }) => node === this.#homes.get(account));
      if (home !== undefined) return this.#end(account, home);
    }
    const runs = new Map<string, string[]>([...this.#nodes()].map((node) => [node, []]));
    for (const account of this.#wanted) {
      if (!this.#stays.has(account)) runs.get(this.#held.get(account)?.node ?? "")?.push(account);
    }
    const move = moveOf(runs, steady);
    if (move?.from === this.#own.node) this.#end(move.account, move.to);
  }

  /** How many accounts each node runs that can be given more; `without` those. */
  #loads(without: ReadonlySet<string>): Map<string, number> {
    const loads = new Map([...this.#nodes()].map((node) => [node, 0]));
    for (const account of this.#wanted) {
      const { node } = this.#held.get(account) ?? NOBODY;
      const load = loads.get(node);
      if (load !== undefined && !without.has(account)) loads.set(node, load + 1);
    }
    return loads;
  }

  #nodes(): ReadonlySet<string> {
    const others = this.#peers.takers(this.#config).map(({ node }) => node);
    return new Set(this.#isLeaving ? others : [...others, this.#own.node]);
  }

  /** Null: nobody else, and this node leaves. */
  #bestFor(account: string): Runner | null {
    const [best] = takersOf([{ account, last: "" }], this.#loads(new Set([account]))).get(account) ?? [];
    if (best === this.#own.node) return this.#own;
    return this.#peers.takers(this.#config).find(({ node }) => node === best) ?? null;
  }

  #claim(account: string, { node, run }: Runner): void {
    const epoch = (this.#held.get(account)?.epoch ?? 0) + 1;
    this.#effects.push({ do: "claim", claim: { account, epoch, node, run } });
  }

  #end(account: string, to: Runner | null): void {
    this.#phases.set(account, { is: "ends", to });
    this.#effects.push({ do: "quiesce", account });
  }

  #stop(account: string): void {
    const phase = this.#phases.get(account);
    this.#phases.delete(account);
    if (phase !== undefined && phase.is !== "given") this.#effects.push({ do: "stop", account });
  }

  #isOwn(account: string): boolean {
    const { node, run } = this.#held.get(account) ?? NOBODY;
    return node === this.#own.node && run === this.#own.run;
  }
}
