import { adapters, protocols } from "../adapters/registry.ts";
import type { StatusView } from "../admin/views.ts";
import { whyBusy } from "../app/busy.ts";
import { logServers } from "../app/log-servers.ts";
import { isSameLogin } from "../app/trials.ts";
import type { Account, ClusterSettings, Config } from "../config/config.ts";
import type { AccountDown } from "../config/problems.ts";
import type { ChannelRequest } from "../contract/session.ts";
import { accountFolder } from "../delivery/account-folder.ts";
import { systemClock } from "../delivery/clock.ts";
import { tryAccount } from "../delivery/trial.ts";
import { socketPath } from "../http/admin/socket.ts";
import { isObject, parseAs } from "../lib/shapes.ts";
import { ask, NotRunning } from "./client.ts";
import { type LogStep, logSteps } from "./log-steps.ts";

/** One account, or the servers of a log on several machines, as `--json` shows it. */
export interface OnlineView {
  readonly account: string;
  readonly steps: readonly LogStep[];
  /** Channels that it could bridge, as the configuration writes them; empty where the network lists none. */
  readonly rooms: readonly string[];
}

const AT_ONCE = 4;
/** In place of an account: each of those has a dot in its name. */
const LOG = "the log";
/** Rooms of an account that are named in words. */
const SHOWN_MAX = 20;

/**
 * Looks at the servers of a log on several machines, and tries every account of a configuration: connects, logs in,
 * joins its channels, leaves. Nothing is sent, stored or acknowledged. What runs already is asked instead: two sessions
 * would throw each other out.
 */
export async function checkOnline(config: Config, signal: AbortSignal): Promise<readonly OnlineView[]> {
  const running = await statusOf(config.general.dataPath, signal);
  const wanted = [...config.accounts.values()];
  const { cluster } = config.general;
  const views: OnlineView[] = cluster === null ? [] : [await logView(config, cluster)];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const some = wanted.slice(at, at + AT_ONCE).map(async (account): Promise<OnlineView> => {
      if (account.down !== null) return { account: account.name, steps: [downStep(account.down)], rooms: [] };
      const known = runningSteps(account, config, running);
      const { steps, rooms } = known === null ? await tryIt(account, config, signal) : { steps: known, rooms: [] };
      return { account: account.name, steps, rooms };
    });
    views.push(...(await Promise.all(some)));
  }
  return views;
}

/** An account that the configuration keeps down is not tried. */
const downStep = ({ reason, remedy }: AccountDown): LogStep => ({
  ok: false,
  why: `not tried, because it stays down: ${reason}`,
  remedy,
});

/** A block for each account. Pure. */
export function onlineText(views: readonly OnlineView[]): string {
  const lines = views.flatMap(({ account, steps, rooms }) => [
    ...steps.map(
      ({ ok, warning, why, remedy }) =>
        `${account}: ${ok ? (warning === true ? "warning" : "ok") : "failed"}: ${sentences(why, remedy)}\n`,
    ),
    ...(rooms.length === 0 ? [] : [`${account}: its rooms: ${roomsText(rooms)}\n`]),
  ]);
  return lines.join("");
}

/** A remedy is a sentence of its own. */
const sentences = (why: string, remedy: string): string =>
  remedy === "" ? why : `${why}${/[.!?]$/u.test(why) ? "" : "."} ${remedy}`;

function roomsText(rooms: readonly string[]): string {
  const shown = rooms.slice(0, SHOWN_MAX).join(", ");
  const more = rooms.length - SHOWN_MAX;
  return more > 0 ? `${shown} and ${more} more (--json has them)` : shown;
}

/** Nothing that runs is disturbed by one more client. */
async function logView({ general }: Config, cluster: ClusterSettings): Promise<OnlineView> {
  const { inspectServers } = await import("../log/nats/inspect.ts");
  const seen = await inspectServers(logServers(cluster));
  return { account: LOG, steps: logSteps(seen, general.durability === "power"), rooms: [] };
}

async function tryIt(
  account: Account,
  { gateways, general }: Config,
  signal: AbortSignal,
): Promise<Pick<OnlineView, "steps" | "rooms">> {
  const { key, protocol, settings } = account;
  const adapter = adapters.get(protocol);
  const address = settings["BindAddress"];
  if ((adapter === undefined || adapter.manifest.network === "BindAddress") && typeof address === "string") {
    const why = await whyBusy(address);
    return { steps: [{ ok: why === null, why: why ?? `${address} is free`, remedy: "" }], rooms: [] };
  }
  if (adapter === undefined) return { steps: [], rooms: [] };
  const own = gateways.flatMap(({ bridges }) => bridges).filter((bridge) => bridge.account === key);
  const channels = new Map(
    own.map(({ channel, options }): [string, ChannelRequest] => [channel, { name: channel, options }]),
  );
  const { random } = Math;
  return await tryAccount({
    adapter,
    settings,
    folder: accountFolder(general.dataPath, account),
    channels: [...channels.values()],
    clock: systemClock,
    random,
    signal,
  });
}

/** What the running program has of an account; null: nothing, and no session of it would be disturbed. */
function runningSteps(account: Account, { accounts }: Config, running: StatusView | null): OnlineView["steps"] | null {
  if (running === null) return null;
  const { key, protocol } = account;
  const known = running.accounts.find((status) => status.key === key);
  if (known !== undefined) return stateSteps(known);
  if (running.bridges.some((bridge) => bridge.account === key))
    return [{ ok: true, why: "Rialto runs, and nothing is wrong with it", remedy: "" }];
  const manifest = protocols.get(protocol);
  for (const other of running.accounts) {
    if (manifest === undefined || !other.key.startsWith(`${protocol}.`)) continue;
    const shown = accounts.get(other.key);
    // Of one that this file does not have we do not know its login.
    if (shown !== undefined && !isSameLogin(shown, account, manifest)) continue;
    const why = `Rialto runs without it, and it was not tried: ${other.key} runs, and may have the same login`;
    return [{ ok: false, why, remedy: "Let Rialto read this file (`rialto reload`), then check again." }];
  }
  return null;
}

function stateSteps(known: StatusView["accounts"][number]): OnlineView["steps"] {
  const { state, why, remedy } = known;
  const said = `Rialto runs with it, so it is not disturbed: it is ${state}${why === null ? "" : `: ${why.message}`}`;
  return [{ ok: state === "online", why: said, remedy: remedy ?? "" }];
}

/** Null: none runs there. */
async function statusOf(dataPath: string, signal: AbortSignal): Promise<StatusView | null> {
  try {
    const answer = await ask(socketPath(dataPath), { method: "GET", path: "/api/v1/status" }, signal);
    return answer.status === 200 ? parseAs(answer.body, isStatus) : null;
  } catch (error) {
    if (error instanceof NotRunning) return null;
    throw error;
  }
}

const isStatus = (value: unknown): value is StatusView => isObject(value) && Array.isArray(value["accounts"]);
