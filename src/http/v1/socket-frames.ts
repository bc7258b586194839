import type { EventFilter } from "../../consumers/feed.ts";
import { FilterSchema, SeqSchema } from "../../consumers/spec.ts";
import { isObject } from "../../lib/shapes.ts";
import { flawsOf } from "./check.ts";
import { AckSchema } from "./consumer-shapes.ts";
import { ProblemError } from "./problems.ts";

/** The frames that a client sends over `/v1/socket`, each an object of JSON with its `op`. */
export type SocketOp = "subscribe" | "unsubscribe" | "credit" | "ack" | "post" | "typing" | "heartbeat";

/** What is sent beside what the frame is about. */
const ENVELOPE: ReadonlySet<string> = new Set(["op", "id", "gateway", "key", "consumer"]);

/** Most events that one frame may ask for. */
const CREDIT_MAX = 10_000;

const id = { type: "string", minLength: 1, maxLength: 256 } as const;
const name = { type: "string", minLength: 1, maxLength: 256 } as const;
const credit = { type: "integer", minimum: 0, maximum: CREDIT_MAX } as const;
const { additionalProperties: _, ...filter } = FilterSchema;

/** By `op`. What is not named is passed over, but in an `ack` and a `post`: these are as over HTTP. */
const FRAMES: Readonly<Record<SocketOp, Readonly<Record<string, unknown>>>> = {
  subscribe: {
    type: "object",
    required: ["id", "credit"],
    properties: { id, consumer: name, filter, after: SeqSchema, credit },
  },
  unsubscribe: { type: "object", required: ["id"], properties: { id } },
  credit: { type: "object", required: ["id", "credit"], properties: { id, credit } },
  ack: { type: "object", required: ["consumer"], properties: { id, consumer: name } },
  post: { type: "object", required: ["gateway"], properties: { id, gateway: name, key: { ...name, maxLength: 255 } } },
  typing: {
    type: "object",
    required: ["gateway"],
    properties: { id, gateway: name },
  },
  heartbeat: { type: "object", properties: { id } },
};

/** Keys that are not in a frame are undefined here. */
export interface ClientFrame {
  readonly op: SocketOp;
  readonly id: string | null;
  readonly consumer?: string;
  readonly filter?: Partial<EventFilter>;
  readonly after?: string;
  readonly credit?: number;
  readonly gateway?: string;
  readonly key?: string;
  /** What is left beside these. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type Checked = Omit<ClientFrame, "fields" | "id"> & { readonly id?: string };

const isChecked = (value: unknown): value is Checked => isObject(value);
const isOp = (op: unknown): op is SocketOp => typeof op === "string" && Object.hasOwn(FRAMES, op);

/** The value of a text frame; undefined: it is no JSON. */
export function parseFrame(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** By which the answer names what was asked, as far as that can be read. */
export function idOf(value: unknown): string | null {
  const given = isObject(value) ? value["id"] : null;
  return typeof given === "string" && given.length <= id.maxLength ? given : null;
}

/** Throws a ProblemError `bad_request`. */
export function frameOf(value: unknown): ClientFrame {
  if (!isObject(value)) throw new ProblemError("bad_request", "a frame is an object of JSON with its `op`");
  const { op } = value;
  if (!isOp(op)) {
    const ops = Object.keys(FRAMES).join(", ");
    throw new ProblemError("bad_request", `there is no such \`op\`; there are ${ops}`, {
      errors: [{ pointer: "/op", detail: `must be one of ${ops}` }],
    });
  }
  checked(FRAMES[op], value, `the frame \`${op}\` is not as described`);
  if (!isChecked(value)) throw new ProblemError("bad_request", "a frame is an object of JSON with its `op`");
  const fields = Object.fromEntries(Object.entries(value).filter(([key]) => !ENVELOPE.has(key)));
  if (op === "ack") checked(AckSchema, fields, "the frame `ack` is not as described");
  return { ...value, id: value.id ?? null, fields };
}

/** Throws a ProblemError `bad_request` that names what is wrong. */
export function checked(schema: Readonly<Record<string, unknown>>, value: unknown, detail: string): void {
  const errors = flawsOf(schema, value);
  if (errors.length > 0) throw new ProblemError("bad_request", detail, { errors });
}
