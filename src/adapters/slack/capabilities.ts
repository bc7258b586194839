import type { Capabilities } from "../../contract/capabilities.ts";

/**
 * Slack knows no key by which a repeated post is the same. Each message carries the id of its op, in its metadata and
 * in the id of its first block: what may have been sent is looked for in the channel before it is sent again.
 */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "native",
  mention: "native",
  notice: "emulated",
  fileIn: "native",
  fileOut: "native",
  members: "native",
  topic: "native",
  history: "native",
  nameMarks: "slack",
  identity: ["per-message", "prefix"],
  idempotency: { by: "echo" },
  proof: "server",
  formats: [
    ...(["text", "code", "bold", "italic", "strike", "link", "mention", "emoji"] as const),
    ...(["para", "pre", "quote", "list"] as const),
  ],
  // Longer texts are cut by the server into several messages, of which the answer names only the first.
  limits: { textMax: 4_000, textUnit: "codepoints", inflightMax: 1 },
} as const satisfies Capabilities;
