import { expect } from "vitest";
import * as fc from "../../test/support/property.ts";
import type { Seq } from "../log/log.ts";
import { atMark, deadMark, readMarks, specMark } from "./marks.ts";
import type { SavedState, StateRules } from "./saved.ts";
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

type Act =
  | { readonly is: "say"; readonly gap: number }
  | { readonly is: "pull"; readonly max: number }
  | { readonly is: "ack" | "nack" | "extend" | "drop" | "upto" | "retry"; readonly pick: number }
  | { readonly is: "wait"; readonly ms: number }
  | { readonly is: "restart" };

const pick = fc.nat({ max: 30 });
export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant("say" as const), gap: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant("pull" as const), max: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constantFrom("ack", "ack", "nack", "extend", "drop", "upto", "retry"),
      pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("wait" as const), ms: fc.nat({ max: 150 }) }) },
  { weight: 1, arbitrary: fc.constant({ is: "restart" as const }) },
);
export const rules: fc.Arbitrary<Partial<StateRules>> = fc.record({
  ordered: fc.boolean(),
  ack: fc.constantFrom("explicit", "explicit", "all"),
  maxDeliver: fc.constantFrom(0, 0, 1, 3),
  backoffMs: fc.constantFrom([], [20], [5, 60]),
  maxInFlight: fc.integer({ min: 1, max: 5 }),
});

/** What a consumer has to do, by sets. */
export class Model {
  readonly acked = new Set<Seq>();
  readonly puller: Puller;
  readonly #ordered: boolean;

  constructor(given: Partial<StateRules>) {
    this.puller = new Puller(given);
    this.#ordered = given.ordered ?? true;
  }

  get #dead(): ReadonlyMap<Seq, unknown> {
    return this.puller.state.dead.all;
  }

  act(what: Act): void {
    const { puller } = this;
    if (what.is === "say") puller.say(puller.head + what.gap);
    else if (what.is === "wait") puller.now += what.ms;
    else if (what.is === "restart") puller.restart(throughMarks);
    else if (what.is === "pull") this.#pull(what.max);
    else this.#tell(what.is, what.pick);
    this.#check();
  }

  /** All that is neither acknowledged nor dead is handed out in the end, and nothing else. */
  drain(): void {
    const { puller } = this;
    const open = new Set(puller.log.filter((seq) => !this.acked.has(seq) && !this.#dead.has(seq)));
    const seen = new Set<Seq>();
    const isOpen = (seq: Seq): boolean => !this.acked.has(seq) && !this.#dead.has(seq);
    for (let turn = 0; turn < 500 && [...open].some(isOpen); turn++) {
      for (const seq of this.#pull(6)) {
        seen.add(seq);
        this.#tell("ack", puller.log.indexOf(seq));
      }
      puller.now = Math.max(puller.now, puller.state.nextMs() ?? puller.now);
    }
    expect([...open].filter(isOpen)).toEqual([]);
    expect([...seen].filter((seq) => !open.has(seq))).toEqual([]);
    expect(puller.state.inFlight).toBe(0);
  }

  #pull(max: number): readonly Seq[] {
    const { puller } = this;
    const { cursor } = puller.state;
    let last = 0;
    const seqs: Seq[] = [];
    puller.pull(max, (seq) => {
      expect(this.acked.has(seq)).toBe(false);
      expect(this.#dead.has(seq)).toBe(false);
      if (this.#ordered) {
        expect(seq).toBeGreaterThan(last);
        const waiting = puller.state.due(Infinity, 1)[0] ?? Infinity;
        expect(waiting).toBeGreaterThan(seq);
      }
      last = seq;
      seqs.push(seq);
    });
    expect(seqs.length).toBeLessThanOrEqual(max);
    expect(puller.state.cursor).toBeGreaterThanOrEqual(cursor);
    return seqs;
  }

  #tell(what: "ack" | "nack" | "extend" | "drop" | "upto" | "retry", index: number): void {
    const { puller } = this;
    const { state, now } = puller;
    const seq = puller.log[index % Math.max(1, puller.log.length)];
    if (seq === undefined) return;
    if (what === "retry") {
      const wasDead = this.#dead.has(seq);
      expect(state.retry(seq, now)).toBe(wasDead);
      return;
    }
    const request = what === "upto" ? { upto: seq } : { [what]: what === "nack" ? [{ seq, inMs: index }] : [seq] };
    const isRefused = state.refusal(request) !== null;
    expect(isRefused).toBe(seq > state.bound);
    if (isRefused) return;
    const isAll = what === "upto" || (what === "ack" && puller.isAll);
    state.ack(request, now);
    if (isAll) for (const one of puller.log) if (one <= seq && !this.#dead.has(one)) this.acked.add(one);
    if (what === "ack") this.acked.add(seq);
  }

  #check(): void {
    const { state, log, head } = this.puller;
    expect(state.cursor).toBeLessThanOrEqual(head);
    const open = log.filter((seq) => !this.acked.has(seq) && !this.#dead.has(seq));
    expect(open[0] ?? Infinity).toBeGreaterThan(state.floor);
    expect(open.filter((seq) => seq <= state.cursor)).toHaveLength(state.inFlight);
    expect(throughMarks(state.save())).toEqual({
      ...state.save(),
      counts: new Map(state.save().counts),
      dead: new Map(state.save().dead),
    });
  }
}
