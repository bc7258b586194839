import type { Account } from "../config/config.ts";
import type { Adapter, Opened } from "../contract/adapter.ts";
import type { Clock, Host } from "../contract/host.ts";
import type { Why } from "../contract/outcome.ts";
import type { Ended, Session } from "../contract/session.ts";
import type { Files } from "../files/files.ts";
import type { Logger } from "../logger.ts";
import { pause, within } from "./deadline.ts";
import { createGate, createPulse } from "./gate.ts";
import { createHost } from "./host.ts";
import type { Intake } from "./intake.ts";
import { Joins, type JoinChannel } from "./joins.ts";
import type { RemoteFiles } from "./remote-files.ts";
import { Report } from "./report.ts";
import { fullJitter } from "./retry.ts";

/**
 * Keeps one account connected; no session ever reconnects by itself.
 *
 * `connecting`: a session is being opened, for at most a minute. `online`: it is there, and its channels are joined (see joins.ts);
 * `degraded` when it says itself that it is in doubt. A session that could not be opened, or ended, is followed by another:
 *   - it was lost, or what an adapter threw: `waiting`, with a full-jitter back-off that starts again after a minute online;
 *   - `auth` or `config`: `action-needed`, because a person has to mend something, and a network that is asked again and again
 *     with a wrong password locks the account. It is tried again after half an hour to an hour.
 *
 * Stopping has two steps: `quiesce`, after which no event comes and no session is opened, and `close`. Both are bounded.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #report: Report;
  readonly #stop = new AbortController();
  #state: State;
  #live: Live | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { account, logger, clock } = options;
    this.#report = new Report(logger, { account: account.name }, () => clock.nowMs());
    this.#state = { is: "connecting", sinceMs: clock.nowMs(), why: null };
  }

  get state(): State {
    return this.#state;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the session and opens another: something in it hangs. */
  restart(why: Why): void {
    this.#live?.giveUp({ cause: "lost", why });
  }

  /** No more events, and no new session; handlers still work. */
  async quiesce(): Promise<void> {
    this.#stop.abort();
    const session = this.#live?.session;
    if (session !== undefined) await this.#bounded(QUIESCE_MS, () => session.quiesce(), "quiesce");
  }

  /** Says goodbye. To be called after `quiesce`. */
  async close(): Promise<void> {
    const live = this.#live;
    if (live !== null) {
      await this.#bounded(CLOSE_MS, (signal) => live.session.close(signal), "close");
      live.giveUp({ cause: "asked", why: STOPPING });
    }
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const { ended, onlineMs } = await this.#connect();
      if (this.#stop.signal.aborted) return;
      failures = onlineMs >= STEADY_MS ? 1 : failures + 1;
      const ms = this.#settle(ended, failures);
      await pause({ clock: this.#options.clock, ms, signal: this.#stop.signal });
    }
  }

  /** One session, from its opening to its end. */
  async #connect(): Promise<{ readonly ended: Ended; readonly onlineMs: number }> {
    const { clock, random, intake, account, logger } = this.#options;
    this.#become("connecting", null);
    const joins = this.#joins();
    const { host, end } = createHost({
      account: account.name,
      intake,
      nameOf: (ref) => joins.nameOf(ref),
      files: this.#options.files,
      clock,
      random,
      logger,
      lost: (ref, why, retryInMs) => joins.lost(ref, why, retryInMs),
      degraded: (why) => this.#degrade(why),
    });
    const opened = await this.#open(host);
    const onlineAtMs = clock.nowMs();
    const ended = opened.ok ? await this.#follow(opened.session, joins) : opened.ended;
    end();
    joins.end(ended.why);
    return { ended, onlineMs: opened.ok ? clock.nowMs() - onlineAtMs : 0 };
  }

  /** Always a value, within a minute. A session that comes after that is closed at once. */
  async #open(host: Host): Promise<Opened> {
    const { clock, adapter, account, intake } = this.#options;
    let opening: Promise<Opened> | null = null;
    try {
      const deadline = { clock, ms: OPEN_MS, signal: this.#stop.signal };
      const opened = await within(deadline, async (signal) => {
        opening = adapter
          .load()
          .then((code) => code.open({ settings: account.settings, host, since: intake.cursor, signal }));
        return await opening;
      });
      // One that came together with the stop has come too late as well.
      if (!opened.late && !(opened.value.ok && this.#stop.signal.aborted)) return opened.value;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : undefined;
      this.#options.logger.debug({ account: account.name, stack }, "an adapter threw");
      return failed({ code: "bug", message: `the session could not be opened: ${String(error)}` });
    }
    void this.#closeLate(opening);
    const message = `not connected and logged in within ${OPEN_MS / 1000} s`;
    return failed(this.#stop.signal.aborted ? STOPPING : { code: "timeout", message });
  }

  async #closeLate(opening: Promise<Opened> | null): Promise<void> {
    const opened = await opening?.catch(() => null);
    if (opened?.ok === true) await this.#bounded(CLOSE_MS, (signal) => opened.session.close(signal), "close");
  }

  /** Joins the channels; resolves when the session has ended, or has been given up and closed. */
  async #follow(session: Session, joins: Joins): Promise<Ended> {
    const given = Promise.withResolvers<Ended>();
    this.#live = { session, giveUp: given.resolve };
    const detach = this.#options.remoteFiles.attach(this.#options.account.key, session);
    this.#become("online", null);
    this.#report.well({ as: session.as }, "the account is online");
    joins.start(session);
    const byItself = session.ended.catch((error: unknown) => lost({ code: "bug", message: String(error) }));
    const { ended, isGivenUp } = await Promise.race([
      given.promise.then((ended) => ({ ended, isGivenUp: true })),
      byItself.then((ended) => ({ ended, isGivenUp: false })),
    ]);
    this.#live = null;
    detach();
    if (isGivenUp && !this.#stop.signal.aborted) {
      joins.end(ended.why);
      await this.#bounded(CLOSE_MS, (signal) => session.close(signal), "close");
    }
    return ended;
  }

  #joins(): Joins {
    const { clock, random, channels, intake } = this.#options;
    const shared = { gate: createGate(clock), pulse: createPulse(clock) };
    return new Joins({ channels, ...shared, clock, random, settled: () => intake.settled() });
  }

  #degrade(why: Why | null): void {
    if (this.#live === null) return;
    if (why === null) this.#report.well({}, "the connection is well again");
    else this.#report.trouble(why, {}, "the connection is in doubt");
    this.#become(why === null ? "online" : "degraded", why);
  }

  /** Says what follows an end; how long to wait, in ms. */
  #settle({ cause, why }: Ended, failures: number): number {
    const { random } = this.#options;
    const needsPerson = cause === "auth" || cause === "config";
    const ms = needsPerson
      ? PERSON_MS.least + Math.floor(random() * (PERSON_MS.most - PERSON_MS.least))
      : fullJitter(failures, BACK_OFF, random);
    const retryInS = Math.ceil(ms / 1000);
    this.#become(needsPerson ? "action-needed" : "waiting", why);
    if (needsPerson) this.#report.trouble(why, { retryInS, remedy: REMEDY }, "the account needs a person", "error");
    else this.#report.trouble(why, { retryInS }, "the account is offline");
    return ms;
  }

  #become(is: State["is"], why: Why | null): void {
    this.#state = { is, sinceMs: this.#options.clock.nowMs(), why };
  }

  /** A step of a session's end, which must not hold up anything whatever the adapter does. */
  async #bounded(ms: number, task: (signal: AbortSignal) => Promise<void>, step: string): Promise<void> {
    const { clock, logger, account } = this.#options;
    try {
      const done = await within({ clock, ms }, task);
      if (done.late) logger.debug({ account: account.name, step }, "a session took too long to end and was left alone");
    } catch (error) {
      logger.warn(
        { account: account.name, step, error: String(error) },
        "a session did not end cleanly: this is a bug",
      );
    }
  }
}

