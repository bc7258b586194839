import { REAL_NETWORKS, type RealNetwork } from "../../crossing/place.ts";
import type { Voice } from "../folk.ts";
import { type Line, lineIn } from "../lines.ts";

/**
 * A program that polls anew when an answer breaks is given what comes meanwhile first, and what was in that answer when
 * the machine that gave it knows that it broke: at the latest after so long, in ms.
 */
const BROKEN_MS = 8_000;

interface Heard extends Pick<Voice, "heard"> {
  /** When an answer last broke, monotonic ms. */
  readonly brokenMs?: number;
}

/** What one end hears, with how long it hears nothing although something is on its way. */
export class Ear {
  readonly network: RealNetwork;
  /** Lines that came after later ones because an answer with them broke on its way. */
  readonly late = new Set<string>();
  readonly #voice: Heard;
  readonly #round: number;
  readonly #lines = new Map<string, number[]>();
  readonly #distinct = new Set<string>();
  #seen: number;
  /** Since when something is waited for; null: nothing is. */
  #sinceMs: number | null = null;
  longestMs = 0;

  constructor(network: RealNetwork, voice: Heard, round: number) {
    this.network = network;
    this.#voice = voice;
    this.#round = round;
    this.#seen = voice.heard().length;
  }

  /** How many posts came, each counted once. */
  get posts(): number {
    return this.#distinct.size;
  }

  /** Numbers of one person's lines in this round, in the order in which they came. */
  of(from: string): readonly number[] {
    return this.#lines.get(from) ?? [];
  }

  /** Takes what has come. `accepted`: posts so far, all of which are to come. */
  look(accepted: number): void {
    const nowMs = performance.now();
    const all = this.#voice.heard();
    const news = all.slice(this.#seen).flatMap((text): Line[] => {
      const line = lineIn(text);
      return line?.round === this.#round ? [line] : [];
    });
    this.#seen = all.length;
    const isBroken = nowMs - (this.#voice.brokenMs ?? -Infinity) < BROKEN_MS;
    for (const { from, n } of news) {
      const before = this.#lines.get(from) ?? [];
      if (isBroken && before.some((one) => one > n)) this.late.add(`${from}-${n}`);
      this.#lines.set(from, [...before, n]);
      if (/^p\d/u.test(from)) this.#distinct.add(`${from}-${n}`);
    }
    if (this.#sinceMs !== null) this.longestMs = Math.max(this.longestMs, nowMs - this.#sinceMs);
    if (accepted <= this.posts) this.#sinceMs = null;
    else if (news.length > 0) this.#sinceMs = nowMs;
    else this.#sinceMs ??= nowMs;
  }
}

export const earsOf = (voices: Readonly<Record<RealNetwork, Heard>>, round: number): readonly Ear[] =>
  REAL_NETWORKS.map((network) => new Ear(network, voices[network], round));
