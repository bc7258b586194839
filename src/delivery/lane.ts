import type { OpId } from "../contract/ids.ts";
import type { Op } from "../contract/ops.ts";
import type { Loss, Outcome, Why } from "../contract/outcome.ts";
import type { OpDraft } from "../gateway/planned.ts";
import type { Mark, Receipt, Seq } from "../log/log.ts";
import { Alarm } from "./alarm.ts";
import { LaneAttempt, type AttemptLane } from "./attempt.ts";
import { Endings, EXPIRED, FATES, GONE, HUNG, THREW } from "./endings.ts";
import { createGate } from "./gate.ts";
import { type LaneOptions, opIdOf, placeOf } from "./lane-options.ts";
import { Outage } from "./outage.ts";
import { type Gate, type Outlet, perform } from "./outlet.ts";
import { encodeMarks } from "./position.ts";
import { Preparing } from "./preparing.ts";
import { Reader } from "./reader.ts";
import { Recorder } from "./recorder.ts";
import { restore, type Restored } from "./restore.ts";
import { type Run, Runs } from "./runs.ts";
import { type Decision, settle, type Wait, waitMs } from "./settle.ts";
import { type Asked, Starting } from "./starting.ts";
import { SummaryLine } from "./summary-line.ts";
import { type Item, Window } from "./window.ts";

/** Most receipts that may wait for a log that takes none. */
const RECEIPTS_MAX = 1_000;
/** How long a stop goes on after its signal, in ms. */
const STOP_GRACE_MS = 500;

