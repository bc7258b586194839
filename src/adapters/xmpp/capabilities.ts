import type { Capabilities } from "../../contract/capabilities.ts";

/**
 * What a room does not have (archive, stanza ids, occupant ids) is found out when it is joined: this is the most there
 * is.
 */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  quotesReplies: true,
  replyWords: "quote",
  thread: "none",
  mention: "emulated",
  notice: "emulated",
  fileIn: "native",
  fileOut: "native",
  hiddenFiles: "alone",
  members: "native",
  topic: "native",
  history: "native",
  identity: ["prefix"],
  idempotency: { by: "echo" },
  proof: "server",
  formats: ["text", "bold", "italic", "strike", "code", "para", "pre", "quote"],
  limits: { textMax: 5000, textUnit: "codepoints", inflightMax: 16 },
} as const satisfies Capabilities;
