import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import { faultOf } from "../../lib/fault.ts";
import { inTime } from "../kit/in-time.ts";
import type { EventIntake } from "../kit/intake.ts";
import { type DiscordHistory, isForGood } from "./history.ts";
import type { DiscordPositions } from "./positions.ts";
import type { ChannelEvent, ChannelPlace } from "./reader.ts";
import type { DiscordFailure } from "./rest-result.ts";

/** Events of one channel that wait for its history, or for a name; beyond that, its history is read again. */
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

/** What happened, in its turn. `event`: to be read; null: `events` were read already. */
export interface LaneItem {
  /** Null: of a gateway session that is no more. */
  readonly seq: number | null;
  readonly place: ChannelPlace;
  readonly event: ChannelEvent | null;
  readonly events: readonly Event[];
}

/** A channel whose events count. */
interface DiscordLane {
  readonly room: string;
  isThread: boolean;
  joined: boolean;
  /** If it is not joined by then, nothing is kept for it. */
  readonly awaitedUntilMs: number;
  /** Nothing is missing before the queue. */
  whole: boolean;
  /** What waits, the item that is being read included. */
  queue: LaneItem[];
  running: boolean;
  /** That its history cannot be read. */
  said: boolean;
  readonly over: PromiseWithResolvers<void>;
  isOver: boolean;
}

interface DiscordLanesOptions {
  readonly host: Pick<Host, "clock" | "log" | "degraded">;
  readonly intake: Pick<EventIntake, "low">;
  readonly positions: DiscordPositions;
  readonly history: Pick<DiscordHistory, "read">;
  /** What has to be looked up before; null: nothing. */
  readonly prepare: (item: LaneItem) => Promise<unknown> | null;
  readonly read: (item: LaneItem) => void;
  /** Something that waited was read. */
  readonly onSettled: () => void;
  /** As people call it. */
  readonly nameOf: (room: string) => string;
}

/**
 * The channels, each by itself: what one waits for, its history or a name, never delays another. Within one, everything
 * is told in its order.
 */
export class DiscordLanes {
  readonly #options: DiscordLanesOptions;
  readonly #lanes = new Map<string, DiscordLane>();
  readonly #stop = new AbortController();
  readonly #turns: (() => void)[] = [];
  #fills = 0;
  #waiting = 0;

  constructor(options: DiscordLanesOptions) {
    this.#options = options;
  }

  has(room: string): boolean {
    return this.#lanes.has(room);
  }

  /** Whether a channel that is joined is a thread. */
  isThread(room: string): boolean {
    return this.#lanes.get(room)?.isThread === true;
  }

  /** Those that are joined or waited for, but for threads. */
  get rooms(): readonly string[] {
    return [...this.#lanes.values()].filter(({ isThread }) => !isThread).map(({ room }) => room);
  }

  /** The number of the oldest event of a joined channel that is not read yet; null: all are. */
  get oldestSeq(): number | null {
    let oldest: number | null = null;
    for (const { joined, queue } of this.#lanes.values()) {
      const seq = queue[0]?.seq ?? null;
      if (joined && seq !== null && (oldest === null || seq < oldest)) oldest = seq;
    }
    return oldest;
  }

  /** A channel that is not joined yet: its events are kept until it is. `whole`: nothing is missing before them. */
  await(room: string, whole: boolean): void {
    this.#lanes.set(room, { ...laneOf(room), whole, awaitedUntilMs: this.#options.host.clock.monoMs() + AWAITED_MS });
  }

  /** A channel is joined whose past is none of ours. */
  open(room: string, isThread: boolean): void {
    this.drop(room);
    this.#lanes.set(room, { ...laneOf(room), isThread, joined: true });
  }

  /** A channel is joined that was read before: first what was missed, unless nothing was since the gateway's events. */
  fill(room: string, isThread: boolean): void {
    const lane = this.#lanes.get(room) ?? { ...laneOf(room), whole: false };
    if (lane.joined) lane.whole = false;
    lane.joined = true;
    lane.isThread = isThread;
    this.#lanes.set(room, lane);
    this.#begin(lane);
  }

  /** Events may be missing of all of them. */
  fillAll(): void {
    for (const lane of this.#lanes.values()) {
      this.#options.positions.fallBack(lane.room);
      lane.whole = false;
      if (lane.joined) this.#begin(lane);
    }
  }

  /** Nothing is told of it any more. */
  drop(room: string): void {
    const lane = this.#lanes.get(room);
    if (lane === undefined) return;
    this.#empty(lane);
    lane.isOver = true;
    lane.over.resolve();
    this.#lanes.delete(room);
    this.#unsay(lane);
  }

  /** A new gateway session counts its events anew. */
  renumber(): void {
    for (const lane of this.#lanes.values()) {
      lane.queue = lane.queue.map(({ place, event, events }) => ({ seq: null, place, event, events }));
    }
  }

  push(item: LaneItem): void {
    const lane = this.#lanes.get(item.place.room);
    if (lane === undefined) return;
    if (lane.joined && !lane.running && this.#options.prepare(item) === null) return this.#options.read(item);
    // Its history has them, should it be joined after all.
    if (!lane.joined && this.#options.host.clock.monoMs() > lane.awaitedUntilMs) return this.drop(lane.room);
    if (lane.queue.length >= QUEUE_MAX || this.#waiting >= QUEUES_MAX) {
      this.#empty(lane);
      this.#options.positions.fallBack(lane.room);
      lane.whole = false;
    } else {
      lane.queue.push(item);
      this.#waiting += 1;
    }
    if (lane.joined) this.#begin(lane);
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

  #empty(lane: DiscordLane): void {
    this.#waiting -= lane.queue.length;
    lane.queue = [];
  }

  #begin(lane: DiscordLane): void {
    if (lane.running || lane.isOver) return;
    lane.running = true;
    this.#options.positions.fallBack(lane.room);
    void this.#run(lane);
  }

  async #run(lane: DiscordLane): Promise<void> {
    const { positions, onSettled } = this.#options;
    // What waits may be too much meanwhile, or ask for the history once more.
    while (!lane.isOver && (!lane.whole || lane.queue.length > 0)) {
      if (lane.whole) await this.#drain(lane);
      else await this.#fill(lane);
    }
    lane.running = false;
    if (lane.isOver) return;
    positions.caughtUp(lane.room);
    onSettled();
  }

  async #drain(lane: DiscordLane): Promise<void> {
    const { prepare, read, onSettled, intake } = this.#options;
    for (let [item] = lane.queue; item !== undefined && lane.whole && !lane.isOver; [item] = lane.queue) {
      await prepare(item);
      // Too much came meanwhile, and the history is read again; or the channel is over.
      if (isOver(lane) || lane.queue[0] !== item) return;
      lane.queue.shift();
      this.#waiting -= 1;
      read(item);
      onSettled();
      await intake.low();
    }
  }

