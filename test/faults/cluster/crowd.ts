import type { RealNetwork } from "../../crossing/place.ts";
import type { Message } from "../../../src/contract/message.ts";
import type { ApiClient } from "../../support/client.ts";
import { REMOTE, type Remote } from "../harness.ts";
import type { Voice } from "../folk.ts";
import { wordsOf } from "../lines.ts";
import { type Ear, earsOf } from "./ears.ts";
import { Poster } from "./posters.ts";

const POSTERS = 16;
/** Between two lines: slow enough for the slowest server of a busy machine. */
const POST_MS = 900;
const SPEAK_MS = 700;
const LOOK_MS = 25;
const POLL_MS = 100;
const POLL_PATIENCE_MS = 2_000;
/** Most posts that somebody has not heard yet: then the posters wait. */
const LEAD = 150;
/** For all to hear all again, and how long until those who were not heard say another line. */
const RETURN_MS = 300_000;
const FIRST_TRY_MS = 4_000;

/** The program that polls: at one machine, and at the next one when that does not answer. */
export class Reader {
  readonly #heard: string[] = [];
  readonly #addresses: readonly ApiClient[];
  /** When an answer last did not come, or broke, monotonic ms. */
  brokenMs = -Infinity;
  /** How many messages of the last answer before that came again: whoever crashes may not have noted it yet. */
  again = 0;
  #last: ReadonlySet<string> = new Set();
  #isAfterBreak = false;
  #at = 0;

  constructor(addresses: readonly ApiClient[]) {
    this.#addresses = addresses;
  }

  heard(): readonly string[] {
    return this.#heard;
  }

  async poll(): Promise<void> {
    const client = this.#addresses[this.#at];
    if (client === undefined) throw new Error("there is no address to poll at");
    try {
      const answer = await client.request("/api/messages", { patienceMs: POLL_PATIENCE_MS });
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
      const texts = (answer.json() as Message[]).map(({ text }) => text);
      const news = this.#isAfterBreak ? texts.filter((text) => !this.#last.has(text)) : texts;
      this.again += texts.length - news.length;
      this.#heard.push(...news);
      if (texts.length === 0) return;
      this.#last = new Set(texts);
      this.#isAfterBreak = false;
    } catch {
      // What it did not get stays unread.
      this.brokenMs = performance.now();
      this.#isAfterBreak = true;
      this.#at = (this.#at + 1) % this.#addresses.length;
    }
  }
}

interface CrowdOptions {
  readonly people: Readonly<Record<Remote, Voice>>;
  readonly reader: Reader;
  readonly addresses: readonly ApiClient[];
  readonly round: number;
}

/** People on all networks and programs at all machines, who speak on and on for one round. */
export class Crowd {
  readonly round: number;
  readonly posters: readonly Poster[];
  readonly ears: readonly Ear[];
  readonly said: Record<Remote, number> = { irc: 0, xmpp: 0, matrix: 0 };
  /** Longest time without an accepted post while one was waiting, in ms. */
  longestWriteMs = 0;
  readonly #people: CrowdOptions["people"];
  readonly #reader: Reader;
  readonly #tasks: Promise<void>[];
  readonly #againBefore: number;
  #isQuiet = false;
  #isOver = false;
  #troubles: unknown[] = [];
  #accepted = 0;
  #waitsSinceMs: number | null = null;

