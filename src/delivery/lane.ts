import type { Why } from "../contract/outcome.ts";
import { isOutage } from "../gateway/outages.ts";
import type { EntryHead, Mark, Receipt, Seq } from "../log/log.ts";
import { Alarm } from "./alarm.ts";
import { Calls } from "./calls.ts";
import { within } from "./deadline.ts";
import { Endings } from "./endings.ts";
import { type LaneOptions, opIdOf, placeOf } from "./lane-options.ts";
import { laneStatus } from "./lane-status.ts";
import { Lateness, NO_MESSAGES } from "./lateness.ts";
import { Outage } from "./outage.ts";
import type { Outlet } from "./outlet.ts";
import { encodeMarks } from "./position.ts";
import { Preparing } from "./preparing.ts";
import { Reader } from "./reader.ts";
import { Recorder } from "./recorder.ts";
import { restore, type Restored } from "./restore.ts";
import { Results } from "./results.ts";
import { type Asked, Starting } from "./starting.ts";
import type { LaneStatus } from "./status.ts";
import { stopLane } from "./stopping.ts";
import { SummaryLine } from "./summary-line.ts";
import { Waits } from "./waits.ts";
import { type Item, Window } from "./window.ts";

/** Most receipts that may wait for a log that takes none. */
const RECEIPTS_MAX = 1_000;
/** How long the log may take to count what waits, in ms. */
const COUNT_MS = 2_000;

