import type { SettingsOf, SettingsSchema } from "../../../src/contract/manifest.ts";

export const schema = {
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
} as const satisfies SettingsSchema;

export type ToySettings = SettingsOf<typeof schema>;
