import net from "node:net";
import type { Message } from "../../src/contract/message.ts";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually, within } from "../support/wait.ts";
import { type Batch, batch, TAG } from "./http-requests.ts";
import { growthOf, type Moment } from "./growth.ts";
import { Random } from "./random.ts";
import type { Surface } from "./surface.ts";
import { weigh, WEIGHABLE, type Weight } from "./weight.ts";

const CONNECTIONS = 96;
/**
 * A connection on which nothing has come for so long is left, once the program has answered somebody else meanwhile.
 */
const QUIET_MS = 250;
/** One on which something goes on coming is left after that. */
const ENOUGH_MS = 5_000;
/** What the program may do at all with one connection. */
const PATIENCE_MS = 300_000;
/** MiB of the heap for 100 000 requests, once what is kept of messages has its full size: 10 bytes for each. */
const GROWTH_MAX = 1;
/** Requests of the second half of a run: with fewer that size is not reached before it. */
const JUDGED_FROM = 400_000;
/** About every third request is a message taken, so this is full long before the second half of such a run. */
const BUFFER = 50_000;
const ACCOUNTS = { sender: {}, closed: { Token: "t" }, watcher: { Buffer: BUFFER } };

export interface HttpRan {
  /** Roughly: garbage counts as one. */
  readonly requests: number;
  readonly answers: ReadonlyMap<string, number>;
  /** Posts that were answered 200 and must come through. */
  readonly taken: number;
  readonly failures: readonly string[];
  /** At some moments from the first to the last. */
  readonly weights: readonly Weighed[];
}

export interface Weighed extends Weight, Moment {}

interface Plan {
  readonly surface: Surface;
  readonly seed: number;
  readonly requests: number;
  /** At once. */
  readonly connections?: number;
  readonly seconds?: number;
  readonly onProgress?: (weighed: Weighed) => void;
}

/** The built program under requests that no client would send. Rejects when it does not start. */
export async function runHttp(plan: Plan): Promise<HttpRan> {
  const gateways = { g: { inout: Object.keys(ACCOUNTS) } };
  const rialto = await startRialto({ config: toml({ accounts: ACCOUNTS, gateways }), env: WEIGHABLE });
  try {
    return await new Assault(rialto, plan).run();
  } finally {
    await rialto.dispose();
  }
}

class Assault {
  readonly #rialto: Rialto;
  readonly #plan: Plan;
  readonly #answers = new Map<string, number>();
  readonly #taken = new Set<string>();
  readonly #heard = new Map<string, number>();
  readonly #failures: string[] = [];
  readonly #weights: Weighed[] = [];
  #turn = 0;
  #requests = 0;
  #ended = false;

