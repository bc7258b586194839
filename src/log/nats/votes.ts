import { isObject, parseAs } from "../../lib/shapes.ts";
import { STATE_VERSION } from "../sqlite/state-hash.ts";

/** `unclear`: it differs from others, and nobody can say who is right; `absent`: it has not voted itself. */
export type Verdict = "same" | "outvoted" | "unclear" | "absent";

/** Most places that are compared at a time; older ones are settled, or never will be. */
const PLACES = 16;
/** Most nodes that are heard at one place. */
const NODES = 64;

/**
 * Whether a node has the state that the others have, by what each has computed of its own at one place of the stream.
 * Where as many are of one opinion as of another, the one that holds the log is right: the others follow it. As long
 * as that one is silent, or nobody holds it, it is unclear, and no node may stop for it: each of them would, and tell
 * its operator to copy from another that has stopped as well. It is judged again when the holder's vote comes, and at
 * the next comparison.
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

  /** `holder`: the node that holds LOG_ACCOUNT; empty: none. */
  judge(place: number, holder: string): Verdict {
    const votes = this.#places.get(place) ?? new Map<string, string>();
    const own = votes.get(this.#node);
    if (own === undefined) return "absent";
    const counts = new Map<string, number>();
    for (const hash of votes.values()) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    const mine = counts.get(own) ?? 0;
    const most = Math.max(...counts.values());
    if (most > mine) return "outvoted";
    const equals = [...counts].filter(([, count]) => count === most).map(([hash]) => hash);
    if (equals.length === 1) return "same";
    const right = votes.get(holder);
    if (right === undefined || !equals.includes(right)) return "unclear";
    return right === own ? "same" : "outvoted";
  }
}

/** What a node says of its state behind the commit at this place of the stream. */
interface StateVote {
  readonly place: number;
  readonly state: string;
}

export const encodeVote = (vote: StateVote): Buffer => Buffer.from(JSON.stringify({ version: STATE_VERSION, ...vote }));

/** Null when it says nothing to this version: the states of another are other hashes of the same. */
export function decodeVote(data: Uint8Array): StateVote | null {
  try {
    return parseAs(Buffer.from(data).toString("utf8"), isStateVote);
  } catch {
    return null;
  }
}

const isStateVote = (value: unknown): value is StateVote =>
  isObject(value) &&
  value["version"] === STATE_VERSION &&
  typeof value["place"] === "number" &&
  typeof value["state"] === "string";
