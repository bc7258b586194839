import type { Account } from "../../config/config.ts";
import type { Host } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Ended, Member, Session } from "../../contract/session.ts";
import { aborted, isAborted } from "../../lib/abort.ts";
import { HealthTracker } from "./health.ts";
import { pause } from "../deadline.ts";
import { createGate, createActivity } from "./gate.ts";
import { createHost } from "./host.ts";
import { Joins } from "./joins.ts";
import { remedyOf } from "../remedies.ts";
import type { PlaceDisplay } from "../typing.ts";
import { HealthReporter } from "../health-reporter.ts";
import { fullJitter } from "../retry.ts";
import { type ChannelCondition, type JoinChannel, lanesOf, reconnect } from "./channel.ts";
import { ASKED, PAUSED, PauseSwitch, RESUME } from "./pause-switch.ts";
import type { DownTime, State, SupervisorOptions } from "./supervisor-options.ts";
import { MISSED, SessionSteps, STOPPING } from "./session-steps.ts";
import { withLanes } from "./with-lanes.ts";
import type { AccountStatus, ChannelStatus } from "../status.ts";

/**
 * Keeps one account connected; no session ever reconnects by itself.
 *
 * `connecting`: a session is being opened, for at most a minute. `online`: it is there, and its channels are joined
 * (see joins.ts); `degraded` when it says itself that it is in doubt. A session that could not be opened, or ended, is
 * followed by another:
 *   - it was lost, or what an adapter threw: `waiting`, with a full-jitter back-off that is short in the first minutes
 *     of an outage, and starts again after a minute online;
 *   - `auth` or `config`: `action-needed`, because a person has to fix something, and a network that is asked again and
 *     again with a wrong password locks the account. It is tried again after half an hour to an hour.
 *
 * `paused`: an operator wants no session. What is under way ends first; what is to go out waits.
 *
 * Stopping has two steps: `quiesce`, after which no event comes and no session is opened, and `close`. Both are
 * bounded.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #report: HealthReporter;
  readonly #steps: SessionSteps;
  readonly #stop = new AbortController();
  readonly #switch: PauseSwitch;
  readonly #condition: HealthTracker<State["is"]>;
  readonly #conditions = new Map<string, ChannelCondition>();
  /** Why the configuration lets it have no session: it waits for another one. */
  readonly #down: Account["down"];
  #channels: readonly JoinChannel[];
  #joins: Joins | null = null;
  #live: Live | null = null;
  #reconnects = 0;
  #wasLost = false;
  /** What the session says of itself; null: it is as it should be. */
  #degraded: Reason | null = null;
  /** Where sessions connect to, for people. */
  readonly #address: string | null;
  /** Said while there is no other reason, from the first try on. */
  #connecting: Reason | null = null;
  /** How the last session ended, for the remedy. */
  #cause: Ended["cause"] = "lost";
  #running: Promise<void> | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { account, adapter, logger, clock, channels } = options;
    this.#report = new HealthReporter(logger, { account: account.name }, () => clock.monoMs());
    this.#steps = new SessionSteps(options);
    this.#switch = new PauseSwitch(options.paused ?? false);
    this.#condition = new HealthTracker<State["is"]>(clock, (is) => is === "online" || is === "degraded", "connecting");
    this.#channels = channels;
    this.#down = account.down;
    this.#address = adapter.manifest.address?.(account.settings) ?? null;
    if (this.#down !== null) this.#condition.become("action-needed", { code: "config", message: this.#down.reason });
    for (const { request } of channels) this.#conditionOf(request.name);
  }

  get state(): State {
    const { state, sinceMs, why } = this.#condition;
    return { is: state, sinceMs, why };
  }

  /** How the account and its channels are, with the lanes of each as they say it themselves. */
  async status(): Promise<Omit<AccountStatus, "delivered">> {
    const { account, intake } = this.#options;
    const health = this.#condition.health(`${this.#address ?? "the server"} has not let Rialto in`);
    const resume = health.state === "paused" ? RESUME : null;
    const remedy =
      this.#down?.remedy ?? resume ?? remedyOf("account", health.why, this.#live === null ? this.#cause : "lost");
    // No trouble yet, but what is waited for.
    const own = { ...health, why: health.why ?? (health.state === "connecting" ? this.#connecting : null) };
    const channels = this.#channels.map(({ request, lanes }): readonly [Omit<ChannelStatus, "lanes">, typeof lanes] => {
      const there = this.#conditionOf(request.name).health("the channel has not let Rialto in");
      const isOffline = there.state === "offline";
      const { why, retryMs } = isOffline ? own : there;
      const what = isOffline ? remedy : remedyOf("channel", there.why);
      return [{ ...there, channel: request.name, why, retryMs, remedy: what }, lanes];
    });
    const { accepted, dropped } = intake;
    const paced = this.#live?.session.paced ?? null;
    const shared = {
      account: account.name,
      key: account.key,
      protocol: account.protocol,
      as: this.#live?.session.as ?? null,
      remedy,
      reconnects: this.#reconnects,
      accepted,
      dropped,
    };
    return {
      ...own,
      ...shared,
      channels: await Promise.all(channels.map(async (one) => await withLanes(...one, paced))),
    };
  }

  /** How a channel is not joined; null: it is; undefined: there is no such channel. */
  downOf(channel: string): DownTime | null | undefined {
    const condition = this.#conditions.get(channel);
    if (condition === undefined) return undefined;
    const { downForMs } = condition;
    const { state, downSinceMs, why } = condition.health("the channel has not let Rialto in");
    if (downSinceMs === null || downForMs === null) return null;
    return { sinceMs: downSinceMs, forMs: downForMs, why: state === "offline" ? (this.#condition.why ?? why) : why };
  }

  /** The people in a channel now; null: they are not known. Never rejects. */
  async members(channel: string): Promise<readonly Member[] | null> {
    const ref = this.#joins?.refOf(channel) ?? null;
    return ref === null || this.#live === null ? null : await this.#steps.members(this.#live.session, ref);
  }

  /** The number of people in a channel now, if the network counts them; null: it is not known. Never rejects. */
  async count(channel: string): Promise<number | null> {
    const ref = this.#joins?.refOf(channel) ?? null;
    return ref === null || this.#live === null ? null : await this.#steps.count(this.#live.session, ref);
  }

  /** What shows typing in a channel; null: nothing can, or not now. */
  typingIn(channel: string): PlaceDisplay | null {
    const ref = this.#condition.state === "online" ? (this.#joins?.openRefOf(channel) ?? null) : null;
    return ref === null || this.#live === null ? null : this.#steps.typing(this.#live.session, ref);
  }

  /** The one that is there now. */
  get session(): Pick<Session, "as" | "guests" | "rooms"> | null {
    return this.#live?.session ?? null;
  }

  /** Once; again does nothing. */
  start(): void {
    if (this.#down === null) this.#running ??= this.#run();
    else this.#options.logger.error({ account: this.#options.account.name, ...this.#down }, "the account stays down");
  }

  /** Ends the session and opens another: something in it hangs. */
  restart(why: Reason): void {
    if (this.#mayTurn) this.#live?.giveUp({ cause: "lost", why });
  }

  /** Ends the session, and opens none until it may: true pauses. Again does nothing. */
  pause(isPaused: boolean): void {
    if (!this.#mayTurn || this.#switch.isPaused === isPaused) return;
    this.#switch.turn(isPaused);
    this.#condition.become(isPaused ? "paused" : "connecting", isPaused ? PAUSED : null);
    if (isPaused) this.#live?.giveUp({ cause: "asked", why: PAUSED });
  }

  /** Another session at once, whatever is waited for; false: it may have none. */
  reconnect(): boolean {
    if (!this.#mayTurn || this.#switch.isPaused) return false;
    if (this.#live === null) this.#switch.turn(false);
    else this.#live.giveUp({ cause: "asked", why: ASKED });
    return true;
  }

  /** The configuration may want no session; one that is given up while the program stops would miss its goodbye. */
  get #mayTurn(): boolean {
    return this.#down === null && !this.#stop.signal.aborted;
  }

  /**
   * The channels of now on, in the order of the configuration. Those that are new are joined, those that are gone are
   * left, and those that stay, by their name, are not touched: of their lanes, the new ones are connected. Lanes that
   * are gone should have been stopped before; they are told that they have no channel any more.
   */
  change(channels: readonly JoinChannel[]): void {
    const before = this.#channels;
    const names = new Set(channels.map(({ request }) => request.name));
    this.#channels = channels;
    for (const name of this.#conditions.keys()) if (!names.has(name)) this.#conditions.delete(name);
    for (const name of names) this.#conditionOf(name);
    if (this.#joins !== null) this.#joins.change(channels);
    else reconnect(lanesOf(before), lanesOf(channels), null, this.#condition.why);
  }

  /** No more events, and no new session; handlers still work. */
  async quiesce(): Promise<void> {
    this.#stop.abort();
    const session = this.#live?.session;
    if (session !== undefined) await this.#steps.quiesce(session);
  }

  /** Says goodbye. To be called after `quiesce`. */
  async close(): Promise<void> {
    const live = this.#live;
    if (live !== null) {
      await this.#steps.close(live.session);
      live.giveUp({ cause: "asked", why: STOPPING });
    }
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    let failures = 0;
    let outageSinceMs: number | null = null;
    while (!this.#stop.signal.aborted) {
      if (this.#switch.isPaused) await this.#pause();
      if (isAborted(this.#stop.signal)) return;
      const { ended, onlineMs } = await this.#connect();
      if (isAborted(this.#stop.signal)) return;
      if (ended.cause === "asked") continue;
      const nowMs = clock.monoMs();
      const isNew: boolean = onlineMs >= STEADY_MS || outageSinceMs === null;
      outageSinceMs = isNew ? nowMs : outageSinceMs;
      failures = isNew ? 1 : failures + 1;
      const isLong = nowMs - (outageSinceMs ?? nowMs) >= SHORT_OUTAGE_MS;
      const ms = this.#settle(ended, failures, isLong ? CAP_MS.long : CAP_MS.short);
      await pause({ clock, ms, signal: AbortSignal.any([this.#stop.signal, this.#switch.turned]) });
    }
  }

  /** Until it may go on, or stops. */
  async #pause(): Promise<void> {
    this.#condition.become("paused", PAUSED);
    reconnect([], lanesOf(this.#channels), null, PAUSED);
    while (this.#switch.isPaused && !this.#stop.signal.aborted) {
      await aborted(AbortSignal.any([this.#stop.signal, this.#switch.turned]));
    }
  }

  /** One session, from its opening to its end. */
  async #connect(): Promise<{ readonly ended: Ended; readonly onlineMs: number }> {
    const { clock, intake } = this.#options;
    // Why there was none before still holds as far as is known.
    this.#condition.become("connecting", this.#condition.why);
    this.#announce();
    const joins = this.#newJoins();
    this.#joins = joins;
    this.#degraded = null;
    const { host, end } = this.#host(joins);
    const signal = AbortSignal.any([this.#stop.signal, this.#switch.turned]);
    const opened = await this.#steps.open(host, intake.cursor, signal);
    const onlineAtMs = clock.monoMs();
    const ended = this.#endOf(opened.ok ? await this.#follow(opened.session, joins) : opened.ended);
    end();
    joins.end(ended.why);
    this.#joins = null;
    return { ended, onlineMs: opened.ok ? clock.monoMs() - onlineAtMs : 0 };
  }

  /** Also of one that an operator cut short while it was being opened. */
  #endOf(ended: Ended): Ended {
    if (this.#stop.signal.aborted) return ended;
    if (this.#switch.isPaused) return { cause: "asked", why: PAUSED };
    return ended.why === STOPPING ? { cause: "asked", why: ASKED } : ended;
  }

  /** Later tries of an outage are told by its line, with the reason. */
  #announce(): void {
    const { account, logger } = this.#options;
    const fields = { account: account.name, ...(this.#address !== null && { to: this.#address }) };
    if (this.#condition.why === null) logger.info(fields, "connecting");
    else logger.debug(fields, "connecting");
    this.#connecting = { code: "network", message: `connecting to ${this.#address ?? "the server"}` };
  }

  #host(joins: Joins): { readonly host: Host; readonly end: () => void } {
    return createHost({
      ...this.#options,
      account: this.#options.account.name,
      nameOf: (ref) => joins.nameOf(ref),
      // The session leaves its channels when it is closed.
      lost: (...lost) => (this.#stop.signal.aborted ? undefined : joins.lost(...lost)),
      degraded: (why) => this.#degrade(why),
      heard: (refs) => {
        this.#condition.heard();
        for (const ref of refs) joins.heard(ref);
      },
    });
  }

  /** Joins the channels; resolves when the session has ended, or has been given up and closed. */
  async #follow(session: Session, joins: Joins): Promise<Ended> {
    const { account, meter } = this.#options;
    const given = Promise.withResolvers<Ended>();
    this.#live = { session, giveUp: given.resolve };
    const detach = this.#options.remoteFiles.attach(account.key, session);
    this.#condition.become("online", null);
    this.#condition.heard();
    this.#reconnects += Number(this.#wasLost);
    if (this.#wasLost) meter?.reconnected(account.name);
    this.#report.well({ as: session.as }, "the account is online");
    if (this.#degraded !== null) this.#degrade(this.#degraded);
    joins.start(session);
    const byItself = session.ended.catch((error: unknown) => lost({ code: "bug", message: String(error) }));
    const { ended, isGivenUp } = await Promise.race([
      given.promise.then((ended) => ({ ended, isGivenUp: true })),
      byItself.then((ended) => ({ ended, isGivenUp: false })),
    ]);
    this.#live = null;
    this.#wasLost = ended.cause !== "asked";
    detach();
    if (isGivenUp && !this.#stop.signal.aborted) {
      // Nothing was lost: what has come and what is under way may come to its end.
      const isAsked = ended.cause === "asked";
      if (isAsked) await this.#steps.quiesce(session);
      joins.end(ended.why);
      if (isAsked) await this.#steps.underWay(lanesOf(this.#channels));
      await this.#steps.close(session);
    }
    return ended;
  }

  #newJoins(): Joins {
    const { clock, random, intake } = this.#options;
    return new Joins({
      channels: this.#channels,
      conditionOf: (name) => this.#conditionOf(name),
      gate: createGate(),
      activity: createActivity(clock),
      clock,
      random,
      settled: () => intake.settled(),
      heard: () => this.#condition.heard(),
      missed: () => {
        // Without a cursor, another session would not hear it either.
        if (intake.cursor !== null) this.restart(MISSED);
      },
    });
  }

  #conditionOf(name: string): ChannelCondition {
    const known = this.#conditions.get(name);
    if (known !== undefined) return known;
    const isJoined = (state: ChannelStatus["state"]): boolean => state === "joined";
    const made = new HealthTracker<ChannelStatus["state"]>(
      this.#options.clock,
      isJoined,
      "offline",
      this.#condition.why,
    );
    this.#conditions.set(name, made);
    return made;
  }

  #degrade(why: Reason | null): void {
    this.#degraded = why;
    if (this.#live === null) return;
    if (why === null) this.#report.well({}, "the connection works again");
    else this.#report.trouble(why, {}, "the account is online, but degraded");
    this.#condition.become(why === null ? "online" : "degraded", why);
    if (why === null) this.#condition.heard();
  }

  /** Says what follows an end; how long to wait, in ms. */
  #settle({ cause, why }: Ended, failures: number, capMs: number): number {
    const { random, clock } = this.#options;
    const needsPerson = cause === "auth" || cause === "config";
    const ms = needsPerson
      ? PERSON_MS.least + Math.floor(random() * (PERSON_MS.most - PERSON_MS.least))
      : fullJitter(failures, { baseMs: BASE_MS, capMs }, random);
    const retryInS = Math.ceil(ms / 1000);
    this.#cause = cause;
    this.#condition.become(needsPerson ? "action-needed" : "waiting", why, clock.nowMs() + ms);
    const remedy = remedyOf("account", why, cause);
    if (needsPerson)
      this.#report.trouble(why, { retryInS, remedy }, "someone must act: the account cannot connect", "error");
    else this.#report.trouble(why, { retryInS }, "the account is offline");
    return ms;
  }
}

interface Live {
  readonly session: Session;
  readonly giveUp: (ended: Ended) => void;
}

/** A session that held this long was a good one: the next failure is the first. */
const STEADY_MS = 60_000;
const BASE_MS = 1_000;
/** A server that is back should be noticed soon, and one that stays away not be asked forever at this pace. */
const CAP_MS = { short: 30_000, long: 5 * 60_000 };
const SHORT_OUTAGE_MS = 10 * 60_000;
const PERSON_MS = { least: 30 * 60_000, most: 60 * 60_000 };

const lost = (why: Reason): Ended => ({ cause: "lost", why });
