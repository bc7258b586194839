import { createHash } from "node:crypto";
import type { DurableType } from "../contract/api-v1.ts";
import { formatSpan, parseSpan } from "../lib/duration.ts";
import { isObject } from "../lib/shapes.ts";
import type { ConsumerSpec, ConsumerStart } from "./consumers.ts";
import type { EventFilter } from "./feed.ts";

/** Every type that a consumer or a webhook can get. `receipt.changed` is for streams and sockets. */
export const CONSUMED_TYPES = Object.keys({
  "message.posted": true,
  "message.edited": true,
  "message.deleted": true,
  "reaction.added": true,
  "reaction.removed": true,
  "member.joined": true,
  "member.left": true,
  "member.renamed": true,
  "topic.changed": true,
  "place.lost": true,
  "place.back": true,
} satisfies Record<Exclude<DurableType, "receipt.changed">, true>);

/** Pattern of a duration. */
export const DURATION = "^(?:\\d{1,9}(?:\\.\\d{1,9})?(?:ms|s|m|h|d)){1,5}$";
const span = <const D extends string>(description: D) => ({ type: "string", pattern: DURATION, description }) as const;

const names = <const D extends string>(description: D) =>
  ({ type: "array", items: { type: "string", minLength: 1, maxLength: 256 }, maxItems: 1000, description }) as const;

/** A position in the log, as texts have it. */
export const SeqSchema = { type: "string", pattern: "^(0|[1-9]\\d{0,15})$" } as const;

/** Of all names in a filter together, as UTF-8. Each consumer keeps its filter, in memory and on the disk. */
export const FILTER_BYTES_MAX = 16 * 1024;

/** Which events somebody wants: a body's `filter`. */
export const FilterSchema = {
  type: "object",
  additionalProperties: false,
  description: `Which events; an empty list means all. All names together have ${FILTER_BYTES_MAX} bytes at most.`,
  properties: {
    gateways: names("Names of gateways."),
    types: names('Types of events; with `.*` at the end, all that begin so: "message.*".'),
    accounts: names("Where it was said, `<protocol>.<name>`."),
    mine: { type: "boolean", description: "Also what was said through this account itself." },
  },
} as const;

/** Where a reader begins: `start` of a consumer or a webhook, and the body of a seek. */
export const StartSchema = {
  description: "Where it begins. `last` counts events that pass the filter.",
  oneOf: [
    { type: "string", enum: ["new", "all"] },
    { type: "object", additionalProperties: false, required: ["after"], properties: { after: SeqSchema } },
    {
      type: "object",
      additionalProperties: false,
      required: ["time"],
      properties: { time: { type: "string", maxLength: 64, description: "RFC 3339." } },
    },
    {
      type: "object",
      additionalProperties: false,
      required: ["last"],
      properties: { last: { type: "integer", minimum: 0, maximum: 100_000 } },
    },
  ],
} as const;

/** The body of `PUT /v1/consumers/{name}`. */
export const SpecSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    start: StartSchema,
    filter: FilterSchema,
    ack: {
      type: "string",
      enum: ["explicit", "all", "none"],
      description: "`all`: an ack also counts for everything before it. `none`: what was handed out counts as read.",
    },
    ack_wait: span("How long an event may stay unacknowledged before it comes again, from 10ms to 24h."),
    max_in_flight: { type: "integer", minimum: 1, maximum: 1000, description: "How many may be unacknowledged." },
    max_deliver: {
      type: "integer",
      minimum: 0,
      maximum: 1000,
      description: "After so many deliveries an event becomes a dead letter; 0: never.",
    },
    backoff: {
      type: "array",
      items: { type: "string", pattern: DURATION },
      maxItems: 20,
      description: "How long an event waits before its second, third, … delivery; the last one counts for all others.",
    },
    ordered: { type: "boolean", description: "Nothing overtakes an event that waits for its next delivery." },
    idle: span("Ends when nobody has used it for so long, from 1s to 365d."),
  },
} as const;

/** What is wrong with a value that passes its schema. `pointer`: RFC 6901. */
export interface SpecFlaw {
  readonly pointer: string;
  readonly detail: string;
}

/** As checked by StartSchema. */
export type StartBody =
  | "new"
  | "all"
  | { readonly after: string }
  | { readonly time: string }
  | { readonly last: number };

/** As checked by FilterSchema. */
export interface FilterBody {
  readonly gateways?: readonly string[];
  readonly types?: readonly string[];
  readonly accounts?: readonly string[];
  readonly mine?: boolean;
}

/** As checked by SpecSchema. */
export interface SpecBody {
  readonly start?: StartBody;
  readonly filter?: FilterBody;
  readonly ack?: ConsumerSpec["ack"];
  readonly ack_wait?: string;
  readonly max_in_flight?: number;
  readonly max_deliver?: number;
  readonly backoff?: readonly string[];
  readonly ordered?: boolean;
  readonly idle?: string;
}

