import type { OpId } from "../contract/ids.ts";
import type { PostDraft } from "../contract/ops.ts";
import type { Loss, Outcome, Why } from "../contract/outcome.ts";
import type { Mark, Receipt, Seq } from "../log/log.ts";
import { Alarm } from "./alarm.ts";
import { LaneAttempt, type AttemptLane } from "./attempt.ts";
import { Endings } from "./endings.ts";
import { createGate } from "./gate.ts";
import type { LaneOptions } from "./lane-options.ts";
import { Outage } from "./outage.ts";
import type { Gate, Outlet } from "./outlet.ts";
import { encodeOrEmpty, encodePosition, marksOf } from "./position.ts";
import { Reader } from "./reader.ts";
import { Recorder } from "./recorder.ts";
import { restore, type Restored } from "./restore.ts";
import { type Run, Runs } from "./runs.ts";
import { type Decision, settle, type Wait, waitMs } from "./settle.ts";
import { SummaryLine } from "./summary-line.ts";
import { type Item, Window } from "./window.ts";

/** Most receipts that may wait for a log that takes none. */
const RECEIPTS_MAX = 1_000;
/** How long a stop goes on after its signal, in ms. */
const STOP_GRACE_MS = 500;

const GONE: Why = { code: "network", message: "The session ended, and what was under way did not end with it." };
const HUNG: Why = { code: "timeout", message: "Nothing has moved for 10 minutes or more." };
const THREW: Why = { code: "bug", message: "The adapter failed in a way it should not: this is a bug, see the log." };
const EXPIRED: Why = { code: "timeout", message: "It waited longer than MaxAge." };
const UNREADABLE: Why = {
  code: "bug",
  message: "The stored message cannot be turned into a post: this is a bug, see the log.",
};

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
    this.#summary = new SummaryLine(summary);
    this.#window = new Window(position);
    const shared = { log, logger: options.logger, clock, random: options.random, fields: this.#fields };
    const pump = (): void => this.#pump();
    const low = capabilities.limits.inflightMax;
    this.#reader = new Reader(this.#window, { ...shared, subjects, admits, low, done: pump });
    this.#recorder = new Recorder({ ...shared, written, compose: () => this.#compose(), relieved: pump });
    this.#outage = new Outage({ ...shared, noticeMs, count: () => this.waiting() });
    const add = (receipt: Receipt): void => this.#recorder.add(receipt);
    this.#endings = new Endings({ ...shared, name: options.name, nowMs: () => clock.nowMs(), add });
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
    this.#runs.endAll(this.#now());
    this.#outlet = outlet;
    this.#why = null;
    this.#pump();
  }

  /** The channel or its session is gone. Handlers under way end by themselves, or are given up on after 10 s. */
  disconnect(why: Why): void {
    this.#why = why;
    this.#outlet = null;
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
    if (receipts.length > 0) {
      const told = { ...this.#fields, messages: receipts.length };
      this.#options.logger.warn(
        told,
        "messages may or may not have been delivered before the restart; they are not sent again",
      );
    }
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
      } else if (item === null) return;
      else this.#start(item, this.#outlet);
    }
  }

  #mayStart(outlet: Outlet): boolean {
    const { capabilities } = this.#options;
    if (this.#phase !== "running" || this.#summary.underWay || this.#runs.size >= capabilities.limits.inflightMax)
      return false;
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
    const { plan, gateway, capabilities, name } = this.#options;
    const { idempotency } = capabilities;
    if (item.doubt !== null && idempotency.by === "key" && this.#now() - item.doubt.sinceMs > idempotency.windowMs) {
      this.#finish(item, "unconfirmed", item.doubt.why);
      return;
    }
    const draft = this.#draft(item.seq, () => plan.post(item.payload, gateway));
    if (draft === null) this.#finish(item, "failed", UNREADABLE);
    else void this.#run(item, outlet, draft, `${name}/${item.seq}`);
  }

  #draft(seq: Seq, make: () => PostDraft): PostDraft | null {
    try {
      return make();
    } catch (error) {
      const told = { ...this.#fields, seq, error: describe(error) };
      this.#options.logger.error(told, "a stored message cannot be made into a post: this is a bug");
      return null;
    }
  }

  /** Calls the handler before it first waits. Never rejects. */
  async #run(item: Item, outlet: Outlet, draft: PostDraft, id: string): Promise<void> {
    item.state = "running";
    item.attempts += 1;
    item.resumeAt(item.confirmed);
    const attempt = new LaneAttempt(item, this.#attemptLane);
    const run = this.#runs.add({ item, outlet, attempt, startedMs: this.#now() });
    const place = { id: id as OpId, channel: outlet.channel, attempt: item.attempts, resume: item.confirmed };
    let outcome: Outcome | null = null;
    try {
      outcome = await outlet.post({ kind: "post", ...place, ...draft }, attempt);
    } catch (error) {
      const told = { ...this.#fields, seq: item.seq, error: describe(error) };
      this.#options.logger.error(told, "an adapter's handler threw: this is a bug");
    }
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
    else {
      const receipt = outcome.is === "delivered" ? outcome.receipt : null;
      item.addMessages(receipt?.messages ?? []);
      this.#finish(item, decision.state, decision.why, receipt?.losses);
    }
    if (this.#runs.size === 0) this.#idle?.();
    this.#pump();
  }

  #hold({ item, outlet, attempt }: Run, wait: Wait, why: Why): void {
    this.#why = why;
    // A deferral that our own refusal brought about knows nothing of the network; what made us refuse says when to go on.
    const asked: Wait = attempt.refused && wait.for !== "backoff" ? { for: "channel", ms: 0 } : wait;
    const untilMs = this.#now() + waitMs(asked, item.attempts, this.#options.random);
    (asked.for === "session" ? outlet.gate : this.#gate).hold(untilMs);
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
    if (state !== "sent") return;
    // What held others up is over; what took the channel away is not.
    if (this.#outlet !== null) this.#why = null;
    this.#outage.progress();
  }

  #expire(item: Item): void {
    const { doubt } = item;
    if (doubt === null) {
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
    const draft = this.#draft(summary.seq, () => plan.expired(summary));
    if (draft === null) {
      this.#endSummary({ is: "finish", state: "failed", why: UNREADABLE });
      this.#pump();
    } else await this.#run(this.#summary.item(summary), outlet, draft, `${name}/${summary.seq}/expired`);
  }

  #endSummary(decision: Decision): void {
    const ended = this.#summary.end(decision);
    this.#recorder.changed();
    if (ended === null) return;
    const { count, fromMs, toMs } = ended;
    const told = decision.is === "finish" && decision.state === "sent";
    const fields = { messages: count, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), told };
    this.#options.logger.warn({ ...this.#fields, ...fields }, "messages waited longer than MaxAge and were left out");
    if (told) this.#outage.progress();
  }

  #compose(): readonly Mark[] {
    const { name, capabilities } = this.#options;
    const names = marksOf(name);
    const intent = capabilities.idempotency.by === "none" ? this.#window.intent() : null;
    return [
      { name: names.position, value: encodePosition(this.#window.position()) },
      { name: names.intent, value: encodeOrEmpty(intent) },
      { name: names.summary, value: encodeOrEmpty(this.#summary.waiting) },
    ];
  }

  #now(): number {
    return this.#options.clock.nowMs();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
