import { isObject, isTexts, readJson, listOf } from "../lib/shapes.ts";
import type { Log, Mark, Seq } from "../log/log.ts";
import type { ConsumerSpec } from "./consumers.ts";
import type { Range } from "./ranges.ts";
import type { DeliveryCount, Dead, SavedState } from "./saved.ts";
import { etagOf } from "./spec.ts";

/** Where the consumers of all accounts are kept. */
export const CONSUMERS_STEM = "v1/c/";
/** Where those are kept that feed the webhooks: no program sees them. */
export const PUSHED_STEM = "v1/h/";

/**
 * Forgets the consumers of accounts that are not among these keys. `stem`: of which kind. Rejects with the log's
 * LogError.
 */
export async function forgetConsumers(
  log: Pick<Log, "marks" | "unmark">,
  accounts: Iterable<string>,
  stem: string = CONSUMERS_STEM,
): Promise<void> {
  const kept = [...accounts].map((key) => `${stem}${key}/`);
  const names = [...(await log.marks(stem)).keys()];
  const gone = names.filter((name) => !kept.some((prefix) => name.startsWith(prefix)));
  if (gone.length > 0) await log.unmark(gone);
}

/** What does not change while a consumer is used. */
export interface SavedSpec {
  readonly spec: ConsumerSpec;
  /** The gateways that its maker could see; null: all of the account. */
  readonly gateways: readonly string[] | null;
  /** The eight characters of the token that made it; null: the account's own, or an account without one. */
  readonly token: string | null;
}

/** Of what its users see of it. */
export const savedEtag = ({ spec, gateways }: SavedSpec): string => etagOf(JSON.stringify({ spec, gateways }));

/** A consumer as its marks have it. */
export interface SavedConsumer extends SavedSpec {
  readonly state: SavedState;
  /** Unix ms. */
  readonly seenMs: number;
}

/** A consumer that was idle for too long. */
export interface Gone {
  /** When it ended, Unix ms. */
  readonly atMs: number;
  /** Those that it saw; null: all of the account. */
  readonly gateways: readonly string[] | null;
}

/** Names of the marks of one consumer, which all begin with `prefix`. */
export const markNames = (prefix: string, name: string) => ({
  spec: `${prefix}${name}/spec`,
  at: `${prefix}${name}/at`,
  dead: `${prefix}${name}/dead`,
  gone: `${prefix}${name}/gone`,
});

export const specMark = (prefix: string, name: string, { spec, gateways, token }: SavedSpec): Mark => ({
  name: markNames(prefix, name).spec,
  value: JSON.stringify({ spec, gateways, ...(token !== null && { token }) }),
});

/** Floor, ranges above it, deliveries of what is not acknowledged, and when it was used last. */
export function atMark(prefix: string, name: string, state: SavedState, seenMs: number): Mark {
  const n: Record<string, number | readonly number[]> = {};
  for (const [seq, { deliveries, failures }] of state.counts) {
    n[String(seq)] = failures === deliveries - 1 ? deliveries : [deliveries, failures];
  }
  return {
    name: markNames(prefix, name).at,
    value: JSON.stringify({ f: state.floor, a: state.ranges, n, t: seenMs }),
  };
}

export const deadMark = (prefix: string, name: string, dead: ReadonlyMap<Seq, Dead>): Mark => ({
  name: markNames(prefix, name).dead,
  value: JSON.stringify(Array.from(dead, ([seq, { deliveries, why }]) => [seq, deliveries, why])),
});

export const goneMark = (prefix: string, name: string, { atMs, gateways }: Gone): Mark => ({
  name: markNames(prefix, name).gone,
  value: JSON.stringify({ t: atMs, gateways }),
});

/**
 * All that stands below the prefix, by name, those that were idle for too long and have ended, and the names of those
 * that cannot be read: a consumer without its configuration or its position is none.
 */