/**
 * A lane: the ordered reader of the log for one outgoing bridge in one gateway.
 *
 *   apart ──connect──▶ together ──disconnect──▶ apart       and from both: ──stop──▶ stopped
 *
 * Apart, it reads a chunk ahead and waits. Together, it starts the messages of its window in order, at most `inflightMax` at once, unless
 * one of these holds it back: a wait that an outcome asked for, the session's gate, handlers of an earlier session that have not ended, a log that
 * refuses marks on a network without idempotency. What has become of a message is decided in settle.ts, what order means in window.ts, what is
 * on disk and when in position.ts and recorder.ts. Messages that are too late when their turn comes (lateness.ts) are expired, and one line stands for them.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #window: Window;
  readonly #reader: Reader;
  readonly #recorder: Recorder;
  readonly #outage: Outage;
  readonly #alarm: Alarm;
  readonly #calls: Calls;
  readonly #preparing: Preparing;
  readonly #starting: Starting;
  readonly #waits: Waits;
  readonly #results: Results;
  readonly #summary: SummaryLine;
  readonly #lateness: Lateness;
  #backlog: Promise<number | null> = Promise.resolve(0);
  /** Entries after it are not for this lane any more. */
  #upTo: Seq = Infinity;
  #onDrained = (): void => undefined;
  #phase: "running" | "stopping" | "stopped" = "running";
  #stopped: Promise<void> | null = null;

  /** Reads where the lane stands; a new one starts at the head of the log. Rejects with the log's LogError. */
  static async open(options: LaneOptions): Promise<Lane> {
    const restored = await restore(options);
    const opened = new Lane(options, restored);
    await opened.#takeOver(restored);
    return opened;
  }

  private constructor(options: LaneOptions, { position, summary, written, ...restored }: Restored) {
    const admits = (entry: EntryHead): boolean => entry.seq <= this.#upTo && restored.admits(entry);
    const { gateway, account, channel, capabilities, clock, logger, log, meter, name } = options;
    const { limits, idempotency } = capabilities;
    this.#options = options;
    const fields = { gateway, account: account.name, channel };
    const shared = { log, logger, clock, random: options.random, fields };
    const metered = { gateway, account: account.name };
    const pump = (): void => this.#pump();
    this.#window = new Window(position);
    this.#waits = new Waits(shared);
    const window = this.#window;
    const waits = this.#waits;
    this.#reader = new Reader(window, {
      ...shared,
      subjects: options.subjects,
      admits,
      low: limits.inflightMax,
      done: pump,
    });
    const recorder = new Recorder({ ...shared, written, compose: () => this.#marks(), relieved: pump });
    this.#recorder = recorder;
    const outage = new Outage({ ...shared, noticeMs: options.outageNoticeMs, count: () => this.waiting() });
    this.#outage = outage;
    const add = (receipt: Receipt): void => recorder.add(receipt);
    const endings = new Endings({ ...shared, name, place: placeOf(options), nowMs: () => this.#now(), add });
    this.#results = new Results({ clock, window, recorder, endings, outage, waits, meter, metered });
    const durable = async (): Promise<boolean> => await recorder.durable();
    this.#calls = new Calls({
      ...shared,
      by: idempotency.by,
      meter,
      metered,
      attempts: {
        mayAnnounce: (item) => this.#phase === "running" && window.isInTurn(item),
        durable,
        confirmed: () => recorder.changed(),
      },
      outlet: () => waits.outlet,
      ended: (...ended) => this.#ended(...ended),
      onStalled: options.onStalled,
    });
    const newAfter = idempotency.by === "none" ? 0 : log.head;
    this.#preparing = new Preparing({ ...options, fields, durable, newAfter });
    this.#starting = this.#createStarting(newAfter, pump);
    this.#summary = new SummaryLine({
      ...shared,
      waiting: summary,
      name,
      plan: options.plan,
      durable,
      changed: () => recorder.changed(),
      outlet: () => (this.#phase === "running" ? waits.outlet : null),
      call: (item, outlet, op, id) => void this.#calls.start(item, outlet, { op, losses: [] }, id),
      pump,
    });
    const wait = (times: number, why: Why): void => waits.holdForLog(times, why);
    this.#lateness = new Lateness({ ...options, admits, wait, pump });
    this.#alarm = new Alarm(clock, () => this.#ring());
  }

  #createStarting(newAfter: Seq, pump: () => void): Starting {
    const { capabilities, name, loops } = this.#options;
    return new Starting({
      window: this.#window,
      preparing: this.#preparing,
      newAfter,
      refused: () => this.#recorder.refused,
      underWay: () => this.#calls.items,
      mayStart: (outlet) => outlet === this.#waits.outlet && this.#mayStart(outlet),
      reacts: ({ without }) => capabilities.ops.react === "native" && !without.includes("react"),
      finish: (...ended) => this.#results.finish(...ended),
      withheld: ({ seq }) => loops.why(seq),
      run: (item: Item, outlet: Outlet, asked: Asked) => {
        loops.wrote(item.seq, placeOf(this.#options), asked.op);
        void this.#calls.start(item, outlet, asked, opIdOf(name, item));
      },
      wait: (times, why) => this.#waits.holdForLog(times, why),
      pump,
    });
  }

  /** Everything up to here is settled; the log may let go of it. */
  get cursor(): Seq {
    return this.#window.cursor;
  }

  /** When the oldest message that waits was accepted, Unix ms; null: none does. */
  get waitingSince(): number | null {
    return this.#window.oldest?.at ?? null;
  }

  /** Resolves once all that the network may show by now has ended and is on the disk, or never will be; null: nothing is under way. */
  underWay(): Promise<void> | null {
    const items = this.#phase === "stopped" ? [] : this.#window.underWay;
    if (items.length === 0) return this.#recorder.written();
    const ended = Promise.all(items.map(async (item) => await item.done()));
    // What has ended while the last ones did has its receipt by now.
    return ended.then(async () => void (await this.#recorder.written()));
  }

  /** How many messages wait. Rejects with the log's LogError. */
  waiting(): Promise<number> {
    return this.#reader.count();
  }

  /** How it is, in two seconds at most: where the log does not answer, the number of messages is missing. Never rejects. */
  async status(): Promise<LaneStatus> {
    const { gateway, channel, capabilities, clock } = this.#options;
    const counted = await within({ clock, ms: COUNT_MS }, () => this.waiting()).catch(() => null);
    const { oldest } = this.#window;
    const calendar = (monoMs: number): number => clock.nowMs() + monoMs - this.#now();
    return laneStatus({
      gateway,
      channel,
      nowMs: clock.nowMs(),
      waiting: counted === null || counted.late ? null : counted.value,
      oldestMs: this.waitingSince,
      oldest: oldest && { seq: oldest.seq, tries: oldest.attempts },
      calls: this.#calls.size,
      activeMs: calendar(this.#calls.activeMs),
      isLooking: this.#starting.isLooking,
      isJoined: this.#waits.outlet !== null,
      why: this.#waits.why,
      untilMs: calendar(this.#waits.untilMs),
      isRefused: this.#recorder.refused && capabilities.idempotency.by === "none",
    });
  }

  /** How many messages waited when the channel was last joined; null: the log could not say. Never rejects. */
  get backlog(): Promise<number | null> {
    return this.#backlog;
  }

  /** The log has something new for this lane. */
  wake(): void {
    this.#reader.wake();
    this.#pump();
  }

  /** Its bridge is taken out of the configuration: nothing after `upTo` goes there. */
  endAt(upTo: Seq): void {
    this.#upTo = upTo;
  }

  /** Resolves when everything for it has ended, or cannot, because the channel is gone; not once it is stopped. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDrained = resolve;
    this.#pump();
    return promise;
  }

  #isDrained(): boolean {
    const isIdle = this.#reader.drained && this.waitingSince === null;
    return this.#waits.outlet === null || (isIdle && this.#summary.waiting === null && !this.#summary.underWay);
  }

  /** The channel is joined: messages go there from now on. */
  connect(outlet: Outlet): void {
    this.#starting.giveUp();
    this.#calls.endAll();
    this.#backlog = this.#countBacklog();
    this.#waits.connect(outlet);
    this.#pump();
  }

  async #countBacklog(): Promise<number | null> {
    if (this.waitingSince === null) return 0;
    return await this.#reader.count(({ label }) => !NO_MESSAGES.has(label)).catch(() => null);
  }

  /** The channel or its session is gone. Handlers under way end by themselves, or are given up on after 10 s. */
  disconnect(why: Why): void {
    this.#waits.disconnect(why);
    this.#starting.giveUp();
    this.#calls.endAll();
    this.#pump();
  }

  /**
   * Starts nothing more and waits for what is under way; when the signal is aborted, that has half a second to end. Then the
   * position is written. Never rejects.
   */
  stop(signal: AbortSignal): Promise<void> {
    this.#stopped ??= this.#stop(signal);
    return this.#stopped;
  }

  async #stop(signal: AbortSignal): Promise<void> {
    this.#phase = "stopping";
    this.#starting.giveUp();
    this.#reader.stop();
    this.#outage.stop();
    const over = (): void => {
      if (this.#calls.size === 0) this.#summary.putBack();
      this.#phase = "stopped";
      this.#window.release();
      this.#alarm.set(Infinity);
    };
    const close = async (): Promise<void> => await this.#recorder.close();
    await stopLane({ clock: this.#options.clock, calls: this.#calls, over, close }, signal);
  }

  async #takeOver({ receipts }: Restored): Promise<void> {
    for (const receipt of receipts) this.#recorder.add(receipt);
    await this.#recorder.durable();
    this.#pump();
  }

  /** Does all that can be done now, and sets the alarm for what has to be done later. */
  #pump(): void {
    if (this.#phase === "stopped") return;
    this.#reader.fill();
    // Taken before: a wait that ends while this runs must still ring.
    const before = this.#now();
    this.#dispatch();
    // What was started or expired made room.
    this.#reader.fill();
    this.#outage.observe(this.#phase === "running" ? this.waitingSince : null, this.#waits.why);
    this.#alarm.set(Math.min(this.#calls.dueMs, this.#resumesAtMs(before)));
    if (this.#isDrained()) this.#onDrained();
  }

  #ring(): void {
    this.#calls.ring();
    this.#pump();
  }

  #dispatch(): void {
    for (let { outlet } = this.#waits; outlet !== null && this.#mayStart(outlet); { outlet } = this.#waits) {
      const item = this.#window.ready();
      const summary = this.#summary.waiting !== null && !this.#recorder.refused;
      const verdict = item === null ? null : this.#lateness.of(item, this.#isChange(item));
      if (verdict?.is === "unknown") return;
      if (item !== null && verdict?.is === "too late") {
        // Its line comes where it would have come: after all that is under way.
        if (this.#calls.size > 0) return;
        this.#expire(item, verdict.why);
      } else if (summary && (item !== null || this.#reader.drained)) {
        if (this.#calls.size > 0) return;
        void this.#summary.send();
      } else if (item === null || this.#starting.mustWait(item)) return;
      else this.#start(item, outlet);
    }
  }

  #mayStart(outlet: Outlet): boolean {
    const { limits, idempotency } = this.#options.capabilities;
    if (this.#phase !== "running" || this.#starting.isLooking || this.#summary.underWay) return false;
    if (this.#calls.size >= limits.inflightMax) return false;
    if (this.#waits.untilMs > this.#now() || this.#recorder.receipts > RECEIPTS_MAX) return false;
    if (this.#recorder.refused && idempotency.by === "none") return false;
    return !this.#calls.areElsewhere(outlet);
  }

  /** The end of the wait that holds at `nowMs`, both by `Clock.monoMs`. Infinity: there is none. */
  #resumesAtMs(nowMs: number): number {
    if (this.#waits.outlet === null || this.#phase !== "running") return Infinity;
    const atMs = this.#waits.untilMs;
    return atMs > nowMs ? atMs : Infinity;
  }

  #start(item: Item, outlet: Outlet): void {
    const { idempotency } = this.#options.capabilities;
    if (item.doubt !== null && idempotency.by === "key" && this.#now() - item.doubt.sinceMs > idempotency.windowMs) {
      this.#results.finish(item, "unconfirmed", item.doubt.why);
      return;
    }
    this.#starting.start(item, outlet);
  }

  #ended(...[run, outcome, decision]: Parameters<Results["ended"]>): void {
    if (decision.is === "retry") this.#results.hold(run, decision.wait, decision.why);
    if (this.#summary.underWay) this.#endSummary(decision);
    else this.#results.ended(run, outcome, decision);
    this.#pump();
  }

  #endSummary(decision: Parameters<Results["ended"]>[2]): void {
    const isSent = this.#summary.end(decision);
    this.#recorder.changed();
    if (isSent) this.#outage.progress();
  }

  #expire(item: Item, why: Why): void {
    const { doubt } = item;
    // What changes a message is none by itself.
    if (doubt === null && !this.#isChange(item)) {
      this.#summary.add(item);
      this.#outage.expired();
    }
    this.#results.finish(item, doubt === null ? "expired" : "unconfirmed", doubt?.why ?? why);
  }

  /** It acts on a message, or says how the rooms are. */
  #isChange(item: Item): boolean {
    const stored = this.#preparing.read(item);
    const about = stored?.about ?? null;
    return stored !== null && (isOutage(stored) || (about !== null && about.is !== "reply"));
  }

  #marks(): readonly Mark[] {
    const { name, capabilities } = this.#options;
    const intent = capabilities.idempotency.by === "none" ? this.#window.intent() : null;
    return encodeMarks(name, { position: this.#window.position(), intent, summary: this.#summary.waiting });
  }

  /** By `Clock.monoMs`. */
  #now(): number {
    return this.#options.clock.monoMs();
  }
}
