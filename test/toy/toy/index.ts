import { defineAdapter } from "../../../src/contract/adapter.ts";
import type { Capabilities } from "../../../src/contract/capabilities.ts";
import type { Manifest } from "../../../src/contract/manifest.ts";

export interface ToySettings {
  readonly Server: string;
  readonly Token: string;
  readonly Nick: string;
}

const manifest: Manifest = {
  protocol: "toy",
  title: "Toy",
  schema: {
    type: "object",
    properties: {
      Server: {
        type: "string",
        description: "Server and port.",
        format: "host-port",
        examples: ["toy.example.org:7000"],
      },
      Token: { type: "string", description: "What the server knows us by.", secret: true },
      Nick: { type: "string", description: "Our name.", minLength: 1 },
    },
    required: ["Server", "Token", "Nick"],
  },
  channel: { pattern: "^[A-Za-z]+$", hint: "must be ASCII letters", lowerCase: true },
  network: "Server",
  login: "Nick",
};

export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "none",
  mention: "none",
  notice: "native",
  fileIn: "none",
  fileOut: "emulated",
  members: "native",
  topic: "none",
  history: "none",
  identity: ["prefix"],
  idempotency: { by: "key", windowMs: 24 * 60 * 60_000 },
  proof: "server",
  formats: ["text", "para"],
  limits: { textMax: 400, textUnit: "codepoints", inflightMax: 1 },
} as const satisfies Capabilities;

export const adapter = defineAdapter<typeof capabilities, ToySettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
