import type { Host } from "../../contract/host.ts";
import { faultOf } from "../../lib/fault.ts";
import type { ChannelPositions } from "./channel-positions.ts";
import { FaultGuard } from "./guard.ts";
import { inTime } from "./in-time.ts";
import type { EventIntake } from "./intake.ts";
import type { RestFailure } from "./rest.ts";

/** Items of one channel that wait for its history, or for a look-up; beyond that, its history is read again. */
const QUEUE_MAX = 2_000;
/** Of all channels together. */
const QUEUES_MAX = 10_000;
/** So long a channel is waited for that is not joined yet, and may never be again. */
const AWAITED_MS = 600_000;
/** So many channels have their history read at once. */
const FILLS_MAX = 4;
/** How long to wait after a history could not be read, the first time, and at most. */
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** So often it is tried until it is said, and until the channel goes on without it. */
const SAID_AFTER = 3;
const TRIES_MAX = 20;

/** Why the history of a channel cannot be read. */
type HistoryFailure = Pick<RestFailure, "why" | "message" | "retryAfterMs">;

/** A channel whose events count. */
interface Lane<Item> {
  readonly channel: string;
  joined: boolean;
  /** If it is not joined by then, nothing is kept for it. */
  readonly awaitedUntilMs: number;
  /** Nothing is missing before the queue. */
  whole: boolean;
  /** What waits, the item that is being read included. */
  queue: Item[];
  running: boolean;
  /** That its history cannot be read. */
  said: boolean;
  readonly over: PromiseWithResolvers<void>;
  isOver: boolean;
}

interface ChannelLanesOptions<Item, Failure extends HistoryFailure> {
  readonly host: Pick<Host, "clock" | "log" | "degraded">;
  readonly intake: Pick<EventIntake, "low">;
  readonly positions: Pick<ChannelPositions<unknown>, "fallBack" | "caughtUp">;
  /** Tells what was missed in a channel, from its position on. Null: it is told, or over. */
  readonly fill: (channel: string, isOver: () => boolean, signal: AbortSignal) => Promise<Failure | null>;
  /** Asking again would fail again, until somebody changes something. */
  readonly isForGood: (failure: Failure) => boolean;
  /** What has to be looked up before it can be read; null: nothing. Asked once more in its turn. */
  readonly prepare: (item: Item) => Promise<unknown> | null;
  readonly read: (item: Item) => void;
  /** These are not read: the history has them, or nobody wants them any more. */
  readonly onDropped?: (items: readonly Item[]) => void;
  /** Something that waited was read. */
  readonly onSettled: () => void;
  /** As people call it. */
  readonly nameOf: (channel: string) => string;
}

/**
 * The channels, each by itself: what one waits for, its history or a look-up, never delays another. Within one,
 * everything is told in its order: what was missed, then what came meanwhile. `Item`: what comes of a channel.
 */
export class ChannelLanes<Item, Failure extends HistoryFailure> {
  readonly #options: ChannelLanesOptions<Item, Failure>;
  readonly #lanes = new Map<string, Lane<Item>>();
  readonly #stop = new AbortController();
  readonly #turns: (() => void)[] = [];
  readonly #guard: FaultGuard;
  #fills = 0;
  #waiting = 0;

  constructor(options: ChannelLanesOptions<Item, Failure>) {
    this.#options = options;
    this.#guard = new FaultGuard(options.host.log, "what came of a channel could not be read");
  }

  has(channel: string): boolean {
    return this.#lanes.has(channel);
  }

  /** Those that are joined or waited for. */
  get ids(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** Of each joined channel the oldest item that is not read yet. */
  *oldest(): Iterable<Item> {
    for (const { joined, queue } of this.#lanes.values()) if (joined) yield* queue.slice(0, 1);
  }

  /** A channel that is not joined yet: its events are kept until it is. `whole`: nothing is missing before them. */
  await(channel: string, whole: boolean): void {
    this.#lanes.set(channel, {
      ...laneOf(channel),
      whole,
      awaitedUntilMs: this.#options.host.clock.monoMs() + AWAITED_MS,
    });
  }