/**
 * A lane: the ordered reader of the log for one outgoing bridge in one gateway.
 *
 *   apart ──connect──▶ together ──disconnect──▶ apart       and from both: ──stop──▶ stopped
 *
 * Apart, it reads a chunk ahead and waits. Together, it starts the messages of its window in order, at most `inflightMax` at once, unless
 * one of these holds it back: a wait that an outcome asked for, the session's gate, handlers of an earlier session that have not ended, a log that
 * refuses marks on a network without idempotency. What has become of a message is decided in settle.ts, what order means in window.ts, what is
 * on disk and when in position.ts and recorder.ts. Messages older than `maxAgeMs` when their turn comes are expired, and one line stands for them.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #fields: object;
  readonly #window: Window;
  readonly #reader: Reader;
  readonly #recorder: Recorder;
  readonly #outage: Outage;
  readonly #alarm: Alarm;
  readonly #runs = new Runs();
  readonly #preparing: Preparing;
  readonly #starting: Starting;
  readonly #attemptLane: AttemptLane;
  #outlet: Outlet | null = null;
  #phase: "running" | "stopping" | "stopped" = "running";
  /** Of this lane alone, beside the session's. */
  readonly #gate: Gate;
  /** The last reason for which something waits. */
  #why: Why | null = null;
  readonly #summary: SummaryLine;
  readonly #endings: Endings;
  #idle: (() => void) | null = null;
  #stopped: Promise<void> | null = null;

  /** Reads where the lane stands; a new one starts at the head of the log. Rejects with the log's LogError. */
  static async open(options: LaneOptions): Promise<Lane> {
    const restored = await restore(options);
    const opened = new Lane(options, restored);
    await opened.#takeOver(restored);
    return opened;
  }

  private constructor(options: LaneOptions, { position, summary, written, admits }: Restored) {
    const { gateway, account, channel, capabilities, clock, log, subjects, outageNoticeMs: noticeMs } = options;
    this.#gate = createGate(clock);
    this.#options = options;
    this.#fields = { gateway, account: account.name, channel };
    this.#summary = new SummaryLine({ waiting: summary, logger: options.logger, fields: this.#fields });
    this.#window = new Window(position);
    const shared = { log, logger: options.logger, clock, random: options.random, fields: this.#fields };
    const pump = (): void => this.#pump();
    const low = capabilities.limits.inflightMax;
    this.#reader = new Reader(this.#window, { ...shared, subjects, admits, low, done: pump });
    this.#recorder = new Recorder({ ...shared, written, compose: () => this.#marks(), relieved: pump });
    this.#outage = new Outage({ ...shared, noticeMs, count: () => this.waiting() });
    const add = (receipt: Receipt): void => this.#recorder.add(receipt);
    this.#endings = new Endings({
      ...shared,
      name: options.name,
      place: placeOf(options),
      nowMs: () => this.#now(),
      add,
    });
    const durable = async (): Promise<boolean> => await this.#recorder.durable();
    const newAfter = capabilities.idempotency.by === "none" ? 0 : log.head;
    this.#preparing = new Preparing({ ...options, fields: this.#fields, durable, newAfter });
    this.#starting = new Starting({
      window: this.#window,
      preparing: this.#preparing,
      newAfter,
      refused: () => this.#recorder.refused,
      underWay: () => Array.from(this.#runs, ({ item }) => item),
      mayStart: (outlet) => outlet === this.#outlet && this.#mayStart(outlet),
      reacts: ({ without }) => capabilities.ops.react === "native" && !without.includes("react"),
      finish: (...ended) => this.#finish(...ended),
      run: (item, outlet, asked) => void this.#run(item, outlet, asked, opIdOf(options.name, item)),
      wait: (times, why) => this.#wait(times, why),
      pump,
    });
    this.#alarm = new Alarm(clock, () => this.#ring());
    this.#attemptLane = {
      by: capabilities.idempotency.by,
      mayAnnounce: (item) => this.#phase === "running" && this.#window.isInTurn(item),
      durable: () => this.#recorder.durable(),
      active: () => this.#runs.active(clock.nowMs()),
      confirmed: () => this.#recorder.changed(),
    };
  }

  /** Everything up to here is settled; the log may let go of it. */
  get cursor(): Seq {
    return this.#window.cursor;
  }

  /** When the oldest message that waits was accepted, Unix ms; null: none does. */
  get waitingSince(): number | null {
    return this.#window.oldest?.at ?? null;
  }

  /** How many messages wait. Rejects with the log's LogError. */
  waiting(): Promise<number> {
    return this.#reader.count();
  }

  /** The log has something new for this lane. */
  wake(): void {
    this.#reader.wake();
    this.#pump();
  }

  /** The channel is joined: messages go there from now on. */
  connect(outlet: Outlet): void {
    this.#starting.giveUp();
    this.#runs.endAll(this.#now());
    this.#outlet = outlet;
    this.#why = null;
    this.#pump();
  }

  /** The channel or its session is gone. Handlers under way end by themselves, or are given up on after 10 s. */
  disconnect(why: Why): void {
    this.#why = why;
    this.#outlet = null;
    this.#starting.giveUp();
    this.#runs.endAll(this.#now());
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
    const late = Promise.withResolvers<void>();
    let cancel = (): void => undefined;
    const abort = (): void => {
      for (const { attempt } of this.#runs) attempt.abort();
      cancel = this.#options.clock.after(STOP_GRACE_MS, late.resolve);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    await Promise.race([this.#ended(), late.promise]);
    // What has not ended is settled by the next start, from the intent on disk.
    for (const { attempt } of this.#runs) attempt.end();
    if (this.#runs.size === 0) this.#summary.putBack();
    this.#phase = "stopped";
    this.#alarm.set(Infinity);
    await Promise.race([this.#recorder.close(), late.promise]);
    signal.removeEventListener("abort", abort);
    cancel();
  }

  async #ended(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
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
    this.#outage.observe(this.#phase === "running" ? this.waitingSince : null, this.#why);
    this.#alarm.set(Math.min(this.#runs.dueMs, this.#resumesAtMs(before)));
  }

  #ring(): void {
    const now = this.#now();
    for (const run of this.#runs.overdue(now)) {
      run.attempt.abort();
      this.#end(run, { is: "unknown", why: run.outlet === this.#outlet ? HUNG : GONE }, false);
    }
    if (this.#runs.stalled(now)) {
      this.#options.logger.error({ ...this.#fields, why: HUNG.message }, "an adapter hangs: its session is ended");
      this.#runs.endAll(now);
      for (const { attempt } of this.#runs) attempt.abort();
      this.#options.onStalled(HUNG);
    }
    this.#pump();
  }

  #dispatch(): void {
    while (this.#outlet !== null && this.#mayStart(this.#outlet)) {
      const item = this.#window.ready();
      const summary = this.#summary.waiting !== null && !this.#recorder.refused;
      if (item !== null && this.#now() - item.at > this.#options.maxAgeMs) {
        // Its line comes where it would have come: after all that is under way.
        if (this.#runs.size > 0) return;
        this.#expire(item);
      } else if (summary && (item !== null || this.#reader.drained)) {
        if (this.#runs.size > 0) return;
        void this.#sendSummary();
      } else if (item === null || this.#starting.mustWait(item)) return;
      else this.#start(item, this.#outlet);
    }
  }

  #mayStart(outlet: Outlet): boolean {
    const { capabilities } = this.#options;
    if (this.#phase !== "running" || this.#starting.isLooking || this.#summary.underWay) return false;
    if (this.#runs.size >= capabilities.limits.inflightMax) return false;
    if (Math.max(this.#gate.untilMs, outlet.gate.untilMs) > this.#now() || this.#recorder.receipts > RECEIPTS_MAX)
      return false;
    if (this.#recorder.refused && capabilities.idempotency.by === "none") return false;
    for (const run of this.#runs) if (run.outlet !== outlet) return false;
    return true;
  }

  /** The end of the wait that holds at `nowMs`, both Unix ms. Infinity: there is none. */
  #resumesAtMs(nowMs: number): number {
    if (this.#outlet === null || this.#phase !== "running") return Infinity;
    const atMs = Math.max(this.#gate.untilMs, this.#outlet.gate.untilMs);
    return atMs > nowMs ? atMs : Infinity;
  }

  #start(item: Item, outlet: Outlet): void {
    const { idempotency } = this.#options.capabilities;
    if (item.doubt !== null && idempotency.by === "key" && this.#now() - item.doubt.sinceMs > idempotency.windowMs) {
      this.#finish(item, "unconfirmed", item.doubt.why);
      return;
    }
    this.#starting.start(item, outlet);
  }

  /** Calls the handler before it first waits. Never rejects. */
  async #run(item: Item, outlet: Outlet, { op: draft, losses }: Asked, id: string): Promise<void> {
    item.state = "running";
    item.attempts += 1;
    item.op = draft;
    item.resumeAt(item.confirmed);
    const attempt = new LaneAttempt(item, this.#attemptLane);
    const run = this.#runs.add({ item, outlet, attempt, losses, startedMs: this.#now() });
    const place = { id: id as OpId, channel: outlet.channel, attempt: item.attempts };
    const op: Op = draft.kind === "post" ? { ...draft, ...place, resume: item.confirmed } : { ...draft, ...place };
    const outcome = await perform(outlet, op, attempt, (error) =>
      this.#options.logger.error(
        { ...this.#fields, seq: item.seq, error },
        "an adapter's handler threw: this is a bug",
      ),
    );
    if (attempt.live) this.#end(run, outcome ?? { is: "unknown", why: THREW }, outcome === null);
  }

  #end(run: Run, outcome: Outcome, threw: boolean): void {
    const { item, attempt } = run;
    attempt.end();
    this.#runs.active(this.#now());
    this.#runs.delete(run);
    item.throws = threw ? item.throws + 1 : 0;
    const { by } = this.#options.capabilities.idempotency;
    const { announced, confirmed, throws } = item;
    const decision = settle({ by, announced, confirmed, throws }, outcome);
    if (decision.is === "retry") this.#hold(run, decision.wait, decision.why);
    if (this.#summary.underWay) this.#endSummary(decision);
    else if (decision.is === "retry") this.#retry(run, decision);
    else this.#conclude(run, outcome, decision);
    if (this.#runs.size === 0) this.#idle?.();
    this.#pump();
  }

  #conclude({ item, losses }: Run, outcome: Outcome, { state, why }: Extract<Decision, { is: "finish" }>): void {
    const receipt = outcome.is === "delivered" ? outcome.receipt : null;
    if (receipt !== null && item.op?.kind === "edit") item.messages = receipt.messages;
    else item.addMessages(receipt?.messages ?? []);
    this.#finish(item, state, why, [...losses, ...(receipt?.losses ?? [])]);
  }

  #hold({ item, outlet, attempt }: Run, wait: Wait, why: Why): void {
    this.#why = why;
    // A deferral that our own refusal brought about knows nothing of the network; what made us refuse says when to go on.
    const asked: Wait = attempt.refused && wait.for !== "backoff" ? { for: "channel", ms: 0 } : wait;
    const untilMs = this.#now() + waitMs(asked, item.attempts, this.#options.random);
    (asked.for === "session" ? outlet.gate : this.#gate).hold(untilMs);
  }

  /** The log does not answer. */
  #wait(times: number, why: Why): void {
    this.#why = why;
    this.#gate.hold(this.#now() + waitMs({ for: "backoff" }, times, this.#options.random));
  }

  #retry({ item, startedMs }: Run, { resume, why, unconfirmed, doubt }: Extract<Decision, { is: "retry" }>): void {
    item.state = "ready";
    item.resumeAt(resume);
    if (doubt) item.doubt ??= { sinceMs: startedMs, why };
    if (unconfirmed) {
      item.unconfirmed = why;
      this.#endings.record(item, { state: "unconfirmed", why, losses: [] });
    }
    // Also when nothing is in doubt: the intent on disk must not say otherwise.
    this.#recorder.changed();
  }

  #finish(item: Item, state: Receipt["state"], why: Why | null, losses: readonly Loss[] = []): void {
    this.#window.finish(item);
    const partly = state !== "failed" && item.unconfirmed !== null;
    // That a part is not confirmed was said when it came to that.
    if (partly) this.#endings.keep(item, { state: "unconfirmed", why: item.unconfirmed, losses });
    else this.#endings.record(item, { state, why, losses });
    this.#recorder.changed();
    const fate = FATES.get(state);
    if (fate !== undefined) for (const change of item.folded) this.#finish(change, fate, why);
    if (state !== "sent") return;
    // What held others up is over; what took the channel away is not.
    if (this.#outlet !== null) this.#why = null;
    this.#outage.progress();
  }

  #expire(item: Item): void {
    const { doubt } = item;
    const is = this.#preparing.read(item)?.about?.is ?? "reply";
    // What changes a message is none by itself.
    if (doubt === null && is === "reply") {
      this.#summary.add(item);
      this.#outage.expired();
    }
    this.#finish(item, doubt === null ? "expired" : "unconfirmed", doubt?.why ?? EXPIRED);
  }

  /** Never rejects. */
  async #sendSummary(): Promise<void> {
    const { name, plan } = this.#options;
    const summary = this.#summary.take();
    const durable = await this.#recorder.durable();
    const outlet = this.#outlet;
    if (summary === null || !durable || outlet === null || this.#phase !== "running") {
      this.#summary.putBack();
      this.#recorder.changed();
      this.#pump();
      return;
    }
    const op: OpDraft = { kind: "post", ...plan.expired(summary) };
    const item = this.#summary.item(summary);
    await this.#run(item, outlet, { op, losses: [] }, `${opIdOf(name, item)}/expired`);
  }

  #endSummary(decision: Decision): void {
    const isSent = this.#summary.end(decision);
    this.#recorder.changed();
    if (isSent) this.#outage.progress();
  }

  #marks(): readonly Mark[] {
    const { name, capabilities } = this.#options;
    const intent = capabilities.idempotency.by === "none" ? this.#window.intent() : null;
    return encodeMarks(name, { position: this.#window.position(), intent, summary: this.#summary.waiting });
  }

  #now(): number {
    return this.#options.clock.nowMs();
  }
}
