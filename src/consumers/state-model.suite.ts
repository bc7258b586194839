import { expect } from "vitest";
import * as fc from "../../test/support/property.ts";
import type { Seq } from "../log/log.ts";
import { atMark, deadMark, readMarks, specMark } from "./marks.ts";
import type { AckRequest } from "./consumers.ts";
import type { HolderId, SavedState, StateRules } from "./saved.ts";
import { Puller, RULES } from "./state.suite.ts";

const PREFIX = "v1/c/api.x/";
const SPEC = { start: "new", filter: { gateways: [], types: [], accounts: [], mine: false }, idleMs: 0 } as const;

/** As a start reads it. */
function throughMarks(saved: SavedState): SavedState {
  const marks = [
    specMark(PREFIX, "c", { spec: { ...SPEC, ...RULES }, gateways: null, token: null }),
    atMark(PREFIX, "c", saved, 0),
    deadMark(PREFIX, "c", new Map(saved.dead)),
  ];
  const { consumers } = readMarks(PREFIX, new Map(marks.map(({ name, value }) => [name, value])));
  return consumers.get("c")?.state ?? saved;
}

/** `program`: which of them acts. `pick`: which event it means. */
type Act =
  | { readonly is: "say"; readonly gap: number }
  | { readonly is: "pull"; readonly program: number; readonly max: number; readonly restart: boolean }
  | { readonly is: "read"; readonly program: number; readonly max: number }
  | { readonly is: Told; readonly program: number; readonly pick: number }
  | { readonly is: "guess"; readonly as: "ack" | "drop" | "upto"; readonly pick: number }
  | { readonly is: "retry"; readonly pick: number }
  | { readonly is: "die"; readonly program: number; readonly failed: boolean }
  | { readonly is: "remove"; readonly count: number }
  | { readonly is: "wait"; readonly ms: number }
  | { readonly is: "restart" };
type Told = "ack" | "nack" | "release" | "extend" | "drop" | "upto";

const PROGRAMS = 3;
const pick = fc.nat({ max: 30 });
const program = fc.nat({ max: PROGRAMS - 1 });
const max = fc.integer({ min: 1, max: 6 });
const rarely = fc.nat({ max: 9 }).map((number) => number === 0);
export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ is: fc.constant("say" as const), gap: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 6, arbitrary: fc.record({ is: fc.constant("pull" as const), program, max, restart: rarely }) },
  { weight: 6, arbitrary: fc.record({ is: fc.constant("read" as const), program, max }) },
  {
    weight: 12,
    arbitrary: fc.record({
      is: fc.constantFrom("ack", "ack", "nack", "release", "extend", "drop", "upto", "upto"),
      program,
      pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant("guess" as const), as: fc.constantFrom("ack", "drop", "upto"), pick }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("retry" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant("die" as const), program, failed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("remove" as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant("wait" as const), ms: fc.nat({ max: 150 }) }) },
  { weight: 1, arbitrary: fc.constant({ is: "restart" as const }) },
);
export const rules: fc.Arbitrary<Partial<StateRules>> = fc.record({
  ordered: fc.boolean(),
  ack: fc.constantFrom("explicit", "explicit", "all"),
  maxDeliver: fc.constantFrom(0, 0, 1, 3),
  backoffMs: fc.constantFrom([], [20], [5, 60]),
  maxInFlight: fc.integer({ min: 1, max: 5 }),
});

/** A program that uses the consumer. */
interface Program {
  /** What it was handed at any time; its acks name it. */
  readonly had: Set<Seq>;
  /** The same since the last restart of the service, in order. */
  recent: Seq[];
  /** Of its connection, while it has one. */
  connection: HolderId | null;
}

/** What a consumer has to do, by sets. */
export class Model {
  readonly puller: Puller;
  readonly #ordered: boolean;
  readonly #maxInFlight: number;
  /** Settled by an ack. */
  readonly #acked = new Set<Seq>();
  /** Reported as gone. */
  readonly #skipped = new Set<Seq>();
  /** Handed out to a program, ever. */
  readonly #handed = new Set<Seq>();
  readonly #programs = Array.from({ length: PROGRAMS }, newProgram);
  /** The head of the log when the service started. */
  #began: Seq = 0;

  constructor(given: Partial<StateRules>) {
    this.puller = new Puller(given);
    this.#ordered = given.ordered ?? true;
    this.#maxInFlight = given.maxInFlight ?? RULES.maxInFlight;
  }