  constructor(rialto: Rialto, plan: Plan) {
    this.#rialto = rialto;
    this.#plan = plan;
    void rialto.exited.then(() => (this.#ended = true));
  }

  async run(): Promise<HttpRan> {
    const { requests: wanted, connections = CONNECTIONS, seconds = Infinity, onProgress } = this.#plan;
    const endMs = performance.now() + seconds * 1_000;
    const goesOn = (): boolean =>
      !this.#ended && this.#failures.length < 10 && this.#requests < wanted && performance.now() < endMs;
    const state = { over: false };
    const work = Promise.all(Array.from({ length: connections }, async () => await this.#work(goesOn))).finally(
      () => (state.over = true),
    );
    await this.#measure();
    let next = wanted / 10;
    while (!state.over && !this.#ended) {
      await Promise.race([work, this.#listen()]);
      if (this.#requests < next) continue;
      next += wanted / 10;
      await this.#measure();
      const last = this.#weights.at(-1);
      if (last !== undefined) onProgress?.(last);
    }
    await work;
    await this.#settle();
    this.#judge();
    return {
      requests: this.#requests,
      answers: this.#answers,
      taken: this.#taken.size,
      failures: this.#failures,
      weights: this.#weights,
    };
  }

  async #work(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const turn = this.#turn;
      this.#turn += 1;
      const { seed, surface } = this.#plan;
      const made = batch(new Random(seed, turn), turn, surface.dialect);
      this.#requests += made.count;
      try {
        const talk = exchange(surface.address(this.#rialto, turn), made, this.#lives);
        this.#read(await within(talk, () => "the end of a connection", PATIENCE_MS), turn);
      } catch (error) {
        this.#failures.push(`batch ${turn}: ${String(error)}\n${JSON.stringify(made.bytes.toString())}`);
      }
    }
  }

  /** Rejects when the program does not answer any more. */
  readonly #lives = async (): Promise<void> => {
    const { status } = await this.#rialto.client("watcher").request("/api/health", { patienceMs: PATIENCE_MS });
    if (status !== 200) throw new Error(`/api/health answers ${status}`);
  };

  #read(received: string, turn: number): void {
    for (const [, status = ""] of received.matchAll(/HTTP\/1\.1 (\d{3}) /gu)) {
      this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
      if (status.startsWith("5") && status !== "501" && status !== "503")
        this.#failures.push(`batch ${turn} was answered ${status}:\n${received.slice(0, 2_000)}`);
    }
    for (const one of this.#plan.surface.taken(received)) this.#taken.add(one);
  }

  /** Polls what came through. */
  async #listen(): Promise<number> {
    const messages = await this.#rialto
      .client("watcher")
      .request("/api/messages", { patienceMs: PATIENCE_MS })
      .then(({ status, text, json }) => {
        if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 400)}`);
        return json() as readonly Message[];
      })
      .catch((error: unknown) => this.#deaf(error));
    for (const { text } of messages) this.#heard.set(text, (this.#heard.get(text) ?? 0) + 1);
    if (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return messages.length;
  }

  /** A poll that fails is a failure, unless the program has ended: that is one already. */
  async #deaf(reason: unknown): Promise<readonly Message[]> {
    await within(this.#rialto.exited, () => "the end", 1_000).catch(() => undefined);
    if (!this.#ended) this.#failures.push(`a poll failed: ${String(reason)}`);
    return [];
  }

  async #settle(): Promise<void> {
    if (this.#ended) return;
    // A connection that was left may still have a post under way.
    await eventually(
      async () => await this.#listen(),
      (count) => count === 0 && this.#lost() === null,
      () => "the messages that were answered 200",
    ).catch((error: unknown) => this.#failures.push(String(error)));
    await this.#measure();
  }

  /** What was answered 200 and not heard, in words. */
  #lost(): string | null {
    if (this.#plan.surface.namesTexts) {
      const lost = [...this.#taken].filter((text) => !this.#heard.has(text));
      return lost.length === 0 ? null : `${lost.length} answered 200 and not heard, such as ${lost[0]}`;
    }
    const heard = [...this.#heard.values()].reduce((sum, count) => sum + count, 0);
    return heard >= this.#taken.size ? null : `${this.#taken.size} answered 200, and only ${heard} heard`;
  }

  #judge(): void {
    if (this.#ended) this.#failures.push(`the program ended:\n${this.#rialto.output().slice(-4_000)}`);
    const lost = this.#lost();
    const doubled = [...this.#heard].filter(([text, count]) => count > 1 && TAG.test(text));
    if (lost !== null) this.#failures.push(lost);
    if (doubled.length > 0) this.#failures.push(`${doubled.length} heard more than once, such as ${doubled[0]?.[0]}`);
    const growth = growthOf(this.#weights, 100_000, JUDGED_FROM);
    if (growth !== null && growth > GROWTH_MAX)
      this.#failures.push(`the heap grows by ${growth.toFixed(2)} MiB in 100 000 requests`);
    const bugs = this.#rialto
      .output()
      .split("\n")
      .filter((line) => /this is a bug|failed on a request/iu.test(line));
    if (bugs.length > 0) this.#failures.push(`the log has ${bugs.length} bugs, such as ${bugs[0]}`);
  }

  async #measure(): Promise<void> {
    const weight = await weigh(this.#rialto).catch((error: unknown) => {
      if (!this.#ended) this.#failures.push(String(error));
      return null;
    });
    if (weight !== null) this.#weights.push({ ...weight, given: this.#requests });
  }
}

/** Sends, and resolves with all that comes until the server closes, or is quiet for a while though it `lives`. */
async function exchange(to: net.NetConnectOpts, { bytes, piece }: Batch, lives: () => Promise<void>): Promise<string> {
  const socket = net.connect(to);
  const parts: Buffer[] = [];
  const over = Promise.withResolvers<void>();
  socket.on("data", (part: Buffer) => parts.push(part));
  for (const end of ["error", "end", "close"]) socket.on(end, () => over.resolve());
  socket.setTimeout(QUIET_MS);
  socket.on("timeout", () => {
    const before = parts.length;
    lives().then(() => parts.length === before && over.resolve(), over.reject);
  });
  // What is followed has no end.
  const enough = setTimeout(() => void lives().then(over.resolve, over.reject), ENOUGH_MS);
  try {
    await send(socket, bytes, piece);
    await over.promise;
  } finally {
    clearTimeout(enough);
    socket.destroy();
  }
  return Buffer.concat(parts).toString("latin1");
}

async function send(socket: net.Socket, bytes: Buffer, piece: number): Promise<void> {
  if (piece === 0) return void socket.write(bytes);
  for (let at = 0; at < bytes.length && socket.writable; at += piece) {
    socket.write(bytes.subarray(at, at + piece));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
