import type { Capabilities } from "../../contract/capabilities.ts";

/**
 * Webhooks know no key for a repeated post. Before each post leaves, the cursor says that it will; one that may have
 * been sent is looked for in the channel's history, behind the newest message that we knew, before it is sent again.
 */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "none" },
  reply: "native",
  quotesReplies: true,
  replyWords: "quote",
  thread: "native",
  mention: "native",
  notice: "emulated",
  fileIn: "native",
  fileOut: "native",
  hiddenFiles: "with captions",
  members: "native",
  topic: "native",
  history: "native",
  nameMarks: "discord",
  identity: ["per-message", "prefix"],
  idempotency: { by: "echo" },
  proof: "server",
  formats: [
    ...(["text", "code", "bold", "italic", "underline", "strike", "spoiler", "link", "mention", "emoji"] as const),
    ...(["para", "heading", "pre", "quote", "list"] as const),
  ],
  // The server counts code points; clients count units of UTF-16, which are never fewer.
  limits: { textMax: 2_000, textUnit: "utf16", inflightMax: 1 },
} as const satisfies Capabilities;
