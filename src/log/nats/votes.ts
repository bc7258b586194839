import { isObject, parseAs } from "../../lib/shapes.ts";
import type { MessageId } from "./codec.ts";

/** What each node has computed of its state at one place of the stream. */
export type Verdict = "same" | "outvoted" | "unclear";

/** Most places that are compared at a time; older ones are settled, or never will be. */
const PLACES = 16;
/** Most nodes that are heard at one place. */
const NODES = 64;

/**
 * Whether a node has the state that the others have. Where there are as many of one opinion as of the other, the one
 * that holds the epoch is right: the others follow it.
 */
export class Votes {
  readonly #node: string;
  readonly #places = new Map<number, Map<string, string>>();

  constructor(node: string) {
    this.#node = node;
  }

  /** True when it is not the same as what was heard for this place so far. */
  add(place: number, node: string, hash: string): boolean {
    let votes = this.#places.get(place);
    if (votes === undefined) {
      votes = new Map();
      this.#places.set(place, votes);
      for (const old of this.#places.keys()) if (this.#places.size > PLACES) this.#places.delete(old);
    }
    if (votes.size < NODES || votes.has(node)) votes.set(node, hash);
    return new Set(votes.values()).size > 1;
  }

  /** `holder`: who holds the epoch; empty: nobody. */
  judge(place: number, holder: string): Verdict {
    const votes = this.#places.get(place) ?? new Map<string, string>();
    const own = votes.get(this.#node);
    if (own === undefined) return "unclear";
    const counts = new Map<string, number>();
    for (const hash of votes.values()) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    const mine = counts.get(own) ?? 0;
    const most = Math.max(0, ...[...counts].filter(([hash]) => hash !== own).map(([, count]) => count));
    if (most === mine) return votes.get(holder) === own ? "same" : "outvoted";
    return most > mine ? "outvoted" : "same";
  }
}

/** What a node says of its state behind the commit at this place of the stream. */
interface StateVote {
  readonly place: number;
  readonly state: string;
}

/** No fence is of epoch 0. */
export const isVote = ({ number, epoch }: MessageId): boolean => number === 0 && epoch === 0;

export const encodeVote = (vote: StateVote): Buffer => Buffer.from(JSON.stringify(vote));

/** Null when it is none that this version knows. */
export function decodeVote(data: Uint8Array): StateVote | null {
  try {
    return parseAs(Buffer.from(data).toString("utf8"), isStateVote);
  } catch {
    return null;
  }
}

const isStateVote = (value: unknown): value is StateVote =>
  isObject(value) && typeof value["place"] === "number" && typeof value["state"] === "string";
