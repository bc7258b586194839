import type { Capabilities } from "../../contract/capabilities.ts";

/**
 * Homeservers know a repeated transaction for half an hour at the least: Synapse keeps answers in memory for 30 to 60
 * minutes, and the ids of a device's transactions on disk for a day.
 */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "native",
  mention: "native",
  notice: "native",
  fileIn: "native",
  fileOut: "native",
  hiddenFiles: "alone",
  members: "native",
  topic: "native",
  history: "native",
  nameMarks: "html",
  identity: ["puppet", "per-message", "prefix"],
  idempotency: { by: "key", windowMs: 30 * 60_000 },
  proof: "server",
  formats: [
    ...([
      "text",
      "code",
      "bold",
      "italic",
      "underline",
      "strike",
      "spoiler",
      "colour",
      "link",
      "mention",
      "emoji",
    ] as const),
    ...(["para", "heading", "pre", "quote", "list"] as const),
  ],
  limits: { textMax: 16_384, textUnit: "bytes", inflightMax: 1 },
} as const satisfies Capabilities;