const HOUR_MS = 3_600_000;
const ACK_WAIT = { least: 10, most: 24 * HOUR_MS };
const BACKOFF = { least: 0, most: 24 * HOUR_MS };
const IDLE = { least: 1000, most: 365 * 24 * HOUR_MS };
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/iu;

/** The body with its defaults, or all that is wrong with it. */
export function specOf(body: SpecBody): { readonly spec: ConsumerSpec } | { readonly flaws: readonly SpecFlaw[] } {
  const flaws: SpecFlaw[] = [];
  const flaw = (found: SpecFlaw): void => void flaws.push(found);
  const ms = (pointer: string, text: string, range: { readonly least: number; readonly most: number }): number => {
    const value = parseSpan(text);
    if (value !== null && value >= range.least && value <= range.most) return value;
    flaw({ pointer, detail: `must be a duration from ${formatSpan(range.least)} to ${formatSpan(range.most)}` });
    return range.least;
  };
  const spec: ConsumerSpec = {
    start: startOf(body.start ?? "new", "/start", flaw),
    filter: filterOf(body.filter ?? {}, "/filter", flaw),
    ack: body.ack ?? "explicit",
    ackWaitMs: ms("/ack_wait", body.ack_wait ?? "30s", ACK_WAIT),
    maxInFlight: body.max_in_flight ?? 100,
    maxDeliver: body.max_deliver ?? 0,
    backoffMs: (body.backoff ?? ["1s", "10s", "1m"]).map((text, index) => ms(`/backoff/${index}`, text, BACKOFF)),
    ordered: body.ordered ?? true,
    idleMs: ms("/idle", body.idle ?? "30d", IDLE),
  };
  return flaws.length > 0 ? { flaws } : { spec };
}

/** `flaw` is told what is wrong; the answer means nothing then. */
export function startOf(body: StartBody, pointer: string, flaw: (flaw: SpecFlaw) => void): ConsumerStart {
  if (typeof body === "string") return body;
  if ("after" in body) return { after: Number(body.after) };
  if ("last" in body) return { last: body.last };
  const time = RFC3339.test(body.time) ? Date.parse(body.time) : Number.NaN;
  if (Number.isNaN(time)) flaw({ pointer: `${pointer}/time`, detail: "must be a date and time as RFC 3339 has it" });
  return { time };
}

/** `flaw` is told what is wrong; the answer means nothing then. */
export function filterOf(body: FilterBody, pointer: string, flaw: (flaw: SpecFlaw) => void): EventFilter {
  const types = body.types ?? [];
  for (const [index, type] of types.entries()) {
    const isKnown = type.endsWith("*")
      ? /^(?:.+\.)?\*$/u.test(type) && CONSUMED_TYPES.some((known) => known.startsWith(type.slice(0, -1)))
      : CONSUMED_TYPES.includes(type);
    if (!isKnown) {
      flaw({
        pointer: `${pointer}/types/${index}`,
        detail: `must be one of ${CONSUMED_TYPES.join(", ")}, or message.*`,
      });
    }
  }
  const filter = { gateways: body.gateways ?? [], types, accounts: body.accounts ?? [], mine: body.mine ?? false };
  const size = filterSizeFlaw(filter);
  if (size !== null) flaw({ pointer, detail: size });
  return filter;
}

/** Null: it is not too large. */
export function filterSizeFlaw({ gateways, types, accounts }: Omit<EventFilter, "mine">): string | null {
  const bytes = [...gateways, ...types, ...accounts].reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return bytes > FILTER_BYTES_MAX ? `must not have more than ${FILTER_BYTES_MAX} bytes in all its names` : null;
}

/** As a body has it, nothing left out. */
export function specView(spec: ConsumerSpec): Readonly<Required<SpecBody>> {
  return {
    start: startView(spec.start),
    filter: spec.filter,
    ack: spec.ack,
    ack_wait: formatSpan(spec.ackWaitMs),
    max_in_flight: spec.maxInFlight,
    max_deliver: spec.maxDeliver,
    backoff: spec.backoffMs.map(formatSpan),
    ordered: spec.ordered,
    idle: formatSpan(spec.idleMs),
  };
}

export function startView(start: ConsumerStart): StartBody {
  if (typeof start === "string") return start;
  if ("after" in start) return { after: String(start.after) };
  if ("last" in start) return { last: start.last };
  return { time: new Date(start.time).toISOString() };
}

/** A strong ETag (RFC 9110 §8.8.3) of what stands. */
export const etagOf = (text: string): string =>
  `"${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`;

/** Whether an If-Match (RFC 9110 §13.1.1) names the ETag of what stands; null: nothing stands. */
export function isMatch(ifMatch: string, etag: string | null): boolean {
  if (etag === null) return false;
  return ifMatch.trim() === "*" || ifMatch.split(",").some((one) => one.trim() === etag);
}

/** For values that have passed the schema. */
export const isSpecBody = (value: unknown): value is SpecBody => isObject(value);
export const isStartBody = (value: unknown): value is StartBody => typeof value === "string" || isObject(value);
