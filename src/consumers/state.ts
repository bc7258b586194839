import type { Seq } from "../log/log.ts";
import type { AckRequest } from "./consumers.ts";
import { DeadLetters } from "./dead.ts";
import { dueOf, nextDueOf, oldestOf, redeliveredOf, savedOf, withHolder } from "./pending.ts";
import { Ranges } from "./ranges.ts";
import { refusalOf, throughOf } from "./refusal.ts";
import type { AckRefusal, DeliveryCount, Dead, Handed, HolderId, Pending, SavedState, StateRules } from "./saved.ts";

/**
 * What a consumer knows of where it stands. PURE: no clock, no log; all times are ms of one clock that only counts on.
 *
 * Everything up to the *cursor* has been looked at. Of that, what is *pending* was handed out and is not acknowledged:
 * each is out, with a deadline, or waits for its next delivery. All else up to the cursor is settled. Above the cursor,
 * `#beyond` has what was settled before a restart: deadlines and the cursor are forgotten then, acks are not.
 *
 * Ordered: only the first pending event runs out of time. When it does, or when any is refused, all that are out wait
 * again, and are handed out in order, the first one first; nothing new goes out before them.
 *
 * Each delivery has a holder, which is one pull or one connection. What a holder gives back is due at once.
 */
export class ConsumerState {
  readonly #rules: StateRules;
  #cursor: Seq;
  /** The highest that was handed out, or known as settled. */
  #top: Seq;
  /** Acks are taken up to here: before a restart, more may have been handed out than `#top` says. */
  #bound: Seq;
  /** In the order of their seqs. */
  #pending = new Map<Seq, Pending>();
  #waiting = 0;
  /** Nothing runs out before. */
  #soonest = Infinity;
  readonly #beyond: Ranges;
  /** Deliveries from before a restart, above the cursor. */
  readonly #counts: Map<Seq, DeliveryCount>;
  readonly dead: DeadLetters;
  /** Raised by what must be on the disk before anybody is told. */
  version = 0;
  /** Raised by what may be forgotten: deliveries, and how far was looked. */
  moves = 0;

  /** `bound`: the head of the log when it was opened; of a new consumer, where it begins. */
  constructor(rules: StateRules, saved: SavedState, bound: Seq) {
    this.#rules = rules;
    this.#beyond = new Ranges(saved.ranges);
    this.#counts = new Map(saved.counts);
    this.dead = new DeadLetters(saved.dead);
    this.#top = saved.floor;
    this.#cursor = this.#beyond.passTo(saved.floor);
    this.#bound = Math.max(bound, this.#cursor);
  }

  /** The same under other rules, as after a restart. */
  under(rules: StateRules): ConsumerState {
    const next = new ConsumerState(rules, this.save(), this.bound);
    next.version = this.version + 1;
    next.moves = this.moves + 1;
    next.dead.version = this.dead.version;
    return next;
  }

  get cursor(): Seq {
    return this.#cursor;
  }

  get floor(): Seq {
    const first = this.#first();
    return first === null ? this.#top : first.prev;
  }

