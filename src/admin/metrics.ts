import type { Meter, MeteredLane } from "../delivery/meter.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { DROP_WORDS } from "../gateway/drops.ts";
import { accountOf } from "../gateway/subject.ts";
import type { LogObserver } from "../log/search.ts";
import type { LogErrorCode } from "../log/errors.ts";
import type { Entry, Receipt, Subject } from "../log/log.ts";
import { exposition, type Exposition, type Family } from "./exposition.ts";
import type { Delay } from "./loop-delay.ts";
import { processMetrics } from "./process-metrics.ts";
import type { ClusterView, ConfigFileView, ReaderView } from "./views.ts";
import { TRAFFIC_BOUNDS, type TrafficCounts } from "./traffic.ts";
import { LabelledValues, type Count, newCount, type Sample, Distribution } from "./tally.ts";

/** What is asked at every scrape. */
export interface ScrapeSources {
  readonly accounts: () => Promise<readonly AccountStatus[]>;
  readonly readers: () => readonly ReaderView[];
  readonly loop: () => Delay;
  /** Null: the log is of this machine alone. */
  readonly cluster: () => ClusterView | null;
  readonly file: () => ConfigFileView;
  readonly nowMs: () => number;
}

/** Seconds. */
const APPEND_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SEND_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const STATES: readonly AccountStatus["state"][] = [
  "connecting",
  "online",
  "degraded",
  "waiting",
  "action-needed",
  "paused",
];

const LANE = ["gateway", "account"] as const;
const ROOM = [...LANE, "channel"] as const;

/** All of them, so that the first refusal is seen as an increase. */
const CODES: Readonly<Record<LogErrorCode, true>> = {
  disk_full: true,
  overloaded: true,
  unreachable: true,
  unknown: true,
  fenced: true,
  stream: true,
  diverged: true,
  io: true,
  damaged: true,
  unwritable: true,
  locked: true,
  format: true,
  closed: true,
};

interface SubjectCount extends Count {
  readonly account: Count;
}

/** A metric that is counted as it happens. */
interface Counted<C> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly cells: LabelledValues<C>;
}

/**
 * What Prometheus is told. The values of labels come from the configuration alone (accounts, gateways, channels) and
 * from short lists in the code, so that nobody on a network can make their number grow. Counting is a few plain
 * numbers; all else is done when somebody scrapes.
 */
