import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import { END, type MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { part, WHY } from "../stage.suite.ts";
import { decodeIntent, marksOf } from "./checkpoint.ts";
import type { Found } from "./lookup.ts";
import { mayRide } from "./early-intent.ts";
import type { LaneEffect, Fact } from "./state.ts";
import { SENT, LaneTable, type LaneTableOptions } from "./table.suite.ts";

const OUTCOMES: readonly (Outcome | null)[] = [
  SENT,
  { is: "delivered", receipt: { messages: ["copy" as MessageRef], losses: [] } },
  { is: "deferred", why: WHY, retryInMs: 2_000, scope: "channel" },
  { is: "deferred", why: WHY, retryInMs: 2_000, scope: "session" },
  { is: "rejected", why: WHY },
  { is: "unknown", why: WHY },
  null,
];

function insist(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** What the world around a lane has seen of it, and may insist on. */
class Model {
  readonly table: LaneTable;
  readonly by: string;
  /** Seq of the intent that was written last; 0: none. */
  intended = 0;
  /** Whether such a write has come since an intent was to go with an entry. */
  isOvertaken = false;
  /** Seq of the message that each announcement is of. */
  readonly announced = new Map<number, number>();
  asks = 0;
  readonly answered = new Set<number>();
  writes: number;
  cursor = 0;

  constructor(options: LaneTableOptions) {
    this.table = new LaneTable(options);
    this.writes = this.table.writesAnswered;
    this.by = options.idempotency?.by ?? "none";
    this.table.watch = (effect) => this.#see(effect);
  }

  take(fact: Fact): void {
    this.table.take(fact);
    this.check();
  }

  #see(effect: LaneEffect): void {
    if (effect.do === "call") this.#mayBeCalled(effect.seq, effect.isLine);
    if (effect.do === "look up") insist(this.table.state.mode.is === "preparing", "a look-up while none is waited for");
    if (effect.do === "answer") {
      insist(!this.answered.has(effect.ask), "an announcement is answered twice");
      this.answered.add(effect.ask);
      // What may leave where nobody would know it again has its intent on the disk.
      const isIntended = this.intended >= (this.announced.get(effect.ask) ?? Infinity);
      insist(!effect.allowed || this.by !== "none" || isIntended, "a part may leave without an intent");
    }
    if (effect.do === "write") {
      this.writes += 1;
      insist(this.writes === this.table.writesAnswered + 1, "two writes at once");
      const mark = effect.marks.find(({ name }) => name === marksOf("lane").intent);
      if (mark !== undefined) this.intended = decodeIntent(mark.value)?.seq ?? 0;
      this.isOvertaken ||= mark !== undefined;
    }
  }

  /** In order, not more at once than the network takes, and only what has not ended. */
  #mayBeCalled(seq: number, isLine: boolean): void {
    const { calls, link, setting, window } = this.table.state;
    insist(link !== null, "a call while the channel is gone");
    insist(calls.length <= setting.capabilities.limits.inflightMax, "too many calls at once");
    insist(
      calls.every((call) => call.link === link),
      "a call while others belong to another session",
    );
    const running = calls.map(({ item }) => item.seq);
    insist(
      running.every((other, at) => at === 0 || other > (running[at - 1] ?? 0)),
      "calls out of order",
    );
    if (isLine) insist(calls.length === 1, "a line beside other calls");
    else insist(window.cursor < seq, "a call for what has ended");
  }

  /** What holds after every step. */
  check(): void {
    const { state, log, monoMs } = this.table;
    const { mode, link, window, records, timerMs, calls } = state;
    const isTogether = ["joined", "weighing", "preparing", "unlisting"].includes(mode.is);
    insist(isTogether === (link !== null), `${mode.is}, and the channel is not so`);
    insist(window.cursor >= this.cursor && window.cursor <= log.length, "the cursor goes back, or too far");
    this.cursor = window.cursor;
    insist(records.stored <= records.added, "more receipts on the disk than there are");
    // Whatever waits for time to pass has a tick to come.
    if (mode.is !== "joined") return;
    const isRefusing = records.refusals > 0;
    const isHeld = calls.length === 0 && window.ready() !== null && !isRefusing && records.write === "none";
    insist(!isHeld || Math.max(state.untilMs, state.gateMs) > monoMs, "what is ready waits for nothing");
    insist(timerMs < Infinity || !(isHeld || (isRefusing && records.write === "none")), "no tick will come");
  }

  /** All goes well from now on: everything ends. */
  settle(): void {
    const { table } = this;
    table.connect();
    for (let turn = 0; turn < 2_000; turn += 1) {
      const { mode, calls, records } = table.state;
      const [call] = calls;
      if (records.write !== "none") table.write();
      else if (mode.is === "weighing") this.take({ is: "newest", from: 1, entries: [], skipped: 0 });
      else if (table.search !== null) table.find();
      else if (call !== undefined) table.end(call, SENT);
      else if (table.state.window.oldest === null && table.state.line.waiting === null && records.refusals === 0)
        return;
      else table.pass(60_000);
      this.check();
    }
    throw new Error(`the lane goes on for ever, ${table.state.mode.is}`);
  }
}

