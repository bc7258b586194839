import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { AccountRegistry } from "./account-registry.ts";
import { PAUSED_STEM } from "./cursors.ts";
import type { AccountAct, AccountActed } from "./status.ts";

export interface AccountControlOptions {
  readonly parts: AccountRegistry;
  readonly log: Pick<Log, "mark" | "unmark">;
  readonly logger: Logger;
  readonly nowMs: () => number;
  /** The machine that runs an account which does not run here; null: nobody knows. Absent: there is one machine. */
  readonly whereIs?: (accountKey: string) => string | null;
}

/**
 * Carries out what operators ask, one after the other. That an account is paused is on the disk before its session
 * ends, so that it stays so over a crash, a restart, and a change of the configuration that opens it again.
 */
export class AccountControl {
  readonly #options: AccountControlOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AccountControlOptions) {
    this.#options = options;
  }

  /** Rejects with a LogError. */
  act(key: string, act: AccountAct): Promise<AccountActed> {
    const acting = this.#last.then(async () => await this.#act(key, act));
    this.#last = acting.catch(() => undefined);
    return acting;
  }

  async #act(key: string, act: AccountAct): Promise<AccountActed> {
    const { parts, log, logger, nowMs } = this.#options;
    await parts.settled;
    const before = parts.get(key);
    if (before === undefined) {
      const node = this.#options.whereIs?.(key) ?? null;
      return node === null ? { is: "unknown" } : { is: "refused", why: `it runs at the machine ${node}: ask there` };
    }
    const { account } = before;
    if (account.down !== null) {
      return { is: "refused", why: `the configuration keeps the account down: ${account.down.reason}` };
    }
    const name = PAUSED_STEM + key;
    if (act === "pause") await log.mark([{ name, value: String(nowMs()) }]);
    if (act === "resume") await log.unmark([name]);
    // One that a change has opened meanwhile may have read the mark before it was written.
    await parts.settled;
    const supervisor = parts.get(key)?.supervisor;
    if (supervisor === undefined) return { is: "unknown" };
    if (act === "reconnect") {
      if (!supervisor.reconnect()) return { is: "refused", why: "the account is paused: resume it" };
    } else supervisor.pause(act === "pause");
    logger.info({ account: account.name, act }, "an operator has asked something of an account");
    return { is: "done" };
  }
}
