import { afterAll, beforeAll, onTestFailed, onTestFinished, test } from "vitest";
import { receiptsIn } from "../irc/world.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { AtEnd, Network, Side } from "./network.ts";
import { Town } from "./town.ts";

export interface TownOptions<S extends Side = Side> {
  /** How Rialto speaks. */
  readonly mode?: string;
  /** So many servers, each with an account. */
  readonly count?: number;
  /** Is done to each server before Rialto starts. */
  readonly before?: (side: S) => void;
}

/** Towns that have nothing in common but their Rialto, which can be stopped and started again with its data. */
export class Home<S extends Side> {
  readonly towns: readonly Town<S>[];
  readonly #atEnd: AtEnd;
  #rialto: Rialto | null = null;

  private constructor(towns: readonly Town<S>[], atEnd: AtEnd) {
    this.towns = towns;
    this.#atEnd = atEnd;
  }

  /** Starts the servers. Rialto is to be started by `begin` or `live`. */
  static async found<S extends Side>(
    network: Network<S>,
    wanted: readonly TownOptions<S>[],
    atEnd: AtEnd = onTestFinished,
  ): Promise<Home<S>> {
    const towns = wanted.map(async ({ mode = network.modes[0], count = 1, before }, at) => {
      const starting = Array.from({ length: count }, async () => await network.found(mode, atEnd));
      const sides = await Promise.all(starting);
      const town = new Town(network, sides, at);
      // The configuration is that of before.
      if (before !== undefined) for (const side of sides) before(side);
      return town;
    });
    return new Home(await Promise.all(towns), atEnd);
  }

  get rialto(): Rialto {
    if (this.#rialto === null) throw new Error("the program is not running yet");
    return this.#rialto;
  }

  /** Starts Rialto, with the data of before; resolves once all towns hear and are heard. */
  async live(): Promise<void> {
    await this.begin();
    await this.each(async (town) => await town.fence("hello"));
  }

  /** Only starts it. */
  async begin(): Promise<void> {
    const dataPath = this.#rialto?.dataPath;
    const config = this.towns.map((town) => town.config).join("");
    const rialto = await startRialto({ config, ...(dataPath !== undefined && { dataPath }) });
    this.#atEnd(async () => await rialto.dispose());
    this.#rialto = rialto;
    await this.each(async (town) => await town.listen(rialto));
  }

  /** It is killed, and starts again. */
  async die(): Promise<void> {
    await this.rialto.kill9();
    await this.begin();
  }

  /** Stops Rialto; of how many messages of each town it cannot tell whether they have arrived, over all its lives. */
  async unconfirmed(): Promise<readonly number[]> {
    await this.rialto.stop();
    const receipts = await receiptsIn(this.rialto.dataPath, { api: "writer", gateway: "none" });
    const doubts = receipts.filter(({ state }) => state === "unconfirmed");
    return this.towns.map((town) => doubts.filter(({ lane }) => town.owns(lane)).length);
  }

  async each<T>(act: (town: Town<S>, at: number) => Promise<T>): Promise<readonly T[]> {
    return await Promise.all(this.towns.map(act));
  }
}

/** One town, with a Rialto of its own. */
export async function startTown<S extends Side>(
  network: Network<S>,
  options: TownOptions<S> = {},
): Promise<HomeTown<S>> {
  const home = await Home.found(network, [options]);
  await home.live();
  const [town] = home.towns;
  if (town === undefined) throw new Error("there is no town");
  onTestFailed(() => console.error(`the program printed:\n${home.rialto.output().slice(-4_000)}`));
  return { home, town };
}

export interface HomeTown<S extends Side> {
  readonly home: Home<S>;
  readonly town: Town<S>;
}

/** Tests that do not end Rialto: each has a town of its own, all have one Rialto, and they run at the same time. */
export class SharedHome<S extends Side> {
  readonly #wanted: TownOptions<S>[] = [];
  readonly #acts: ((town: Town<S>) => Promise<void>)[] = [];
  readonly #ends: (() => Promise<void>)[] = [];
  #runs: readonly Promise<void>[] = [];

  /** To be made in a `describe`. `isHeard`: the towns hear and are heard before the tests begin. */
  constructor(network: Network<S>, isHeard = true) {
    beforeAll(async () => {
      const home = await Home.found(network, this.#wanted, (end) => this.#ends.unshift(end));
      await (isHeard ? home.live() : home.begin());
      this.#runs = home.towns.map(async (town, at) => await this.#acts[at]?.(town));
      // Each is awaited by its test.
      void Promise.allSettled(this.#runs);
    });
    afterAll(async () => {
      await Promise.allSettled(this.#runs);
      for (const end of this.#ends) await end();
    });
  }

  test(name: string, act: (town: Town<S>) => Promise<void>, options: TownOptions<S> = {}): void {
    const at = this.#wanted.push(options) - 1;
    this.#acts.push(act);
    test(name, async () => await this.#runs[at]);
  }
}
