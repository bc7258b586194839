import type { Capabilities } from "../../contract/capabilities.ts";

/**
 * A repeated post is answered with the first one for 30 s (`pending_post_id`); behind that, ours is found in the
 * channel by the id of its op, which its props hold: what may have been sent is always looked for before it is sent
 * again.
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
  nameMarks: "mattermost",
  identity: ["per-message", "prefix"],
  idempotency: { by: "echo" },
  proof: "server",
  formats: [
    ...(["text", "code", "bold", "italic", "strike", "link", "mention", "emoji"] as const),
    ...(["para", "heading", "pre", "quote", "list"] as const),
  ],
  // What servers allow as they are installed; less where they say less.
  limits: { textMax: 16_383, textUnit: "codepoints", inflightMax: 1 },
} as const satisfies Capabilities;