type Act = (model: Model) => void;

/** The intent of the next message goes with it, where it may; something else happens meanwhile. */
function ride(model: Model, between: string, isStored: boolean): void {
  const { table } = model;
  const { state, nowMs, monoMs } = table;
  const head = { subject: "net.a/#from", at: nowMs, label: "" };
  if (!mayRide(state, head, { nowMs, monoMs, gateMs: state.gateMs, pulseMs: 0, random: 0 })) return table.say("said");
  model.isOvertaken = false;
  model.take({ is: "rides" });
  if (between === "other") table.say("another");
  if (between === "stop") model.take({ is: "disconnected", why: WHY });
  if (between === "write") table.write();
  if (!isStored) return model.take({ is: "rode", seq: null });
  if (!model.isOvertaken) model.intended = table.log.length + 1;
  table.say("said");
  model.take({ is: "rode", seq: table.log.length });
}

const which = <T>(all: readonly T[], at: number): T | undefined => all[at % Math.max(1, all.length)];

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.constant<Act>(({ table }) => table.say("said")),
  fc.record({ is: fc.constantFrom("edit" as const, "delete" as const, "reply" as const), at: fc.nat(20) }).map(
    ({ is, at }): Act =>
      ({ table }) =>
        table.act(is, 1 + (at % Math.max(1, table.log.length))),
  ),
  fc.nat(20).map(
    (at): Act =>
      ({ table }) =>
        table.again(1 + (at % Math.max(1, table.log.length))),
  ),
  fc.record({ between: fc.constantFrom("nothing", "stop", "write", "other"), isStored: fc.boolean() }).map(
    ({ between, isStored }): Act =>
      (model) =>
        ride(model, between, isStored),
  ),
  fc.constant<Act>(({ table }) => void table.connect()),
  fc.constant<Act>((model) => model.take({ is: "disconnected", why: WHY })),
  fc.record({ at: fc.nat(9), how: fc.constantFrom(...OUTCOMES) }).map(({ at, how }): Act => (model) => {
    const call = which(model.table.state.calls, at);
    if (call !== undefined) model.table.end(call, how);
  }),
  fc.record({ at: fc.nat(9), upTo: fc.constantFrom(part(1), part(2), END) }).map(({ at, upTo }): Act => (model) => {
    const call = which(model.table.state.calls, at);
    model.asks += 1;
    if (call !== undefined) model.announced.set(model.asks, call.item.seq);
    model.take({ is: "announced", call: call?.id ?? 0, ask: model.asks, upTo });
  }),
  fc.record({ at: fc.nat(9), upTo: fc.constantFrom(part(1), part(2)) }).map(({ at, upTo }): Act => (model) => {
    const call = which(model.table.state.calls, at);
    if (call !== undefined) model.take({ is: "confirmed", call: call.id, upTo, messages: ["copy" as MessageRef] });
  }),
  fc.constant<Act>(({ table }) => table.write()),
  fc.constant<Act>(({ table }) => {
    if (table.state.records.write === "due") table.take({ is: "turn over" });
  }),
  fc.constant<Act>(({ table }) => table.refuse()),
  fc
    .constantFrom<Found | null>(null, { is: "later", why: WHY }, { is: "pointless again", why: WHY })
    .map((found): Act => ({ table }) => {
      if (table.search !== null) table.find(found);
    }),
  fc.nat(700_000).map(
    (ms): Act =>
      ({ table }) =>
        table.pass(ms),
  ),
);

const options: fc.Arbitrary<LaneTableOptions> = fc.record({
  idempotency: fc.constantFrom({ by: "none" } as const, { by: "key", windowMs: 60_000 } as const),
  inflightMax: fc.integer({ min: 1, max: 4 }),
  maxAgeMs: fc.constantFrom(900_000, 6 * 3_600_000),
});

test("whatever comes in whatever order, the lane is in one mode, in order, and comes to its end", () => {
  fc.assert(
    fc.property(options, fc.array(acts, { maxLength: 60 }), (given, all) => {
      const model = new Model(given);
      for (const act of all) {
        act(model);
        model.check();
      }
      model.settle();
      const { table, answered, asks } = model;
      expect(answered.size).toBe(asks);
      expect(table.state.window.cursor).toBe(table.log.length);
      table.take({ is: "stop" });
      table.write();
      expect([table.state.mode.is, table.state.timerMs]).toEqual(["stopped", Infinity]);
    }),
    { numRuns: 500 },
  );
});
