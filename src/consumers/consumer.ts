import type { Clock } from "../contract/host.ts";
import { onAbort } from "../lib/abort.ts";
import type { Seq } from "../log/log.ts";
import { ConsumerBacklog } from "./backlog.ts";
import {
  type Acked,
  type AckRequest,
  type Consumer,
  ConsumerError,
  type ConsumerSpec,
  type ConsumerStart,
  type ConsumerView,
  type DeadPage,
  type Delivered,
  type Pulled,
} from "./consumers.ts";
import type { EventFilter, Feed, FeedItem } from "./feed.ts";
import { Keeper, type KeptLog } from "./keeper.ts";
import { atMark, type SavedConsumer, type SavedSpec, specMark } from "./marks.ts";
import { readEach } from "./read-each.ts";
import { etagOf } from "./spec.ts";
import { ConsumerState } from "./state.ts";
import type { Wakes } from "./wakes.ts";

/** A pull is answered after this at the latest, in ms: what carries the request may end it after a minute. */
const WAIT_MAX_MS = 55_000;

/** Most bytes of dead letters at once, as JSON. */
const DEAD_BYTES = 4 * 1024 * 1024;
/** How long a pull that does not wait looks through what is not for it, in ms. */
const LOOK_MS = 5_000;

export interface ConsumerParts {
  /** Beginning of the names of its marks. */
  readonly prefix: string;
  readonly feed: Feed;
  readonly log: KeptLog;
  readonly clock: Clock;
  readonly wakes: Wakes;
}

/**
 * The driver of a ConsumerState: reads the feed for it, keeps it on the disk, and lets pulls wait. Pulls take turns,
 * so what one is handed no other is; acks pass in between.
 */
export class StoredConsumer implements Consumer {
  readonly name: string;
  readonly #parts: ConsumerParts;
  readonly #keeper: Keeper;
  #saved: SavedSpec;
  #etag: string;
  #state: ConsumerState;
  /** What its reads pass; one object, by which the feed keeps what it has worked out. */
  #filter: EventFilter;
  #backlog: ConsumerBacklog;
  /** Ends the turn of the last pull. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Raised when it stands elsewhere: what was read before counts no more. */
  #epoch = 0;
  readonly #sleepers = new Set<() => void>();
  #ended: "removed" | "closed" | null = null;
  /** Unix ms. */
  #seenMs: number;
  #pulls = 0;

