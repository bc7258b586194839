import { expect } from "vitest";
import * as fc from "../../../test/support/property.ts";
import { openSocket } from "../../../test/support/socket.ts";
import { isObject, listOf } from "../../lib/shapes.ts";
import { SseClient } from "./sse-client.suite.ts";
import type { V1Stage } from "./stage.suite.ts";

/**
 * Programs that share a consumer over HTTP: they pull, stream, acknowledge and die, and the service restarts. Each one
 * gets what is free, in order, and settles nothing that it was never handed. See state-model.suite.ts for time,
 * refusals and retention. One stream is open at a time, so that what goes to whom is certain.
 */

const X = "net.a/#x";
const PROGRAMS = 3;
const program = fc.nat({ max: PROGRAMS - 1 });
const pick = fc.nat({ max: 20 });
export const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ is: fc.constant("say" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant("pull" as const),
      program,
      max: fc.integer({ min: 1, max: 4 }),
      restart: fc.nat({ max: 5 }).map((number) => number === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ is: fc.constant("open" as const), program, socket: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant("ack" as const), program, pick }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant("upto" as const), program, pick }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("release" as const), program, pick }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("die" as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("restart" as const) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const fields = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
const seqOf = (event: unknown): number => Number(fields(event)["seq"]);

/** A stream or a socket. */
interface Stream {
  readonly had: Set<number>;
  readonly next: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export class Run {
  readonly #stage: V1Stage;
  readonly #name: string;
  readonly #ordered: boolean;
  readonly #said: number[] = [];
  readonly #acked = new Set<number>();
  /** Who holds what: a pull, or the stream. */
  readonly #held = new Map<number, "pull" | "stream">();
  /** What each program was handed since the last restart of the service. */
  readonly #programs = Array.from({ length: PROGRAMS }, () => new Set<number>());
  #stream: Stream | null = null;

  constructor(stage: V1Stage, name: string, ordered: boolean) {
    this.#stage = stage;
    this.#name = name;
    this.#ordered = ordered;
  }

  async begin(): Promise<void> {
    const body = { ordered: this.#ordered, ack_wait: "1h", max_in_flight: 1000 };
    expect(await this.#stage.ask("PUT", `/v1/consumers/${this.#name}`, { body })).toMatchObject({ status: 201 });
  }

  async act(what: Act): Promise<void> {
    if (what.is === "say") await this.#say();
    else if (what.is === "pull") await this.#pull(this.#had(what.program), what);
    else if (what.is === "open") await this.#open(this.#had(what.program), what.socket);
    else if (what.is === "die") await this.#die();
    else if (what.is === "restart") await this.#restart();
    else if (what.is === "release") await this.#release(this.#had(what.program), what.pick);
    else await this.#tell(what.is, this.#had(what.program), what.pick);
  }

  /** Everything is acknowledged in the end, or comes. */
  async drain(): Promise<void> {
    await this.#die();
    for (let restart = true; this.#left().length > 0; restart = false) {
      const had = new Set<number>();
      await this.#pull(had, { max: 100, restart });
      for (const seq of had) await this.#tell("ack", new Set([seq]), 0);
    }
    const view = await this.#stage.ask("GET", `/v1/consumers/${this.#name}`);
    expect(view).toMatchObject({ body: { in_flight: 0, pending: 0, dead: 0 } });
    await this.#stage.ask("DELETE", `/v1/consumers/${this.#name}`);
  }

  #had(index: number): Set<number> {
    return this.#programs[index] ?? new Set();
  }

  #left(): readonly number[] {
    return this.#said.filter((seq) => !this.#acked.has(seq));
  }

  #free(): readonly number[] {
    return this.#left().filter((seq) => !this.#held.has(seq));
  }

  async #say(): Promise<void> {
    this.#said.push(await this.#stage.say(X));
    await this.#flow();
  }

  /** The open stream gets all that is free. */
  async #flow(): Promise<void> {
    if (this.#stream === null) return;
    for (const seq of this.#free()) {
      expect(await this.#stream.next()).toBe(seq);
      this.#held.set(seq, "stream");
      this.#stream.had.add(seq);
    }
  }

  async #pull(had: Set<number>, { max, restart }: { readonly max: number; readonly restart: boolean }): Promise<void> {
    if (restart) this.#held.clear();
    const wanted = this.#free().slice(0, max);
    const body = { max, restart, wait: wanted.length > 0 ? "50s" : "0s" };
    const answer = await this.#stage.ask("POST", `/v1/consumers/${this.#name}/pull`, { body });
    expect(answer).toMatchObject({ status: 200, body: { skipped: 0 } });
    const seqs = listOf(fields(answer.body)["events"]).map((one) => seqOf(fields(one)["event"]));
    // A pull may answer with fewer events than it could, but not with none, and leaves none out.
    expect(seqs).toEqual(wanted.slice(0, Math.max(Math.min(1, wanted.length), seqs.length)));
    for (const seq of seqs) {
      this.#held.set(seq, "pull");
      had.add(seq);
    }
    await this.#flow();
  }

  async #open(had: Set<number>, socket: boolean): Promise<void> {
    await this.#die();
    this.#stream = socket ? await this.#socket(had) : await this.#sse(had);
    await this.#flow();
  }

  async #sse(had: Set<number>): Promise<Stream> {
    const client = await SseClient.open(`${this.#stage.url}/v1/consumers/${this.#name}/events`);
    let read = 0;
    const next = async (): Promise<number> => Number((await client.until((read += 1)))[read - 1]?.id);
    return { had, next, close: async () => await Promise.resolve(client.cut()) };
  }

  async #socket(had: Set<number>): Promise<Stream> {
    const socket = await openSocket(`${this.#stage.url.replace("http", "ws")}/v1/socket`);
    socket.post({ op: "subscribe", id: "s", consumer: this.#name, credit: 10_000 });
    const next = async (): Promise<number> => {
      for (;;) {
        const frame = fields(JSON.parse((await socket.nextFrame()).data));
        if (frame["op"] === "event") return seqOf(frame["event"]);
      }
    };
    return { had, next, close: async () => await socket.close() };
  }

  /** The stream ends, and another program gets what it held. */
  async #die(): Promise<void> {
    const stream = this.#stream;
    if (stream === null) return;
    this.#stream = null;
    await stream.close();
    const first = this.#left().find((seq) => this.#held.get(seq) === "stream");
    if (first === undefined) return;
    for (const [seq, by] of this.#held) {
      if (by === "stream" || (this.#ordered && seq > first)) this.#held.delete(seq);
    }
    await this.#pull(new Set(), { max: 1, restart: false });
  }

  /** A program gives an event back, which counts as no failure: `dead` stays 0 in the end. */
  async #release(had: ReadonlySet<number>, index: number): Promise<void> {
    const seq = [...had][index % Math.max(1, had.size)];
    if (seq === undefined) return;
    const body = { release: [String(seq)] };
    expect(await this.#stage.ask("POST", `/v1/consumers/${this.#name}/ack`, { body })).toMatchObject({ status: 200 });
    if (!this.#held.has(seq)) return;
    for (const one of this.#held.keys()) {
      if (one === seq || (this.#ordered && one > seq)) this.#held.delete(one);
    }
    await this.#flow();
  }

  async #restart(): Promise<void> {
    this.#stream = null;
    await this.#stage.change(this.#stage.config, "api.game");
    this.#held.clear();
    for (const had of this.#programs) had.clear();
  }

  async #tell(is: "ack" | "upto", had: ReadonlySet<number>, index: number): Promise<void> {
    const seq = [...had][index % Math.max(1, had.size)];
    if (seq === undefined) return;
    const body = is === "upto" ? { upto: String(seq) } : { ack: [String(seq)] };
    const answer = await this.#stage.ask("POST", `/v1/consumers/${this.#name}/ack`, { body });
    const settled = is === "upto" ? this.#left().filter((one) => one <= seq) : [seq];
    if (answer.status === 409) {
      expect(is).toBe("upto");
      const held = listOf(fields(answer.body)["held"]).map(Number);
      expect(held.length).toBeGreaterThan(0);
      expect(held.filter((one) => !settled.includes(one))).toEqual([]);
      return;
    }
    expect(answer.status).toBe(200);
    expect(settled.filter((one) => !had.has(one))).toEqual([]);
    for (const one of settled) {
      this.#acked.add(one);
      this.#held.delete(one);
    }
  }
}
