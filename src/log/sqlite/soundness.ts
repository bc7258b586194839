import type { Seq } from "../log.ts";

/** Entries that are remembered as damaged; more are as bad. */
const KNOWN_MAX = 10_000;

/** Tells the entries that can be shown from those that something has overwritten on the disk. */
export class Soundness {
  readonly #isSound: (payload: string) => boolean;
  readonly #unsound = new Set<Seq>();

  constructor(isSound: (payload: string) => boolean) {
    this.#isSound = isSound;
  }

  /** Entries that were met and are not sound. */
  get unsound(): readonly Seq[] {
    return [...this.#unsound];
  }

  readonly test = ({ seq, payload }: { readonly seq: Seq; readonly payload: string }): boolean => {
    if (this.#isSound(payload)) return true;
    if (this.#unsound.size < KNOWN_MAX) this.#unsound.add(seq);
    return false;
  };
}