export interface SupervisorOptions {
  readonly account: Account;
  readonly adapter: Adapter;
  readonly channels: readonly JoinChannel[];
  readonly intake: Intake;
  readonly files: Pick<Files, "open" | "publish">;
  readonly remoteFiles: RemoteFiles;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface State {
  readonly is: "connecting" | "online" | "degraded" | "waiting" | "action-needed";
  /** Unix ms. */
  readonly sinceMs: number;
  /** What led to it; null while all goes as it should. */
  readonly why: Why | null;
}

interface Live {
  readonly session: Session;
  readonly giveUp: (ended: Ended) => void;
}

const OPEN_MS = 60_000;
const QUIESCE_MS = 1_500;
const CLOSE_MS = 1_500;
/** A session that held this long was a good one: the next failure is the first. */
const STEADY_MS = 60_000;
const BACK_OFF = { baseMs: 1_000, capMs: 5 * 60_000 };
const PERSON_MS = { least: 30 * 60_000, most: 60 * 60_000 };

/** What there is to mend, the reason says. */
const REMEDY = "mend it in the account's settings, or with those who run the network, then start again";

const STOPPING: Why = { code: "stopping", message: "Rialto stops" };

const lost = (why: Why): Ended => ({ cause: "lost", why });
const failed = (why: Why): Opened => ({ ok: false, ended: lost(why) });
