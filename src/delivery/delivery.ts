import type { Account, Config } from "../config/config.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { Clock } from "../contract/host.ts";
import type { GuestDesk } from "../contract/guests.ts";
import type { Member } from "../contract/session.ts";
import type { Files } from "../files/files.ts";
import type { OnDrop } from "../gateway/drops.ts";
import type { LaneRoute, Routes } from "../gateway/routes.ts";
import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import { LogError } from "../log/errors.ts";
import type { Log, Seq } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { type DeliveryChange, type NextConfig, prepareChange } from "./change.ts";
import { within } from "./deadline.ts";
import { forgetRemoved, removedLanes } from "./forgetting.ts";
import { FailureNotices } from "./failure-notices.ts";
import { Hosting } from "./hosting.ts";
import { listRooms } from "./room-list.ts";
import { AccountControl } from "./account-control.ts";
import { boundHints, type OnHint } from "./hints.ts";
import { laneSpecs } from "./lane-specs.ts";
import { laneName, Lanes } from "./lanes.ts";
import { LinkedPeople } from "./linked-people.ts";
import { LoopWatch } from "./loop-watch.ts";
import type { Meter } from "./meter.ts";
import { OutageNotices } from "./outage-notices.ts";
import { AccountRegistry } from "./account-registry.ts";
import { watchedPlaces } from "./places.ts";
import type { RemoteFiles } from "./remote-files.ts";
import type { AccountAct, AccountActed, AccountStatus, LoopStatus } from "./status.ts";
import type { State } from "./session/supervisor-options.ts";
import type { PlaceDisplay } from "./typing.ts";
import type { FileArchive } from "../gateway/known-files.ts";
import { type TypingHint, TypingRelay } from "./typing-relay.ts";

/** The accounts of networks: what they say comes in, and what is said elsewhere goes to them. */
export interface Delivery {
  /** Begins to connect, and waits for nothing. Whatever is appended from `openDelivery` on is delivered. */
  start(): void;
  /** How the account with this key is; undefined for an account that has no session. */
  state(accountKey: string): State | undefined;
  /** How all accounts are, in the order of the configuration. Never rejects. */
  status(): Promise<readonly AccountStatus[]>;
  /**
   * Who is in a channel, by its name in the configuration; null: nobody knows, or it is not joined. Never rejects, and
   * takes 10 s at most.
   */
  members(accountKey: string, channel: string): Promise<readonly Member[] | null>;
  /** Null: the account has no guests, or is not connected. */
  guests(accountKey: string): GuestDesk | null;
  /** Channels that the account could bridge, as the configuration writes them; empty: nobody can tell now. */
  rooms(account: Pick<Account, "key" | "protocol">, signal: AbortSignal): Promise<readonly string[]>;
  /** Where accounts are shared: one runs here from now on. Resolves when it is open. Never rejects. */
  run(accountKey: string): Promise<void>;
  /** … and no longer; `isLost`: another machine has it already. Resolves when nothing of it is left. Never rejects. */
  release(accountKey: string, how: { readonly isLost: boolean }): Promise<void>;
  /** Pauses, resumes or reconnects the account with this key. Rejects with a LogError. */
  control(accountKey: string, act: AccountAct): Promise<AccountActed>;
  /** Somebody types: shown where what is said there goes, by the networks that run here. Must be quick. */
  typing(accountKey: string, channel: string, hint: TypingHint): void;
  /** Loops through other bridges, of which messages are withheld. */
  loops(): readonly LoopStatus[];
  /**
   * The steps to another configuration; nothing has moved yet. One at a time, none once it stops. Rejects with a
   * LogError.
   */
  change(next: NextConfig): Promise<DeliveryChange>;
  /** Before a stop: a change that is under way is cut short, and no other one begins. */
  interrupt(): void;
  /** Stop, step 1: nothing more is sent or taken in, what is under way comes to its end. About 2 s at most. */
  quiesce(): Promise<void>;
  /**
   * Stop, step 2: the sessions say goodbye, and what each account did and leaves waiting is reported. About 2 s at
   * most.
   */
  close(): Promise<void>;
}

