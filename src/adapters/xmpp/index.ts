import { defineAdapter } from "../../contract/adapter.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import type { Manifest } from "../../contract/manifest.ts";
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
    const { Server } = settings as XmppSettings;
    return `${Server} (${TLS_WORDS[tlsOf(settings as XmppSettings)]})`;
  },
  check: (settings) => checkSettings(settings as XmppSettings),
};

/** What a room does not have (archive, stanza ids, occupant ids) is found out when it is joined: this is the most there is. */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "none",
  mention: "emulated",
  notice: "emulated",
  fileIn: "native",
  fileOut: "native",
  members: "native",
  topic: "native",
  history: "native",
  identity: ["prefix"],
  idempotency: { by: "echo" },
  proof: "server",
  formats: ["text", "bold", "italic", "strike", "code", "para", "pre", "quote"],
  limits: { textMax: 5000, textUnit: "codepoints", inflightMax: 16 },
} as const satisfies Capabilities;

export const adapter = defineAdapter<typeof capabilities, XmppSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
