import type { Config } from "../config/config.ts";
import type { Clock } from "../contract/host.ts";
import type { Routes } from "../gateway/routes.ts";
import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import type { Log, Seq } from "../log/log.ts";
import { end } from "./account-end.ts";
import type { AccountRegistry } from "./account-registry.ts";
import type { Patience, Wanted } from "./account-runtime.ts";
import type { Scene } from "./change.ts";
import { AccountsHere } from "./accounts-here.ts";
import { Elsewhere } from "./elsewhere.ts";
import type { Logger } from "../logger.ts";
import { laneSpecs } from "./lane-specs.ts";
import type { FileArchive } from "../gateway/known-files.ts";
import type { Lanes } from "./lanes.ts";

/** Where another machine has the account already: nothing of it can be stored here any more. */
const LOST: Patience = { lanesMs: 0, drainMs: 0 };
/** So long may what is under way take, before the account is handed over, in ms. */
const IN_ORDER: Patience = { lanesMs: 1_500, drainMs: 500 };

export interface HostingOptions {
  readonly parts: AccountRegistry;
  readonly lanes: Pick<Lanes, "waitingAfter">;
  /** See DeliveryOptions. */
  readonly sharing: ReadWriteLock;
  readonly ended: AbortSignal;
  readonly log: Log & { readonly archive?: FileArchive };
  readonly logger: Logger;
  readonly clock: Clock;
  /** As they are now. */
  readonly config: () => Config;
  readonly routes: Routes;
}

/** Runs the accounts of networks that this machine is given, of all that several share. */
export class Hosting {
  readonly #options: HostingOptions;
  readonly #elsewhere: Elsewhere;
  readonly #here: AccountsHere;

  constructor(options: HostingOptions) {
    this.#options = options;
    const { log, logger, clock, config, routes, sharing } = options;
    this.#here = new AccountsHere(sharing);
    // While an account opens or ends here, its marks alone say what its lanes wait for.
    const { isHere, stays } = this.scope;
    const isOpen = (key: string): boolean => isHere(key) && stays(key);
    const lanes = () => [...laneSpecs(config(), routes)].flatMap(([key, all]) => (isOpen(key) ? [] : all));
    this.#elsewhere = new Elsewhere(log, { clock, logger, lanes });
  }

  /** Nothing up to here is waited for by lanes that run elsewhere. */
  get waitingAfter(): Seq {
    return this.#elsewhere.waitingAfter;
  }

  start(): void {
    this.#elsewhere.start();
  }

  stop(): void {
    this.#elsewhere.stop();
  }

  /** What a change of the configuration is about: what opens later goes by it anyway, and is not new. */
  get scope(): Required<Pick<Scene, "isHere" | "stays">> {
    const { parts } = this.#options;
    return {
      isHere: (accountKey) => parts.get(accountKey) !== undefined,
      stays: (accountKey) => this.#here.has(accountKey),
    };
  }

  /** Resolves when it is open. Never rejects. */
  run(accountKey: string): Promise<void> {
    return this.#here.add(accountKey, async (signal) => {
      const { parts, ended } = this.#options;
      const wanted = this.#wanted(accountKey);
      if (wanted === null || parts.get(accountKey) !== undefined) return;
      await parts.add(wanted, AbortSignal.any([signal, ended]));
    });
  }

  /** Resolves when nothing of it is left here. `isLost`: another machine has it already. Never rejects. */
  release(accountKey: string, { isLost }: { readonly isLost: boolean }): Promise<void> {
    return this.#here.remove(accountKey, async () => {
      const { parts, lanes } = this.#options;
      const part = parts.get(accountKey);
      // Until the next look, it is only known here what its lanes wait for.
      this.#elsewhere.keep(lanes.waitingAfter);
      if (part !== undefined) await end(part, isLost ? LOST : IN_ORDER, parts);
    });
  }

  /** Null: the configuration has no such account. */
  #wanted(accountKey: string): Wanted | null {
    const { config, routes } = this.#options;
    const current = config();
    const account = current.accounts.get(accountKey);
    if (account === undefined || account.protocol === "api") return null;
    return { account, config: current, routes, specs: laneSpecs(current, routes).get(accountKey) ?? [] };
  }
}