export class Metrics implements Meter, LogObserver {
  readonly #version: string;
  readonly #accepted = counter("accepted", "Messages and events stored in the log, by the account they came from.", [
    "account",
  ]);
  /** The cells of `#accepted`, by where an entry came from, so that no account's name is made for each. */
  readonly #subjects = new Map<Subject, SubjectCount>();
  /** How long messages took to each room. */
  readonly #sent = new LabelledValues(() => new Distribution(TRAFFIC_BOUNDS));
  readonly #ends: Readonly<Record<Receipt["state"], Counted<Count>>> = {
    sent: counter("delivered", "Messages delivered to a destination.", LANE),
    failed: counter("failed", "Messages that a destination refused for good.", LANE),
    expired: counter("expired", "Messages that waited too long for a destination and were left out.", LANE),
    unconfirmed: counter("unconfirmed", "Messages that may or may not have arrived, and are not sent again.", LANE),
    folded: counter("folded", "Changes sent together with the message they change.", LANE),
    cancelled: counter("cancelled", "Messages that were deleted before they were sent.", LANE),
    omitted: counter("omitted", "Messages that a destination cannot show.", LANE),
    withheld: counter("withheld", "Messages withheld because of a loop through another bridge.", LANE),
  };
  readonly #reconnects = counter("reconnects", "Sessions of an account after one that was lost.", ["account"]);
  readonly #refused = counter("log_refused", "Batches that the log refused, by reason.", ["code"]);
  readonly #appends = histogram(
    "append_seconds",
    "Time from handing a batch to the log until it is durable.",
    APPEND_BUCKETS,
    [],
  );
  readonly #append = this.#appends.cells.at();
  readonly #send = histogram("send_seconds", "Time that a network took to answer one message.", SEND_BUCKETS, [
    ...LANE,
    "outcome",
  ]);
  readonly #age = histogram(
    "delivery_seconds",
    "Time from accepting a message until a destination has it.",
    SEND_BUCKETS,
    LANE,
  );
  #sources: ScrapeSources | null = null;

  constructor(version: string) {
    this.#version = version;
    for (const code of Object.keys(CODES)) this.#refused.cells.at(code);
  }

  /** To be called once, when there is something to ask. */
  watch(sources: ScrapeSources): void {
    this.#sources = sources;
  }

  /** What the traffic of each room is made of. */
  get traffic(): TrafficCounts {
    return { heard: this.#subjects, sent: this.#sent };
  }

  /** For `Log.tail`. */
  readonly accepted = (entries: readonly Entry[]): void => {
    for (const { subject } of entries) {
      let count = this.#subjects.get(subject);
      if (count === undefined) {
        count = { value: 0, account: this.#accepted.cells.at(accountOf(subject)) };
        this.#subjects.set(subject, count);
      }
      count.value += 1;
      count.account.value += 1;
    }
  };

  ended({ gateway, account, channel }: MeteredLane, state: Receipt["state"], ageMs: number): void {
    this.#ends[state].cells.at(gateway, account).value += 1;
    if (state !== "sent") return;
    this.#age.cells.at(gateway, account).observe(Math.max(0, ageMs) / 1000);
    this.#sent.at(gateway, account, channel).observe(ageMs);
  }

  answered({ gateway, account }: MeteredLane, outcome: string, ms: number): void {
    this.#send.cells.at(gateway, account, outcome).observe(Math.max(0, ms) / 1000);
  }

  reconnected(account: string): void {
    this.#reconnects.cells.at(account).value += 1;
  }

  appended(_entries: number, ms: number): void {
    this.#append.observe(ms / 1000);
  }

  refused({ code }: { readonly code: string }): void {
    this.#refused.cells.at(code).value += 1;
  }

  /** What is scraped, and its media type. */
  async scrape(): Promise<Exposition> {
    const [now, ofProcess] = await Promise.all([this.#now(), processMetrics()]);
    const counters = [this.#accepted, ...Object.values(this.#ends), this.#reconnects, this.#refused];
    const histograms = [this.#appends, this.#send, this.#age];
    const info = gauge(
      "info",
      "The version, in a label; the value is always 1.",
      ["version"],
      [{ labels: [this.#version], value: 1 }],
    );
    return exposition([
      ...counters.map(({ name, help, labels, cells }): Family => {
        return { is: "counter", name, help, labels, samples: cells.all.map(numberOf) };
      }),
      ...histograms.map(({ name, help, labels, bounds, cells }): Family => {
        return { is: "histogram", name, help, labels, bounds, samples: cells.all };
      }),
      info,
      ...now,
      ...ofProcess,
    ]);
  }

  /** What is no longer in the configuration is not shown. */
  async #now(): Promise<readonly Family[]> {
    if (this.#sources === null) return [];
    const { accounts, readers, loop, cluster, file, nowMs } = this.#sources;
    const dropped = readers().flatMap(droppedBy);
    const waiting: Sample<number>[] = [];
    const age: Sample<number>[] = [];
    const states: Sample<number>[] = [];
    for (const { account, state, dropped: drops, channels } of await accounts()) {
      dropped.push(...droppedBy({ account, dropped: drops }));
      // Shown from the beginning, so that the first one is seen as an increase.
      this.#reconnects.cells.at(account);
      for (const each of STATES) states.push({ labels: [account, each], value: each === state ? 1 : 0 });
      for (const { gateway, channel, waiting: count, oldestMs } of channels.flatMap(({ lanes }) => lanes)) {
        const labels = [gateway, account, channel];
        // As above.
        for (const { cells } of Object.values(this.#ends)) cells.at(gateway, account);
        if (count !== null) waiting.push({ labels, value: count });
        age.push({ labels, value: oldestMs === null ? 0 : Math.max(0, nowMs() - oldestMs) / 1000 });
      }
    }
    const { p50, p99, max } = loop();
    const delays = Object.entries({ "0.5": p50, "0.99": p99, "1": max });
    const delay = delays.map(([quantile, ms]) => ({ labels: [quantile], value: ms / 1000 }));
    return [
      {
        is: "counter",
        name: "rialto_dropped_total",
        help: "Events that were not relayed, by reason.",
        labels: ["account", "reason"],
        samples: dropped,
      },
      gauge("waiting", "Messages that wait for a destination.", ROOM, waiting),
      gauge("waiting_age_seconds", "How long the oldest message has waited for a destination.", ROOM, age),
      gauge("account_state", "1 for the state that an account is in, 0 for the others.", ["account", "state"], states),
      gauge("event_loop_delay_seconds", "Delay of the event loop over the last half minute.", ["quantile"], delay),
      ...fileGauges(file()),
      ...machineGauges(cluster()),
    ];
  }
}

const counter = (name: string, help: string, labels: readonly string[]): Counted<Count> => ({
  name: `rialto_${name}_total`,
  help,
  labels,
  cells: new LabelledValues(newCount),
});

function histogram(
  name: string,
  help: string,
  bounds: readonly number[],
  labels: readonly string[],
): Counted<Distribution> & { readonly bounds: readonly number[] } {
  return { name: `rialto_${name}`, help, labels, bounds, cells: new LabelledValues(() => new Distribution(bounds)) };
}

const gauge = (name: string, help: string, labels: readonly string[], samples: readonly Sample<number>[]): Family => ({
  is: "gauge",
  name: `rialto_${name}`,
  help,
  labels,
  samples,
});

function fileGauges({ trouble, readMs }: ConfigFileView): readonly Family[] {
  return [
    gauge(
      "config_reload_failed",
      "1 while the configuration on disk is refused and an older one runs, 0 otherwise.",
      [],
      [{ labels: [], value: trouble === null ? 0 : 1 }],
    ),
    gauge(
      "config_last_reload_timestamp_seconds",
      "When the configuration on disk was last read and not refused, as Unix time; a start counts.",
      [],
      [{ labels: [], value: readMs / 1000 }],
    ),
  ];
}

/** Without samples where the log is of one machine. */
function machineGauges(cluster: ClusterView | null): readonly Family[] {
  const one = (value: number): readonly Sample<number>[] => (cluster === null ? [] : [{ labels: [], value }]);
  const own = cluster?.nodes.find(({ name }) => name === cluster.node)?.accounts ?? 0;
  return [
    gauge(
      "machines",
      "Machines that share the log and are heard, this one among them.",
      [],
      one(cluster?.nodes.length ?? 0),
    ),
    gauge("machine_accounts", "Accounts that this one of several machines runs.", [], one(own)),
    gauge(
      "machine_connected",
      "1 while most of the servers of the log answer this machine and it applies what they have, 0 otherwise.",
      [],
      one(cluster?.hasVoice === true ? 1 : 0),
    ),
    {
      is: "counter",
      name: "rialto_log_skipped_total",
      help: "Messages in the stream of the log that were skipped: they are damaged, or another program wrote them.",
      labels: [],
      samples: one(cluster?.skipped ?? 0),
    },
    {
      is: "counter",
      name: "rialto_log_gaps_total",
      help: "Gaps in the stream of the log, where commits were deleted.",
      labels: [],
      samples: one(cluster?.gaps ?? 0),
    },
  ];
}

/** Every reason, so that the first one is seen as an increase. */
function droppedBy({ account, dropped }: Pick<ReaderView, "account" | "dropped">): readonly Sample<number>[] {
  return Object.keys(DROP_WORDS).map((reason) => ({ labels: [account, reason], value: dropped[reason] ?? 0 }));
}

const numberOf = ({ labels, value: { value } }: Sample<Count>): Sample<number> => ({ labels, value });
