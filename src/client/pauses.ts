const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** What a server may ask for at most. */
const ASKED_MAX_MS = 60_000;

/** How long to wait after so many failures in a row; `random`: 0 <= x < 1, so that clients do not come all at once. */
export function backOff(failures: number, askedMs: number | null, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return Math.max(Math.min(askedMs ?? 0, ASKED_MAX_MS), full * (0.5 + random / 2));
}

/** Rejects with the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** A signal that is aborted with another one, or when nothing was heard for `ms`. */
export class SilenceWatch {
  readonly #limit = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #ms: number;
  readonly #follow = (): void => this.#limit.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    if (outer?.aborted === true) this.#follow();
    else outer?.addEventListener("abort", this.#follow, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** The time begins anew. */
  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#limit.abort(new Error(`nothing was heard for ${this.#ms} ms`)), this.#ms);
  }

  /** It is only aborted with the other one from now on. */
  calm(): void {
    clearTimeout(this.#timer);
  }

  done(): void {
    this.calm();
    this.#outer?.removeEventListener("abort", this.#follow);
  }
}
