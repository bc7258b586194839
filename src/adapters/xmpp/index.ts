import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { roomJid } from "./jid.ts";
import { checkSettings, schema, tlsOf } from "./settings.ts";
import type { XmppSettings } from "./settings.ts";

export type { XmppSettings } from "./settings.ts";

const TLS_WORDS = { direct: "TLS", starttls: "STARTTLS", none: "no TLS" } as const;

const manifest: Manifest = {
  protocol: "xmpp",
  title: "XMPP",
  schema,
  channel: {
    pattern: String.raw`^[^\p{Cc}\p{Zs}"&'/:<>@]+(?:@[^\p{Cc}\p{Zs}"&'/<>@]+)?$`,
    hint: "must be the name of a room, or room@service, without spaces and without any of \" & ' / : < >",
    lowerCase: true,
  },
  options: {
    key: {
      description: "Password of the room.",
      secret: true,
      rule: { pattern: String.raw`^\P{Cc}*$`, hint: "must not contain control characters" },
    },
  },
  ignored: [{ name: "WebhookURL", state: "unneeded", why: "Rialto writes in the room as everybody does" }],
  network: "Muc",
  room: roomJid,
  login: "Nick",
  address: (settings) => {
    const { Server } = settingsBy(schema, settings);
    return `${Server} (${TLS_WORDS[tlsOf(settingsBy(schema, settings))]})`;
  },
  check: (settings) => checkSettings(settingsBy(schema, settings)),
};

export const adapter = defineAdapter<typeof capabilities, XmppSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
