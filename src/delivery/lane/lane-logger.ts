import { Throttle } from "../../lib/throttle.ts";
import type { LaneOptions } from "./options.ts";
import type { Say } from "./state.ts";

/** Writes what a lane says to the program's log, with which lane it is. */
export class LaneLogger {
  readonly #options: Pick<LaneOptions, "gateway" | "account" | "channel" | "clock" | "logger">;
  readonly #waiting: () => Promise<number>;
  #throttle: Throttle | null = null;

  /** `waiting`: how many messages wait. */
  constructor(
    options: Pick<LaneOptions, "gateway" | "account" | "channel" | "clock" | "logger">,
    waiting: () => Promise<number>,
  ) {
    this.#options = options;
    this.#waiting = waiting;
  }

  say({ level, message, fields, key, counted }: Omit<Say, "do">): void {
    const { gateway, account, channel, clock, logger } = this.#options;
    const told = { gateway, account: account.name, channel, ...fields };
    if (counted !== undefined) return void this.#sayCounted({ level, message, fields: told }, counted);
    if (key === undefined) return logger[level](told, message);
    this.#throttle ??= new Throttle({ windowMs: 60_000, perWindowMax: 10, nowMs: () => clock.monoMs() });
    const { passes, suppressed } = this.#throttle.pass(key);
    if (passes) logger[level]({ ...told, before: suppressed }, message);
  }

  async #sayCounted(
    { level, message, fields }: Pick<Say, "level" | "message" | "fields">,
    more: number,
  ): Promise<void> {
    const found = await this.#waiting().catch(() => null);
    const waiting = found === null ? {} : { waiting: found + more };
    this.#options.logger[level]({ ...fields, ...waiting }, message);
  }
}
