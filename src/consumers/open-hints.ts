import type { HintEvent } from "../contract/api-v1.ts";
import type { Hints } from "./hints.ts";

/** Most who listen at once; more are told nothing. */
const LISTENERS_MAX = 20_000;
/** Most hints within `WINDOW_MS`; what is more is dropped. */
const PER_WINDOW_MAX = 200;
const WINDOW_MS = 1000;

/** The hints of one API account. `monoMs`: a clock that is never set back. */
export function openHints(monoMs: () => number): Hints {
  const listeners = new Set<(hint: HintEvent) => void>();
  let windowFrom = -Infinity;
  let told = 0;
  return {
    tell: (hint) => {
      const now = monoMs();
      if (now - windowFrom >= WINDOW_MS) [windowFrom, told] = [now, 0];
      told += 1;
      if (told > PER_WINDOW_MAX) return;
      for (const listener of listeners) listener(hint);
    },
    listen: (listener) => {
      if (listeners.size >= LISTENERS_MAX) return () => undefined;
      const own = (hint: HintEvent): void => listener(hint);
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
}
