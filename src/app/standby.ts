import { apiSettings } from "../adapters/api/index.ts";
import type { ClusterView, StatusView } from "../admin/views.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import { StartError } from "../errors.ts";
import { openStandbyDoors, type StandbyDoors } from "../http/standby.ts";
import { type Address, parseAddress } from "../lib/address.ts";
import type { Logger } from "../logger.ts";
import { describe } from "./describe.ts";
import type { ClusterNode, Waiting } from "./cluster-node.ts";
import { version } from "./version.ts";

export interface StandbyOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Resolves when the program is told to stop. */
  readonly stopped: Promise<unknown>;
  /** Told once another node runs the accounts. */
  readonly waits: (view: ClusterView) => void;
}

/**
 * Resolves when this node is the one that runs the accounts; until then it answers at its addresses that it is not.
 * Null: it was told to stop. Rejects with a StartError or a LogError. Otherwise its log is closed.
 */
export async function standBy(joined: Waiting, options: StandbyOptions): Promise<ClusterNode | null> {
  const given = Promise.withResolvers<null>();
  const turn = joined.turn(Promise.race([options.stopped, given.promise]));
  try {
    const first = await Promise.race([turn.then(() => "turn" as const), joined.heard]);
    const clusterNode = first === "turn" ? await turn : await answerUntil(turn, joined, options);
    if (clusterNode === null) await joined.log.close();
    return clusterNode;
  } catch (error) {
    given.resolve(null);
    await turn.catch(() => undefined);
    await joined.log.close();
    throw error;
  }
}

async function answerUntil(turn: Promise<ClusterNode | null>, joined: Waiting, options: StandbyOptions) {
  const { logger, config, waits } = options;
  const { node, holder } = joined.view();
  const doors = await openDoors(joined, config);
  logger.info({ node, holder }, "this node is a standby: another one runs the accounts");
  waits(joined.view());
  try {
    const clusterNode = await turn;
    if (clusterNode !== null) logger.info({ node }, "this node takes over: it runs the accounts");
    return clusterNode;
  } finally {
    await doors.close();
  }
}

async function openDoors(joined: Waiting, { accounts, general }: Config): Promise<StandbyDoors> {
  const startedMs = systemClock.nowMs();
  const status = (): string => JSON.stringify(statusOf(joined, startedMs));
  const apis = [...accounts.values()].filter(({ protocol, down }) => protocol === "api" && down === null);
  try {
    return await openStandbyDoors({
      dataPath: general.dataPath,
      apis: apis.map(({ settings }) => addressOf(apiSettings(settings).BindAddress)),
      admin: general.admin === null ? null : addressOf(general.admin.bindAddress),
      status,
    });
  } catch (error) {
    throw new StartError("address_in_use", `a standby cannot listen: ${describe(error)}`, { cause: error });
  }
}

function addressOf(bind: string): Address {
  const address = parseAddress(bind);
  if ("error" in address) throw new StartError("config", address.error);
  return address;
}

/** As that of a node that runs the accounts, without what it does not have. */
function statusOf({ log, view, troubles }: Waiting, startedMs: number): StatusView {
  const why = "this node is a standby";
  const alerts = troubles();
  return {
    ok: alerts.length === 0,
    version: version(),
    nowMs: systemClock.nowMs(),
    startedMs,
    troubles: alerts,
    notices: [],
    log: { head: log.head, takes: false, why, freeBytes: null, damage: log.archive.damage() },
    loop: { p50: 0, p99: 0, max: 0 },
    accounts: [],
    readers: [],
    gateways: [],
    bridges: [],
    loops: [],
    traffic: [],
    cluster: view(),
  };
}
