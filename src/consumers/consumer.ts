import type { Clock } from "../contract/host.ts";
import { onAbort } from "../lib/abort.ts";
import type { Seq } from "../log/log.ts";
import { ConsumerBacklog } from "./backlog.ts";
import {
  type Acked,
  type AckRequest,
  type Consumer,
  type ConsumerConnection,
  ConsumerError,
  type ConsumerSpec,
  type ConsumerStart,
  type ConsumerView,
  type DeadPage,
  type Delivered,
  type Pulled,
  type PullQuery,
} from "./consumers.ts";
import { deadPage } from "./dead.ts";
import type { EventFilter, Feed, FeedItem } from "./feed.ts";
import { Keeper, type KeptLog } from "./keeper.ts";
import { LastUse } from "./last-use.ts";
import { atMark, savedEtag, type SavedConsumer, type SavedSpec, specMark } from "./marks.ts";
import { positionOf } from "./position.ts";
import { goneOf, readEach } from "./read-each.ts";
import type { HolderId } from "./saved.ts";
import { ConsumerState } from "./state.ts";
import type { Wakes } from "./wakes.ts";

/** A pull is answered after this at the latest, in ms: what carries the request may end it after a minute. */
const WAIT_MAX_MS = 55_000;
/** How long a pull that does not wait looks through what is not for it, in ms. */
const LOOK_MS = 5_000;

