import type { Socket } from "node:net";
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
  /** The server of the account takes a connection, if it runs here. */
  readonly take: (accountKey: string, socket: Socket) => boolean;
  readonly tunnels: Tunnels;
  readonly fence: Fence;
  readonly descriptors: Descriptors;
  readonly logger: Logger;
}

/**
 * The addresses of the accounts of the HTTP API, which stay open whichever machine runs an account: what comes there is
 * for the server here, or is passed on.
 */
export class PassedOn {
  readonly #options: PassedOnOptions;
  readonly #ended = new AbortController();
  /** By account: where it listens. */
  readonly #open = new Map<string, { readonly at: string; readonly forwarder: Forwarder }>();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #unlisten: () => void;
  #config: Config;

  constructor(config: Config, options: PassedOnOptions) {
    this.#config = config;
    this.#options = options;
    this.#unlisten = options.fence.changed(({ account }) => this.#open.get(account)?.forwarder.again());
    this.follow(config);
  }

  /** The configuration has changed. */
  follow(config: Config): void {
    this.#config = config;
    // First: another account may get the address.
    for (const key of this.#open.keys()) this.#shut(key);
    const keys = apisOf(config).map(({ key }) => key);
    for (const key of new Set([...this.#turns.keys(), ...keys])) void this.#align(key);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.#unlisten();
    // One that is being opened is closed as well.
    await Promise.all(this.#turns.values());
    for (const { forwarder } of this.#open.values()) forwarder.close();
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
    return account?.protocol === "api" && account.down === null ? addressOf(account) : null;
  }

  /** Where it is open at an address that is not wanted. */
  #shut(accountKey: string): void {
    const open = this.#open.get(accountKey);
    if (open === undefined || open.at === this.#wantedAt(accountKey)) return;
    this.#open.delete(accountKey);
    open.forwarder.close();
  }

  async #settle(accountKey: string): Promise<void> {
    this.#shut(accountKey);
    const at = this.#wantedAt(accountKey);
    if (at === null || this.#open.has(accountKey) || this.#ended.signal.aborted) return;
    try {
      this.#open.set(accountKey, { at, forwarder: await this.#listen(accountKey, at) });
    } catch (error) {
      this.#options.logger.error(
        { account: accountKey, error: describe(error), retryInS: RETRY_MS / 1000 },
        "the address of an account of the HTTP API cannot be had; Rialto tries again",
      );
      void this.#later(accountKey);
    }
  }

  async #later(accountKey: string): Promise<void> {
    await pause({ clock: systemClock, ms: RETRY_MS, signal: this.#ended.signal });
    if (!this.#ended.signal.aborted) await this.#align(accountKey);
  }

  async #listen(accountKey: string, at: string): Promise<Forwarder> {
    const { take, tunnels, fence, descriptors } = this.#options;
    const address = parseAddress(at);
    if ("error" in address) throw new Error(address.error);
    return await openForwarder({
      address,
      take: (socket) => take(accountKey, socket),
      open: (remote) => {
        const { run } = fence.current(accountKey);
        return run === "" || run === fence.own.run ? null : tunnels.open({ run, account: accountKey, remote });
      },
      descriptors,
    });
  }
}