  /** A channel is joined whose past is none of ours. */
  open(channel: string): void {
    this.drop(channel);
    this.#lanes.set(channel, { ...laneOf(channel), joined: true });
  }

  /** A channel is joined that was read before: first what was missed, unless it was waited for and is whole. */
  fill(channel: string): void {
    const lane = this.#lanes.get(channel) ?? { ...laneOf(channel), whole: false };
    if (lane.joined) lane.whole = false;
    lane.joined = true;
    this.#lanes.set(channel, lane);
    this.#begin(lane);
  }

  /** Events may be missing of all of them. */
  fillAll(): void {
    for (const lane of this.#lanes.values()) {
      this.#options.positions.fallBack(lane.channel);
      lane.whole = false;
      if (lane.joined) this.#begin(lane);
    }
  }

  /** Nothing is told of it any more. */
  drop(channel: string): void {
    const lane = this.#lanes.get(channel);
    if (lane === undefined) return;
    const dropped = this.#empty(lane);
    lane.isOver = true;
    lane.over.resolve();
    this.#lanes.delete(channel);
    this.#unsay(lane);
    this.#options.onDropped?.(dropped);
  }

  /** Of a channel that is neither joined nor waited for it is none of ours. */
  push(channel: string, item: Item): void {
    const lane = this.#lanes.get(channel);
    if (lane === undefined) return;
    if (lane.joined && !lane.running && this.#prepare(lane, item) === null) return this.#read(lane, item);
    // Its history has them, should it be joined after all.
    if (!lane.joined && this.#options.host.clock.monoMs() > lane.awaitedUntilMs) return this.drop(lane.channel);
    this.#options.positions.fallBack(lane.channel);
    lane.queue.push(item);
    this.#waiting += 1;
    const isFull = lane.queue.length > QUEUE_MAX || this.#waiting > QUEUES_MAX;
    const dropped = isFull ? this.#empty(lane) : [];
    if (isFull) lane.whole = false;
    if (lane.joined) this.#begin(lane);
    if (isFull) this.#options.onDropped?.(dropped);
  }

  /**
   * Does something while the channel's items wait, which are read behind it. Null: it was not done, as the channel is
   * not joined, or something waits already.
   */
  async hold<T>(channel: string, task: (isOver: () => boolean) => Promise<T>): Promise<T | null> {
    const lane = this.#lanes.get(channel);
    if (lane === undefined || !lane.joined || lane.running || lane.isOver) return null;
    lane.running = true;
    try {
      return await task(() => lane.isOver);
    } catch (error) {
      this.#guard.note(error, { channel });
      return null;
    } finally {
      lane.running = false;
      if (!lane.whole || lane.queue.length > 0) this.#begin(lane);
    }
  }

  /** Nothing is read any more; what waits is not lost, as the cursor is not behind it. */
  stop(): void {
    this.#stop.abort();
    for (const lane of this.#lanes.values()) {
      lane.isOver = true;
      lane.over.resolve();
    }
    for (const turn of this.#turns.splice(0)) turn();
  }

  #empty(lane: Lane<Item>): readonly Item[] {
    const { queue } = lane;
    this.#waiting -= queue.length;
    lane.queue = [];
    return queue;
  }

  #begin(lane: Lane<Item>): void {
    if (lane.running || lane.isOver) return;
    lane.running = true;
    this.#options.positions.fallBack(lane.channel);
    void this.#run(lane);
  }

  async #run(lane: Lane<Item>): Promise<void> {
    const { positions, onSettled } = this.#options;
    // What waits may be too much meanwhile, or ask for the history once more.
    while (!lane.isOver && (!lane.whole || lane.queue.length > 0)) {
      if (lane.whole) await this.#drain(lane);
      else await this.#fill(lane);
    }
    lane.running = false;
    if (lane.isOver) return;
    positions.caughtUp(lane.channel);
    onSettled();
  }

