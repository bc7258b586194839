import type { Log } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";

/**
 * The durable positions of one account's readers, as marks. One that the log did not take is kept, the newest of each
 * name, and written with the next `retry`: until then, something is handed out again after a crash.
 */
export class ReaderPositions {
  readonly #log: Pick<Log, "mark">;
  readonly #logger: Logger;
  /** Not known to be durable. */
  readonly #unwritten = new Map<string, string>();
  #underWay = 0;
  #idle: (() => void)[] = [];

  constructor(log: Pick<Log, "mark">, logger: Logger) {
    this.#log = log;
    this.#logger = logger;
  }

  /** Resolves when it is durable, or refused for now. One that is not urgent goes with the next commit. */
  async put(name: string, value: string, isUrgent = true): Promise<void> {
    this.#unwritten.set(name, value);
    await this.#write([[name, value]], isUrgent);
  }

  /** Periodic: writes what was refused. */
  async retry(): Promise<void> {
    if (this.#underWay === 0 && this.#unwritten.size > 0) await this.#write([...this.#unwritten]);
  }

  /** Resolves when everything has been written, or refused once more. */
  async settled(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.retry();
  }

  async #write(positions: readonly (readonly [string, string])[], isUrgent = true): Promise<void> {
    this.#underWay += 1;
    try {
      await this.#log.mark(
        positions.map(([name, value]) => ({ name, value })),
        { rides: !isUrgent },
      );
      for (const [name, value] of positions) if (this.#unwritten.get(name) === value) this.#unwritten.delete(name);
    } catch (error) {
      const marks = positions.map(([name]) => name);
      this.#logger.warn({ marks, error: String(error) }, "a reader's position could not be stored; Rialto tries again");
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }
}
