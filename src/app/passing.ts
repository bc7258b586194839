import type { Tunnels } from "../cluster/tunnel/tunnels.ts";
import type { Config } from "../config/config.ts";
import { pause } from "../delivery/deadline.ts";
import { systemClock } from "../delivery/clock.ts";
import { type Forwarder, openForwarder } from "../http/forward.ts";
import type { Descriptors } from "../lib/descriptors.ts";
import { parseAddress } from "../lib/address.ts";
import type { Fence } from "../log/fence.ts";
import type { Logger } from "../logger.ts";
import { addressOf, apisOf } from "./api-servers.ts";
import { describe } from "../lib/describe.ts";

/** How long until an address that could not be had is tried again, in ms. */
const RETRY_MS = 5_000;

interface PassedOnOptions {
  readonly tunnels: Tunnels;
  readonly fence: Fence;
  readonly descriptors: Descriptors;
  readonly logger: Logger;
}

/** The addresses of accounts of the HTTP API that other machines run: what comes there is passed on to them. */
export class PassedOn {
  readonly #options: PassedOnOptions;
  readonly #ended = new AbortController();
  /** By account: where it listens. */
  readonly #open = new Map<string, { readonly at: string; readonly forwarder: Forwarder }>();
  readonly #turns = new Map<string, Promise<void>>();
  /** Served here. */
  readonly #here = new Set<string>();
  #config: Config;

  constructor(config: Config, options: PassedOnOptions) {
    this.#config = config;
    this.#options = options;
    this.follow(config);
  }

  /** The configuration has changed. */
  follow(config: Config): void {
    this.#config = config;
    const keys = new Set([...this.#open.keys(), ...apisOf(config).map(({ key }) => key)]);
    for (const key of keys) void this.#align(key);
  }

  /** The account is to be served here: resolves when its address is free. Never rejects. */
  leave(accountKey: string): Promise<void> {
    this.#here.add(accountKey);
    return this.#align(accountKey);
  }

  /** It is served here no longer. */
  enter(accountKey: string): void {
    this.#here.delete(accountKey);
    void this.#align(accountKey);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    // One that is being opened is closed as well.
    await Promise.all(this.#turns.values());
    await Promise.all([...this.#open.values()].map(async ({ forwarder }) => await forwarder.close()));
  }

  /** One after the other for each account, each by what is wanted then. */
  #align(accountKey: string): Promise<void> {
    const turn = (this.#turns.get(accountKey) ?? Promise.resolve()).then(async () => await this.#settle(accountKey));
    this.#turns.set(accountKey, turn);
    return turn;
  }

  /** Where to listen for an account; null: nowhere. */
  #wantedAt(accountKey: string): string | null {
    const account = this.#config.accounts.get(accountKey);
    const isPassed = account?.protocol === "api" && account.down === null && !this.#here.has(accountKey);
    return isPassed ? addressOf(account) : null;
  }

  async #settle(accountKey: string): Promise<void> {
    const at = this.#wantedAt(accountKey);
    const open = this.#open.get(accountKey);
    if (open !== undefined && open.at !== at) {
      this.#open.delete(accountKey);
      await open.forwarder.close();
    }
    if (at === null || open?.at === at || this.#ended.signal.aborted) return;
    try {
      this.#open.set(accountKey, { at, forwarder: await this.#listen(accountKey, at) });
    } catch (error) {
      this.#options.logger.error(
        { account: accountKey, error: describe(error), retryInS: RETRY_MS / 1000 },
        "the address of an account that another machine runs cannot be had; Rialto tries again",
      );
      void this.#later(accountKey);
    }
  }

  async #later(accountKey: string): Promise<void> {
    await pause({ clock: systemClock, ms: RETRY_MS, signal: this.#ended.signal });
    if (!this.#ended.signal.aborted) await this.#align(accountKey);
  }

  async #listen(accountKey: string, at: string): Promise<Forwarder> {
    const { tunnels, fence, descriptors } = this.#options;
    const address = parseAddress(at);
    if ("error" in address) throw new Error(address.error);
    return await openForwarder({
      address,
      open: (remote) => {
        const { run } = fence.current(accountKey);
        return run === "" || run === fence.own.run ? null : tunnels.open({ run, account: accountKey, remote });
      },
      descriptors,
    });
  }
}
