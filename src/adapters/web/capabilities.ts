import type { Capabilities } from "../../contract/capabilities.ts";

/** So long the ids of ops are known, and a repeated one is answered with what it made. */
const OPS_KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * The server is ours: what it has written into its store is there, and is told to everybody who comes later. What the
 * page does not show as such is not promised: colours, headings (they are bold), and that somebody is mentioned.
 */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "none",
  mention: "none",
  notice: "native",
  fileIn: "native",
  fileOut: "native",
  members: "native",
  topic: "none",
  history: "none",
  identity: ["per-message"],
  idempotency: { by: "key", windowMs: OPS_KEPT_MS },
  proof: "server",
  formats: [
    ...(["text", "code", "bold", "italic", "underline", "strike", "spoiler"] as const),
    ...(["link", "mention", "emoji", "para", "pre", "quote", "list"] as const),
  ],
  limits: { textMax: 8_000, textUnit: "codepoints", inflightMax: 1 },
} as const satisfies Capabilities;
