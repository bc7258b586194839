import { dropWords } from "../../../gateway/drops.ts";
import { ProblemError } from "../problems.ts";
import type { Reply } from "../route.ts";

/**
 * 200, and not 201: the request was right, and a filter of the operator keeps what was said from going further. Which
 * expression matched is the operator's.
 */
export function droppedReply(reason: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, body: { message: null, dropped: { reason, detail: dropWords(reason) } }, headers };
}

export const mismatch = (): ProblemError =>
  new ProblemError(
    "idempotency_mismatch",
    "this Idempotency-Key was used for another gateway or with another body in the last 24 h",
  );

const text = { type: "string" } as const;
const id = { type: "string", description: "Digits." } as const;

const FILE = {
  type: "object",
  properties: {
    id: text,
    name: text,
    mime: text,
    bytes: { type: "integer" },
    caption: text,
    url: text,
    expires: { type: ["string", "null"] },
  },
} as const;

const MESSAGE = {
  type: "object",
  properties: {
    id,
    text,
    format: { enum: ["markdown", "plain"] },
    style: { enum: ["normal", "action", "notice"] },
    reply_to: { type: ["string", "null"] },
    thread: { type: ["string", "null"] },
    hops: { type: "integer" },
    files: { type: "array", items: FILE },
  },
  required: ["id"],
} as const;

const receipts = { type: "string", description: "Where it is said what became of it." } as const;

export const TAKEN = { type: "object", properties: { message: MESSAGE, receipts }, required: ["message"] } as const;

export const DROPPED = {
  type: "object",
  properties: {
    message: { type: "null" },
    dropped: {
      type: "object",
      properties: { reason: text, detail: { type: "string", description: "For people." } },
      required: ["reason", "detail"],
    },
  },
  required: ["message", "dropped"],
} as const;
