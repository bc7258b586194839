import { Election, type ElectionEffect, type ElectionInput } from "../../../src/cluster/election.ts";
import { BEAT_MS, type NodeBeat } from "../../../src/cluster/peers.ts";
import { type EpochClaim, type Holder, isRaised, isVoid, NOBODY } from "../../../src/log/fence.ts";
import type { Chance } from "../chance.ts";
import type { ClusterOracle } from "./oracle.ts";
import { type Net, type SimBatch, type SimMessage, STEP_MS } from "./net.ts";

const RETRY_MS = 500;
const PATIENCE_MS = 15_000;
const APPEND_MS = 400;
/** A node whose disk is full says so after so long. */
const STUCK_MS = 1000;
/** So long a planned stop may take. */
const LEAVE_MS = 9000;

/** Bugs that the oracle has to find. */
export interface ClusterBugs {
  /** Silence counts whether or not our own beats are acknowledged. */
  readonly countsAlways?: boolean;
  /** What is of an epoch that is over is stored all the same. */
  readonly storesVoid?: boolean;
  /** An append is answered when the servers have it, whatever becomes of it. */
  readonly answersEarly?: boolean;
  /** A node without a voice goes on. */
  readonly goesOn?: boolean;
  /** A node that was restarted leaves what it ran to the others, who leave it to that node. */
  readonly forgets?: boolean;
}

/** What a node keeps when its process ends: how far it has applied the stream, and what came of it. */
interface Disk {
  applied: number;
  readonly held: Map<string, Holder>;
  readonly last: Map<string, { readonly run: string; readonly number: number }>;
}

/** A node: the real election over a stream that is a list, and sessions that append all the time. */
export class SimNode {
  readonly name: string;
  readonly #net: Net;
  readonly #chance: Chance;
  readonly #oracle: ClusterOracle;
  readonly #bugs: ClusterBugs;
  readonly #accounts: readonly string[];
  readonly #tell: (beat: NodeBeat) => void;
  readonly #disk: Disk = { applied: 0, held: new Map(), last: new Map() };
  #runs = 0;
  #election: Election | null = null;
  #isStopped = false;
  #fullMs: number | null = null;
  #leavesMs: number | null = null;
  #waiting: SimBatch[] = [];
  #pending: { readonly message: SimMessage; triedMs: number } | null = null;
  #claims: { readonly message: SimMessage; readonly sinceMs: number; triedMs: number }[] = [];
  #backlog: (() => void)[] = [];
  #numbers = 0;
  #beatMs = 0;
  #readableMs = 0;
  /** Another object for each session of an account. */
  readonly sessions = new Map<string, object>();

  constructor(
    name: string,
    accounts: readonly string[],
    world: {
      readonly net: Net;
      readonly chance: Chance;
      readonly oracle: ClusterOracle;
      readonly bugs: ClusterBugs;
      readonly tell: (beat: NodeBeat) => void;
    },
  ) {
    this.name = name;
    this.#accounts = accounts;
    this.#net = world.net;
    this.#chance = world.chance;
    this.#oracle = world.oracle;
    this.#bugs = world.bugs;
    this.#tell = world.tell;
  }

  get run(): string {
    return `r${this.#runs}`;
  }

  get lives(): boolean {
    return this.#election !== null;
  }

  /** It lives, and is not stopped by a signal. */
  get isAwake(): boolean {
    return this.lives && !this.#isStopped;
  }

  get leaves(): boolean {
    return this.#leavesMs !== null;
  }

  start(): void {
    if (this.lives || this.#fullMs !== null || !this.#net.reachesQuorum(this.name)) return;
    this.#runs += 1;
    this.#numbers = 0;
    this.#leavesMs = null;
    this.#readAll();
    this.#election = new Election({ node: this.name, run: this.run }, this.#disk.held);
    this.#take({ is: "wanted", accounts: this.#accounts });
    this.#beatMs = this.#net.nowMs + this.#chance.below(BEAT_MS);
  }

  kill(): void {
    this.#election = null;
    this.#isStopped = false;
    this.#waiting = [];
    this.#pending = null;
    this.#claims = [];
    this.#backlog = [];
    this.sessions.clear();
  }

  stop(): void {
    if (this.lives) this.#isStopped = true;
  }

  wake(): void {
    this.#isStopped = false;
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const work of backlog) work();
  }

  /** It can apply nothing that is in the stream. */
  fill(): void {
    this.#fullMs ??= this.#net.nowMs;
  }

  free(): void {
    this.#fullMs = null;
  }

  leave(): void {
    if (!this.isAwake || this.leaves) return;
    this.#leavesMs = this.#net.nowMs;
    this.#take({ is: "leaves" });
  }

  hear(beat: NodeBeat): void {
    this.#ofThisRun(() => this.#take({ is: "heard", beat, monoMs: this.#net.nowMs }))();
  }