export interface DeliveryOptions {
  readonly config: Config;
  /** Every network there is, by protocol. */
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** What comes in goes by these; after a change they have to be the changed ones. */
  readonly routes: Routes;
  /** Passed by what comes in, until it is stored; absent: the configuration never changes. */
  readonly lock?: ReadWriteLock;
  readonly log: Log & { readonly archive?: FileArchive };
  readonly files: Files;
  /** The same through which `files` asks networks for theirs. */
  readonly remoteFiles: RemoteFiles;
  readonly logger: Logger;
  readonly clock: Clock;
  /** 0 <= x < 1. */
  readonly random: () => number;
  /** Absent: nothing is counted. */
  readonly meter?: Meter;
  /** Absent: nobody asks what was dropped. */
  readonly onDrop?: OnDrop;
  /**
   * Several machines share the accounts: none runs here until `run` says so, and nothing is forgotten. Passed by what
   * begins and ends here, so that the configuration does not change meanwhile.
   */
  readonly sharing?: ReadWriteLock | null;
  /**
   * Whether messages to this account may leave now: not when another machine has taken it over, or while nobody knows
   * whether one has. Absent: they may.
   */
  readonly mayCall?: (accountKey: string) => boolean;
  /** See AccountControlOptions. */
  readonly whereIs?: (accountKey: string) => string | null;
  /** Called with what is only true now, at most 100 times a second for each account. Absent: nobody listens. */
  readonly onHint?: OnHint;
}

/** How long a stop waits for a change that is under way, which it cuts short. */
const CHANGE_MS = 700;

/** Of a stop: for lanes to finish what is under way before they break it off, and for what has come in to be stored. */
const STOP = { lanesMs: 1_500, drainMs: 500 };

/** Opens every lane; rejects with a LogError when the log cannot be read. To be called before anything is appended. */
export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  const { config, routes, log, logger, clock, sharing = null } = options;
  const [lanes, loops] = [new Lanes(log), new LoopWatch(clock, logger)];
  const linked = new LinkedPeople({ ...options, config: () => current, part: (key) => runtimes.get(key) });
  const shared = { ...options, ...boundedHints(options), lanes, loops, linked, failures: new FailureNotices(options) };
  const runtimes: AccountRegistry = new AccountRegistry(shared);
  if (sharing === null) await openAll(config, routes, { log, logger, runtimes });
  const typing = typingBy(options, runtimes, () => current.accounts);
  const untail = log.tail((entries) => {
    loops.heard(entries.filter(({ subject }) => lanes.take(subject)));
    lanes.wake(entries);
  });
  const stopping = new AbortController();
  let current = config;
  const here = { parts: runtimes, lanes, ended: stopping.signal, log, logger, clock, config: () => current, routes };
  const hosting = sharing === null ? null : new Hosting({ ...here, sharing });
  const waitingAfter = (): Seq => Math.min(lanes.waitingAfter, hosting?.waitingAfter ?? Infinity);
  hold(log, waitingAfter, { config, lanes: routes.lanes() });
  const places = () => watchedPlaces(current, routes, { parts: runtimes, mayTell: options.mayCall });
  const notices = new OutageNotices({ log, clock, logger, noticeMs: () => current.general.outageNoticeMs, places });
  const control = new AccountControl({ ...options, parts: runtimes, nowMs: () => clock.nowMs() });
  return {
    start: () => {
      for (const part of [notices, hosting]) part?.start();
      for (const { supervisor } of runtimes.all) supervisor.start();
    },
    state: (accountKey) => runtimes.get(accountKey)?.supervisor.state,
    status: async () => await Promise.all(runtimes.all.map(async (part) => await part.status())),
    members: async (accountKey, channel) => (await runtimes.get(accountKey)?.supervisor.members(channel)) ?? null,
    guests: (accountKey) => runtimes.get(accountKey)?.supervisor.session?.guests ?? null,
    rooms: roomsBy(options, runtimes),
    run: async (accountKey) => {
      notices.reread();
      await hosting?.run(accountKey);
    },
    release: async (accountKey, how) => await hosting?.release(accountKey, how),
    control: async (accountKey, act) => await control.act(accountKey, act),
    typing: (accountKey, channel, hint) => typing.hint(accountKey, channel, hint),
    loops: () => loops.loops,
    change: async (next) => {
      // Lanes that a change under way no longer opens would seem new, and what they wait for would be forgotten.
      if (stopping.signal.aborted) throw new LogError("closed", "Rialto is stopping");
      const change = await prepareChange(next, {
        parts: runtimes,
        shared,
        signal: stopping.signal,
        isDegraded: current.errors.length > 0,
        ...hosting?.scope,
      });
      const swap = (): void => {
        hold(log, waitingAfter, { config: next.config, lanes: next.routes.lanes() });
        current = next.config;
        change.swap();
      };
      return { ...change, swap };
    },
    interrupt: () => stopping.abort(),
    quiesce: async () => {
      for (const part of [notices, shared.failures, typing, hosting]) part?.stop();
      stopping.abort();
      await within({ clock, ms: CHANGE_MS }, () => runtimes.settled);
      lanes.close();
      await Promise.all(runtimes.all.map(async (part) => await part.quiesce(STOP)));
    },
    close: async () => {
      await Promise.all(runtimes.all.map(async (part) => await part.close()));
      untail();
    },
  };
}

