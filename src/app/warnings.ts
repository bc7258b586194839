import type { Alert } from "../admin/views.ts";
import { systemClock } from "../delivery/clock.ts";
import type { LogError } from "../log/errors.ts";
import type { Logger } from "../logger.ts";

/** So long a warning is shown in the status, and so many of them. */
const WARNED_MS = 60 * 60 * 1000;
const WARNINGS = 5;

/** What the log of several machines goes on in spite of. */
export class Warnings {
  readonly #logger: Logger;
  readonly #told = new Map<string, { readonly code: string; sinceMs: number; lastMs: number }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add({ code, message }: LogError): void {
    const now = systemClock.nowMs();
    const known = this.#told.get(message);
    if (known !== undefined && now - known.lastMs < WARNED_MS) {
      known.lastMs = now;
      return;
    }
    this.#told.delete(message);
    this.#told.set(message, { code, sinceMs: now, lastMs: now });
    for (const old of this.#told.keys()) if (this.#told.size > WARNINGS) this.#told.delete(old);
    this.#logger.warn({ code, why: message }, "the log of several machines needs somebody to look at it");
  }

  alerts(): readonly Alert[] {
    const now = systemClock.nowMs();
    return [...this.#told]
      .filter(([, { lastMs }]) => now - lastMs < WARNED_MS)
      .map(([what, { sinceMs }]) => ({ of: "the log", what, remedy: null, sinceMs }));
  }
}