  /** The highest that may be acknowledged. */
  get bound(): Seq {
    return Math.max(this.#top, this.#bound);
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  get redelivered(): number {
    return redeliveredOf(this.#pending);
  }

  /** When the oldest that is pending was handed out first; null: none. */
  get oldestMs(): number | null {
    return oldestOf(this.#pending);
  }

  /** How many new events may go out now. */
  get room(): number {
    if (this.#rules.ack === "none") return Infinity;
    if (this.#rules.ordered && this.#waiting > 0) return 0;
    return Math.max(0, this.#rules.maxInFlight - this.#pending.size);
  }

  /** Whether an event of this seq, above the cursor, may still have to be handed out. */
  isOpen(seq: Seq): boolean {
    return !this.#beyond.has(seq);
  }

  /** Takes back what ran out of time. */
  expire(now: number): void {
    if (this.#rules.ordered) this.#expireFirst(now);
    else if (now >= this.#soonest) this.#expireAll(now);
  }

  /** What has to go out again now, at most so many, in order; after `expire`. */
  due(now: number, most: number): readonly Seq[] {
    return this.#waiting === 0 ? [] : dueOf(this.#pending, now, { most, ordered: this.#rules.ordered });
  }

  /** When `expire` or `due` have something next, without an ack or a new event; null: never. */
  nextMs(): number | null {
    const first = this.#first();
    if (first === null) return null;
    const { ordered } = this.#rules;
    const expiry = ordered ? (first.dueMs ?? first.deadlineMs) : this.#soonest;
    const next = Math.min(expiry, this.#waiting > 0 ? nextDueOf(this.#pending, ordered) : Infinity);
    return next === Infinity ? null : next;
  }

  /** Hands a new event out, above the cursor; null: it was settled before, or is given up. */
  take(seq: Seq, now: number, holder: HolderId): Handed | null {
    if (seq <= this.#cursor) return null;
    const prev = this.#top;
    const isOpen = this.isOpen(seq);
    const { deliveries, failures } = this.#counts.get(seq) ?? NONE;
    this.#look(seq);
    this.#top = Math.max(this.#top, seq);
    this.moves += 1;
    if (!isOpen) return null;
    if (this.#rules.ack === "none") return { delivery: 1, deadlineMs: null };
    if (this.#isSpent(failures)) {
      this.#bury(seq, { deliveries, why: "max_deliver" });
      return null;
    }
    const pending = { prev, deliveries, failures, firstMs: null, deadlineMs: 0, dueMs: null, holders: [], takers: [] };
    this.#pending.set(seq, pending);
    return this.#hand(pending, now, holder);
  }

  /** Hands out again what was due; null: it is settled meanwhile. */
  again(seq: Seq, now: number, holder: HolderId): Handed | null {
    const pending = this.#pending.get(seq);
    if (pending === undefined || pending.dueMs === null) return null;
    pending.dueMs = null;
    this.#waiting -= 1;
    this.moves += 1;
    return this.#hand(pending, now, holder);
  }

  /**
   * Takes back what a holder has out; null: what anyone has out. It is due at once. `failed`: the first of these events
   * counts as a failed delivery, because the holder probably died of it; the others were only fetched in advance.
   */
  giveBack(holder: HolderId | null, now: number, failed: boolean): void {
    this.#takeBack(({ holders }) => holder === null || holders.at(-1) === holder, now, failed);
  }

  #takeBack(isMeant: (pending: Pending, seq: Seq) => boolean, now: number, failed: boolean): void {
    let first: Seq | null = null;
    for (const [seq, pending] of this.#pending) {
      if (pending.dueMs !== null || !isMeant(pending, seq)) continue;
      if (first === null && failed && !this.#fail(seq, pending, now)) {
        first = seq;
        continue;
      }
      first ??= seq;
      this.#comesAgain(pending, now);
    }
    if (first === null) return;
    this.moves += 1;
    if (this.#rules.ordered) this.#rewind(now, first);
  }

  /** All up to here has been looked at. */
  looked(next: Seq): void {
    if (next <= this.#cursor) return;
    this.#look(next);
    this.moves += 1;
  }

  /** It can be read no more. */
  vanished(seq: Seq): void {
    this.#settle(seq);
  }

  /** Why the whole request is refused; null: it is not. */
  refusal(request: AckRequest): AckRefusal | null {
    return refusalOf(request, {
      cursor: this.#cursor,
      top: this.#top,
      bound: this.bound,
      ackAll: this.#rules.ack === "all",
      pending: this.#pending,
      apart: this.#beyond.size,
    });
  }

  /** Only what `refusal` lets pass. */
  ack(request: AckRequest, now: number): void {
    const { ack = [], nack = [], release = [], extend = [], drop = [] } = request;
    const through = throughOf(request, { ackAll: this.#rules.ack === "all", top: this.#top });
    for (const seq of drop) this.#drop(seq);
    for (const seq of ack) this.#settle(seq);
    if (through > 0) this.#settleTo(through);
    // One that was given up, and was done after all.
    if (this.dead.all.size > 0) for (const seq of ack) if (this.dead.take(seq) !== null) this.version += 1;
    const again = nack.filter(({ seq, inMs }) => this.#refuse(seq, now, inMs));
    if (again.length > 0 && this.#rules.ordered) this.#rewind(now);
    if (release.length > 0) this.#release(new Set(release), now);
    for (const seq of extend) this.#extend(seq, now);
  }

  /** Hands a dead letter out once more; false: it is none. */
  retry(seq: Seq, now: number): boolean {
    const dead = this.dead.take(seq);
    if (dead === null) return false;
    this.version += 1;
    const failures = Math.max(0, this.#rules.maxDeliver - 1);
    if (seq > this.#cursor) {
      this.#beyond.remove(seq);
      this.#counts.set(seq, { deliveries: dead.deliveries, failures });
      return true;
    }
    const given = { firstMs: null, deadlineMs: 0, dueMs: now, holders: [], takers: [] };
    const pending = { prev: seq - 1, deliveries: dead.deliveries, failures, ...given };
    const sorted = [...this.#pending, [seq, pending] as const].sort(([a], [b]) => a - b);
    this.#pending = new Map(sorted);
    this.#waiting += 1;
    return true;
  }

  /** Begins after this position; what is dead stays. */
  seek(after: Seq): void {
    this.#pending.clear();
    this.#beyond.clear();
    this.#counts.clear();
    this.#waiting = 0;
    this.#soonest = Infinity;
    this.#cursor = after;
    this.#top = after;
    this.#bound = after;
    this.version += 1;
  }

  /** What a restart needs. */
  save(): SavedState {
    const { floor } = this;
    const { ranges, counts } = savedOf(this.#pending, { floor, cursor: this.#cursor });
    return {
      floor,
      ranges: [...ranges, ...this.#beyond.all],
      counts: [...counts, ...this.#counts],
      dead: this.dead.all,
    };
  }

  #first(): Pending | null {
    for (const pending of this.#pending.values()) return pending;
    return null;
  }

  #hand(pending: Pending, now: number, holder: HolderId): Handed {
    pending.deliveries += 1;
    pending.holders = withHolder(pending.holders, holder);
    pending.takers = withHolder(pending.takers, holder);
    pending.firstMs ??= now;
    pending.deadlineMs = now + this.#rules.ackWaitMs;
    this.#soonest = Math.min(this.#soonest, pending.deadlineMs);
    return { delivery: pending.deliveries, deadlineMs: pending.deadlineMs };
  }

  #look(to: Seq): void {
    const from = this.#cursor;
    this.#cursor = this.#beyond.passTo(to);
    // Among what was settled before a restart may be events.
    if (this.#cursor > to) this.#top = Math.max(this.#top, this.#cursor);
    if (this.#counts.size === 0) return;
    for (const seq of this.#counts.keys()) if (seq > from && seq <= this.#cursor) this.#counts.delete(seq);
  }

  #expireFirst(now: number): void {
    for (const [seq, pending] of this.#pending) {
      if (pending.dueMs !== null || pending.deadlineMs > now) return;
      if (this.#fail(seq, pending, pending.deadlineMs + this.#backoff(pending.failures))) {
        this.#rewind(now);
        return;
      }
    }
  }

  #expireAll(now: number): void {
    this.#soonest = Infinity;
    for (const [seq, pending] of this.#pending) {
      if (pending.dueMs !== null) continue;
      const { deadlineMs } = pending;
      if (deadlineMs <= now) void this.#fail(seq, pending, deadlineMs + this.#backoff(pending.failures));
      else this.#soonest = Math.min(this.#soonest, deadlineMs);
    }
  }

  /** One that is out: comes again at that time; false: it is given up. */
  #fail(seq: Seq, pending: Pending, dueMs: number): boolean {
    pending.failures += 1;
    this.moves += 1;
    if (this.#isSpent(pending.failures)) {
      this.#bury(seq, { deliveries: pending.deliveries, why: "max_deliver" });
      return false;
    }
    this.#comesAgain(pending, dueMs);
    return true;
  }

  #comesAgain(pending: Pending, dueMs: number): void {
    if (pending.dueMs !== null) return;
    pending.dueMs = dueMs;
    this.#waiting += 1;
  }

  /** All that are out after this position come again. */
  #rewind(now: number, after: Seq = 0): void {
    for (const [seq, pending] of this.#pending) if (seq > after) this.#comesAgain(pending, now);
  }

  #isSpent(failures: number): boolean {
    return this.#rules.maxDeliver > 0 && failures >= this.#rules.maxDeliver;
  }

  #backoff(failures: number): number {
    return this.#rules.backoffMs[failures] ?? this.#rules.backoffMs.at(-1) ?? 0;
  }

  /** Whether something comes again because of it. */
  #refuse(seq: Seq, now: number, inMs: number | null): boolean {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return false;
    const dueMs = now + (inMs ?? this.#backoff(pending.failures));
    pending.takers = [];
    if (pending.dueMs === null) return this.#fail(seq, pending, dueMs);
    pending.dueMs = dueMs;
    return false;
  }

  #release(seqs: ReadonlySet<Seq>, now: number): void {
    this.#takeBack((_pending, seq) => seqs.has(seq), now, false);
    for (const [seq, pending] of this.#pending) if (seqs.has(seq)) pending.takers = [];
  }

  #extend(seq: Seq, now: number): void {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    if (pending.dueMs !== null) this.#waiting -= 1;
    pending.dueMs = null;
    pending.deadlineMs = now + this.#rules.ackWaitMs;
    this.#soonest = Math.min(this.#soonest, pending.deadlineMs);
  }

  #drop(seq: Seq): void {
    const deliveries = (this.#pending.get(seq) ?? this.#counts.get(seq))?.deliveries ?? 1;
    if (this.#pending.has(seq) || (seq > this.#cursor && this.isOpen(seq))) {
      this.#bury(seq, { deliveries, why: "dropped" });
    }
  }

  /** Settles it as one that was given up. */
  #bury(seq: Seq, dead: Dead): void {
    this.#settle(seq);
    this.dead.add(seq, dead);
    this.version += 1;
  }

  #settle(seq: Seq): void {
    if (seq <= this.#cursor) {
      const pending = this.#pending.get(seq);
      if (pending === undefined) return;
      this.#pending.delete(seq);
      if (pending.dueMs !== null) this.#waiting -= 1;
    } else {
      if (!this.isOpen(seq)) return;
      this.#beyond.add(seq, seq);
      this.#counts.delete(seq);
      this.#look(this.#cursor);
    }
    this.version += 1;
  }

  #settleTo(upto: Seq): void {
    for (const [seq, { dueMs }] of this.#pending) {
      if (seq > upto) break;
      this.#pending.delete(seq);
      if (dueMs !== null) this.#waiting -= 1;
      this.version += 1;
    }
  }
}

const NONE: DeliveryCount = { deliveries: 0, failures: 0 };