  constructor(name: string, saved: SavedConsumer, parts: ConsumerParts) {
    this.name = name;
    this.#parts = parts;
    this.#saved = { spec: saved.spec, gateways: saved.gateways, token: saved.token };
    this.#etag = savedEtag(this.#saved);
    this.#state = new ConsumerState(saved.spec, saved.state, parts.feed.head);
    this.#filter = { ...saved.spec.filter, gateways: this.gateways ?? [] };
    this.#seenMs = saved.seenMs;
    this.#backlog = new ConsumerBacklog(parts.feed);
    this.#keeper = new Keeper({
      name,
      prefix: parts.prefix,
      log: parts.log,
      state: () => this.#state,
      seenMs: () => this.#seenMs,
    });
  }

  get spec(): ConsumerSpec {
    return this.#saved.spec;
  }

  /** The gateways it sees; null: all of the account. */
  get gateways(): readonly string[] | null {
    const { spec, gateways } = this.#saved;
    return spec.filter.gateways.length > 0 ? spec.filter.gateways : gateways;
  }

  /** The token that made it, as SavedSpec has it. */
  get token(): string | null {
    return this.#saved.token;
  }

  get etag(): string {
    return this.#etag;
  }

  /** Whether nobody has used it for as long as it allows. */
  isIdle(): boolean {
    const { idleMs } = this.spec;
    return idleMs > 0 && this.#pulls === 0 && this.#parts.clock.nowMs() - this.#seenMs >= idleMs;
  }

  /** Somebody uses it. */
  touch(): void {
    this.#seenMs = this.#parts.clock.nowMs();
    this.#keeper.seen(this.spec.idleMs);
  }

  async pull(query: Parameters<Consumer["pull"]>[0]): Promise<Pulled> {
    const { clock } = this.#parts;
    const { signal } = query;
    const saved = this.#saved;
    const until = clock.monoMs() + Math.min(query.waitMs, WAIT_MAX_MS);
    this.#pulls += 1;
    try {
      for (;;) {
        const taken = await this.#inTurn(async () => await this.#take(query, saved));
        // What it sees may be more from now on than who pulls may.
        const isOver = saved !== this.#saved || signal.aborted || this.#ended !== null || clock.monoMs() >= until;
        if (taken.events.length > 0 || taken.gap !== null || isOver) {
          return { ...taken, pending: await this.#pending() };
        }
        await this.#sleep(until, signal);
      }
    } finally {
      this.#pulls -= 1;
      this.touch();
    }
  }

  async ack(request: AckRequest): Promise<Acked> {
    this.#alive();
    this.touch();
    const refusal = this.#state.refusal(request);
    if (refusal !== null) throw new ConsumerError("unprocessable", refusal);
    const { cursor } = this.#state;
    this.#state.ack(request, this.#parts.clock.monoMs());
    if (this.#state.cursor > cursor) this.#backlog = new ConsumerBacklog(this.#parts.feed);
    this.#wakeAll();
    await this.#keeper.durable();
    return { floor: this.#state.floor, inFlight: this.#state.inFlight };
  }

  async view(): Promise<ConsumerView> {
    this.#alive();
    const { feed, clock } = this.#parts;
    const state = this.#state;
    state.expire(clock.monoMs());
    const oldest = state.oldestMs;
    return {
      name: this.name,
      spec: this.spec,
      floor: state.floor,
      head: feed.head,
      pending: await this.#pending(),
      inFlight: state.inFlight,
      redelivered: state.redelivered,
      oldestUnackedMs: oldest === null ? null : this.#wallMs(oldest),
      dead: state.dead.all.size,
      lastSeenMs: this.#seenMs,
      etag: this.etag,
    };
  }

  async seek(start: ConsumerStart): Promise<ConsumerView> {
    this.#alive();
    this.touch();
    const at = await positionOf(start, this.#filter, this.#parts.feed);
    this.#alive();
    // Where the log takes nothing, it stays: a seek that is refused must not pass over events.
    await this.#parts.log.mark([atMark(this.#parts.prefix, this.name, this.#state.save(), this.#seenMs)]);
    this.#alive();
    this.#state.seek(at);
    this.#moved();
    await this.#keeper.durable();
    return await this.view();
  }

  async dead(after: Seq = 0): Promise<DeadPage> {
    this.#alive();
    const dead = new Map(this.#state.dead.all);
    const seqs = [...dead.keys()].filter((seq) => seq > after).sort((a, b) => a - b);
    const { found, lost } = await readEach(this.#parts.feed, this.#filter, seqs, DEAD_BYTES);
    const letters = found.flatMap((item) => {
      const letter = dead.get(item.seq);
      return letter === undefined ? [] : [{ ...letter, item }];
    });
    const isAll = found.length + lost.length === seqs.length;
    return { letters, next: isAll ? null : (found.at(-1)?.seq ?? null) };
  }

  async retry(seq: Seq): Promise<boolean> {
    this.#alive();
    this.touch();
    const isDead = this.#state.retry(seq, this.#parts.clock.monoMs());
    if (!isDead) return false;
    // It may be one that is counted as past, or as not there yet.
    this.#backlog = new ConsumerBacklog(this.#parts.feed);
    this.#epoch += 1;
    this.#wakeAll();
    await this.#keeper.durable();
    return true;
  }

  /**
   * Another configuration: it goes on where it stands. What is handed out goes out anew, and pulls that wait are
   * answered. `gateways`: those that it sees where the filter names none; absent: as before.
   */
  async change(spec: ConsumerSpec, gateways: SavedSpec["gateways"] = this.#saved.gateways): Promise<void> {
    const next = { spec, gateways, token: this.#saved.token };
    await this.#parts.log.mark([specMark(this.#parts.prefix, this.name, next)]);
    this.#alive();
    this.#saved = next;
    this.#etag = savedEtag(next);
    this.#state = this.#state.under(spec);
    this.#filter = { ...spec.filter, gateways: this.gateways ?? [] };
    this.#moved();
    await this.#keeper.durable();
  }

  /** Its pulls are answered, and nothing more is written of it; resolves when nothing is being written. */
  async remove(): Promise<void> {
    this.#ended = "removed";
    this.#wakeAll();
    await this.#keeper.end();
  }

  /** Its pulls are answered; what is only in memory so far is written. */
  async close(): Promise<void> {
    this.#ended ??= "closed";
    this.#wakeAll();
    await this.#keeper.flush();
  }

  #alive(): void {
    if (this.#ended === "removed") throw new ConsumerError("not_found", `the consumer ${this.name} was deleted`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** What can be handed out now: first what comes again, then what is new. */
  async #take(
    { max, bytes, signal }: Parameters<Consumer["pull"]>[0],
    saved: SavedSpec,
  ): Promise<Omit<Pulled, "pending">> {
    this.#alive();
    // Nobody would get it.
    if (signal.aborted || this.#ended !== null || saved !== this.#saved) return { events: [], gap: null };
    const { clock } = this.#parts;
    this.#state.expire(clock.monoMs());
    const events = await this.#takeDue(max, bytes);
    const room = Math.min(max - events.length, this.#state.room);
    const rest = bytes - events.reduce((sum, { item }) => sum + item.json.length, 0);
    const isFull = saved !== this.#saved || room <= 0 || (events.length > 0 && rest <= 0);
    const gap = isFull ? null : await this.#takeNew(room, Math.max(1, rest), events, signal);
    this.#keeper.handed(this.spec);
    return { events, gap };
  }

  async #takeDue(max: number, bytes: number): Promise<Delivered[]> {
    const { feed, clock } = this.#parts;
    const due = this.#state.due(clock.monoMs(), max);
    if (due.length === 0) return [];
    const epoch = this.#epoch;
    const { found, lost } = await readEach(feed, this.#filter, due, bytes);
    const events: Delivered[] = [];
    if (epoch !== this.#epoch) return events;
    for (const seq of lost) this.#state.vanished(seq);
    for (const item of found) this.#put(item, this.#state.again(item.seq, clock.monoMs()), events);
    return events;
  }

  /** Adds to `events`; answers what retention took before them. */
  async #takeNew(room: number, bytes: number, events: Delivered[], signal: AbortSignal): Promise<Pulled["gap"]> {
    const { feed, clock } = this.#parts;
    const state = this.#state;
    const epoch = this.#epoch;
    const until = clock.monoMs() + LOOK_MS;
    while (state.cursor < feed.head && !signal.aborted && clock.monoMs() < until) {
      const after = state.cursor;
      const page = await feed.read({ after, filter: this.#filter, limit: room, bytes });
      if (epoch !== this.#epoch) return null;
      const gap = page.gap === null ? null : before(page.items[0], page.gap);
      for (const item of page.items) this.#put(item, state.take(item.seq, clock.monoMs()), events);
      this.#backlog.took(page.items.length);
      state.looked(Math.max(page.next, gap?.to ?? 0));
      if (gap !== null) return gap;
      if (events.length > 0) break;
    }
    return null;
  }

  #put(item: FeedItem, handed: ReturnType<ConsumerState["take"]>, events: Delivered[]): void {
    if (handed === null) return;
    const { delivery, deadlineMs } = handed;
    events.push({ item, delivery, deadlineMs: deadlineMs === null ? null : this.#wallMs(deadlineMs) });
  }

  async #pending(): Promise<number> {
    return await this.#backlog.after(this.#state.cursor, this.#filter);
  }

  /** Until something may have come for it. */
  async #sleep(until: number, signal: AbortSignal): Promise<void> {
    const { clock, wakes } = this.#parts;
    const state = this.#state;
    const next = Math.min(until, state.nextMs() ?? Infinity);
    const ends: (() => void)[] = [];
    await new Promise<void>((resolve) => {
      const wake = (): void => resolve();
      this.#sleepers.add(wake);
      ends.push(() => this.#sleepers.delete(wake));
      ends.push(clock.after(Math.max(0, next - clock.monoMs()), wake));
      ends.push(onAbort(signal, wake));
      // What is new can go out only where there is room for it; else an ack or time wakes it.
      if (state.room > 0) {
        const passed = (to: Seq): void => state.looked(to);
        ends.push(wakes.add({ filter: this.#filter, position: () => state.cursor, passed, wake }));
      }
    });
    for (const end of ends) end();
  }

  #moved(): void {
    this.#epoch += 1;
    this.#backlog = new ConsumerBacklog(this.#parts.feed);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#sleepers) wake();
  }

  /** Unix ms of a moment of the clock that only counts on. */
  #wallMs(monoMs: number): number {
    const { clock } = this.#parts;
    return clock.nowMs() + (monoMs - clock.monoMs());
  }
}

/** Of what its users see of it. */
const savedEtag = ({ spec, gateways }: SavedSpec): string => etagOf(JSON.stringify({ spec, gateways }));

/** What is lost before an event: the memory of the program may have what the log has no more. */
function before(first: FeedItem | undefined, gap: NonNullable<Pulled["gap"]>): Pulled["gap"] {
  const to = Math.min(gap.to, (first?.seq ?? Infinity) - 1);
  return to < gap.from ? null : { from: gap.from, to, count: Math.max(1, gap.count - (gap.to - to)) };
}

/** Rejects with the log's LogError, and a ConsumerError for a position that the log has not reached. */
export async function positionOf(start: ConsumerStart, filter: EventFilter, feed: Feed): Promise<Seq> {
  if (start === "new") return feed.head;
  if (start === "all") return 0;
  if ("time" in start) return await feed.since(start.time);
  if ("last" in start) return start.last === 0 ? feed.head : await feed.last(start.last, filter);
  if (start.after > feed.head) {
    throw new ConsumerError("position_unknown", `the log ends at ${feed.head}, before ${start.after}`);
  }
  return start.after;
}
