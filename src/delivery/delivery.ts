import type { Account, Config } from "../config/config.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { Clock } from "../contract/host.ts";
import type { Why } from "../contract/outcome.ts";
import type { Files } from "../files/files.ts";
import { compileInbound } from "../gateway/inbound.ts";
import { compilePlan } from "../gateway/plan.ts";
import { compileRecord } from "../gateway/record.ts";
import type { LaneRoute, Routes } from "../gateway/routes.ts";
import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { within } from "./deadline.ts";
import { Intake, readCursor } from "./intake.ts";
import { Lane } from "./lane.ts";
import { forgetRemoved, laneName, Lanes } from "./lanes.ts";
import type { RemoteFiles } from "./remote-files.ts";
import { Report } from "./report.ts";
import { Supervisor, type State } from "./supervisor.ts";

/** The accounts of networks: what they say comes in, and what is said elsewhere goes to them. */
export interface Delivery {
  /** Begins to connect, and waits for nothing. Whatever is appended from `openDelivery` on is delivered. */
  start(): void;
  /** How the account with this key is; undefined for an account that has no session. */
  state(accountKey: string): State | undefined;
  /** Stop, step 1: nothing more is sent or taken in, what is under way comes to its end. About 2 s at most. */
  quiesce(): Promise<void>;
  /** Stop, step 2: the sessions say goodbye, and what each account did and leaves waiting is reported. About 2 s at most. */
  close(): Promise<void>;
}

export interface DeliveryOptions {
  readonly config: Config;
  /** Every network there is, by protocol. */
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly routes: Routes;
  readonly log: Log;
  readonly files: Files;
  /** The same through which `files` asks networks for theirs. */
  readonly remoteFiles: RemoteFiles;
  readonly logger: Logger;
  readonly clock: Clock;
  /** 0 <= x < 1. */
  readonly random: () => number;
}

/** For lanes to finish what is under way, before they break it off, and after. */
const LANES_MS = 1_500;
const BREAK_OFF_MS = 500;
const DRAIN_MS = 500;

/** Opens every lane; rejects with a LogError when the log cannot be read. To be called before anything is appended. */
export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  const { config, routes, log, logger } = options;
  const lanes = new Lanes(log);
  await forgetRemoved(log, logger, new Set(routes.lanes().map(laneName)));
  const accounts = [...config.accounts.values()].filter(({ protocol }) => protocol !== "api");
  const parts = await Promise.all(accounts.map((account) => openPart(account, options, lanes)));
  const untail = log.tail((entries) => lanes.wake(entries));
  // For good: what waits must also outlive the last sweep before the log is closed.
  log.hold({ after: () => lanes.waitingAfter, ageMs: config.general.maxAgeMs });
  return {
    start: () => {
      for (const { supervisor } of parts) supervisor.start();
    },
    state: (accountKey) => parts.find(({ account }) => account.key === accountKey)?.supervisor.state,
    quiesce: () => quiesce(parts, lanes, options.clock),
    close: async () => {
      await Promise.all(parts.map(({ supervisor }) => supervisor.close()));
      for (const { account, intake } of parts) {
        const { accepted, dropped } = intake;
        const waiting = await lanes.waiting(account.key).catch(() => null);
        logger.info({ account: account.name, accepted, dropped, waiting }, "the account has stopped");
      }
      untail();
    },
  };
}

/** What belongs to one account. */
interface Part {
  readonly account: Account;
  readonly intake: Intake;
  readonly supervisor: Supervisor;
}

async function openPart(account: Account, options: DeliveryOptions, lanes: Lanes): Promise<Part> {
  const { config, routes, log, files, remoteFiles, logger, clock, random } = options;
  const adapter = options.adapters.get(account.protocol);
  if (adapter === undefined) throw new Error(`there is no adapter for the protocol of the account "${account.name}"`);
  const { capabilities } = adapter;
  const plan = compilePlan(account, config.accounts, capabilities);
  const { maxAgeMs, outageNoticeMs } = config.general;
  const onStalled = (why: Why): void => supervisor.restart(why);
  const open = async (route: LaneRoute): Promise<{ readonly channel: string; readonly lane: Lane }> => {
    const shared = { plan, capabilities, log, files, logger, clock, random, maxAgeMs, outageNoticeMs, onStalled };
    const lane = await Lane.open({ ...shared, ...route, name: laneName(route) });
    await lanes.add(route, lane);
    return { channel: route.channel, lane };
  };
  const own = routes.lanes().filter((route) => route.account.key === account.key);
  const opened = await Promise.all(own.map(open));
  const record = compileRecord(account, compileInbound(account));
  const cursor = await readCursor(log, account.key);
  const intake = new Intake({ account, record, routes, log, logger, clock, random, cursor });
  const channels = routes.channels(account.key).map((request) => ({
    request,
    lanes: opened.filter(({ channel }) => channel === request.name).map(({ lane }) => lane),
    report: new Report(logger, { account: account.name }, () => clock.nowMs()),
  }));
  const supervisor = new Supervisor({
    account,
    adapter,
    channels,
    intake,
    files,
    remoteFiles,
    logger,
    clock,
    random,
  });
  return { account, intake, supervisor };
}

async function quiesce(parts: readonly Part[], lanes: Lanes, clock: Clock): Promise<void> {
  const breakOff = new AbortController();
  const cancel = clock.after(LANES_MS, () => breakOff.abort());
  await Promise.all([
    within({ clock, ms: LANES_MS + BREAK_OFF_MS }, () => lanes.stop(breakOff.signal)),
    ...parts.map(({ supervisor }) => supervisor.quiesce()),
  ]);
  cancel();
  await Promise.all(parts.map(({ intake }) => within({ clock, ms: DRAIN_MS }, () => intake.drained())));
  for (const { intake } of parts) intake.close();
}
