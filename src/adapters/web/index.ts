import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { checkSettings, publicUrl, schema, type WebSettings } from "./settings.ts";

const manifest: Manifest = {
  protocol: "web",
  title: "Web chat",
  schema,
  channel: {
    pattern: String.raw`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$`,
    hint: "must be a word of letters, digits, dots, dashes and underscores, such as lobby",
    lowerCase: true,
  },
  network: "BindAddress",
  address: (settings) => publicUrl(settingsBy(schema, settings)),
  moderationChannel: (settings) => settingsBy(schema, settings).Moderation.toLowerCase() || null,
  keepsData: true,
  check: (settings) => checkSettings(settingsBy(schema, settings)),
};

export const adapter = defineAdapter<typeof capabilities, WebSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
