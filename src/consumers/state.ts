import type { Seq } from "../log/log.ts";
import type { AckRequest } from "./consumers.ts";
import { DeadLetters } from "./dead.ts";
import { type Range, Ranges } from "./ranges.ts";
import type { DeliveryCount, Dead, Handed, Pending, SavedState, StateRules } from "./saved.ts";

/**
 * What a consumer knows of where it stands. PURE: no clock, no log; all times are ms of one clock that only counts on.
 *
 * Everything up to the *cursor* has been looked at. Of that, what is *pending* was handed out and is not acknowledged:
 * each is out, with a deadline, or waits for its next delivery. All else up to the cursor is settled. Above the cursor,
 * `#beyond` has what was settled before a restart: deadlines and the cursor are forgotten then, acks are not.
 *
 * Ordered: only the first pending event runs out of time. When it does, or when any is refused, all that are out wait
 * again, and are handed out in order, the first one first; nothing new goes out before them.
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

  /** `bound`: the head of the log when it was opened. */
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
    let count = 0;
    for (const { deliveries } of this.#pending.values()) if (deliveries > 1) count += 1;
    return count;
  }

  /** When the oldest that is pending was handed out first; null: none. */
  get oldestMs(): number | null {
    let oldest: number | null = null;
    for (const { firstMs } of this.#pending.values()) {
      if (firstMs !== null && (oldest === null || firstMs < oldest)) oldest = firstMs;
    }
    return oldest;
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
    if (this.#waiting === 0) return [];
    const due: Seq[] = [];
    for (const [seq, { dueMs }] of this.#pending) {
      if (due.length >= most) break;
      if (dueMs === null) continue;
      if (dueMs <= now) due.push(seq);
      else if (this.#rules.ordered) break;
    }
    return due;
  }

  /** When `expire` or `due` have something next, without an ack or a new event; null: never. */
  nextMs(): number | null {
    const first = this.#first();
    if (first === null) return null;
    let next = this.#rules.ordered ? (first.dueMs ?? first.deadlineMs) : this.#soonest;
    if (this.#waiting > 0) {
      for (const { dueMs } of this.#pending.values()) {
        if (dueMs === null) continue;
        next = Math.min(next, dueMs);
        if (this.#rules.ordered) break;
      }
    }
    return next === Infinity ? null : next;
  }

  /** Hands a new event out, above the cursor; null: it was settled before, or is given up. */
  take(seq: Seq, now: number): Handed | null {
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
    const pending = { prev, deliveries, failures, firstMs: null, deadlineMs: 0, dueMs: null };
    this.#pending.set(seq, pending);
    return this.#hand(pending, now);
  }

  /** Hands out again what was due; null: it is settled meanwhile. */
  again(seq: Seq, now: number): Handed | null {
    const pending = this.#pending.get(seq);
    if (pending === undefined || pending.dueMs === null) return null;
    pending.dueMs = null;
    this.#waiting -= 1;
    this.moves += 1;
    return this.#hand(pending, now);
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

  /** Why it is refused as a whole; null: it is not. */
  refusal({ upto = 0, ack = [], nack = [], extend = [], drop = [] }: AckRequest): string | null {
    const most = this.bound;
    const tooHigh = [upto, ...ack, ...nack.map(({ seq }) => seq), ...extend, ...drop].find((seq) => seq > most);
    if (tooHigh !== undefined) return `${tooHigh} was not delivered: the highest that can have been is ${most}`;
    const apart = [...ack, ...drop].filter((seq) => seq > this.#cursor).length;
    if (apart > 0 && this.#beyond.size + apart > APART_MAX) {
      return "too many are acknowledged out of turn: pull those that were delivered before the restart first";
    }
    return null;
  }

  /** Only what `refusal` lets pass. */
  ack({ upto = 0, ack = [], nack = [], extend = [], drop = [] }: AckRequest, now: number): void {
    for (const seq of drop) this.#drop(seq);
    const isAll = this.#rules.ack === "all";
    if (!isAll) for (const seq of ack) this.#settle(seq);
    const through = isAll ? ack.reduce((most, seq) => Math.max(most, seq), upto) : upto;
    if (through > 0) this.#settleTo(through);
    // One that was given up, and was done after all.
    if (this.dead.all.size > 0) for (const seq of ack) if (this.dead.take(seq) !== null) this.version += 1;
    const again = nack.filter(({ seq, inMs }) => this.#refuse(seq, now, inMs));
    if (again.length > 0 && this.#rules.ordered) this.#rewind(now);
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
    const pending = { prev: seq - 1, deliveries: dead.deliveries, failures, firstMs: null, deadlineMs: 0, dueMs: now };
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
    const ranges: Range[] = [];
    const counts: [Seq, DeliveryCount][] = [];
    let last = this.floor;
    for (const [seq, { prev, deliveries, failures }] of this.#pending) {
      if (prev > last) ranges.push([last + 1, seq - 1]);
      counts.push([seq, { deliveries, failures }]);
      last = seq;
    }
    if (this.#cursor > last) ranges.push([last + 1, this.#cursor]);
    return {
      floor: this.floor,
      ranges: [...ranges, ...this.#beyond.all],
      counts: [...counts, ...this.#counts],
      dead: this.dead.all,
    };
  }

  #first(): Pending | null {
    for (const pending of this.#pending.values()) return pending;
    return null;
  }

  #hand(pending: Pending, now: number): Handed {
    pending.deliveries += 1;
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
    this.#waiting += 1;
    pending.dueMs = dueMs;
    return true;
  }

  /** All that are out come again. */
  #rewind(now: number): void {
    for (const pending of this.#pending.values()) {
      if (pending.dueMs !== null) continue;
      pending.dueMs = now;
      this.#waiting += 1;
    }
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
    if (pending.dueMs === null) return this.#fail(seq, pending, dueMs);
    pending.dueMs = dueMs;
    return false;
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
    if (upto <= this.#cursor) return;
    this.#look(upto);
    this.#top = Math.max(this.#top, upto);
    this.version += 1;
  }
}

const NONE: DeliveryCount = { deliveries: 0, failures: 0 };
/** Ranges that are settled above the cursor. */
const APART_MAX = 2000;
