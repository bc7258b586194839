import { defineAdapter } from "../../../src/contract/adapter.ts";
import type { Manifest } from "../../../src/contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { schema, type ToySettings } from "./settings.ts";

const manifest: Manifest = {
  protocol: "toy",
  title: "Toy",
  schema,
  channel: { pattern: "^[A-Za-z]+$", hint: "must be ASCII letters", lowerCase: true },
  network: "Server",
  login: "Nick",
};

export const adapter = defineAdapter<typeof capabilities, ToySettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
