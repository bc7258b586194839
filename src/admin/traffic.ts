import { subjectOf } from "../gateway/subject.ts";
import type { Subject } from "../log/log.ts";
import type { Count, Distribution, LabelledValues } from "./tally.ts";
import type { AccountTraffic, FlowView, LaneTraffic, StatusView } from "./views.ts";

/** Ms; how long a message was on its way. */
export const TRAFFIC_BOUNDS: readonly number[] = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000,
  15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 3_600_000,
];

/** What is counted as it happens; all else is made of it when a sample is taken. */
export interface TrafficCounts {
  readonly heard: ReadonlyMap<Subject, Count>;
  /** By gateway, name of the account and channel, in TRAFFIC_BOUNDS. */
  readonly sent: LabelledValues<Distribution>;
}

type TrafficPlaces = Pick<StatusView, "accounts" | "readers" | "bridges">;

export const SAMPLE_MS = 10_000;
/** Samples of a minute. */
const EACH_MINUTE = 6;
const MINUTES = 30;
/** Samples after which an older state of the delays is forgotten: they are shown over 2.5 to 5 min. */
const DELAY_SAMPLES = 15;

/** What was counted of one thing lately. */
class Flow {
  #counted: number;
  /** Of the samples of the last minute, by turns. */
  readonly #last = new Float64Array(EACH_MINUTE);
  readonly #minutes = new Float64Array(MINUTES);

  constructor(counted: number) {
    this.#counted = counted;
  }

  sample(counted: number, at: number): void {
    this.#last[at % EACH_MINUTE] = counted - this.#counted;
    this.#counted = counted;
    if (at % EACH_MINUTE === EACH_MINUTE - 1) this.#minutes[Math.floor(at / EACH_MINUTE) % MINUTES] = this.perMinute;
  }

  get perMinute(): number {
    return this.#last.reduce((sum, each) => sum + each, 0);
  }

  /** `next`: of the sample that comes next. */
  view(next: number): FlowView {
    const minute = Math.floor(next / EACH_MINUTE);
    const minutes = Array.from(this.#minutes, (_, index) => this.#minutes[(minute + index) % MINUTES] ?? 0);
    return {
      total: this.#counted,
      perMinute: this.perMinute,
      minutes: minutes.some((count) => count > 0) ? minutes : [],
    };
  }
}

/** How long messages to one lane took lately. */
class Delays {
  #older: readonly number[];
  #newer: readonly number[];

  constructor(upTo: readonly number[]) {
    this.#older = upTo;
    this.#newer = upTo;
  }

  turn(upTo: readonly number[]): void {
    this.#older = this.#newer;
    this.#newer = upTo;
  }

  /** The bound that so much of all is at or below; null: there was none. */
  quantile(upTo: readonly number[], part: number): number | null {
    const counts = upTo.map((count, index) => count - (this.#older[index] ?? 0));
    const all = counts.at(-1) ?? 0;
    if (all === 0) return null;
    const at = counts.findIndex((count) => count >= all * part);
    return TRAFFIC_BOUNDS[at] ?? TRAFFIC_BOUNDS.at(-1) ?? null;
  }
}

const ZEROS = Array.from({ length: TRAFFIC_BOUNDS.length + 1 }, () => 0);
const STILL: FlowView = { total: 0, perMinute: 0, minutes: [] };

/**
 * How much flows, and how fast, over the last while. Nothing of it is done for each message: what is counted anyway is
 * looked at every 10 s. One row of numbers for each room and lane that had something since the start.
 */
export class Traffic {
  readonly #counts: TrafficCounts;
  readonly #heard = new Map<Subject, Flow>();
  readonly #sent = new Map<Distribution, { readonly flow: Flow; readonly delays: Delays }>();
  /** Samples so far. */
  #next = 0;

  constructor(counts: TrafficCounts) {
    this.#counts = counts;
  }

  /** To be called every SAMPLE_MS. */
  sample(): void {
    const at = this.#next;
    this.#next += 1;
    for (const [subject, { value }] of this.#counts.heard) {
      let flow = this.#heard.get(subject);
      if (flow === undefined) this.#heard.set(subject, (flow = new Flow(0)));
      flow.sample(value, at);
    }
    for (const { value: ages } of this.#counts.sent.all) {
      const known = this.#sent.get(ages) ?? { flow: new Flow(0), delays: new Delays(ZEROS) };
      this.#sent.set(ages, known);
      const { upTo } = ages;
      known.flow.sample(upTo.at(-1) ?? 0, at);
      if (at % DELAY_SAMPLES === DELAY_SAMPLES - 1) known.delays.turn(upTo);
    }
  }

  /** Of what there is now. */
  view({ accounts, readers, bridges }: TrafficPlaces): readonly AccountTraffic[] {
    const ofNetworks = accounts.map(({ account, key, channels }): AccountTraffic => {
      const rooms = channels.map(({ channel, lanes }) => {
        const out = lanes.map(({ gateway }): LaneTraffic => ({ gateway, ...this.#lane(gateway, account, channel) }));
        return { channel, in: this.#in(subjectOf(key, channel)), lanes: out };
      });
      return { account: key, rooms };
    });
    const ofReaders = readers.map(({ key }): AccountTraffic => {
      const named = new Set(bridges.filter(({ account }) => account === key).map(({ gateway }) => gateway));
      const rooms = [...named].map((name) => ({ channel: name, in: this.#in(subjectOf(key, name)), lanes: [] }));
      return { account: key, rooms };
    });
    return [...ofNetworks, ...ofReaders];
  }

  #in(subject: Subject): FlowView {
    return this.#heard.get(subject)?.view(this.#next) ?? STILL;
  }

  #lane(gateway: string, account: string, channel: string): Omit<LaneTraffic, "gateway"> {
    const ages = this.#counts.sent.at(gateway, account, channel);
    const known = this.#sent.get(ages);
    if (known === undefined) return { out: STILL, p50Ms: null, p99Ms: null };
    const { upTo } = ages;
    const { flow, delays } = known;
    return { out: flow.view(this.#next), p50Ms: delays.quantile(upTo, 0.5), p99Ms: delays.quantile(upTo, 0.99) };
  }
}