export function readMarks(
  prefix: string,
  marks: ReadonlyMap<string, string>,
): {
  readonly consumers: ReadonlyMap<string, SavedConsumer>;
  readonly gone: ReadonlyMap<string, Gone>;
  readonly unreadable: readonly string[];
} {
  const unreadable: string[] = [];
  const consumers = new Map<string, SavedConsumer>();
  const gone = new Map<string, Gone>();
  for (const [mark, value] of marks) {
    const [, name = "", kind] = /^([^/]+)\/(spec|gone)$/u.exec(mark.slice(prefix.length)) ?? [];
    if (kind === "gone") gone.set(name, goneOf(readJson(value)));
    if (kind !== "spec") continue;
    const saved = readJson(value);
    const names = markNames(prefix, name);
    const at = readJson(marks.get(names.at));
    // Without its position, all of the log would come again.
    if (!isSavedSpec(saved) || !isObject(at) || wholeOf(at["f"]) === null) {
      unreadable.push(name);
      continue;
    }
    const dead = deadOf(readJson(marks.get(names.dead)));
    const { spec, gateways, token = null } = saved;
    consumers.set(name, { spec, gateways, token, ...positionOf(at, dead) });
  }
  return { consumers, gone, unreadable };
}

function goneOf(value: unknown): Gone {
  const { t, gateways }: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  return { atMs: wholeOf(t) ?? 0, gateways: isTexts(gateways) ? gateways : null };
}

function positionOf(
  { f, a, n, t }: Readonly<Record<string, unknown>>,
  dead: ReadonlyMap<Seq, Dead>,
): Pick<SavedConsumer, "state" | "seenMs"> {
  const counts = isObject(n) ? Object.entries(n) : [];
  const state: SavedState = {
    floor: wholeOf(f) ?? 0,
    ranges: listOf(a).flatMap(rangeOf),
    counts: new Map(counts.flatMap(([seq, count]) => countOf(Number(seq), count))),
    dead,
  };
  return { state, seenMs: wholeOf(t) ?? 0 };
}

function rangeOf(value: unknown): readonly Range[] {
  const [from = null, to = null] = listOf(value).map(wholeOf);
  return from === null || to === null || to < from ? [] : [[from, to]];
}

function countOf(seq: Seq, value: unknown): readonly (readonly [Seq, DeliveryCount])[] {
  const [deliveries = null, failures] = (Array.isArray(value) ? listOf(value) : [value]).map(wholeOf);
  if (deliveries === null || wholeOf(seq) === null) return [];
  return [[seq, { deliveries, failures: failures ?? Math.max(0, deliveries - 1) }]];
}

function deadOf(value: unknown): ReadonlyMap<Seq, Dead> {
  const letters = new Map<Seq, Dead>();
  for (const one of listOf(value)) {
    const [seq, deliveries, why] = listOf(one);
    const at = wholeOf(seq);
    if (at === null) continue;
    letters.set(at, { deliveries: wholeOf(deliveries) ?? 1, why: why === "dropped" ? "dropped" : "max_deliver" });
  }
  return letters;
}

const wholeOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Consumers of earlier versions have no `token`. */
type StoredSpec = Omit<SavedSpec, "token"> & Partial<Pick<SavedSpec, "token">>;

function isSavedSpec(value: unknown): value is StoredSpec {
  if (!isObject(value)) return false;
  const { spec, gateways, token = null } = value;
  return isSpec(spec) && (gateways === null || isTexts(gateways)) && (token === null || typeof token === "string");
}

function isSpec(value: unknown): value is ConsumerSpec {
  if (!isObject(value)) return false;
  const { start, filter, ack, backoffMs, ordered } = value;
  const numbers = ["ackWaitMs", "maxInFlight", "maxDeliver", "idleMs"].map((key) => value[key]);
  return (
    (typeof start === "string" || isObject(start)) &&
    isObject(filter) &&
    [filter["gateways"], filter["types"], filter["accounts"]].every(isTexts) &&
    typeof filter["mine"] === "boolean" &&
    (ack === "explicit" || ack === "all" || ack === "none") &&
    listOf(backoffMs).every((ms) => wholeOf(ms) !== null) &&
    typeof ordered === "boolean" &&
    numbers.every((number) => wholeOf(number) !== null)
  );
}