  /** Reads the history until that succeeds, or it makes no sense to try it again. */
  async #fill(lane: DiscordLane): Promise<void> {
    const { host } = this.#options;
    for (let tries = 1; !lane.isOver; tries += 1) {
      lane.whole = true;
      const failure = await this.#inTurn(lane);
      if (isOver(lane)) return;
      if (failure === null) return this.#unsay(lane);
      if (isForGood(failure) || tries >= TRIES_MAX) return this.#passOver(lane, failure);
      lane.whole = false;
      if (tries === SAID_AFTER) this.#say(lane, failure, "what was missed comes once it can be");
      const ms = Math.max(failure.retryAfterMs ?? 0, Math.min(RETRY_MS * 2 ** (tries - 1), RETRY_MAX_MS));
      await inTime<void, void>(lane.over.promise, { clock: host.clock, ms }, () => undefined);
    }
  }

  /** Null: it is read, or the channel is over. A fault of ours must not keep the channel silent. */
  async #inTurn(lane: DiscordLane): Promise<DiscordFailure | null> {
    const { history, host } = this.#options;
    while (this.#fills >= FILLS_MAX && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => this.#turns.push(resolve));
    }
    if (lane.isOver) {
      this.#turns.shift()?.();
      return null;
    }
    this.#fills += 1;
    try {
      return await history.read({ id: lane.room, isThread: lane.isThread }, () => lane.isOver, this.#stop.signal);
    } catch (error) {
      host.log.warn(
        { channel: lane.room, ...faultOf(error) },
        "the history of a channel is passed over: this is a bug",
      );
      return null;
    } finally {
      this.#fills -= 1;
      this.#turns.shift()?.();
    }
  }

  #unsay(lane: DiscordLane): void {
    if (lane.said) this.#options.host.degraded(null, aboutOf(lane.room));
    lane.said = false;
  }

  #passOver(lane: DiscordLane, failure: DiscordFailure): void {
    this.#say(lane, failure, "what was said there while Rialto was away is missing");
  }

  #say(lane: DiscordLane, { why, message }: DiscordFailure, follows: string): void {
    const { host, nameOf } = this.#options;
    const { room } = lane;
    lane.said = true;
    const words = `the history of ${nameOf(room)} cannot be read (${message}); ${follows}`;
    host.log.warn({ channel: room }, "the history of a channel cannot be read");
    host.degraded({ code: why === "timeout" ? "timeout" : "remote_error", message: words }, aboutOf(room));
  }
}

/** As it is now: it may end whenever somebody is waited for. */
const isOver = (lane: DiscordLane): boolean => lane.isOver;

const aboutOf = (room: string): string => `history/${room}`;

const laneOf = (room: string): DiscordLane => ({
  room,
  isThread: false,
  joined: false,
  awaitedUntilMs: 0,
  whole: true,
  queue: [],
  running: false,
  said: false,
  over: Promise.withResolvers(),
  isOver: false,
});
