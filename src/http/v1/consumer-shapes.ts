import type { Acked, AckRequest, ConsumerView, DeadPage, Delivered, Pulled } from "../../consumers/consumers.ts";
import { DURATION, SeqSchema, type SpecFlaw, SpecSchema, specView } from "../../consumers/spec.ts";
import { formatSpan, parseSpan } from "../../lib/duration.ts";
import { isObject } from "../../lib/shapes.ts";
import { NextSchema } from "./listing.ts";
import { ProblemError } from "./problems.ts";

/** What consumers are asked and answer, as JSON: for their routes and for frames of the WebSocket. */

const seqs = <const D extends string>(description: D) =>
  ({ type: "array", items: SeqSchema, maxItems: 1000, description }) as const;
const time = { type: ["string", "null"] } as const;
const count = <const D extends string>(description: D) => ({ type: "integer", minimum: 0, description }) as const;

/** The body of a pull. */
export const PullSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    max: { type: "integer", minimum: 1, maximum: 1000, description: "Most events; 100." },
    wait: {
      type: "string",
      pattern: DURATION,
      description: "How long to wait for the first event; 30s. No pull takes longer than 55 s.",
    },
    bytes: {
      type: "integer",
      minimum: 1,
      maximum: 8_388_608,
      description: "About how many bytes of events, one event at least; 1048576.",
    },
    restart: {
      type: "boolean",
      description:
        "The program starts again: everything that any pull or connection of this consumer holds is given back first, " +
        "and comes with this pull, in order, before anything newer.",
    },
  },
} as const;

/** The body of an ack. */
export const AckSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    upto: {
      ...SeqSchema,
      description: "Acknowledges all that was handed out up to this event, if it was all handed to its one holder.",
    },
    ack: seqs("Acknowledges these."),
    nack: {
      type: "array",
      maxItems: 1000,
      description: "They could not be worked on, and come again.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["seq"],
        properties: {
          seq: SeqSchema,
          in: { type: "string", pattern: DURATION, description: "After so long; absent: as `backoff` has it." },
        },
      },
    },
    release: seqs("They are given back: they come again at once, and this delivery does not count as failed."),
    extend: seqs("They are still worked on: `ack_wait` begins anew."),
    drop: seqs("They never come again, and are dead letters."),
  },
} as const;

/** The answer to an ack. */
export const AckedSchema = {
  type: "object",
  required: ["floor", "in_flight"],
  properties: { floor: SeqSchema, in_flight: count("Handed out and not acknowledged.") },
} as const;

/** A consumer. */
export const ConsumerSchema = {
  type: "object",
  required: ["name", "floor", "head", "pending", "in_flight", "redelivered", "oldest_unacked", "dead", "last_seen"],
  properties: {
    name: { type: "string" },
    ...SpecSchema.properties,
    floor: { ...SeqSchema, description: "Everything up to it is acknowledged." },
    head: { ...SeqSchema, description: "The newest entry of the log." },
    pending: count(
      "Not handed out yet; counted up to 10000. Far behind, with events of types that the filter does not take.",
    ),
    in_flight: count("Handed out and not acknowledged."),
    redelivered: count("Of those, how many were handed out more than once."),
    oldest_unacked: { ...time, description: "When the oldest of those was handed out first, RFC 3339." },
    dead: count("Dead letters."),
    last_seen: { ...time, description: "When it was used last, RFC 3339." },
  },
} as const;

export const ConsumersSchema = {
  type: "object",
  required: ["consumers"],
  properties: { consumers: { type: "array", items: ConsumerSchema }, next: NextSchema },
} as const;

const EventSchema = { $ref: "#/components/schemas/Event" } as const;

/** The answer to a pull. */
export const PulledSchema = {
  type: "object",
  required: ["events", "pending", "skipped"],
  properties: {
    events: {
      type: "array",
      items: {
        type: "object",
        required: ["delivery", "deadline", "event"],
        properties: {
          delivery: { type: "integer", minimum: 1, description: "How many times it was handed out by now." },
          deadline: { ...time, description: "When it comes again, RFC 3339; null: never." },
          event: EventSchema,
        },
      },
    },
    pending: count(
      "Not handed out yet; counted up to 10000. Far behind, with events of types that the filter does not take.",
    ),
    skipped: count("What retention took before it was handed out."),
  },
} as const;