/** What one turn of a pull hands out. */
type Taken = Pick<Pulled, "gap"> & { readonly events: Delivered[] };

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
  /** The newest holder. */
  #holder: HolderId = 0;
  /** Pulls with `restart` so far: each ends the wait of those before it. */
  #restarts = 0;
  /** Ends the turn of the last pull. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Raised when it stands elsewhere: what was read before counts no more. */
  #epoch = 0;
  readonly #sleepers = new Set<() => void>();
  #ended: "removed" | "closed" | null = null;
  readonly #lastUse: LastUse;
  #pulls = 0;

  /** `bound`: the highest position that can have been handed out by now. */
  constructor(name: string, saved: SavedConsumer, { bound, ...parts }: ConsumerParts & { readonly bound: Seq }) {
    this.name = name;
    this.#parts = parts;
    this.#saved = { spec: saved.spec, gateways: saved.gateways, token: saved.token };
    this.#etag = savedEtag(this.#saved);
    this.#state = new ConsumerState(saved.spec, saved.state, bound);
    this.#filter = { ...saved.spec.filter, gateways: this.gateways ?? [] };
    this.#lastUse = new LastUse(parts.clock, saved.seenMs, saved.spec.idleMs);
    this.#backlog = new ConsumerBacklog(parts.feed);
    this.#keeper = new Keeper({
      name,
      prefix: parts.prefix,
      log: parts.log,
      state: () => this.#state,
      seenMs: () => this.#lastUse.seenMs,
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
    return idleMs > 0 && this.#pulls === 0 && this.#lastUse.isOver(idleMs);
  }

  /** Somebody uses it. */
  touch(): void {
    this.#lastUse.touch();
    this.#keeper.seen(this.spec.idleMs);
  }

  /** A pull whose answer cannot be sent gives back at once what it was handed. */
  async pull({ restart = false, ...query }: Parameters<Consumer["pull"]>[0]): Promise<Pulled> {
    this.#holder += 1;
    const holder = this.#holder;
    let isAnswered = false;
    try {
      const pulled = await this.#pull(query, holder, restart);
      isAnswered = !query.signal.aborted;
      return pulled;
    } finally {
      if (!isAnswered) await this.#giveBack(holder, false);
    }
  }

  connect(): ConsumerConnection {
    this.#holder += 1;
    const holder = this.#holder;
    return {
      pull: async (query) => await this.#pull(query, holder, false),
      close: async ({ failed }) => await this.#giveBack(holder, failed),
    };
  }

  async #pull(query: PullQuery, holder: HolderId, restart: boolean): Promise<Pulled> {
    const { clock } = this.#parts;
    const { signal } = query;
    const saved = this.#saved;
    const until = clock.monoMs() + Math.min(query.waitMs, WAIT_MAX_MS);
    this.#pulls += 1;
    try {
      let restarts = restart ? null : this.#restarts;
      for (;;) {
        const taken = await this.#inTurn(async () => {
          this.#alive();
          restarts ??= this.#restart();
          return this.#isOver(signal, saved, restarts)
            ? { events: [], gap: null }
            : await this.#take(query, saved, holder);
        });
        const isOver = this.#isOver(signal, saved, restarts ?? 0) || clock.monoMs() >= until;
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
    if (refusal !== null) throw new ConsumerError(refusal.code, refusal.why, refusal.held);
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
      lastSeenMs: this.#lastUse.seenMs,
      etag: this.etag,
    };
  }

  async seek(start: ConsumerStart): Promise<ConsumerView> {
    this.#alive();
    this.touch();
    const at = await positionOf(start, this.#filter, this.#parts.feed);
    this.#alive();
    // Where the log takes nothing, it stays: a seek that is refused must not pass over events.
    await this.#parts.log.mark([atMark(this.#parts.prefix, this.name, this.#state.save(), this.#lastUse.seenMs)]);
    this.#alive();
    this.#state.seek(at);
    this.#moved();
    await this.#keeper.durable();
    return await this.view();
  }

  async dead(after: Seq = 0): Promise<DeadPage> {
    this.#alive();
    return await deadPage(this.#state.dead.all, { feed: this.#parts.feed, filter: this.#filter, after });
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

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** In a turn of its own: a pull that is under way has been handed by then what it will hold. */
  async #giveBack(holder: HolderId, failed: boolean): Promise<void> {
    await this.#inTurn(() => this.#state.giveBack(holder, this.#parts.clock.monoMs(), failed));
    this.#keeper.handed(this.spec);
    this.#wakeAll();
  }

  /** Returns how many there have been. */
  #restart(): number {
    this.#state.giveBack(null, this.#parts.clock.monoMs(), true);
    this.#wakeAll();
    this.#restarts += 1;
    return this.#restarts;
  }

  /** Whether a pull is to be answered as it is: another configuration may show events that its caller may not see. */
  #isOver(signal: AbortSignal, saved: SavedSpec, restarts: number): boolean {
    return signal.aborted || this.#ended !== null || saved !== this.#saved || restarts !== this.#restarts;
  }

  /** What can be handed out now: first what comes again, then what is new. */
  async #take({ max, bytes, signal }: PullQuery, saved: SavedSpec, holder: HolderId): Promise<Taken> {
    const { clock } = this.#parts;
    this.#state.expire(clock.monoMs());
    const { events, gap } = await this.#takeDue({ max, bytes }, holder);
    const room = Math.min(max - events.length, this.#state.room);
    const rest = bytes - events.reduce((sum, { item }) => sum + item.json.length, 0);
    const isFull = room <= 0 || (events.length > 0 && rest <= 0) || this.#state.due(clock.monoMs(), 1).length > 0;
    const isDone = isFull || gap !== null || saved !== this.#saved;
    const query = { limit: room, bytes: Math.max(1, rest), signal };
    const newGap = isDone ? null : await this.#takeNew(query, holder, events);
    this.#keeper.handed(this.spec);
    return { events, gap: gap ?? newGap };
  }

  async #takeDue({ max, bytes }: Pick<PullQuery, "max" | "bytes">, holder: HolderId): Promise<Taken> {
    const { feed, clock } = this.#parts;
    const due = this.#state.due(clock.monoMs(), max);
    if (due.length === 0) return { events: [], gap: null };
    const epoch = this.#epoch;
    const { found, lost } = await readEach(feed, this.#filter, due, bytes);
    const gap = await goneOf(feed, lost);
    const events: Delivered[] = [];
    if (epoch !== this.#epoch) return { events, gap: null };
    for (const seq of lost) this.#state.vanished(seq);
    for (const item of found) this.#put(item, this.#state.again(item.seq, clock.monoMs(), holder), events);
    return { events, gap };
  }

  /** Adds to `events`; answers what retention took before them. */
  async #takeNew(
    { limit, bytes, signal }: { readonly limit: number; readonly bytes: number; readonly signal: AbortSignal },
    holder: HolderId,
    events: Delivered[],
  ): Promise<Pulled["gap"]> {
    const { feed, clock } = this.#parts;
    const state = this.#state;
    const epoch = this.#epoch;
    const until = clock.monoMs() + LOOK_MS;
    while (state.cursor < feed.head && !signal.aborted && clock.monoMs() < until) {
      const after = state.cursor;
      const page = await feed.read({ after, filter: this.#filter, limit, bytes });
      if (epoch !== this.#epoch) return null;
      for (const item of page.items) this.#put(item, state.take(item.seq, clock.monoMs(), holder), events);
      this.#backlog.took(page.items.length);
      state.looked(page.next);
      if (page.gap !== null) return page.gap;
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