  step(): void {
    if (!this.isAwake || this.#election === null) return;
    const { nowMs } = this.#net;
    if (nowMs >= this.#beatMs) this.#beat(this.#election, nowMs);
    if (this.#fullMs === null && this.#net.reachesQuorum(this.name) && nowMs >= this.#readableMs) {
      this.#readAll();
      this.#readableMs = nowMs + this.#net.soon();
    }
    const isStuck = this.#fullMs !== null && nowMs - this.#fullMs >= STUCK_MS;
    if (nowMs % 200 === 0) this.#take({ is: "tick", monoMs: nowMs, isStuck });
    for (const account of this.sessions.keys()) if (this.#chance.hits(STEP_MS / APPEND_MS)) this.#append(account);
    this.#publish(nowMs);
    const isOver = this.#leavesMs !== null && nowMs - this.#leavesMs >= LEAVE_MS;
    if (this.#election.hasLeft || isOver) this.kill();
  }

  #beat(election: Election, nowMs: number): void {
    this.#beatMs = nowMs + BEAT_MS;
    this.#tell(election.beat(nowMs));
    const told = this.#ofThisRun(() => this.#take({ is: "acked", sentMs: nowMs }));
    if (this.#bugs.countsAlways === true) told();
    else this.#net.acknowledge(this.name, told);
  }

  /** What only the process that runs now does later, once it is awake. */
  #ofThisRun(work: () => void): () => void {
    const { run } = this;
    const own = (): void => {
      if (!this.lives || this.run !== run) return;
      if (this.#isStopped) this.#backlog.push(own);
      else work();
    };
    return own;
  }

  #take(input: ElectionInput): void {
    for (const effect of this.#election?.take(input) ?? []) this.#carryOut(effect, input);
  }

  #carryOut(effect: ElectionEffect, cause: ElectionInput): void {
    switch (effect.do) {
      case "claim":
        return this.#claim(effect.claim);
      case "run":
        this.sessions.set(effect.account, {});
        return;
      case "stop":
        if (this.#bugs.goesOn === true && cause.is === "tick") return;
        this.sessions.delete(effect.account);
        return;
      case "quiesce": {
        const { account } = effect;
        const session = this.sessions.get(account);
        const ended = this.#ofThisRun(() => {
          // It may have been lost and have come back meanwhile.
          if (this.sessions.get(account) !== session) return;
          this.sessions.delete(account);
          this.#take({ is: "quiesced", account, monoMs: this.#net.nowMs });
        });
        this.#net.after(this.#chance.between(50, 1500), ended);
      }
    }
  }

  #claim(claim: EpochClaim): void {
    const before = this.#disk.held.get(claim.account) ?? NOBODY;
    if (this.#bugs.forgets === true && before.node === this.name) return;
    const isTaken = claim.run === this.run && claim.node === this.name && before.node !== this.name;
    this.#oracle.claimed(claim.account, isTaken && before.epoch > 0, this.#net.nowMs);
    const message = this.#message(0, `claim ${claim.account} ${claim.epoch} ${this.#net.nowMs}`, [claim], []);
    this.#claims.push({ message, sinceMs: this.#net.nowMs, triedMs: -Infinity });
  }

  #append(account: string): void {
    const holder = this.#disk.held.get(account) ?? NOBODY;
    const epoch = holder.node === this.name && holder.run === this.run ? holder.epoch : 0;
    this.#waiting.push({ account, epoch, id: this.#oracle.newId() });
  }

  #message(number: number, id: string, claims: readonly EpochClaim[], batches: readonly SimBatch[]): SimMessage {
    return { id: `${this.name} ${this.run} ${id}`, node: this.name, run: this.run, number, claims, batches };
  }

  /** One commit at a time, again and again until it comes back by the stream; claims beside it. */
  #publish(nowMs: number): void {
    if (this.#pending === null && this.#waiting.length > 0) {
      const number = (this.#numbers += 1);
      this.#pending = { message: this.#message(number, `${number}`, [], this.#waiting), triedMs: -Infinity };
      this.#waiting = [];
    }
    this.#claims = this.#claims.filter(({ sinceMs }) => nowMs - sinceMs < PATIENCE_MS);
    for (const each of [this.#pending, ...this.#claims]) {
      if (each === null || nowMs - each.triedMs < RETRY_MS) continue;
      each.triedMs = nowMs;
      this.#net.publish(each.message);
    }
  }

  #readAll(): void {
    for (; this.#disk.applied < this.#net.stream.length; this.#disk.applied += 1) {
      const message = this.#net.stream[this.#disk.applied];
      if (message !== undefined) this.#apply(message, this.#disk.applied);
    }
  }

  /** As the log applies a message, in its transaction. */
  #apply(message: SimMessage, place: number): void {
    const { held, last } = this.#disk;
    const { node, run, number } = message;
    const [newest, former] = [last.get(node), last.get(`${node}/former`)];
    const known = [newest, former].find((each) => each?.run === run);
    const isRepeated = number > 0 && known !== undefined && number <= known.number;
    if (number > 0 && !isRepeated) {
      if (newest !== undefined && newest.run !== run) last.set(`${node}/former`, newest);
      last.set(node, { run, number });
    }
    const voids = (batch: SimBatch): boolean =>
      this.#bugs.storesVoid !== true && isVoid(held.get(batch.account) ?? NOBODY, batch.epoch);
    const stored = isRepeated ? [] : message.batches.filter((batch) => !voids(batch));
    this.#oracle.applied(
      this.name,
      place,
      stored.map(({ id }) => id),
    );
    const raised = message.claims.filter((claim) => isRaised(held.get(claim.account) ?? NOBODY, claim));
    for (const { account, ...holder } of raised) held.set(account, holder);
    this.#settle(message, new Set(stored));
    for (const claim of raised) this.#take({ is: "applied", claim, monoMs: this.#net.nowMs });
  }

  #settle(message: SimMessage, stored: ReadonlySet<SimBatch>): void {
    if (message.node !== this.name || message.run !== this.run) return;
    this.#claims = this.#claims.filter((each) => each.message.id !== message.id);
    if (this.#pending?.message.id !== message.id) return;
    this.#pending = null;
    for (const batch of message.batches) {
      if (stored.has(batch) || this.#bugs.answersEarly === true) this.#oracle.acked(batch.id);
    }
  }
}