/** The answer to a question for dead letters. */
export const DeadSchema = {
  type: "object",
  required: ["dead"],
  properties: {
    dead: {
      type: "array",
      items: {
        type: "object",
        required: ["deliveries", "why", "event"],
        properties: {
          deliveries: count("How many times it was handed out."),
          why: { type: "string", enum: ["max_deliver", "dropped"] },
          event: EventSchema,
        },
      },
    },
    next: { ...SeqSchema, description: "There are more: ask again with `after`." },
  },
} as const;

/** As checked by PullSchema. */
export interface PullBody {
  readonly max?: number;
  readonly wait?: string;
  readonly bytes?: number;
  readonly restart?: boolean;
}

/** As checked by AckSchema. */
export interface AckBody {
  readonly upto?: string;
  readonly ack?: readonly string[];
  readonly nack?: readonly { readonly seq: string; readonly in?: string }[];
  readonly release?: readonly string[];
  readonly extend?: readonly string[];
  readonly drop?: readonly string[];
}

/** For values that have passed the schema. */
export const isPullBody = (value: unknown): value is PullBody => isObject(value);
export const isAckBody = (value: unknown): value is AckBody => isObject(value);

const NACK_MAX_MS = 7 * 24 * 3_600_000;

/** With its defaults. */
export const pullOf = ({ max = 100, wait = "30s", bytes = 1024 * 1024, restart = false }: PullBody) => ({
  max,
  waitMs: parseSpan(wait) ?? 0,
  bytes,
  restart,
});

/** `flaw` is told what is wrong; the answer means nothing then. */
export function ackOf(body: AckBody, flaw: (flaw: SpecFlaw) => void): AckRequest {
  const numbers = (list: readonly string[] = []): number[] => list.map(Number);
  const nack = (body.nack ?? []).map(({ seq, in: after }, index) => {
    const inMs = after === undefined ? null : parseSpan(after);
    if (after !== undefined && (inMs === null || inMs > NACK_MAX_MS)) {
      flaw({ pointer: `/nack/${index}/in`, detail: `must be a duration up to ${formatSpan(NACK_MAX_MS)}` });
    }
    return { seq: Number(seq), inMs };
  });
  return {
    ...(body.upto !== undefined && { upto: Number(body.upto) }),
    ack: numbers(body.ack),
    nack,
    release: numbers(body.release),
    extend: numbers(body.extend),
    drop: numbers(body.drop),
  };
}

export const ackedView = ({ floor, inFlight }: Acked) => ({ floor: String(floor), in_flight: inFlight });

export const consumerView = ({ name, spec, ...at }: ConsumerView) => ({
  name,
  ...specView(spec),
  floor: String(at.floor),
  head: String(at.head),
  pending: at.pending,
  in_flight: at.inFlight,
  redelivered: at.redelivered,
  oldest_unacked: timeOf(at.oldestUnackedMs),
  dead: at.dead,
  last_seen: timeOf(at.lastSeenMs),
});

/** One delivery as JSON. */
export const deliveredJson = ({ delivery, deadlineMs, item }: Delivered): string =>
  `{"delivery":${delivery},"deadline":${JSON.stringify(timeOf(deadlineMs))},"event":${item.json}}`;

/** The answer to a pull as JSON. */
export const pulledJson = ({ events, pending, gap }: Pulled): string =>
  `{"events":[${events.map(deliveredJson).join(",")}],"pending":${pending},"skipped":${gap?.count ?? 0}}`;

const SEQ = new RegExp(SeqSchema.pattern, "u");

/** A position that an address names, in its path or as the parameter `name`. */
export function seqOf(text: string, name = "seq"): number {
  if (!SEQ.test(text)) {
    const errors = [{ pointer: `/${name}`, detail: "must be a position: digits, as in `seq`" }];
    throw new ProblemError("bad_request", `${name} is ${JSON.stringify(text)}, which is no position`, { errors });
  }
  return Number(text);
}

/** Dead letters as JSON. */
export function deadJson({ letters, next }: DeadPage): string {
  const dead = letters.map(
    ({ deliveries, why, item }) => `{"deliveries":${deliveries},"why":"${why}","event":${item.json}}`,
  );
  return `{"dead":[${dead.join(",")}]${next === null ? "" : `,"next":"${next}"`}}`;
}

/** RFC 3339. */
const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
