import { answerCommands } from "./child.ts";
import { Connection } from "./connection.ts";
import type { LoadPlan, LoadReport } from "./load.ts";
import { Durations, monotonic } from "./stats.ts";

/** A plan that no one ends is ended after so many seconds. */
const LONGEST = 600;

/** Carries out one plan: who may send, what has been answered, when it is over. */
class LoadRun {
  readonly #plan: LoadPlan;
  readonly #connections: readonly Connection[];
  readonly #idle: Connection[] = [];
  readonly #latency = new Durations();
  readonly #over = Promise.withResolvers<void>();
  readonly #last: number;
  #next: number;
  #open = 0;
  #accepted = 0;
  #refused = 0;
  #stopped = false;
  /** Latencies count from here on. */
  #recordFrom = 0;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#next = plan.firstNumber ?? 0;
    this.#last = this.#next + (plan.messages ?? Infinity);
    const answered = this.#answered.bind(this);
    const { port, body, path, connections } = plan;
    this.#connections = Array.from({ length: connections }, () => new Connection(port, body, answered, path));
  }

  /** Resolves when every message sent has its answer. */
  async run(): Promise<LoadReport> {
    await Promise.all(this.#connections.map((connection) => connection.opened(this.#over.reject)));
    const cpu = process.cpuUsage();
    const begin = monotonic();
    const seconds = this.#plan.seconds ?? LONGEST;
    this.#recordFrom = this.#plan.seconds === undefined ? begin : begin + seconds * 100;
    const end = setTimeout(() => {
      this.#stopped = true;
      this.#endIfDone();
    }, seconds * 1000);
    const pacing = setInterval(() => {
      this.#keepPace(monotonic() - begin);
    }, 1);
    this.#idle.push(...this.#connections);
    this.#keepPace(0);
    try {
      await this.#over.promise;
    } finally {
      clearTimeout(end);
      clearInterval(pacing);
      for (const connection of this.#connections) connection.close();
    }
    return this.#report((monotonic() - begin) / 1000, process.cpuUsage(cpu));
  }

  #answered(connection: Connection, ms: number, ok: boolean): void {
    this.#open -= 1;
    if (ok) this.#accepted += 1;
    else this.#refused += 1;
    if (monotonic() >= this.#recordFrom) this.#latency.record(ms);
    if (this.#plan.pace === undefined) this.#send(connection);
    else this.#idle.push(connection);
    this.#endIfDone();
  }

  /** Without a pace every idle connection sends at once; with one, as many as are due by now. */
  #keepPace(elapsed: number): void {
    const { pace, firstNumber = 0 } = this.#plan;
    const due = pace === undefined ? Infinity : firstNumber + Math.floor((elapsed * pace) / 1000);
    while (this.#next < due) {
      const connection = this.#idle.shift();
      if (connection === undefined) return;
      this.#send(connection);
    }
  }

  #send(connection: Connection): void {
    if (this.#stopped || this.#next >= this.#last) return;
    this.#open += 1;
    connection.send(this.#next);
    this.#next += 1;
  }

  #endIfDone(): void {
    if (this.#open === 0 && (this.#stopped || this.#next >= this.#last)) this.#over.resolve();
  }

  #report(seconds: number, cpu: NodeJS.CpuUsage): LoadReport {
    return {
      accepted: this.#accepted,
      refused: this.#refused,
      refusal: this.#connections.find(({ refusal }) => refusal !== null)?.refusal ?? null,
      seconds,
      latency: this.#latency.percentiles(),
      cpu: (cpu.user + cpu.system) / 1e6 / seconds,
      answerBytes: this.#connections[0]?.answerBytes ?? 0,
    };
  }
}

answerCommands((command) => new LoadRun(command as LoadPlan).run());
