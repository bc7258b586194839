import type { Sample, Distribution } from "./tally.ts";

/** One metric with all that is known of it. Every set of label values is there once. */
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
  readonly samples: readonly Sample<Distribution>[];
}

export interface Exposition {
  readonly type: string;
  readonly body: string;
}

/** Writes metrics in Prometheus's text format 0.0.4, and says its media type. */
export function exposition(families: readonly Family[]): Exposition {
  return { type: "text/plain; version=0.0.4; charset=utf-8", body: `${families.map(written).join("\n\n")}\n` };
}

function written(family: Family): string {
  const { is, name, help } = family;
  const lines = family.is === "histogram" ? family.samples.flatMap((each) => spread(family, each)) : numbers(family);
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${is}`, ...lines].join("\n");
}

function numbers({ name, labels, samples }: Numbers): readonly string[] {
  return samples.map((sample) => line(name, pairs(labels, sample.labels), sample.value));
}

/** How many values each bucket and all below it hold, the sum of all, and their count. */
function spread({ name, labels, bounds }: Spreads, { labels: values, value }: Sample<Distribution>): readonly string[] {
  const own = pairs(labels, values);
  const { upTo, sum } = value;
  const buckets = upTo.map((count, at) =>
    line(`${name}_bucket`, [`le="${numeral(bounds[at] ?? Infinity)}"`, ...own], count),
  );
  return [...buckets, line(`${name}_sum`, own, sum), line(`${name}_count`, own, upTo.at(-1) ?? 0)];
}

function line(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${numeral(value)}`;
}

const pairs = (names: readonly string[], values: readonly string[]): readonly string[] =>
  names.map((name, at) => `${name}="${escaped(values[at] ?? "").replaceAll('"', String.raw`\"`)}"`);

const escaped = (text: string): string => text.replaceAll("\\", String.raw`\\`).replaceAll("\n", String.raw`\n`);

/** A number as Go reads it. */
function numeral(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
