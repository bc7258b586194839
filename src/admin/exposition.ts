import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Sample, Spread } from "./tally.ts";

/** One metric with all that is known of it. */
export type Family = Numbers | Spreads;

interface Named {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

interface Numbers extends Named {
  readonly is: "counter" | "gauge";
  readonly samples: readonly Sample<number>[];
}

interface Spreads extends Named {
  readonly is: "histogram";
  /** Of every spread, rising. */
  readonly bounds: readonly number[];
  readonly samples: readonly Sample<Spread>[];
}

export interface Exposition {
  readonly type: string;
  readonly body: string;
}

/**
 * Writes metrics in Prometheus's text format, and says its media type. Nothing is kept from one call to the next. This module loads the client library, which
 * takes longer than all else at a start: it is imported when somebody first asks.
 */
export async function exposition(families: readonly Family[]): Promise<Exposition> {
  const registry = new Registry();
  for (const family of families) {
    if (family.is === "histogram") registry.registerMetric(new SpreadHistogram(family));
    else addNumbers(family, registry);
  }
  return { type: registry.contentType, body: await registry.metrics() };
}

function addNumbers({ is, name, help, labels: names, samples }: Numbers, registry: Registry): void {
  const options = { name, help, labelNames: [...names], registers: [registry] };
  if (is === "gauge") {
    const gauge = new Gauge(options);
    for (const { labels, value } of samples) gauge.set(labelled(names, labels), value);
  } else {
    const counter = new Counter(options);
    for (const { labels, value } of samples) counter.inc(labelled(names, labels), value);
  }
}

/** The library's histograms can only be filled value by value; a metric is what the registry reads of it. */
class SpreadHistogram extends Gauge {
  readonly #family: Spreads;

  constructor(family: Spreads) {
    const { name, help, labels } = family;
    super({ name, help, labelNames: [...labels], registers: [] });
    this.#family = family;
  }

  override async get(): ReturnType<Histogram["get"]> {
    const { name, help, labels: names, bounds, samples } = this.#family;
    const values: { labels: Record<string, string | number>; value: number; metricName: string }[] = [];
    for (const { labels: own, value: spread } of samples) {
      const labels = labelled(names, own);
      const { upTo, sum } = spread;
      for (const [at, value] of upTo.entries()) {
        values.push({ labels: { le: bounds[at] ?? "+Inf", ...labels }, value, metricName: `${name}_bucket` });
      }
      values.push({ labels, value: sum, metricName: `${name}_sum` });
      values.push({ labels, value: upTo.at(-1) ?? 0, metricName: `${name}_count` });
    }
    return { ...(await new Histogram({ name, help, registers: [] }).get()), values };
  }
}

const labelled = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
