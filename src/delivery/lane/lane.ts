import type { Progress } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { LogError } from "../../log/errors.ts";
import type { EntryHead, Seq } from "../../log/log.ts";
import { within } from "../deadline.ts";
import type { MeteredLane } from "../meter.ts";
import { type ChannelSink, perform } from "../session/channel-sink.ts";
import type { LaneStatus } from "../status.ts";
import { intentToCome } from "./checkpoint.ts";
import { type CopiesUnderWay, copiesUnderWay, haveLanded } from "./copies.ts";
import { mayRide, type Ride } from "./early-intent.ts";
import { LaneLogger } from "./lane-logger.ts";
import { NO_MESSAGES } from "./lateness.ts";
import { lookUp, type Search } from "./lookup.ts";
import { type LaneOptions, placeOf } from "./options.ts";
import { hasReadAll } from "./reading.ts";
import { restore } from "./restore.ts";
import {
  admits,
  type LaneEffect,
  type Fact,
  type LaneState,
  type ChannelLink,
  type Moment,
  type Say,
} from "./state.ts";
import { laneStatus } from "./status.ts";
import { step } from "./step.ts";

/** How long the log may take to count what waits, in ms. */
const COUNT_MS = 2_000;
/** Most entries that are looked at to count the messages among them. */
const COUNT_ENTRIES = 10_000;

/** Where nothing may leave, it is asked again after so long, in ms. */
const SHUT_MS = 200;

/** A handler call, as it is under way in the world. */
interface Live {
  readonly id: number;
  readonly sink: ChannelSink;
  readonly abort: AbortController;
}

/** Whoever waits for something that a later step brings about. */
interface Waiting {
  readonly isOver: () => boolean;
  readonly resolve: () => void;
}

