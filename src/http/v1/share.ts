import type { Access } from "../../access/access.ts";

/** How much of something that all callers share one of them may have. */
export interface ShareOf {
  /** A token of Rialto's. */
  readonly token: number;
  /** The account's own Token, or whoever is let in without one. */
  readonly own: number;
  readonly all: number;
}

/** What callers have of something, so that one of them leaves some to the others. */
export class Shares {
  readonly #bounds: ShareOf;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(bounds: ShareOf) {
    this.#bounds = bounds;
  }

  /** False: it has its part, or nothing is left. */
  take({ token }: Access): boolean {
    const name = token ?? OWN;
    const taken = this.#taken.get(name) ?? 0;
    const { all, own, token: each } = this.#bounds;
    if (this.#all >= all || taken >= (token === null ? own : each)) return false;
    this.#taken.set(name, taken + 1);
    this.#all += 1;
    return true;
  }

  give({ token }: Access): void {
    const name = token ?? OWN;
    const left = (this.#taken.get(name) ?? 0) - 1;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
    this.#all -= 1;
  }
}

/** No token is called so. */
const OWN = "";