  async #drain(lane: Lane<Item>): Promise<void> {
    const { onSettled, intake } = this.#options;
    for (let [item] = lane.queue; item !== undefined && lane.whole && !lane.isOver; [item] = lane.queue) {
      await this.#prepare(lane, item);
      // Too much came meanwhile, and the history is read again; or the channel is over.
      if (isOver(lane) || lane.queue[0] !== item) return;
      lane.queue.shift();
      this.#waiting -= 1;
      this.#read(lane, item);
      onSettled();
      await intake.low();
    }
  }

  /** Never rejects. */
  #prepare({ channel }: Lane<Item>, item: Item): Promise<unknown> | null {
    const asked = this.#guard.run(() => this.#options.prepare(item), { channel });
    return asked?.catch((error: unknown) => this.#guard.note(error, { channel })) ?? null;
  }

  #read({ channel }: Lane<Item>, item: Item): void {
    this.#guard.run(() => this.#options.read(item), { channel });
  }

  /** Reads the history until that succeeds, or it makes no sense to try it again. */
  async #fill(lane: Lane<Item>): Promise<void> {
    const { host } = this.#options;
    for (let tries = 1; !lane.isOver; tries += 1) {
      lane.whole = true;
      const failure = await this.#inTurn(lane);
      if (isOver(lane)) return;
      if (failure === null) return this.#unsay(lane);
      if (this.#options.isForGood(failure) || tries >= TRIES_MAX) return this.#passOver(lane, failure);
      lane.whole = false;
      if (tries === SAID_AFTER) this.#say(lane, failure, "what was missed comes once it can be");
      const ms = Math.max(failure.retryAfterMs ?? 0, Math.min(RETRY_MS * 2 ** (tries - 1), RETRY_MAX_MS));
      await inTime<void, void>(lane.over.promise, { clock: host.clock, ms }, () => undefined);
    }
  }

  /** Null: it is read, or the channel is over. A fault of ours must not keep the channel silent. */
  async #inTurn(lane: Lane<Item>): Promise<Failure | null> {
    const { fill, host } = this.#options;
    while (this.#fills >= FILLS_MAX && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => this.#turns.push(resolve));
    }
    if (lane.isOver) {
      this.#turns.shift()?.();
      return null;
    }
    this.#fills += 1;
    try {
      return await fill(lane.channel, () => lane.isOver, this.#stop.signal);
    } catch (error) {
      host.log.warn(
        { channel: lane.channel, ...faultOf(error) },
        "the history of a channel is passed over: this is a bug",
      );
      return null;
    } finally {
      this.#fills -= 1;
      this.#turns.shift()?.();
    }
  }

  #unsay(lane: Lane<Item>): void {
    if (lane.said) this.#options.host.degraded(null, aboutOf(lane.channel));
    lane.said = false;
  }

  #passOver(lane: Lane<Item>, failure: HistoryFailure): void {
    this.#say(lane, failure, "what was said there while Rialto was away is missing");
  }

  #say(lane: Lane<Item>, { why, message }: HistoryFailure, follows: string): void {
    const { host, nameOf } = this.#options;
    const { channel } = lane;
    lane.said = true;
    const words = `the history of ${nameOf(channel)} cannot be read (${message}); ${follows}`;
    host.log.warn({ channel }, "the history of a channel cannot be read");
    host.degraded({ code: why === "timeout" ? "timeout" : "remote_error", message: words }, aboutOf(channel));
  }
}

/** As it is now: it may end whenever somebody is waited for. */
const isOver = (lane: { readonly isOver: boolean }): boolean => lane.isOver;

const aboutOf = (channel: string): string => `history/${channel}`;

const laneOf = (channel: string) => ({
  channel,
  joined: false,
  awaitedUntilMs: 0,
  whole: true,
  queue: [],
  running: false,
  said: false,
  over: Promise.withResolvers<void>(),
  isOver: false,
});
