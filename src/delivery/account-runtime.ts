import type { Account, Config } from "../config/config.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { Clock, Hint } from "../contract/host.ts";
import type { OnDrop } from "../gateway/drops.ts";
import { compileMatcher } from "../gateway/filters.ts";
import { compileInbound } from "../gateway/inbound.ts";
import { compilePlan, type Plan } from "../gateway/plan.ts";
import { compileNormalizer } from "../gateway/normalize.ts";
import type { Routes } from "../gateway/routes.ts";
import type { Files } from "../files/files.ts";
import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import type { Log, Seq } from "../log/log.ts";
import { onAbort } from "../lib/abort.ts";
import type { Logger } from "../logger.ts";
import { accountFolder } from "./account-folder.ts";
import { pause, within } from "./deadline.ts";
import { readCursor, readPaused } from "./cursors.ts";
import type { OnHint } from "./hints.ts";
import { Intake } from "./intake.ts";
import { Lane } from "./lane/lane.ts";
import type { LinkedPeople } from "./linked-people.ts";
import type { LaneSpec } from "./lane-specs.ts";
import type { Lanes } from "./lanes.ts";
import type { LoopWatch } from "./loop-watch.ts";
import { type Meter, NO_METER } from "./meter.ts";
import type { RemoteFiles } from "./remote-files.ts";
import type { FailureSink } from "./failure-notices.ts";
import type { ChannelHealth } from "./outage-notices.ts";
import { HealthReporter } from "./health-reporter.ts";
import { fullJitter } from "./retry.ts";
import type { JoinChannel } from "./session/channel.ts";
import type { AccountStatus } from "./status.ts";
import type { PlaceDisplay } from "./typing.ts";
import type { FileArchive } from "../gateway/known-files.ts";
import { withWithdrawals } from "./withdrawals.ts";
import { Supervisor } from "./session/supervisor.ts";

/** What all accounts share, over all configurations. */
export interface Shared {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly lanes: Lanes;
  readonly loops: LoopWatch;
  /** See LaneOptions. */
  readonly failures?: FailureSink;
  readonly routes: Routes;
  readonly lock?: ReadWriteLock;
  readonly log: Log & { readonly archive?: FileArchive };
  readonly files: Files;
  readonly remoteFiles: RemoteFiles;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly meter?: Meter;
  readonly onDrop?: OnDrop;
  readonly onHint?: OnHint;
  /** Absent: no session asks who is in other channels. */
  readonly linked?: LinkedPeople;
  readonly mayCall?: (accountKey: string) => boolean;
}

/** What a configuration asks of one account. */
export interface Wanted {
  readonly account: Account;
  readonly config: Config;
  /** Those that `config` is compiled to. */
  readonly routes: Routes;
  readonly specs: readonly LaneSpec[];
}

/** How long the steps of an end may take. */
export interface Patience {
  /** For lanes to finish what is under way, before they break it off. */
  readonly lanesMs: number;
  /** For what the network has handed over to be stored. */
  readonly drainMs: number;
  /** Lanes break off at once when it is aborted. */
  readonly signal?: AbortSignal;
}

const BREAK_OFF_MS = 500;
const REOPEN = { baseMs: 250, capMs: 10_000 };

interface Opened {
  readonly spec: LaneSpec;
  readonly lane: Lane;
}

/** One account of a network: its lanes, its way in, and who keeps it connected. */
export class AccountRuntime {
  readonly intake: Intake;
  readonly supervisor: Supervisor;
  readonly #shared: Shared;
  /** By channel. */
  #reports = new Map<string, HealthReporter>();
  readonly #adapter: Adapter;
  #wanted: Wanted;
  #plan: Plan;
  /** Whom nobody is to hear of. */
  #ignores: ReturnType<typeof compileMatcher>;
  #lanes: readonly Opened[] = [];
  #delivered = 0;

