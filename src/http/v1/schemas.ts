import { PROBLEMS } from "./problems.ts";
import type { JsonSchema } from "./route.ts";

/** What the description says of the shapes in src/contract/api-v1.ts. */

const text = { type: "string" } as const;
const digits = { type: "string", pattern: "^(0|[1-9]\\d{0,15})$" } as const;
const time = { type: "string", format: "date-time" } as const;
const flag = { type: "boolean" } as const;
const orNull = (schema: { readonly type: string }) => ({ ...schema, type: [schema.type, "null"] });
const listOf = (items: JsonSchema) => ({ type: "array", items });
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** All keys but the optional ones are there; others may come with a later version, and are to be passed over. */
const whole = (
  properties: Readonly<Record<string, JsonSchema>>,
  description?: string,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: "object",
  ...(description !== undefined && { description }),
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
});

const EVENT_BASE = {
  seq: { ...digits, description: "Its place in the log: what acks, `after` and `Last-Event-ID` name." },
  type: text,
  time: { ...time, description: "When it was accepted." },
  gateways: { ...listOf(text), description: "Those in which the reader sees it." },
  source: ref("Source"),
};

const about = whole({ id: digits });

const anEvent = (types: readonly string[], more: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  whole({ ...EVENT_BASE, type: { enum: types }, ...more });

const NEWS = { ...text, description: "In the words of its network." } as const;

const EVENT: JsonSchema = {
  description: "One entry of the log. Pass over types and keys that you do not know: there will be more.",
  anyOf: [
    anEvent(["message.posted", "message.edited"], { author: ref("Author"), message: ref("Message") }),
    anEvent(["message.deleted"], { author: ref("Author"), message: about }),
    anEvent(["reaction.added", "reaction.removed"], {
      author: ref("Author"),
      message: about,
      reaction: whole({ emoji: text }),
    }),
    anEvent(["member.joined", "member.left"], { author: ref("Author"), text: NEWS }),
    anEvent(["member.renamed"], {
      author: ref("Author"),
      member: whole({
        name: {
          ...orNull(text),
          description: "The name that the person has now; null: an earlier version of Rialto stored the event.",
        },
      }),
      text: NEWS,
    }),
    anEvent(["topic.changed"], { author: ref("Author"), topic: text }),
    anEvent(["place.lost", "place.back"], { text: { ...text, description: "What the outage is." } }),
    anEvent(["receipt.changed"], { message: about, receipt: ref("Receipt") }),
    whole({
      ...EVENT_BASE,
      type: { not: { type: "string", pattern: "^(message|reaction|member|topic|place|receipt)\\." } },
    }),
  ],
};

export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: "object",
    description: "RFC 9457.",
    properties: {
      type: { ...text, description: "`/v1/problems/<code>`, which is served." },
      title: text,
      status: { type: "integer" },
      detail: { ...text, description: "What it is here, for people." },
      instance: { ...text, description: "The id of the request; the service's log has it too." },
      code: { ...text, description: `One of ${Object.keys(PROBLEMS).join(", ")}; later versions may have more.` },
      remedy: { ...text, description: "What can be done about it." },
      errors: listOf(
        whole({ pointer: { ...text, description: "RFC 6901: into the body, or `/` and a parameter." }, detail: text }),
      ),
    },
    required: ["type", "title", "status", "detail", "instance", "code", "remedy"],
  },
  Event: EVENT,
  StreamEvent: {
    description: "What a stream sends as `data`: an event, a gap, or something of now.",
    anyOf: [ref("Event"), ref("Skipped"), ref("Hint")],
  },
  Source: whole(
    {
      account: { ...text, description: "`<protocol>.<name>`, as in the configuration." },
      protocol: text,
      channel: text,
    },
    "Where it was said.",
  ),
  Author: whole({
    id: { ...text, description: "As its network has the person; may be empty." },
    name: { ...text, description: "As its network shows it; not formatted." },
    avatar: orNull(text),
    bot: flag,
    mine: { ...flag, description: "Said through the account that reads it." },
  }),
  Message: whole({
    id: digits,
    text,
    format: { enum: ["markdown", "plain"] },
    style: { enum: ["normal", "action", "notice"] },
    reply_to: orNull(digits),
    thread: orNull(digits),
    hops: { type: "integer", description: "How many programs have carried it from one gateway to another." },
    files: listOf(ref("File")),
  }),
  File: whole(
    {
      id: { ...text, description: "For `/v1/files/{id}`; empty while only `url` is known." },
      name: text,
      mime: text,
      bytes: { type: "integer", description: "0: nobody knows." },
      caption: text,
      url: { ...text, description: "Where it can be had; empty: by its id only." },
      expires: { ...orNull(time), description: "When `url` ends; null: nobody knows, or it does not." },
      spoiler: {
        type: ["boolean", "string"],
        description:
          "Its sender hides it and its caption until a reader asks for it: true, or the reason. Absent: it is open.",
      },
    },
    undefined,
    ["spoiler"],
  ),
  Receipt: whole(
    {
      gateway: text,
      account: text,
      channel: text,
      state: text,
      why: orNull(text),
      remedy: orNull(text),
      retry_at: orNull(time),
      tries: { type: ["integer", "null"] },
      refs: listOf(text),
      losses: listOf(whole({ what: text, note: text })),
    },
    "What became of a message at one destination.",
  ),
  Skipped: whole(
    { type: { const: "skipped" }, from: digits, to: digits, count: { type: "integer" } },
    "A gap: what retention took before it was read. `from` and `to` belong to it.",
  ),
  Hint: whole(
    {
      type: { enum: ["typing", "presence"] },
      time,
      gateways: listOf(text),
      source: ref("Source"),
      author: ref("Author"),
      on: flag,
    },
    "Something of now, on streams and sockets only. It is never in the log.",
  ),
};
