import { LogError } from "../log/errors.ts";
import { type EpochClaim, type Fence, LOG_ACCOUNT } from "../log/fence.ts";
import { isObject, readJson } from "../lib/shapes.ts";
import { Election, type ElectionEffect, type ElectionInput } from "./election.ts";
import { BEAT_MS, type NodeBeat } from "./peers.ts";

/** How often it is looked whether something is to be done, in ms. */
const TICK_MS = 100;

/** How nodes hear of each other. */
interface BeatWire {
  /** Whether most of the servers have it. Never rejects. */
  say(node: string, word: string): Promise<boolean>;
  /** Told of the words of all. Returns the function that ends it. */
  listen(told: (word: string) => void): () => void;
}

/** What the node does with the accounts that it is given. None of them throws. */
interface AccountRunner {
  run(account: string): void;
  /** At once: another node has it. */
  stop(account: string): void;
  /** In order; resolves when nothing of it is left. */
  quiesce(account: string): Promise<void>;
}

export interface MemberOptions {
  readonly fence: Fence;
  readonly wire: BeatWire;
  readonly runner: AccountRunner;
  /** For some time, nothing of what the servers have could be applied here. */
  readonly isStuck: () => boolean;
  /** Resolves when what the servers had at the call was applied here; false: nobody knows. */
  readonly caughtUp: () => Promise<boolean>;
  /** Of a clock that nobody can set, in ms. */
  readonly monoMs: () => number;
  /** Unix ms. */
  readonly nowMs: () => number;
  readonly wish: Wish;
  /** Another process says that it has the name of this node. */
  readonly onTwin: () => void;
}

/** What a node wants to be run, by its configuration. */
export interface Wish {
  readonly accounts: readonly string[];
  /** Those that stay where they are, as long as the node lives that runs them. */
  readonly stays: readonly string[];
  /** Tells the configuration from others: all nodes should have the same. */
  readonly config: string;
}

/** The nodes, and which of them runs what, as this one has it. */
export interface MemberView {
  readonly own: string;
  /** Most of the servers acknowledge what it says, and it applies what they have; or soon it runs nothing. */
  readonly hasVoice: boolean;
  /** Those that live. `isAlike`: its configuration is that of this node. */
  readonly nodes: readonly { readonly name: string; readonly accounts: number; readonly isAlike: boolean }[];
  readonly accounts: readonly {
    readonly account: string;
    /** Null: nobody. */
    readonly node: string | null;
    readonly epoch: number;
    /** Unix ms of when that was applied here; null: before this node was started. */
    readonly sinceMs: number | null;
  }[];
}

/** One node among several: says that it lives, hears the others, and runs what the election gives it. */
export class ClusterMember {
  readonly #options: MemberOptions;
  readonly #election: Election;
  readonly #ends: (() => void)[] = [];
  readonly #sinceMs = new Map<string, number>();
  #wish: Wish;
  /** What is being handed over; another object for each time. */
  readonly #ending = new Map<string, object>();
  #claims: EpochClaim[] = [];
  /** The gaps of the election after which all was applied here, and the one of which that is being asked. */
  #sureOf: number | null = null;
  #asking: number | null = null;
  #left: (() => void) | null = null;

