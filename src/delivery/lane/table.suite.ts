/** A lane's state in the hands of a test: facts go in, and the test decides what becomes of the effects. */
import type { Capabilities, Idempotency } from "../../contract/capabilities.ts";
import type { CatchUp } from "../../config/config.ts";
import { type ChannelRef, END } from "../../contract/ids.ts";
import { EventLabel } from "../../contract/message.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { About } from "../../gateway/codec.ts";
import type { StoredEntry } from "../../log/log.ts";
import { againPayload, payloadOf, PLAN } from "../plan.suite.ts";
import { decodeCheckpoint, marksOf } from "./checkpoint.ts";
import { doubtsLeft, timed } from "./doubts.ts";
import type { Found, Search } from "./lookup.ts";
import type { HandlerCall, LaneEffect, Fact, LaneState, ChannelLink, LaneSetting } from "./state.ts";
import { newState } from "./restore.ts";
import { step } from "./step.ts";

export interface LaneTableOptions {
  readonly idempotency?: Idempotency;
  readonly inflightMax?: number;
  readonly maxAgeMs?: number;
  readonly catchUp?: CatchUp;
  /** Its run ended in a kill; this is the next one, at the same time. */
  readonly after?: LaneTable;
}

export type LaneEffectOf<K extends LaneEffect["do"]> = Extract<LaneEffect, { readonly do: K }>;

export const SENT: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };

const NOTHING_FOUND: Extract<Found, { is: "here" }>["here"] = {
  about: [],
  thread: [],
  ageMs: null,
  standing: [],
  line: null,
  quoting: [],
  answers: [],
  files: [],
  avatar: null,
};

const LABELS: Readonly<Record<About["is"], string>> = {
  reply: "",
  edit: EventLabel.edit,
  delete: EventLabel.delete,
  reaction: EventLabel.reaction,
};

export class LaneTable {
  readonly state: LaneState;
  /** All that is to be done, in order. */
  readonly effects: LaneEffect[] = [];
  /** Called with each effect as it comes. */
  watch: (effect: LaneEffect) => void = () => undefined;
  readonly log: StoredEntry[];
  writesAnswered = 0;
  nowMs = 1_000_000;
  /** Until when each is closed, and whose gate a call has. */
  readonly #closedMs = new Map<object, number>();
  readonly #gates = new Map<number, object>();

  constructor({
    idempotency = { by: "none" },
    inflightMax = 2,
    maxAgeMs = 3_600_000,
    catchUp,
    after,
  }: LaneTableOptions = {}) {
    this.log = [...(after?.log ?? [])];
    this.nowMs = after?.nowMs ?? this.nowMs;
    const ops = { edit: "native", delete: "native", react: "native", topic: "native" };
    const setting: LaneSetting = {
      name: "lane",
      gateway: "g",
      place: "net.b/#to",
      plan: PLAN,
      capabilities: { idempotency, limits: { inflightMax }, ops } as Capabilities,
      maxAgeMs,
      catchUp: catchUp ?? null,
      outageNoticeMs: 300_000,
      admits: () => true,
      newAfter: this.log.length,
    };
    const written = after?.state.records.written ?? new Map<string, string>();
    const value = written.get(marksOf(setting.name).checkpoint);
    const checkpoint = value === undefined ? { after: 0, next: null } : decodeCheckpoint(value);
    const next = this.log.filter(({ seq }) => seq > checkpoint.after);
    const doubts = timed(doubtsLeft(checkpoint, next, setting.capabilities), this);
    this.state = newState(setting, { checkpoint, summary: null, written, doubts, monoMs: this.monoMs });
    this.take({ is: "opened", receipts: [] });
    this.write();
  }

  /** By the clock that nobody sets. */
  get monoMs(): number {
    return this.nowMs - 1_000_000;
  }