  /** Opens the lanes; nothing connects yet. Rejects with a LogError. */
  static async open(wanted: Wanted, shared: Shared): Promise<AccountRuntime> {
    const { account } = wanted;
    const adapter = shared.adapters.get(account.protocol);
    if (adapter === undefined) throw new Error(`there is no adapter for the protocol of the account "${account.name}"`);
    const { routes, lock, log, logger, clock, random, onDrop } = shared;
    const [cursor, paused] = await Promise.all([readCursor(log, account.key), readPaused(log, account.key)]);
    // The way in knows the lanes, which are not open yet.
    const underWay = (channel: string): Promise<void> | null => part.#underWay(channel);
    const normalizer = recordOf(account);
    const { ids, archive } = log;
    const own = { ...withWithdrawals(log, routes), ids, ...(archive !== undefined && { archive }) };
    const way = { account, normalizer, routes, log: own, plain: shared.lanes, logger, clock, random, cursor, underWay };
    const intake = new Intake({
      ...way,
      ...(lock !== undefined && { lock }),
      ...(onDrop !== undefined && { onDrop }),
    });
    const part: AccountRuntime = new AccountRuntime({ ...wanted, paused }, adapter, intake, shared);
    const opening = await Promise.allSettled(wanted.specs.map(async (spec) => await part.#open(spec)));
    part.#lanes = opening.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = opening.find((each) => each.status === "rejected");
    if (failed !== undefined) {
      await Promise.all(part.#lanes.map(async ({ lane }) => await part.#discard(lane)));
      throw failed.reason;
    }
    part.supervisor.change(part.#channels());
    return part;
  }

  private constructor(
    { paused, ...wanted }: Wanted & { readonly paused: boolean },
    adapter: Adapter,
    intake: Intake,
    shared: Shared,
  ) {
    this.#wanted = wanted;
    this.#adapter = adapter;
    this.#shared = shared;
    this.#plan = planOf(wanted, adapter);
    this.intake = intake;
    this.#ignores = compileMatcher(wanted.account.presentation.ignoreNicks);
    const { lanes: _lanes, routes: _routes, adapters: _adapters, linked, ...own } = shared;
    // Lanes know the supervisor, so it gets its channels when they are open.
    const { onHint } = shared;
    const hinted = (channel: string, hint: Hint): void => {
      if (!this.ignores(hint.author.name)) onHint?.(this.account.key, channel, hint);
    };
    const folder = accountFolder(wanted.config.general.dataPath, wanted.account);
    this.supervisor = new Supervisor({
      ...own,
      account: wanted.account,
      adapter,
      folder,
      channels: [],
      intake,
      hinted,
      ...(linked !== undefined && { linked: linked.of(wanted.account.key) }),
      paused,
    });
  }

  get account(): Account {
    return this.#wanted.account;
  }

  /** Whether the settings (IgnoreNicks) keep back a person of this name. */
  ignores(name: string): boolean {
    return this.#ignores(name) !== null;
  }

  /** Of the lanes that are open. */
  get specs(): readonly LaneSpec[] {
    return this.#lanes.map(({ spec }) => spec);
  }

  health(channel: string): ChannelHealth {
    const lanes = (): readonly Opened[] => this.#lanes.filter(({ spec }) => spec.route.channel === channel);
    const backlog = async (): Promise<number | null> => {
      const counts = await Promise.all(lanes().map(async ({ lane }) => await lane.backlog));
      return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
    };
    return { takes: () => lanes().length > 0, down: this.supervisor.downOf(channel), backlog };
  }

  /** What shows typing in a channel; null: nothing can, or not now. Nothing is shown while messages go there. */
  typingIn(channel: string): PlaceDisplay | null {
    const display = this.supervisor.typingIn(channel);
    if (display === null) return null;
    const { lastsMs } = display;
    return { lastsMs, show: (on) => (!on || this.#underWay(channel) === null) && display.show(on) };
  }

  /** What comes in from now on goes by these settings. */
  renormalize(account: Account): void {
    this.intake.change(recordOf(account));
    this.#ignores = compileMatcher(account.presentation.ignoreNicks);
  }

  /**
   * What is said after `head` goes nowhere by the routes so far; `unchanged`: names of the lanes that stay as they are.
   */
  endLanes(unchanged: ReadonlySet<string>, head: Seq): void {
    for (const { lane } of this.#gone(unchanged)) lane.endAt(head);
  }

  /** What was said before that still goes there, if it can and the time is enough. Never rejects. */
  async drain(
    names: ReadonlySet<string>,
    { lanesMs, signal }: Patience & { readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock } = this.#shared;
    const going = this.#gone(names);
    const drained = async (): Promise<void> =>
      void (await Promise.all(going.map(async ({ lane }) => await lane.drained())));
    if (going.length > 0) await within({ clock, ms: lanesMs, signal }, drained);
  }

  /** As `IntakeOptions.underWay`: of all lanes that lead to the channel. */
  #underWay(channel: string): Promise<void> | null {
    const lanes = this.#lanes.filter(({ spec }) => spec.route.channel === channel);
    const all = lanes.map(({ lane }) => lane.underWay()).filter((each) => each !== null);
    return all.length === 0 ? null : Promise.all(all).then(() => undefined);
  }

  #gone(names: ReadonlySet<string>): readonly Opened[] {
    return this.#lanes.filter(({ spec }) => !names.has(spec.name));
  }

  /**
   * Lanes that have changed or are gone are stopped, and opened again after what they have done; then channels are
   * joined and left. What stays the same is not touched, and neither is the connection. Never rejects.
   */
  async change(wanted: Wanted, patience: Patience & { readonly signal: AbortSignal }): Promise<void> {
    const configHashes = new Map(wanted.specs.map(({ name, configHash }) => [name, configHash]));
    const stays = ({ spec }: Opened): boolean => configHashes.get(spec.name) === spec.configHash;
    const ending = this.#lanes.filter((opened) => !stays(opened));
    await this.#stop(ending, patience);
    await atRest(ending, patience.signal);
    for (const { lane } of ending) this.#shared.lanes.remove(lane);
    this.#wanted = wanted;
    this.#plan = planOf(wanted, this.#adapter);
    const kept = new Map(this.#lanes.filter(stays).map((opened) => [opened.spec.name, opened]));
    const opened = await Promise.all(
      wanted.specs.map(async (spec) => kept.get(spec.name) ?? (await this.#retryUntilAvailable(spec, patience.signal))),
    );
    this.#lanes = opened.filter((each) => each !== null);
    if (patience.signal.aborted) await this.#stop(this.#lanes, patience);
    else this.supervisor.change(this.#channels());
  }

  /** Nothing more is sent or taken in; what is under way comes to its end. Never rejects. */
  async quiesce(patience: Patience): Promise<void> {
    const { clock } = this.#shared;
    await Promise.all([this.supervisor.quiesce(), this.#stop(this.#lanes, patience)]);
    await within({ clock, ms: patience.drainMs, ...signalOf(patience) }, () => this.intake.drained());
    this.intake.close();
  }

  /** Opened in vain and never started: nobody waits for its lanes, and they write nothing more. Never rejects. */
  async discard(): Promise<void> {
    await this.quiesce({ lanesMs: 0, drainMs: 0 });
    for (const { lane } of this.#lanes) this.#shared.lanes.remove(lane);
  }

  /** To be called after `quiesce`: says goodbye, and what was done. Never rejects. */
  async close(): Promise<void> {
    await this.supervisor.close();
    const { logger, lanes } = this.#shared;
    const { accepted, dropped } = this.intake;
    const { name, key } = this.account;
    const waiting = await lanes.waiting(key).catch(() => null);
    logger.info({ account: name, accepted, dropped, waiting }, "the account has stopped");
    for (const { lane } of this.#lanes) lanes.remove(lane);
  }

  /** Resolves once the lanes that were stopped write nothing more, or the signal is aborted. */
  async atRest(signal: AbortSignal): Promise<void> {
    await atRest(this.#lanes, signal);
  }

  async status(): Promise<AccountStatus> {
    return { ...(await this.supervisor.status()), delivered: this.#delivered };
  }

  /** Counts what is delivered, beside what everybody counts. */
  #meter(): Meter {
    const { meter = NO_METER } = this.#shared;
    return {
      ended: (lane, state, ageMs) => {
        if (state === "sent") this.#delivered += 1;
        meter.ended(lane, state, ageMs);
      },
      answered: (...answer) => meter.answered(...answer),
      reconnected: (account) => meter.reconnected(account),
    };
  }

  async #open(spec: LaneSpec): Promise<Opened> {
    const { lanes, loops, failures, log, files, logger, clock, random, mayCall } = this.#shared;
    const { outageNoticeMs } = this.#wanted.config.general;
    const lane = await Lane.open({
      log,
      files,
      logger,
      clock,
      random,
      meter: this.#meter(),
      loops,
      ...(failures !== undefined && { failures }),
      outageNoticeMs,
      ...(mayCall !== undefined && { mayCall: () => mayCall(spec.route.account.key) }),
      ...spec.route,
      name: spec.name,
      plan: this.#plan,
      capabilities: this.#adapter.capabilities,
      onStalled: (why) => this.supervisor.restart(why),
    });
    try {
      await lanes.add(spec.route, lane);
    } catch (error) {
      await this.#discard(lane);
      throw error;
    }
    return { spec, lane };
  }

  /** A lane that was opened in vain: nobody waits for it, and another one of its name may follow. */
  async #discard(lane: Lane): Promise<void> {
    this.#shared.lanes.remove(lane);
    await lane.stop(AbortSignal.abort());
  }

  /** Until the log can be read; null when the signal is aborted before. */
  async #retryUntilAvailable(spec: LaneSpec, signal: AbortSignal): Promise<Opened | null> {
    const { clock, random, logger } = this.#shared;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await this.#open(spec);
      } catch (error) {
        logger.error(
          { lane: spec.name, error: String(error) },
          "a bridge cannot be opened yet: the log cannot be read",
        );
        await pause({ clock, ms: fullJitter(attempt, REOPEN, random), signal });
      }
    }
    return null;
  }

  async #stop(lanes: readonly Opened[], { lanesMs, signal }: Patience): Promise<void> {
    const { clock } = this.#shared;
    const breakOff = new AbortController();
    const abort = (): void => breakOff.abort();
    const cancel = clock.after(lanesMs, abort);
    const release = onAbort(signal, abort);
    const stopping = async (): Promise<void> =>
      void (await Promise.all(lanes.map(async ({ lane }) => await lane.stop(breakOff.signal))));
    await within({ clock, ms: lanesMs + BREAK_OFF_MS }, stopping);
    cancel();
    release();
  }

  #channels(): readonly JoinChannel[] {
    const { account, routes } = this.#wanted;
    const { logger, clock } = this.#shared;
    const known = this.#reports;
    this.#reports = new Map();
    return routes.channels(account.key).map((request) => {
      const report =
        known.get(request.name) ?? new HealthReporter(logger, { account: account.name }, () => clock.monoMs());
      this.#reports.set(request.name, report);
      const lanes = this.#lanes.filter(({ spec }) => spec.route.channel === request.name).map(({ lane }) => lane);
      return { request, lanes, report };
    });
  }
}

/** A lane that is opened meanwhile would know other marks than the disk has in the end. */
async function atRest(lanes: readonly Opened[], signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const release = onAbort(signal, aborted.resolve);
  await Promise.race([Promise.all(lanes.map(async ({ lane }) => await lane.atRest())), aborted.promise]);
  release();
}

const planOf = ({ account, config }: Wanted, { capabilities }: Adapter): Plan =>
  compilePlan(account, config.accounts, capabilities);

const recordOf = (account: Account): ReturnType<typeof compileNormalizer> =>
  compileNormalizer(account, compileInbound(account));

const signalOf = ({ signal }: Patience): { readonly signal?: AbortSignal } => (signal === undefined ? {} : { signal });