/** Carries out what the steps of a lane (step.ts) ask for, and hands them what comes of it. It decides nothing. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #state: LaneState;
  readonly #openedMs: number;
  #live: readonly Live[] = [];
  #facts: Fact[] = [];
  #isStepping = false;
  #cancelTimer: (() => void) | null = null;
  /** Aborted when what is looked up is of no use any more. */
  #looking: AbortController | null = null;
  #isLooking = false;
  #nextLook: (() => Promise<void>) | null = null;
  /** What is announced, until it is answered. */
  readonly #asks = new Map<number, (allowed: boolean) => void>();
  #lastAsk = 0;
  #logger: LaneLogger | null = null;
  #waiting: Waiting[] = [];
  #backlog: Promise<number | null> | null = null;
  #stopped: Promise<void> | null = null;

  /** Reads where the lane stands; a new one starts at the head of the log. Rejects with the log's LogError. */
  static async open(options: LaneOptions): Promise<Lane> {
    const { state, receipts } = await restore(options);
    const lane = new Lane(options, state);
    lane.#take({ is: "opened", receipts });
    await lane.#until(() => lane.#state.mode.is !== "opening");
    return lane;
  }

  private constructor(options: LaneOptions, state: LaneState) {
    this.#options = options;
    this.#state = state;
    this.#openedMs = options.clock.monoMs();
  }

  /** Everything up to here is settled; the log may let go of it. */
  get cursor(): Seq {
    return this.#state.window.cursor;
  }

  /** When the oldest message that waits was accepted, Unix ms; null: none does. */
  get waitingSince(): number | null {
    return this.#state.window.oldest?.at ?? null;
  }

  /** How many messages waited when the channel was last joined; null: the log could not say. Never rejects. */
  get backlog(): Promise<number | null> {
    return this.#backlog ?? Promise.resolve(0);
  }

  /**
   * Resolves once all that the network may show by now has ended and is on the disk, or never will be; null: nothing is
   * under way.
   */
  underWay(): Promise<void> | null {
    const copies: CopiesUnderWay | null = copiesUnderWay(this.#state);
    return copies === null ? null : this.#until(() => haveLanded(this.#state, copies));
  }

  /** How many messages wait. Rejects with the log's LogError. */
  waiting(): Promise<number> {
    return this.#count(() => true);
  }

  /**
   * How it is, in two seconds at most: where the log does not answer, the number of messages is missing. Never rejects.
   */
  async status(): Promise<LaneStatus> {
    const { channel, clock } = this.#options;
    const counted = await within({ clock, ms: COUNT_MS }, () => this.waiting()).catch(() => null);
    const waiting = counted === null || counted.late ? null : counted.value;
    return laneStatus(channel, this.#state, this.#moment(this.#state.link, this.#time()), waiting);
  }

  /** The log has something new for this lane. */
  wake(): void {
    this.#take({ is: "woken" });
  }

  /** Where it would send the entry at once: its intent, to be put with the entry. */
  rideWith(entry: Omit<EntryHead, "seq">): Ride | null {
    if (!mayRide(this.#state, entry, this.#moment(this.#state.link, this.#time()))) return null;
    this.#take({ is: "rides" });
    const { name, account } = this.#options;
    const mark = { ...intentToCome(name), account: account.key };
    return { mark, settled: (seq) => this.#take({ is: "rode", seq }) };
  }

  /** Its bridge goes, or another lane takes its place: it leaves alone what comes after `upTo`. */
  endAt(upTo: Seq): void {
    this.#take({ is: "ends", upTo });
  }

  /** Resolves when everything for it has ended, or cannot, because the channel is gone; not once it is stopped. */
  drained(): Promise<void> {
    return this.#until(() => {
      const { mode, link, reading, window, line } = this.#state;
      const isIdle = hasReadAll(reading) && window.oldest === null && mode.is !== "unlisting";
      return link === null || (isIdle && line.waiting === null && line.underWay === null);
    });
  }

  /** The channel is joined: messages go there from now on. */
  connect(sink: ChannelSink): void {
    this.#backlog =
      this.waitingSince === null ? null : this.#count(({ label }) => !NO_MESSAGES.has(label)).catch(() => null);
    this.#take({ is: "connected", link: sink });
  }

  /** The channel or its session is gone. */
  disconnect(why: Reason): void {
    this.#take({ is: "disconnected", why });
  }

  /**
   * Starts nothing more and waits for what is under way; when the signal is aborted, that has half a second to end.
   * Then the position is written. Never rejects.
   */
  stop(signal: AbortSignal): Promise<void> {
    this.#stopped ??= this.#stop(signal);
    return this.#stopped;
  }

  async #stop(signal: AbortSignal): Promise<void> {
    const breakOff = (): void => this.#take({ is: "break off" });
    this.#take({ is: "stop" });
    if (signal.aborted) breakOff();
    else signal.addEventListener("abort", breakOff, { once: true });
    await this.#until(() => this.#state.mode.is === "stopped");
    signal.removeEventListener("abort", breakOff);
  }

  /** Resolves once it has stopped and writes nothing more: another lane may read its marks. */
  atRest(): Promise<void> {
    return this.#until(() => this.#state.mode.is === "stopped" && this.#state.records.write === "none");
  }

  /** One step, unless one is being made: then it is the next. */
  #take(fact: Fact): void {
    this.#facts.push(fact);
    if (this.#isStepping) return;
    this.#isStepping = true;
    const time = this.#time();
    try {
      for (let next = this.#facts.shift(); next !== undefined; next = this.#facts.shift()) {
        const link = next.is === "connected" ? next.link : this.#state.link;
        const { effects } = step(this.#state, { at: this.#moment(link, time), fact: next });
        for (const effect of effects) this.#carryOut(effect);
      }
    } finally {
      this.#isStepping = false;
    }
    if (this.#waiting.length > 0) this.#tellWaiting();
  }

  #moment(link: ChannelLink | null, { nowMs, monoMs }: Pick<Moment, "nowMs" | "monoMs">): Moment {
    const gateMs = Math.max(isOutlet(link) ? link.gate.untilMs : 0, this.#mayCall() ? 0 : monoMs + SHUT_MS);
    const pulseMs = isOutlet(link) ? link.activity.lastMs : 0;
    return { nowMs, monoMs, gateMs, pulseMs, random: this.#options.random() };
  }

  #mayCall(): boolean {
    return this.#options.mayCall?.() ?? true;
  }

  #time(): Pick<Moment, "nowMs" | "monoMs"> {
    const { clock } = this.#options;
    return { nowMs: clock.nowMs(), monoMs: clock.monoMs() };
  }

  async #until(isOver: () => boolean): Promise<void> {
    if (!isOver()) await new Promise<void>((resolve) => this.#waiting.push({ isOver, resolve }));
  }

  #tellWaiting(): void {
    const over = this.#waiting.filter(({ isOver }) => isOver());
    if (over.length === 0) return;
    this.#waiting = this.#waiting.filter((each) => !over.includes(each));
    for (const { resolve } of over) resolve();
  }

  #carryOut(effect: LaneEffect): void {
    const { account, log, subjects, meter, loops, failures, onStalled } = this.#options;
    switch (effect.do) {
      case "read":
        return void this.#ask(
          () => log.read({ subjects, after: effect.after, limit: effect.limit, bytes: effect.bytes }),
          (entries) => ({ is: "read", entries }),
          (why, closed) => ({ is: "unreadable", why, closed }),
        );
      case "ask loops":
        return this.#take({ is: "verdict", seq: effect.seq, why: loops.why(effect.seq) });
      case "find newest":
        return void this.#look(() => this.#findNewest(effect.from, effect.limit));
      case "look up":
        return this.#search(effect.search);
      case "give up":
        return this.#looking?.abort();
      case "call":
        return this.#call(effect);
      case "abort":
        return this.#live.find(({ id }) => id === effect.call)?.abort.abort();
      case "hold":
        return this.#live.find(({ id }) => id === effect.call)?.sink.gate.hold(effect.untilMs);
      case "forget":
        this.#live = this.#live.filter(({ id }) => id !== effect.call);
        return;
      case "answer":
        this.#asks.get(effect.ask)?.(effect.allowed);
        return void this.#asks.delete(effect.ask);
      case "beat":
        for (const { sink } of this.#live) sink.activity.beat();
        return;
      case "turn":
        return queueMicrotask(() => this.#take({ is: "turn over" }));
      case "write":
        return void this.#ask(
          () => log.append({ account: account.key, entries: [], marks: effect.marks, receipts: effect.receipts }),
          () => ({ is: "durable" }),
          (why, closed) => ({ is: "refused", why, closed }),
        );
      case "set timer":
        return this.#setTimer(effect.atMs);
      case "tell author":
        return failures?.ended(effect.of, this.#metered, effect.why?.code ?? null);
      case "meter end":
        return meter.ended(this.#metered, effect.state, effect.ageMs);
      case "meter answer":
        return meter.answered(this.#metered, effect.outcome, effect.ms);
      case "end session":
        return onStalled(effect.why);
      case "say":
        return this.#say(effect);
    }
  }

  #call({ call: id, seq, isLine, ...ops }: EffectOf<"call">): void {
    const { loops } = this.#options;
    const { link: sink } = this.#state;
    if (!isOutlet(sink)) throw new Error("a message is to be sent, and there is no session");
    const abort = new AbortController();
    this.#live = [...this.#live, { id, sink, abort }];
    if (!isLine) loops.wrote(seq, placeOf(this.#options), ops.op);
    const attempt: Attempt = {
      signal: abort.signal,
      sending: (upTo) => this.#announce(id, upTo),
      sent: (upTo, messages) => this.#take({ is: "confirmed", call: id, upTo, messages }),
    };
    const message = "an adapter failed unexpectedly: this is a bug";
    const threw = (error: string): void => this.#say({ level: "error", message, fields: { seq, error } });
    void perform(sink, ops, attempt, threw).then((outcome) => this.#take({ is: "outcome", call: id, outcome }));
  }

  async #announce(call: number, upTo: Progress): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const ask = (this.#lastAsk += 1);
    this.#asks.set(ask, resolve);
    this.#take({ is: "announced", call, ask, upTo });
    const isAllowed = await promise;
    // While it became durable, this process may have stood still, and another machine have taken over.
    return isAllowed && this.#mayCall();
  }

  /** Asks the log, and takes in what it says. Never rejects. */
  async #ask<T>(
    question: () => Promise<T>,
    answered: (answer: T) => Fact,
    failed: (why: string, closed: boolean) => Fact,
  ): Promise<void> {
    let fact: Fact;
    try {
      fact = answered(await question());
    } catch (error) {
      const isClosed = error instanceof LogError && error.code === "closed";
      fact = failed(error instanceof Error ? error.message : String(error), isClosed);
    }
    this.#take(fact);
  }

  #findNewest(from: Seq, limit: number): Promise<void> {
    const { log, subjects } = this.#options;
    return this.#ask(
      () => log.newest({ subjects, after: from - 1, limit }),
      (newest) => ({ is: "newest", from, ...newest }),
      (error) => ({ is: "no newest", error }),
    );
  }

  #search(search: Search): void {
    const looking = new AbortController();
    this.#looking = looking;
    void this.#look(() => this.#lookUp(search, looking.signal));
  }

  async #lookUp(search: Search, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { newAfter } = this.#state.setting;
    const { files, clock } = this.#options;
    const store = { files, clock, openedMs: this.#openedMs };
    const found = await lookUp({ ...this.#options, newAfter }, store, search, signal);
    this.#take({ is: "found", search, found });
  }

  /** One question at a time, also when the one before was given up; of those that wait for it, the last counts. */
  async #look(question: () => Promise<void>): Promise<void> {
    this.#nextLook = question;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#nextLook !== null) {
      const next = this.#nextLook;
      this.#nextLook = null;
      await next();
    }
    this.#isLooking = false;
  }

  #setTimer(atMs: number): void {
    const { clock } = this.#options;
    this.#cancelTimer?.();
    const tick = (): void => {
      this.#cancelTimer = null;
      this.#take({ is: "tick" });
    };
    this.#cancelTimer = atMs === Infinity ? null : clock.after(atMs - clock.monoMs(), tick);
  }

  #say(say: Omit<Say, "do">): void {
    this.#logger ??= new LaneLogger(this.#options, () => this.waiting());
    this.#logger.say(say);
  }

  /** How many entries wait, in the window or after it; where they are very many, of the oldest all count. */
  async #count(counts: (entry: EntryHead) => boolean): Promise<number> {
    const { log, subjects } = this.#options;
    const { entries, skipped } = await log.newest({ subjects, after: this.cursor, limit: COUNT_ENTRIES });
    return skipped + entries.filter((entry) => admits(this.#state, entry) && counts(entry)).length;
  }

  get #metered(): MeteredLane {
    const { gateway, account, channel } = this.#options;
    return { gateway, account: account.name, channel };
  }
}

type EffectOf<K extends LaneEffect["do"]> = Extract<LaneEffect, { readonly do: K }>;

/** All links are what `Lane.connect` was given. */
const isOutlet = (link: ChannelLink | null): link is ChannelSink => link !== null && "handlers" in link;