  get #dead(): ReadonlyMap<Seq, unknown> {
    return this.puller.state.dead.all;
  }

  act(what: Act): void {
    const { puller } = this;
    if (what.is === "say") puller.say(puller.head + what.gap);
    else if (what.is === "wait") puller.now += what.ms;
    else if (what.is === "remove") this.#remove(what.count);
    else if (what.is === "restart") this.#restart();
    else if (what.is === "pull") this.#pull(what);
    else if (what.is === "read") this.#read(what);
    else if (what.is === "die") this.#die(what);
    else if (what.is === "guess") this.#guess(what);
    else if (what.is === "retry") this.#retry(what.pick);
    else this.#tell(what);
    this.#check();
  }

  /** All that is neither acknowledged nor dead is handed out in the end, or reported as gone, and nothing else. */
  drain(): void {
    const { puller } = this;
    const isOpen = (seq: Seq): boolean => !this.#isDone(seq);
    const open = new Set(puller.log.filter(isOpen));
    for (let turn = 0; turn < 500 && [...open].some(isOpen); turn++) {
      const reader = newProgram();
      const seen = this.#take(reader, 6, puller.holder());
      expect(seen.filter((seq) => !open.has(seq))).toEqual([]);
      for (const seq of seen) this.#send({ ack: [seq] }, reader);
      puller.now = Math.max(puller.now, puller.state.nextMs() ?? puller.now);
    }
    expect([...open].filter(isOpen)).toEqual([]);
    expect(puller.state.inFlight).toBe(0);
  }

  #isDone(seq: Seq): boolean {
    return this.#acked.has(seq) || this.#dead.has(seq) || this.#skipped.has(seq);
  }

  #program(index: number): Program {
    return this.#programs[index] ?? newProgram();
  }

  /** Retention, which leaves the newest entry. */
  #remove(count: number): void {
    const { puller } = this;
    const left = puller.log.filter((seq) => seq >= puller.first);
    puller.first = left[Math.min(count, left.length - 1)] ?? puller.first;
  }

  #restart(): void {
    const { puller } = this;
    puller.restart(throughMarks);
    this.#began = puller.head;
    for (const one of this.#programs) {
      one.recent = [];
      one.connection = null;
    }
  }

  #pull({ program: index, max: most, restart }: { program: number; max: number; restart: boolean }): void {
    const { puller } = this;
    if (restart) puller.state.giveBack(null, puller.now, true);
    if (restart) expect(puller.state.inFlight).toBe(puller.state.due(puller.now, Infinity).length + this.#later());
    this.#take(this.#program(index), most, puller.holder());
  }

  /** Events that wait, and are not due yet. */
  #later(): number {
    const { state, now } = this.puller;
    const due = state.due(now, Infinity).length;
    return state.due(Infinity, Infinity).length - due;
  }

  #read({ program: index, max: most }: { program: number; max: number }): void {
    const one = this.#program(index);
    one.connection ??= this.puller.holder();
    this.#take(one, most, one.connection);
  }

  /** The program ends, and with it its connection; another one takes its place. */
  #die({ program: index, failed }: { program: number; failed: boolean }): void {
    const { connection } = this.#program(index);
    const { state, now } = this.puller;
    if (connection !== null) state.giveBack(connection, now, failed);
    this.#programs[index] = newProgram();
  }

  #take(one: Program, most: number, holder: HolderId): readonly Seq[] {
    const { puller } = this;
    const { state, now } = puller;
    const { cursor } = state;
    state.expire(now);
    const isWaiting = state.due(Infinity, 1).length > 0;
    const [due] = state.due(now, 1);
    const room = isWaiting ? null : Math.max(0, Math.min(most, this.#maxInFlight - state.inFlight));
    let last = 0;
    const seqs: Seq[] = [];
    const told = (seq: Seq): void => {
      expect(this.#isDone(seq)).toBe(false);
      if (this.#ordered) {
        expect(seq).toBeGreaterThan(last);
        expect(state.due(Infinity, 1)[0] ?? Infinity).toBeGreaterThan(seq);
      }
      last = seq;
      seqs.push(seq);
    };
    const { gap } = puller.take(most, told, holder);
    expect(gap.filter((seq) => seq >= puller.first)).toEqual([]);
    for (const seq of gap) this.#skipped.add(seq);
    // What was given back comes first.
    if (due !== undefined && due >= puller.first) expect(seqs[0]).toBe(due);
    // What others hold keeps nothing new from a program that fetches in advance.
    const news = puller.log.filter((seq) => seq > cursor && seq >= puller.first);
    const isPlain = room !== null && this.#began === 0 && this.#dead.size === 0;
    if (isPlain) expect(seqs.length).toBe(Math.min(room, news.length));
    expect(seqs.length).toBeLessThanOrEqual(most);
    expect(state.cursor).toBeGreaterThanOrEqual(cursor);
    for (const seq of seqs) {
      one.had.add(seq);
      this.#handed.add(seq);
    }
    one.recent.push(...seqs);
    return seqs;
  }

  /** A program speaks of an event that it was handed. */
  #tell({ is, program: index, pick: at }: { is: Told; program: number; pick: number }): void {
    const one = this.#program(index);
    // After a restart the service does not know who had what: an ack for all before it may come too late.
    const isForAll = is === "upto" || (is === "ack" && this.puller.isAll);
    const known = isForAll ? one.recent : [...one.had];
    const seq = known[at % Math.max(1, known.length)];
    if (seq === undefined) return;
    const request = is === "upto" ? { upto: seq } : { [is]: is === "nack" ? [{ seq, inMs: at }] : [seq] };
    const isTaken = this.#send(request, one);
    if (is !== "upto" && !this.puller.isAll) expect(isTaken).toBe(true);
  }

  /** A program that is wrong speaks of an event that it may never have been handed. */
  #guess({ as, pick: at }: { as: "ack" | "drop" | "upto"; pick: number }): void {
    const { puller } = this;
    const seq = puller.log[at % Math.max(1, puller.log.length)];
    if (seq === undefined) return;
    const isUnknown = !this.#handed.has(seq) && seq > this.#began && seq > puller.state.cursor;
    const isTaken = this.#send(as === "upto" ? { upto: seq } : { [as]: [seq] }, null);
    if (isUnknown) expect(isTaken).toBe(false);
  }

  /** Null: a program that has been handed nothing. False: it is refused. */
  #send(request: AckRequest, one: Program | null): boolean {
    const { state, log, now } = this.puller;
    const before = state.save();
    const refusal = state.refusal(request);
    if (refusal !== null) {
      expect((refusal.held ?? []).filter((seq) => this.#isDone(seq))).toEqual([]);
      expect(state.save()).toEqual(before);
      return false;
    }
    const isSettled = this.#settled(before);
    state.ack(request, now);
    const isNow = this.#settled(state.save());
    const named = new Set([...(request.ack ?? []), ...(request.drop ?? [])]);
    const settled = log.filter((seq) => isNow(seq) && !isSettled(seq) && !this.#skipped.has(seq));
    // Nobody acknowledges what it was never handed, if it was ever handed out to another.
    const own = (seq: Seq): boolean => named.has(seq) || this.#dead.has(seq) || one?.had.has(seq) === true;
    if (one !== null) expect(settled.filter((seq) => !own(seq))).toEqual([]);
    for (const seq of [...settled, ...(request.ack ?? [])]) if (!this.#dead.has(seq)) this.#acked.add(seq);
    return true;
  }

  #settled({ floor, ranges }: SavedState): (seq: Seq) => boolean {
    return (seq) => seq <= floor || ranges.some(([from, to]) => seq >= from && seq <= to);
  }

  #retry(at: number): void {
    const { state, log, now } = this.puller;
    const seq = log[at % Math.max(1, log.length)];
    if (seq === undefined) return;
    const wasDead = this.#dead.has(seq);
    expect(state.retry(seq, now)).toBe(wasDead);
    // Retention may have been past it; it is reported when it is due.
    if (wasDead) this.#skipped.delete(seq);
  }

  #check(): void {
    const { state, log, head } = this.puller;
    expect(state.cursor).toBeLessThanOrEqual(head);
    const open = log.filter((seq) => !this.#isDone(seq));
    expect(open[0] ?? Infinity).toBeGreaterThan(state.floor);
    expect(open.filter((seq) => seq <= state.cursor)).toHaveLength(state.inFlight);
    expect(throughMarks(state.save())).toEqual({
      ...state.save(),
      counts: new Map(state.save().counts),
      dead: new Map(state.save().dead),
    });
  }
}

const newProgram = (): Program => ({ had: new Set(), recent: [], connection: null });
