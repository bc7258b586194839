import { REAL_NETWORKS, type RealNetwork } from "../crossing/place.ts";
import { lineIn, wordsOf } from "./lines.ts";
import type { FaultHarness } from "./harness.ts";

/** Between two lines of one person: slow enough for the slowest server of a busy machine. */
const PAUSE_MS = 250;
/** Most lines that whoever is not touched by the fault has not heard yet: then a person waits. */
const LEAD = 8;
/** Lines of a person in a round whose fault touches everybody, after which that person speaks slowly. */
const MANY = 40;
const SLOW_MS = 3_000;
const LOOK_MS = 40;
/** For what takes a second where nothing else runs. */
const PATIENCE_MS = 180_000;
/** For everybody to hear everybody again: waits between tries to connect included. */
const RETURN_MS = 300_000;
/** How long somebody waits for a first line to arrive before saying another; each next wait is twice as long. */
const FIRST_TRY_MS = 1_000;

/** Who can hear whom: the API's program reads by an account of its own. */
export const PAIRS = REAL_NETWORKS.flatMap((from) =>
  REAL_NETWORKS.filter((to) => to !== from || to === "api").map((to) => [from, to] as const),
);
type Pair = (typeof PAIRS)[number];

/** People on all networks who speak on and on, for one round. */
export class Traffic {
  readonly said: Record<RealNetwork, number> = { irc: 0, xmpp: 0, matrix: 0, api: 0 };
  readonly #harness: FaultHarness;
  readonly #round: number;
  readonly #untouched: readonly Pair[];
  readonly #speakers: Promise<void>[];
  readonly #hushed = new Set<RealNetwork>();
  readonly #saying = new Map<RealNetwork, Promise<void>>();
  readonly #saidMs = new Map<RealNetwork, number>();
  #over = false;
  #trouble: unknown = null;

  constructor(harness: FaultHarness, round: number, untouched: readonly Pair[]) {
    this.#harness = harness;
    this.#round = round;
    this.#untouched = untouched;
    this.#speakers = REAL_NETWORKS.map((network) => this.#speak(network));
  }

  /** Resolves once each has said so many lines more, and each hears a late one of each other: then all is well. */
  async flows(): Promise<void> {
    const before = { ...this.said };
    await this.#until(
      () => this.#deaf(PAIRS, (from) => before[from] + 2),
      () => "all to be heard by all",
      PATIENCE_MS,
    );
  }

  /** Resolves once the pairs that are not touched have heard things said from now on. */
  async goOn(): Promise<void> {
    const before = { ...this.said };
    const pairs = this.#untouched;
    await this.#until(
      () => this.#deaf(pairs, (from) => before[from] + 2),
      () => "whom the fault does not touch to go on",
      PATIENCE_MS,
      pairs.some(([, to]) => to === "api"),
    );
  }

  /** Nobody speaks there from when this resolves on. */
  async hush(network: RealNetwork): Promise<void> {
    this.#hushed.add(network);
    await this.#saying.get(network);
  }

  unhush(network: RealNetwork): void {
    this.#hushed.delete(network);
  }

  /** Everybody stops speaking. */
  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#speakers);
    if (this.#trouble !== null) throw new Error("somebody could not speak", { cause: this.#trouble });
  }

  /**
   * Everybody, after `stop`, says another line until all others have heard the last: then they have had the chance to
   * hear all of it. One line at least, although all may have heard all so far: what is heard now came after the fault.
   */
  async fence(): Promise<void> {
    const deadline = Date.now() + RETURN_MS;
    for (const from of REAL_NETWORKS) void this.#say(from);
    let next = Date.now() + FIRST_TRY_MS;
    let wait = FIRST_TRY_MS;
    await this.#until(
      () => {
        const deaf = this.#deaf(PAIRS, (from) => this.said[from]);
        if (deaf.length > 0 && Date.now() >= next && Date.now() < deadline) {
          for (const from of new Set(deaf.map(([one]) => one))) void this.#say(from);
          wait *= 2;
          next = Date.now() + wait;
        }
        return deaf;
      },
      () => "all to hear all again",
      RETURN_MS,
    );
    await Promise.all(this.#saying.values());
  }

  /** What one end has heard of one person in this round, in order. */
  heard(from: RealNetwork, to: RealNetwork): readonly number[] {
    return this.#harness.voices[to].heard().flatMap((text) => {
      const line = lineIn(text);
      return line?.round === this.#round && line.from === from ? [line.n] : [];
    });
  }

  async #until(deaf: () => readonly Pair[], what: () => string, ms: number, polls = true): Promise<void> {
    const deadline = Date.now() + ms;
    for (;;) {
      if (polls) await this.#harness.api.poll();
      const missing = deaf();
      if (missing.length === 0) return;
      if (Date.now() > deadline) {
        const pairs = missing.map(
          ([from, to]) => `${from}→${to} (${this.said[from]}: ${this.heard(from, to).at(-1) ?? "none"})`,
        );
        throw new Error(`waited ${ms} ms for ${what()}: ${pairs.join(", ")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** The pairs of which the second has heard nothing of the first from this number on. */
  #deaf(pairs: readonly Pair[], from: (network: RealNetwork) => number): readonly Pair[] {
    const highest = new Map<string, number>();
    for (const to of new Set(pairs.map(([, one]) => one))) {
      for (const text of this.#harness.voices[to].heard()) {
        const line = lineIn(text);
        if (line?.round !== this.#round) continue;
        const key = `${line.from}>${to}`;
        highest.set(key, Math.max(line.n, highest.get(key) ?? 0));
      }
    }
    return pairs.filter(([one, to]) => (highest.get(`${one}>${to}`) ?? 0) < from(one));
  }

  async #speak(network: RealNetwork): Promise<void> {
    while (!this.#over && this.#trouble === null) {
      if (!this.#hushed.has(network) && !this.#isAhead(network)) await this.#say(network);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  #isAhead(network: RealNetwork): boolean {
    const pairs = this.#untouched.filter(([from]) => from === network);
    if (pairs.length === 0)
      return this.said[network] >= MANY && performance.now() - (this.#saidMs.get(network) ?? 0) < SLOW_MS;
    return this.#deaf(pairs, (from) => this.said[from] - LEAD).length > 0;
  }

  async #say(from: RealNetwork): Promise<void> {
    const n = this.said[from] + 1;
    const saying = (this.#saying.get(from) ?? Promise.resolve()).then(async () => {
      try {
        await this.#harness.voices[from].say(wordsOf({ round: this.#round, from, n }));
      } catch (error) {
        this.#trouble ??= error;
      }
    });
    this.said[from] = n;
    this.#saidMs.set(from, performance.now());
    this.#saying.set(from, saying);
    await saying;
  }
}
