import type { Clock } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest } from "../../contract/session.ts";
import type { HealthTracker } from "./health.ts";
import type { ChannelSink } from "./channel-sink.ts";
import type { HealthReporter } from "../health-reporter.ts";
import { fullJitter } from "../retry.ts";
import type { ChannelStatus, LaneStatus } from "../status.ts";

/** A channel that is to be joined, with what depends on it. */
export interface JoinChannel {
  readonly request: ChannelRequest;
  readonly lanes: readonly JoinedLane[];
  /** Outlives the session. */
  readonly report: HealthReporter;
}

/** What a lane is told of its channel, and asked. */
export interface JoinedLane {
  connect(sink: ChannelSink): void;
  disconnect(why: Reason): void;
  status(): Promise<LaneStatus>;
  /** As `Lane.underWay`. */
  underWay(): Promise<void> | null;
}

export function lanesOf(channels: readonly JoinChannel[]): readonly JoinedLane[] {
  return channels.flatMap(({ lanes }) => lanes);
}

export type ChannelCondition = HealthTracker<ChannelStatus["state"]>;

/** What was joined for this long was joined for good: the next loss is the first one. */
const SETTLED_MS = 60_000;
const BACK_OFF = { baseMs: 5_000, capMs: 30 * 60_000 };
/** Whatever a network says about when to try again. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 24 * 60 * 60_000;

const REMOVED: Reason = { code: "config", message: "the bridge is no longer in the configuration" };

interface SessionChannelOptions {
  readonly channel: JoinChannel;
  readonly condition: ChannelCondition;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * One channel in one session: `queued` → `joining` → `joined`, its lanes connected; `waiting` when that failed or is
 * over, its lanes disconnected. In one that is `removed`, taken out of the configuration, nothing happens any more.
 */
export class SessionChannel {
  readonly #options: SessionChannelOptions;
  #channel: JoinChannel;
  #state: "queued" | "joining" | "joined" | "waiting" = "queued";
  #sink: ChannelSink | null = null;
  #removed = false;
  /** In a row. */
  #failures = 0;
  /** By `Clock.monoMs`. */
  #joinedAtMs = 0;
  /** When a wait is over, by `Clock.monoMs`. */
  #dueMs = 0;
  #cancel: () => void = () => undefined;
  /** As the session calls it, since it was last joined. */
  ref: ChannelRef | null = null;
  /** Whether it has had its first try. */
  tried = false;
  /** Whether the last try was not answered. */
  inDoubt = false;
  /** The channel that is the same one by another name, and keeps this one out. */
  duplicate: SessionChannel | null = null;

  constructor(options: SessionChannelOptions) {
    this.#options = options;
    this.#channel = options.channel;
  }

  get request(): ChannelRequest {
    return this.#channel.request;
  }

  get report(): HealthReporter {
    return this.#channel.report;
  }

  get state(): "queued" | "joining" | "joined" | "waiting" {
    return this.#state;
  }

  get removed(): boolean {
    return this.#removed;
  }

  /** There is no session yet: its lanes hear why, as far as that is known. */
  tell(): void {
    reconnect([], this.#channel.lanes, null, this.#options.condition.why);
  }

  /** The session is there, and its turn will come. */
  queue(): void {
    this.#state = "queued";
    this.#options.condition.become("joining", null);
  }

  /** Its turn has come. */
  ask(): void {
    this.#state = "joining";
    this.duplicate = null;
  }

  heard(): void {
    this.#options.condition.heard();
  }

  enter(sink: ChannelSink): void {
    this.#state = "joined";
    this.#joinedAtMs = this.#options.clock.monoMs();
    this.#sink = sink;
    this.#options.condition.become("joined", null);
    this.heard();
    this.report.well({ channel: this.request.name }, "joined");
    for (const lane of this.#channel.lanes) lane.connect(sink);
  }

  /** A join came to nothing. `retryInMs`: when the network wants to be asked again; null: when we want. */
  fail(why: Reason, retryInMs: number | null, again: () => void): void {
    this.#failures += 1;
    this.#wait(why, retryInMs ?? this.#backOff(), "a channel cannot be joined", again);
  }

  /** It was joined, and is no longer. */
  lose(why: Reason, retryInMs: number, again: () => void): void {
    if (this.#sink !== null && this.#options.clock.monoMs() - this.#joinedAtMs >= SETTLED_MS) this.#failures = 0;
    this.#failures += 1;
    this.#wait(why, Math.max(retryInMs, this.#backOff()), "a channel was lost", again);
  }

  /** It may be worth trying sooner than was planned. */
  retryBy(ms: number, again: () => void): void {
    const delay = Math.max(ms, RETRY_MIN_MS);
    if (this.#state === "waiting" && this.#dueMs > this.#options.clock.monoMs() + delay) this.#retryIn(delay, again);
  }

  /** The same channel as the configuration has it now; true when the way to ask for it is another one. */
  change(channel: JoinChannel): boolean {
    const { request, lanes } = this.#channel;
    this.#channel = channel;
    reconnect(lanes, channel.lanes, this.#sink, this.#options.condition.why);
    return JSON.stringify(request.options) !== JSON.stringify(channel.request.options);
  }

  /** It is not in the configuration any more. */
  takeOut(): void {
    this.#removed = true;
    this.#cancel();
    this.#sink = null;
    for (const lane of this.#channel.lanes) lane.disconnect(REMOVED);
  }

  end(why: Reason): void {
    this.#cancel();
    this.#sink = null;
    if (this.#removed) return;
    this.#options.condition.become("offline", why);
    for (const lane of this.#channel.lanes) lane.disconnect(why);
  }

  #wait(why: Reason, ms: number, message: string, again: () => void): void {
    const { lanes, report, request } = this.#channel;
    this.#sink = null;
    const limited = Math.min(Math.max(ms, RETRY_MIN_MS), RETRY_MAX_MS);
    for (const lane of lanes) lane.disconnect(why);
    report.trouble(why, { channel: request.name, retryInS: Math.ceil(limited / 1000) }, message);
    this.#state = "waiting";
    this.#options.condition.become("waiting", why);
    this.#retryIn(limited, again);
  }

  #retryIn(ms: number, again: () => void): void {
    const { clock, condition } = this.#options;
    this.#dueMs = clock.monoMs() + ms;
    condition.retryAt(clock.nowMs() + ms);
    this.#cancel();
    this.#cancel = clock.after(ms, () => {
      this.#state = "queued";
      // Why it waited still holds as far as is known.
      condition.become("joining", condition.why);
      again();
    });
  }

  #backOff(): number {
    return fullJitter(this.#failures, BACK_OFF, this.#options.random);
  }
}

/**
 * Lanes that came are told how the channel is, those that went that they have none any more; the others are left alone.
 */
export function reconnect(
  before: readonly JoinedLane[],
  now: readonly JoinedLane[],
  sink: ChannelSink | null,
  why: Reason | null,
): void {
  for (const lane of before) if (!now.includes(lane)) lane.disconnect(REMOVED);
  for (const lane of now) {
    if (before.includes(lane)) continue;
    if (sink !== null) lane.connect(sink);
    else if (why !== null) lane.disconnect(why);
  }
}
