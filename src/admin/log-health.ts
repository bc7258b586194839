import { statfs } from "node:fs/promises";
import { LogError } from "../log/errors.ts";
import type { LogSearch } from "../log/search.ts";
import type { Log } from "../log/log.ts";
import type { LogView } from "./views.ts";

/** Longest that the log may take to answer before it counts as stuck. */
const ANSWER_MS = 2_000;
/** Stored once, and found again by every later look: nothing grows. */
const PROBE = { key: "probe", fingerprint: "", answer: "" };

export interface LogHealthOptions {
  readonly log: Pick<Log, "append" | "head"> & { readonly archive: Pick<LogSearch, "damage" | "refusal" | "total"> };
  readonly dataPath: string;
}

/** Asks the log whether it takes messages. Never rejects, and answers within about two seconds. */
export class LogHealth {
  readonly #options: LogHealthOptions;
  /** As the log said last. */
  #total: number | null = null;
  #asked: Promise<string | null> | null = null;

  constructor(options: LogHealthOptions) {
    this.#options = options;
  }

  async look(): Promise<LogView> {
    const [stuck, freeBytes] = await Promise.all([this.#refusal(), this.#free()]);
    const { head, archive } = this.#options.log;
    // The probe stores no entry, so it does not meet damage in their table.
    const why = stuck ?? archive.refusal();
    return { head, total: this.#total, takes: why === null, why, freeBytes, damage: archive.damage() };
  }

  /** Why it takes none; null: it does. One question at a time, however many ask. */
  async #refusal(): Promise<string | null> {
    this.#asked ??= this.#ask().finally(() => (this.#asked = null));
    const limit = Promise.withResolvers<string>();
    const stuck = `The log has not answered for ${ANSWER_MS / 1000} s: the disk is slow or stuck.`;
    const timer = setTimeout(() => limit.resolve(stuck), ANSWER_MS);
    const why = await Promise.race([this.#asked, limit.promise]);
    clearTimeout(timer);
    return why;
  }

  async #ask(): Promise<string | null> {
    const { log } = this.#options;
    try {
      this.#total = await log.archive.total();
      await log.append({ account: "rialto.probe", entries: [], once: PROBE });
      return null;
    } catch (error) {
      if (error instanceof LogError) return error.message;
      return String(error);
    }
  }

  async #free(): Promise<number | null> {
    try {
      const { bavail, bsize } = await statfs(this.#options.dataPath);
      return bavail * bsize;
    } catch {
      return null;
    }
  }
}
