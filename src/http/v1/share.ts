import type { Access } from "../../access/access.ts";

/** What callers have of something that they share, so that one of them leaves some to the others. */
export class Shares {
  readonly #taken = new Map<string, number>();
  readonly #most: number;
  #all = 0;

  /** `most`: what all callers together may have. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  /** Whether a caller that may have so many of it may have one more. */
  has(access: Access, most: number): boolean {
    return this.#all < this.#most && (this.#taken.get(nameOf(access)) ?? 0) < most;
  }

  /** False: it has its part, or nothing is left. */
  take(access: Access, most: number): boolean {
    if (!this.has(access, most)) return false;
    const name = nameOf(access);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    this.#all += 1;
    return true;
  }

  give(access: Access): void {
    const name = nameOf(access);
    const left = (this.#taken.get(name) ?? 0) - 1;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
    this.#all -= 1;
  }
}

/** All callers of an account without a token of Rialto's are one. */
const nameOf = ({ account, token }: Access): string => `${account} ${token ?? ""}`;
