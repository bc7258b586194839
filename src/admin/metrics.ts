import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Meter, MeteredLane } from "../delivery/meter.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { accountOf } from "../gateway/subject.ts";
import type { LogObserver } from "../log/archive.ts";
import type { Entry, Receipt, Subject } from "../log/log.ts";
import type { Delay } from "./loop-delay.ts";

/** What is asked at every scrape. */
export interface Sources {
  readonly accounts: () => Promise<readonly AccountStatus[]>;
  readonly loop: () => Delay;
  readonly nowMs: () => number;
}

/** Seconds. */
const APPEND_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SEND_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const STATES: readonly AccountStatus["state"][] = ["connecting", "online", "degraded", "waiting", "action-needed"];

const LANE = ["gateway", "account"] as const;
const ROOM = [...LANE, "channel"] as const;

/**
 * What Prometheus is told. The values of labels come from the configuration alone (accounts, gateways, channels) and from short lists in the
 * code, so that nobody on a network can make their number grow.
 */
export class Metrics implements Meter, LogObserver {
  readonly #registry = new Registry();
  readonly #accepted = this.#counter(
    "accepted",
    "Messages and events stored in the log, by the account they came from.",
    ["account"],
  );
  readonly #ends: Readonly<Record<Receipt["state"], Counter<(typeof LANE)[number]>>> = {
    sent: this.#counter("delivered", "Messages that a destination has.", LANE),
    failed: this.#counter("failed", "Messages that a destination refused for good.", LANE),
    expired: this.#counter("expired", "Messages that waited too long for a destination and were left out.", LANE),
    unconfirmed: this.#counter("unconfirmed", "Messages that may have arrived, and are not sent again.", LANE),
    folded: this.#counter("folded", "Changes that went out with the message they change.", LANE),
    cancelled: this.#counter("cancelled", "Messages that were taken back before they were sent.", LANE),
    omitted: this.#counter("omitted", "Messages for which a destination has no form.", LANE),
  };
  readonly #reconnects = this.#counter("reconnects", "Sessions of an account after its first.", ["account"]);
  readonly #refused = this.#counter("log_refused", "Batches that the log refused, by why.", ["code"]);
  readonly #append = this.#histogram(
    "append_seconds",
    "From handing a batch to the log until it is durable.",
    APPEND_BUCKETS,
  );
  readonly #send = this.#histogram("send_seconds", "What a network took to answer one message.", SEND_BUCKETS, [
    ...LANE,
    "outcome",
  ]);
  readonly #age = this.#histogram(
    "delivery_seconds",
    "From accepting a message until a destination has it.",
    SEND_BUCKETS,
    LANE,
  );

  constructor(version: string) {
    const info = this.#gauge("info", "The version, always 1.", ["version"]);
    info.set({ version }, 1);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** To be called once, when there is something to ask. */
  watch({ accounts, loop, nowMs }: Sources): void {
    const waiting = this.#gauge("waiting", "Messages that wait for a destination.", ROOM);
    const age = this.#gauge("waiting_age_seconds", "How long the oldest of them has waited.", ROOM);
    const state = this.#gauge("account_state", "1 for the state that an account is in.", ["account", "state"]);
    const delay = this.#gauge("event_loop_delay_seconds", "How late the event loop was over the last half minute.", [
      "quantile",
    ]);
    this.#collect = async () => {
      const found = await accounts();
      // What is no longer in the configuration is not shown.
      for (const gauge of [waiting, age, state]) gauge.reset();
      for (const { account, state: now, channels } of found) {
        // Shown from the beginning, so that the first one is seen as an increase.
        this.#reconnects.inc({ account }, 0);
        for (const each of STATES) state.set({ account, state: each }, each === now ? 1 : 0);
        for (const { gateway, channel, waiting: count, oldestMs } of channels.flatMap(({ lanes }) => lanes)) {
          const labels = { gateway, account, channel };
          // As above.
          for (const end of Object.values(this.#ends)) end.inc({ gateway, account }, 0);
          if (count !== null) waiting.set(labels, count);
          age.set(labels, oldestMs === null ? 0 : Math.max(0, nowMs() - oldestMs) / 1000);
        }
      }
      const { p50, p99, max } = loop();
      for (const [quantile, ms] of [
        ["0.5", p50],
        ["0.99", p99],
        ["1", max],
      ] as const) {
        delay.set({ quantile }, ms / 1000);
      }
    };
  }

  #collect: () => Promise<void> = () => Promise.resolve();

  /** For `Log.tail`. */
  readonly accepted = (entries: readonly Entry[]): void => {
    // A look-up of labels costs more than counting: once for each subject of a commit.
    const counts = new Map<Subject, number>();
    for (const { subject } of entries) counts.set(subject, (counts.get(subject) ?? 0) + 1);
    for (const [subject, count] of counts) this.#accepted.inc({ account: accountOf(subject) }, count);
  };

  ended({ gateway, account }: MeteredLane, state: Receipt["state"], ageMs: number): void {
    this.#ends[state].inc({ gateway, account });
    if (state === "sent") this.#age.observe({ gateway, account }, Math.max(0, ageMs) / 1000);
  }

  answered({ gateway, account }: MeteredLane, outcome: string, ms: number): void {
    this.#send.observe({ gateway, account, outcome }, Math.max(0, ms) / 1000);
  }

  reconnected(account: string): void {
    this.#reconnects.inc({ account });
  }

  appended(_entries: number, ms: number): void {
    this.#append.observe(ms / 1000);
  }

  refused({ code }: { readonly code: string }): void {
    this.#refused.inc({ code });
  }

  /** What is scraped, and its media type. */
  async scrape(): Promise<{ readonly type: string; readonly body: string }> {
    await this.#collect();
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({
      name: `rialto_${name}_total`,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name: `rialto_${name}`, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #histogram<L extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly L[] = [],
  ): Histogram<L> {
    return new Histogram({
      name: `rialto_${name}`,
      help,
      buckets,
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }
}