  take(fact: Fact): void {
    if (fact.is === "durable" || fact.is === "refused") this.writesAnswered += 1;
    const { nowMs, monoMs } = this;
    const link = fact.is === "connected" ? fact.link : this.state.link;
    const gateMs = this.#closedMs.get(link?.gate ?? this) ?? 0;
    const at = { nowMs, monoMs, gateMs, pulseMs: 0, random: 0.5 };
    const { effects } = step(this.state, { at, fact });
    for (const effect of effects) {
      this.effects.push(effect);
      this.watch(effect);
      if (effect.do === "call") this.#gates.set(effect.call, this.state.link?.gate ?? this);
      if (effect.do === "hold") this.#closedMs.set(this.#gates.get(effect.call) ?? this, effect.untilMs);
    }
    for (const effect of effects) {
      if (effect.do === "ask loops") this.take({ is: "verdict", seq: effect.seq, why: null });
      if (effect.do === "read") this.#read(effect);
    }
  }

  #read({ after, limit }: LaneEffectOf<"read">): void {
    this.take({ is: "read", entries: this.log.filter(({ seq }) => seq > after).slice(0, limit) });
  }

  connect(gate: object = {}): ChannelLink {
    const link: ChannelLink = { channel: "room" as ChannelRef, without: [], limits: {}, gate };
    this.take({ is: "connected", link });
    this.#noteSending();
    return link;
  }

  /** The disk takes that it is sending, and nothing more. */
  #noteSending(): void {
    const { records } = this.state;
    if (this.state.sending === null) return;
    while (this.state.sending !== records.reach.sending && records.write !== "none" && records.refusals === 0) {
      this.take({ is: records.write === "due" ? "turn over" : "durable" });
    }
  }

  say(...texts: readonly string[]): void {
    for (const text of texts) this.#put(text, "");
  }

  act(is: About["is"], seq: number, text = "changed"): void {
    this.#put(payloadOf(is, seq, text), LABELS[is]);
  }

  again(of: number): void {
    this.#put(againPayload("again", of), EventLabel.again);
  }

  #put(payload: string, label: string): void {
    this.log.push({ seq: this.log.length + 1, subject: "net.a/#from", at: this.nowMs, label, payload });
    this.take({ is: "woken" });
  }

  /** Of the newest call under way. */
  get newest(): HandlerCall {
    const call = this.state.calls.at(-1);
    if (call === undefined) throw new Error("no call is under way");
    return call;
  }

  end(call: HandlerCall, outcome: Outcome | null): void {
    if (outcome?.is === "delivered") call.item.confirmed = END;
    this.take({ is: "outcome", call: call.id, outcome });
  }

  /** The disk takes all that is to be written. */
  write(): void {
    while (this.state.records.write !== "none") {
      if (this.state.records.write === "due") this.take({ is: "turn over" });
      else this.take({ is: "durable" });
    }
  }

  /** The disk does not take what is to be written. */
  refuse(): void {
    if (this.state.records.write === "due") this.take({ is: "turn over" });
    if (this.state.records.write !== "none") this.take({ is: "refused", why: "no", closed: false });
  }

  /** What is looked up now. */
  get search(): Search | null {
    const { mode } = this.state;
    return mode.is === "preparing" && mode.until === "found" ? mode.search : null;
  }

  find(found: Found | null = null): void {
    const { search } = this;
    if (search === null) throw new Error("nothing is looked up");
    this.take({ is: "found", search, found: found ?? { is: "here", here: NOTHING_FOUND, about: search.stored.about } });
  }

  pass(ms: number): void {
    this.nowMs += ms;
    if (this.state.timerMs <= this.monoMs) this.take({ is: "tick" });
  }

  /** The answer to an announcement; null: there is none yet. */
  answer(lookup: number): boolean | null {
    return this.done("answer").find((effect) => effect.ask === lookup)?.allowed ?? null;
  }

  done<K extends LaneEffect["do"]>(what: K): readonly LaneEffectOf<K>[] {
    return this.effects.filter((effect): effect is LaneEffectOf<K> => effect.do === what);
  }

  /** Seqs of what was called, in order. */
  get called(): readonly number[] {
    return this.done("call").map(({ seq }) => seq);
  }
}
