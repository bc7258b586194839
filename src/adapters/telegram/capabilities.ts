import type { Capabilities } from "../../contract/capabilities.ts";

/** Telegram knows no key for a repeated post, and shows a bot nothing of what it wrote: an unknown outcome stays so. */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native", topic: "none" },
  reply: "native",
  replyWords: "quote",
  thread: "none",
  mention: "native",
  notice: "emulated",
  fileIn: "native",
  fileOut: "native",
  hiddenFiles: "with captions",
  members: "native",
  topic: "none",
  // Of the last 24 hours.
  history: "native",
  identity: ["prefix"],
  nameMarks: {
    setting: "MessageFormat",
    formats: { HTML: "html", HTMLNick: "html", Markdown: "Markdown", MarkdownV2: "MarkdownV2" },
  },
  idempotency: { by: "none" },
  proof: "server",
  formats: [
    ...(["text", "code", "bold", "italic", "underline", "strike", "spoiler", "link", "mention", "emoji"] as const),
    ...(["para", "pre", "quote"] as const),
  ],
  limits: { textMax: 4_096, textUnit: "codepoints", inflightMax: 1 },
} as const satisfies Capabilities;