  constructor(options: MemberOptions) {
    const { fence, wire, wish, monoMs, isStuck } = options;
    this.#options = options;
    this.#wish = wish;
    this.#election = new Election(fence.own, fence.held);
    this.#take({ is: "wanted", ...wish });
    this.#ends.push(fence.changed((claim) => this.#applied(claim)));
    this.#ends.push(wire.listen((word) => this.#heard(word)));
    const timers = [
      setInterval(() => void this.#beat(), BEAT_MS),
      setInterval(() => this.#take({ is: "tick", monoMs: monoMs(), isStuck: isStuck() }), TICK_MS),
    ];
    for (const timer of timers) this.#ends.push(() => clearInterval(timer));
    void this.#beat();
  }

  want(wish: Wish): void {
    this.#wish = wish;
    this.#take({ is: "wanted", ...wish });
  }

  /** Where accounts belong that run here. */
  bringHome(homes: ReadonlyMap<string, string>): void {
    this.#take({ is: "homes", homes });
  }

  get hasVoice(): boolean {
    return this.#election.hasVoice(this.#options.monoMs());
  }

  /** It has ended what it ran, or is about to: the servers have acknowledged nothing for too long. */
  get isIsolated(): boolean {
    return this.#election.isIsolated(this.#options.monoMs());
  }

  /**
   * Whether what runs here is certainly its own: the servers acknowledge what it says, and since they began to, what
   * others had claimed until then was applied here.
   */
  get isSure(): boolean {
    if (!this.hasVoice) return false;
    const { gaps } = this.#election;
    if (this.#sureOf !== gaps && this.#asking !== gaps) void this.#makeSure(gaps);
    return this.#sureOf === gaps;
  }

  async #makeSure(gaps: number): Promise<void> {
    this.#asking = gaps;
    const isApplied = await this.#options.caughtUp().catch(() => false);
    if (isApplied) this.#sureOf = gaps;
    this.#asking = null;
  }

  get view(): MemberView {
    const { fence } = this.#options;
    const { accounts, config } = this.#wish;
    const shown = accounts.filter((account) => account !== LOG_ACCOUNT);
    const held = shown.map((account) => {
      const { node, epoch } = fence.current(account);
      return { account, node, epoch };
    });
    const nodes = [{ ...fence.own, config }, ...this.#election.peers.live];
    return {
      own: fence.own.node,
      hasVoice: this.hasVoice,
      nodes: nodes.map((each) => ({
        name: each.node,
        accounts: held.filter(({ node }) => node === each.node).length,
        isAlike: each.config === config,
      })),
      accounts: held.map(({ account, node, epoch }) => {
        return { account, node: node === "" ? null : node, epoch, sinceMs: this.#sinceMs.get(account) ?? null };
      }),
    };
  }

  /**
   * Ends what runs here and hands it over. Resolves when the others have all of it, or when the servers have answered
   * nothing for some time. Then it is to be closed.
   */
  async leave(): Promise<void> {
    const left = new Promise<void>((resolve) => (this.#left = resolve));
    this.#take({ is: "leaves" });
    // The others are to hear of it before it is done.
    void this.#beat();
    await left;
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  #applied(claim: EpochClaim): void {
    this.#sinceMs.set(claim.account, this.#options.nowMs());
    this.#take({ is: "applied", claim, monoMs: this.#options.monoMs() });
  }

  async #beat(): Promise<void> {
    const { wire, fence, monoMs } = this.#options;
    const sentMs = monoMs();
    const word = JSON.stringify(this.#election.beat(sentMs));
    const isHeard = await wire.say(fence.own.node, word);
    if (isHeard) this.#take({ is: "acked", sentMs });
  }

  #heard(word: string): void {
    const beat = readJson(word);
    if (!isBeat(beat)) return;
    const { fence, monoMs, onTwin } = this.#options;
    if (beat.node === fence.own.node && beat.run !== fence.own.run) onTwin();
    this.#take({ is: "heard", beat, monoMs: monoMs() });
  }

  #take(input: ElectionInput): void {
    for (const effect of this.#election.take(input)) this.#carryOut(effect);
    if (this.#election.hasLeft || this.#election.isUnheard(this.#options.monoMs())) this.#left?.();
  }

  #carryOut(effect: ElectionEffect): void {
    const { runner } = this.#options;
    switch (effect.do) {
      case "run":
        return runner.run(effect.account);
      case "stop":
        this.#ending.delete(effect.account);
        return runner.stop(effect.account);
      case "quiesce":
        return void this.#quiesce(effect.account);
      case "claim":
        this.#claims.push(effect.claim);
        // Those of one turn are one message.
        if (this.#claims.length === 1) queueMicrotask(() => void this.#raise());
    }
  }

  async #quiesce(account: string): Promise<void> {
    const { runner, monoMs } = this.#options;
    const own = {};
    this.#ending.set(account, own);
    await runner.quiesce(account);
    // It may have been lost and have come back meanwhile.
    if (this.#ending.get(account) !== own) return;
    this.#ending.delete(account);
    this.#take({ is: "quiesced", account, monoMs: monoMs() });
  }

  async #raise(): Promise<void> {
    const claims = this.#claims;
    this.#claims = [];
    try {
      await this.#options.fence.raise(claims);
    } catch (error) {
      // The election claims again, as long as nobody else has it.
      if (!(error instanceof LogError)) throw error;
    }
  }
}

const isBeat = (value: unknown): value is NodeBeat =>
  isObject(value) &&
  ["node", "run", "config"].every((field) => typeof value[field] === "string" && value[field] !== "") &&
  ["takes", "hasVoice"].every((field) => typeof value[field] === "boolean");
