import type { Capabilities } from "../../contract/capabilities.ts";

/**
 * A server without echo-message only tells that it has read a line: that is proof, but no way to settle what is
 * unknown.
 */
export const capabilities = {
  // A reaction of ours would be a tag that few clients show: a line that says it serves more people.
  ops: { edit: "none", delete: "native", react: "none", topic: "native" },
  reply: "emulated",
  replyWords: "address",
  thread: "none",
  mention: "emulated",
  notice: "native",
  fileIn: "none",
  fileOut: "emulated",
  members: "native",
  topic: "native",
  history: "emulated",
  identity: ["alias", "prefix"],
  idempotency: { by: "none" },
  proof: "server",
  formats: ["text", "bold", "italic", "underline", "strike", "spoiler", "code", "colour", "para"],
  limits: { textMax: 512, textUnit: "bytes", inflightMax: 16 },
} as const satisfies Capabilities;
