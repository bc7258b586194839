import type { ClusterView } from "../admin/views.ts";
import type { MemberOptions } from "../cluster/member.ts";
import { forgetRemoved } from "../delivery/forgetting.ts";
import { laneName } from "../delivery/lanes.ts";
import { LogError } from "../log/errors.ts";
import { LOG_ACCOUNT } from "../log/fence.ts";
import type { Logger } from "../logger.ts";
import type { Running } from "./change.ts";
import { forgetHomes } from "./homes.ts";
import { wishOf } from "./wish.ts";

/** How often it is looked whether something may be forgotten, in ms. */
const LOOK_MS = 30_000;

/** Runs here what the election gives this machine, of all that several share. */
export class ClusterAccounts {
  readonly runner: MemberOptions["runner"];
  readonly #running: Running;
  readonly #view: () => ClusterView;
  readonly #logger: Logger;
  #looks: NodeJS.Timeout | undefined;
  /** The configuration that all machines had at the last look, and the one of which all is forgotten that it lacks. */
  #common: string | null = null;
  #forgotten: string | null = null;

  constructor(running: Running, { view, logger }: { readonly view: () => ClusterView; readonly logger: Logger }) {
    this.#running = running;
    this.#view = view;
    this.#logger = logger;
    this.runner = {
      run: (account) => void this.#run(account),
      stop: (account) => void this.#release(account, true),
      quiesce: async (account) => await this.#release(account, false),
    };
  }

  close(): void {
    clearInterval(this.#looks);
  }

  async #run(account: string): Promise<void> {
    if (account === LOG_ACCOUNT) {
      this.#looks = setInterval(() => void this.#forget(), LOOK_MS).unref();
      return;
    }
    this.#logger.info({ account }, "this machine runs the account");
    const { servers, delivery, config } = this.#running;
    const isApi = config.accounts.get(account)?.protocol === "api";
    await (isApi ? servers : delivery).run(account);
  }

  async #release(account: string, isLost: boolean): Promise<void> {
    if (account === LOG_ACCOUNT) return clearInterval(this.#looks);
    const { servers, delivery } = this.#running;
    // The configuration may not have it any more.
    await Promise.all([servers.release(account), delivery.release(account, { isLost })]);
    this.#logger.info({ account, lost: isLost }, "this machine runs the account no longer");
  }

  /** What no machine has in its configuration any more, once all have had the same for a while. Never rejects. */
  async #forget(): Promise<void> {
    const { config, log, routes, servers } = this.#running;
    const { config: digest } = wishOf(config);
    const { nodes, hasVoice } = this.#view();
    const isCommon = hasVoice && config.errors.length === 0 && nodes.every(({ isAlike }) => isAlike);
    const hadIt = this.#common === digest;
    this.#common = isCommon ? digest : null;
    if (!isCommon || !hadIt || this.#forgotten === digest) return;
    try {
      const lanes = new Set(routes.lanes().map(laneName));
      await forgetRemoved(log, this.#logger, { lanes, accounts: new Set(config.accounts.keys()) });
      await forgetHomes(log, new Set(config.accounts.keys()));
      await servers.forget(config);
      this.#forgotten = digest;
    } catch (error) {
      // The next look tries again.
      if (!(error instanceof LogError)) throw error;
    }
  }
}
