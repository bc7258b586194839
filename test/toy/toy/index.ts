import { defineAdapter } from "../../../src/contract/adapter.ts";
import type { Manifest } from "../../../src/contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import type { ToySettings } from "./settings.ts";

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

export const adapter = defineAdapter<typeof capabilities, ToySettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
