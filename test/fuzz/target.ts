import type { Random } from "./random.ts";

/** One input, and what is done with it. */
export interface Case {
  /** Throws, or rejects, when the program does not bear it. What it leaves behind unhandled counts as well. */
  readonly run: () => void | Promise<void>;
  /** The input, so that a person can see it. */
  readonly show: () => string;
}

/** A part of the program that takes what strangers write. */
export interface Target {
  readonly name: string;
  readonly make: (random: Random) => Case;
  /** Of what several inputs share. */
  readonly end?: () => Promise<void>;
}
