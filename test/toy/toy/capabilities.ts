import type { Capabilities } from "../../../src/contract/capabilities.ts";

export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "none",
  mention: "none",
  notice: "native",
  fileIn: "none",
  fileOut: "emulated",
  members: "native",
  topic: "native",
  history: "none",
  identity: ["prefix"],
  idempotency: { by: "key", windowMs: 24 * 60 * 60_000 },
  proof: "server",
  formats: ["text", "para"],
  limits: { textMax: 400, textUnit: "codepoints", inflightMax: 1 },
} as const satisfies Capabilities;
