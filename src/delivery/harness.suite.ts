import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { Idempotency } from "../contract/capabilities.ts";
import { END, type MessageRef } from "../contract/ids.ts";
import type { PostOp } from "../contract/ops.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Attempt } from "../contract/session.ts";
import { deferred, delivered, outletOf, part, rejected, Stage, unknown, WHY } from "./stage.suite.ts";
import { emptyDisk } from "./memory-log.suite.ts";

/** What goes wrong with one handler call. Lost: written, and never arrived. */
export type Fault =
  | "none"
  | "deferred"
  | "rejected"
  | "unknown, arrived"
  | "unknown, lost"
  | "throw before"
  | "throw after";

/** A part that the network has: message and part number. */
export type HeardPart = readonly [message: number, part: number];

/** A run of the program: dead, it does nothing more, and nobody can tell. */
class Life {
  dead = false;
  steps = 0;
  diesAt = Infinity;
  connection = { alive: false };
}

/**
 * Everything: a program that lives several times, the disk, the network, and time, which stands still between the
 * test's moves.
 */
export class World {
  readonly idempotency: Idempotency;
  readonly inflightMax: number;
  clock = new FakeClock();
  readonly disk = emptyDisk();
  readonly heard: HeardPart[] = [];
  /** Messages of which something was ever announced. */
  readonly announced = new Set<number>();
  readonly faults: Fault[] = [];
  /** Most messages that may be in doubt with reason. */
  doubts = 0;
  messages = 0;
  #known = new Set<string>();
  #life = new Life();
  #stage: Stage | null = null;

  constructor(idempotency: Idempotency, inflightMax: number) {
    this.idempotency = idempotency;
    this.inflightMax = inflightMax;
  }

  get steps(): number {
    return this.#life.steps;
  }

  get dead(): boolean {
    return this.#life.dead;
  }

  get stage(): Stage {
    if (this.#stage === null) throw new Error("nothing runs");
    return this.#stage;
  }

  /** Starts the program; with `diesAt`, it dies at that step. */
  async start(diesAt = Infinity): Promise<void> {
    const life = new Life();
    life.diesAt = diesAt;
    this.#life = life;
    this.clock = new FakeClock(this.clock.nowMs());
    const { idempotency, inflightMax, disk, clock } = this;
    this.#stage = new Stage({ idempotency, inflightMax, disk, clock, step: () => this.#step(life) });
    void this.#stage.open();
    await this.pass(10);
  }

  kill(): void {
    this.#life.dead = true;
    this.doubts += this.inflightMax;
  }

  killAfter(steps: number): void {
    this.#life.diesAt = this.#life.steps + steps;
    this.doubts += this.inflightMax;
  }

  /** It lives on from here. */
  survive(): void {
    this.#life.diesAt = Infinity;
  }

  connect(): void {
    if (this.dead) return;
    this.#life.connection = { alive: true };
    this.stage.lane.connect(outletOf(this.#handler(this.#life)));
  }

  disconnect(): void {
    if (this.dead) return;
    if (this.#life.connection.alive) this.doubts += this.inflightMax;
    this.#life.connection.alive = false;
    this.stage.lane.disconnect(WHY);
  }

  /** Says a message in so many parts. */
  say(runtimes: number): void {
    this.stage.put(`${this.messages++}/${runtimes}`);
    if (!this.dead) this.stage.lane.wake();
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await settled();
  }

  /** One step of the program: it takes a millisecond, and the program may die before or after it. */
  async #step(life: Life): Promise<void> {
    if (++life.steps >= life.diesAt) life.dead = true;
    await new Promise<void>((resolve) => this.clock.after(1, () => !life.dead && resolve()));
  }

  /** A network that writes in order, and hears of what it wrote later. */
  #handler(life: Life): (op: PostOp, attempt: Attempt) => Promise<Outcome> {
    const { connection } = life;
    let turn = Promise.resolve();
    return async (op, attempt) => {
      const before = turn;
      const over = Promise.withResolvers<void>();
      turn = over.promise;
      await before;
      const alive = (): boolean => connection.alive && !attempt.signal.aborted;
      const writing = new Writing(this, op, attempt, alive, () => this.#step(life));
      const early = await writing.write().finally(() => over.resolve());
      if (early !== null) return early;
      await this.#step(life);
      return alive() ? writing.confirm() : writing.inDoubt();
    };
  }

  /** The network takes a part; where it knows ops by their key, once. */
  hear(op: PostOp, heard: HeardPart): void {
    const key = `${op.id} ${heard[1]}`;
    if (this.idempotency.by !== "none" && this.#known.has(key)) return;
    this.#known.add(key);
    this.heard.push(heard);
  }
}

class Writing {
  readonly #harness: World;
  readonly #op: PostOp;
  readonly #attempt: Attempt;
  readonly #alive: () => boolean;
  readonly #step: () => Promise<void>;
  readonly #message: number;
  readonly #parts: number;
  #confirmed: number;
  #written: number;

  constructor(harness: World, op: PostOp, attempt: Attempt, alive: () => boolean, step: () => Promise<void>) {
    this.#harness = harness;
    this.#op = op;
    this.#attempt = attempt;
    this.#alive = alive;
    this.#step = step;
    const [message = 0, parts = 0] = op.body.source.text.split("/").map(Number);
    this.#message = message;
    this.#parts = parts;
    this.#written = op.resume === null ? 0 : op.resume === END ? parts : Number(op.resume.slice("part ".length));
    this.#confirmed = this.#written;
  }

  /** Writes all parts; returns an outcome when it ends early. */
  async write(): Promise<Outcome | null> {
    const fault = this.#harness.faults.shift() ?? "none";
    // The fault comes at the last part, so that those before it have been written.
    while (this.#written < this.#parts) {
      if (!this.#alive()) return this.inDoubt();
      this.#harness.announced.add(this.#message);
      if (!(await this.#attempt.sending(this.#mark(this.#written + 1)))) return this.#defer();
      await this.#step();
      if (!this.#alive()) return this.inDoubt();
      const last = this.#written === this.#parts - 1;
      const outcome = last ? this.#faulty(fault) : null;
      if (outcome !== null) return outcome;
      this.#hear();
      await this.#step();
    }
    return null;
  }

  confirm(): Outcome {
    while (this.#confirmed < this.#written) {
      this.#confirmed += 1;
      this.#attempt.sent(this.#mark(this.#confirmed), [`${this.#message}.${this.#confirmed}` as MessageRef]);
    }
    return delivered;
  }

  /** The connection is gone: what was written may have arrived. */
  inDoubt(): Outcome {
    return this.#written > this.#confirmed ? unknown : deferred(1);
  }

  #faulty(fault: Fault): Outcome | null {
    switch (fault) {
      case "none":
        return null;
      case "deferred":
        return this.#defer();
      case "rejected":
        return rejected;
      case "throw after":
        this.#hear();
        this.#harness.doubts += 1;
        throw new Error("after");
      case "throw before":
        this.#harness.doubts += 1;
        throw new Error("before");
      case "unknown, arrived":
        this.#hear();
        this.#harness.doubts += 1;
        return unknown;
      case "unknown, lost":
        this.#harness.doubts += 1;
        return unknown;
    }
  }

  /** What was written is vouched for, the rest was not sent. */
  #defer(): Outcome {
    this.confirm();
    return deferred(5);
  }

  #hear(): void {
    this.#harness.hear(this.#op, [this.#message, this.#written]);
    this.#written += 1;
  }

  #mark(runtimes: number): ReturnType<typeof part> {
    return runtimes === this.#parts ? END : part(runtimes);
  }
}
