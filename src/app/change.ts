import type { Account, Config } from "../config/config.ts";
import { changeOf, type ConfigDiff, diffConfig, effectiveConfig, isUnchanged } from "../config/diff.ts";
import type { OwnMark } from "../delivery/change.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { LiveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { addressesClash, parseAddress } from "../lib/address.ts";
import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import { addressOf, apisOf, type ApiServers } from "./api-servers.ts";
import { whyBusy } from "./busy.ts";
import type { Share } from "./share.ts";

/** What a change of the configuration has come to. */
export type Changed =
  /** `moved`: what was opened, closed or changed; the rest was not touched. */
  | { readonly is: "applied"; readonly moved: Moved; readonly needsRestart: readonly string[] }
  | { readonly is: "unchanged"; readonly needsRestart: readonly string[] }
  /** Nothing has moved. Each reason is a sentence for people. `passes`: a start with it would not meet them. */
  | { readonly is: "impossible"; readonly reasons: readonly string[]; readonly passes: boolean };

export type Moved = Omit<ConfigDiff, "needsRestart">;

/** The running program, as far as a configuration can change it. */
export interface Running {
  /** What it runs with. */
  config: Config;
  readonly log: Log;
  readonly routes: LiveRoutes;
  readonly lock: ReadWriteLock;
  /** See DeliveryOptions. */
  readonly sharing: ReadWriteLock | null;
  readonly servers: ApiServers;
  readonly delivery: Delivery;
  readonly share: Pick<Share, "lack" | "change" | "descriptors">;
  /** Told of the configuration that counts from now on. */
  readonly follow: (config: Config) => void;
}

const NO_GATEWAY_LEFT = "the configuration has no gateway any more; to run without gateways, start Rialto again";
/** How long a change waits for appends that are under way. */
const ALONE_MS = 2_000;
/** … and for accounts that begin or end here. */
const SHARING_MS = 30_000;

/**
 * Goes on with another configuration: what is new begins in one commit, then everything that comes in goes by it at
 * once, and lanes, sessions and servers follow. One at a time. Resolves when all of them have; never rejects but for
 * bugs.
 */
export async function changeConfig(loaded: Config, running: Running): Promise<Changed> {
  const { sharing } = running;
  const change = async (): Promise<Changed> => await changeNow(loaded, running);
  return sharing === null ? await change() : await sharing.exclusive(SHARING_MS, change);
}

async function changeNow(loaded: Config, running: Running): Promise<Changed> {
  const { needsRestart, ...moved } = diffConfig(running.config, loaded);
  if (isUnchanged({ ...moved, needsRestart })) return { is: "unchanged", needsRestart };
  const config = effectiveConfig(running.config, loaded);
  const routes = compileRoutes(config);
  const kept = [...config.accounts.values()].filter(({ key }) => running.config.accounts.has(key));
  const reopen = new Set(
    kept
      .filter((account) => changeOf(running.config.accounts.get(account.key), account) === "reopen")
      .map(({ key }) => key),
  );
  // A file that is only half written begins like this, and the messages that wait in the lanes would be given up.
  if (config.gateways.length === 0 && running.config.gateways.length > 0)
    return { is: "impossible", reasons: [NO_GATEWAY_LEFT], passes: true };
  const lack = running.share.lack(config);
  const reasons = lack === null ? await busyAddresses(config, reopen, running) : [lack];
  if (reasons.length > 0) return { is: "impossible", reasons, passes: false };
  const { lock, delivery, servers } = running;
  const next = { config, routes, reopen };
  try {
    const steps = [await delivery.change(next), await servers.change(next)];
    await lock.exclusive(ALONE_MS, async () => {
      await store(
        steps.flatMap((step) => step.marks()),
        running,
      );
      running.config = config;
      running.routes.swap(routes);
      running.share.change(config);
      for (const step of steps) step.swap();
      running.follow(config);
    });
    await Promise.all(steps.map(async (step) => await step.settle()));
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const refused = `the log accepts nothing now (${error.message}); try again`;
    return { is: "impossible", reasons: [refused], passes: true };
  }
  return { is: "applied", moved, needsRestart };
}

/**
 * In one commit; where machines share the log, each account's as its own: those of one that another machine has taken
 * over are void, and it follows there. Rejects with a LogError.
 */
async function store(marks: readonly OwnMark[], { log, sharing }: Pick<Running, "log" | "sharing">): Promise<void> {
  const byAccount = Map.groupBy(marks, ({ account }) => (sharing === null ? "" : account));
  const storing = Array.from(byAccount, async ([account, own]) => {
    const stored = log.mark(
      own.map(({ name, value }) => ({ name, value })),
      { account },
    );
    await stored.catch((error: unknown) => {
      if (!(error instanceof LogError && error.code === "fenced")) throw error;
    });
  });
  await Promise.all(storing);
}

/** Why accounts of the API could not listen where they are to. */
async function busyAddresses(
  config: Config,
  reopen: ReadonlySet<string>,
  running: Running,
): Promise<readonly string[]> {
  const old = apisOf(running.config);
  const isNew = (key: string): boolean => reopen.has(key) || !running.config.accounts.has(key);
  const freed = old.filter(({ down }) => down === null).filter(({ key }) => isNew(key) || !config.accounts.has(key));
  // What is kept busy by ours that goes cannot be known before that has gone.
  const isFreed = (account: Account): boolean => freed.some((other) => clash(account, other));
  const wanted = apisOf(config).filter((account) => isNew(account.key) && !isFreed(account));
  const reasons = wanted.map(async (account) => {
    const why = await whyBusy(addressOf(account));
    return why === null ? null : `[${account.name}] cannot listen on ${addressOf(account)}: ${why}`;
  });
  return (await Promise.all(reasons)).filter((reason) => reason !== null);
}

function clash(...accounts: readonly [Account, Account]): boolean {
  const [a, b] = accounts.map((account) => parseAddress(addressOf(account)));
  return a !== undefined && b !== undefined && !("error" in a) && !("error" in b) && addressesClash(a, b);
}