  constructor({ people, reader, addresses, round }: CrowdOptions) {
    this.round = round;
    this.#people = people;
    this.#reader = reader;
    this.posters = Array.from({ length: POSTERS }, (_, index) => new Poster(index, { addresses, round }));
    this.#againBefore = reader.again;
    this.ears = earsOf({ ...people, api: reader }, round);
    this.#tasks = [
      ...this.posters.map(async (poster) => await this.#post(poster)),
      ...REMOTE.map(async (network) => await this.#speak(network)),
    ];
    void this.#listen();
    void this.#poll();
  }

  get accepted(): number {
    return this.posters.reduce((sum, { accepted }) => sum + accepted, 0);
  }

  /** Messages of an answer that the program that polls was given again. */
  get again(): number {
    return this.#reader.again - this.#againBefore;
  }

  /** Resolves once each is heard by each with something said from now on. */
  async flows(): Promise<void> {
    const before = new Map(this.#sources.map(({ name, said }) => [name, said()]));
    await this.#until((name) => (before.get(name) ?? 0) + 1);
  }

  /** Everybody falls silent, and says another line until all others have heard the last. */
  async fence(): Promise<void> {
    this.#isQuiet = true;
    await Promise.all(this.#tasks);
    const sources = new Map(this.#sources.map((source) => [source.name, source]));
    await Promise.all([...sources.values()].map(async ({ say }) => await say()));
    let waitMs = FIRST_TRY_MS;
    let nextMs = performance.now() + waitMs;
    await this.#until(
      (name) => sources.get(name)?.said() ?? 0,
      async (deaf) => {
        if (performance.now() < nextMs) return;
        waitMs *= 2;
        nextMs = performance.now() + waitMs;
        await Promise.all([...new Set(deaf)].map(async (name) => await sources.get(name)?.say()));
      },
    );
  }

  /** Nothing is said, read or listened to any more. */
  end(): void {
    this.#isQuiet = true;
    this.#isOver = true;
  }

  get #sources() {
    return [
      ...this.posters.map((poster) => {
        const say = async (): Promise<void> => await poster.say(() => this.#isOver);
        return { name: poster.name, said: () => poster.said, say };
      }),
      ...REMOTE.map((network) => {
        return { name: network, said: () => this.said[network], say: async () => await this.#say(network) };
      }),
    ];
  }

  async #until(
    wanted: (name: string) => number,
    meanwhile: (deaf: readonly string[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const deadlineMs = performance.now() + RETURN_MS;
    for (;;) {
      if (this.#troubles.length > 0) throw new Error("somebody could not speak", { cause: this.#troubles[0] });
      const pairs = this.#deaf(wanted);
      if (pairs.length === 0) return;
      if (performance.now() > deadlineMs) throw new Error(`waited ${RETURN_MS} ms for ${pairs.join(", ")}`);
      await meanwhile(pairs.map(({ from }) => from));
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  #deaf(wanted: (name: string) => number) {
    return this.#sources.flatMap(({ name: from }) =>
      this.ears.flatMap((heard) => {
        const { network: to } = heard;
        if (from === to) return [];
        const last = Math.max(0, ...heard.of(from));
        if (last >= wanted(from)) return [];
        return [{ from, to, toString: () => `${from}→${to} (${wanted(from)}: ${last})` }];
      }),
    );
  }

  async #post(poster: Poster): Promise<void> {
    await pause(Math.random() * POST_MS);
    while (!this.#isQuiet) {
      const least = Math.min(...this.ears.map(({ posts }) => posts));
      if (this.accepted - least < LEAD) await poster.say(() => this.#isOver);
      await pause(POST_MS);
    }
  }

  async #speak(network: Remote): Promise<void> {
    while (!this.#isQuiet) {
      await this.#say(network);
      await pause(SPEAK_MS);
    }
  }

  async #say(from: Remote): Promise<void> {
    this.said[from] += 1;
    try {
      await this.#people[from].say(wordsOf({ round: this.round, from, n: this.said[from] }));
    } catch (error) {
      this.#troubles.push(error);
    }
  }

  async #poll(): Promise<void> {
    while (!this.#isOver) {
      await this.#reader.poll();
      await pause(POLL_MS);
    }
  }

  async #listen(): Promise<void> {
    while (!this.#isOver) {
      this.#noteWrites();
      for (const ear of this.ears) ear.look(this.accepted);
      await pause(LOOK_MS);
    }
  }

  #noteWrites(): void {
    const nowMs = performance.now();
    const { accepted } = this;
    if (this.#waitsSinceMs !== null) this.longestWriteMs = Math.max(this.longestWriteMs, nowMs - this.#waitsSinceMs);
    const isWaiting = this.posters.some((poster) => poster.isWaiting);
    if (!isWaiting) this.#waitsSinceMs = null;
    else if (accepted > this.#accepted) this.#waitsSinceMs = nowMs;
    else this.#waitsSinceMs ??= nowMs;
    this.#accepted = accepted;
  }
}

const pause = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

/** Who hears: an account of each. */
export const ACCOUNT_OF: Readonly<Record<RealNetwork, string>> = {
  irc: "irc.net",
  xmpp: "xmpp.net",
  matrix: "matrix.net",
  api: "api.reader",
};