/** All that the configuration has. What it does not have is forgotten. Rejects with a LogError. */
async function openAll(
  config: Config,
  routes: Routes,
  { log, logger, runtimes }: Pick<DeliveryOptions, "log" | "logger"> & { readonly runtimes: AccountRegistry },
): Promise<void> {
  // What an error leaves out is meant to come back.
  if (config.errors.length === 0) {
    const removed = await removedLanes(log);
    const names = routes.lanes().map(laneName);
    const lanes = new Set(names.filter((name) => !removed.has(name)));
    await forgetRemoved(log, logger, { lanes, accounts: new Set(config.accounts.keys()) });
  }
  const specs = laneSpecs(config, routes);
  const networks = [...config.accounts.values()].filter(({ protocol }) => protocol !== "api");
  await runtimes.open(networks.map((account) => ({ account, config, routes, specs: specs.get(account.key) ?? [] })));
}

function roomsBy(
  { adapters, clock }: Pick<DeliveryOptions, "adapters" | "clock">,
  runtimes: Pick<AccountRegistry, "get">,
): Delivery["rooms"] {
  return async ({ key, protocol }, signal) => {
    const session = runtimes.get(key)?.supervisor.session ?? {};
    return await listRooms(session, adapters.get(protocol)?.manifest ?? {}, { clock, signal });
  };
}

function typingBy(
  { log, routes, clock, mayCall }: Pick<DeliveryOptions, "log" | "routes" | "clock" | "mayCall">,
  runtimes: Pick<AccountRegistry, "get">,
  accounts: () => Config["accounts"],
): Pick<TypingRelay, "hint"> & { readonly stop: () => void } {
  const displayOf = (key: string, channel: string): PlaceDisplay | null =>
    mayCall?.(key) === false ? null : (runtimes.get(key)?.typingIn(channel) ?? null);
  const relay = new TypingRelay({ routes, clock, accounts, displayOf });
  const untail = log.tail((entries) => relay.heard(entries));
  const stop = (): void => {
    untail();
    relay.close();
  };
  return { hint: (...of) => relay.hint(...of), stop };
}

/** For good: what waits must also outlive the last sweep before the log is closed. */
function hold(
  log: Log,
  waitingAfter: () => Seq,
  { config: { general }, lanes }: { readonly config: Config; readonly lanes: readonly LaneRoute[] },
): void {
  const ageMs = Math.max(general.maxAgeMs, ...lanes.map(({ maxAgeMs }) => maxAgeMs));
  log.hold({ after: waitingAfter, ageMs });
}

function boundedHints({ onHint, clock }: DeliveryOptions): Pick<DeliveryOptions, "onHint"> {
  return onHint === undefined ? {} : { onHint: boundHints(onHint, clock) };
}
