import { defineAdapter } from "../../contract/adapter.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import type { Manifest } from "../../contract/manifest.ts";
import { registrationCommand } from "./registration.ts";
import { checkSettings, schema } from "./settings.ts";
import type { MatrixSettings } from "./settings.ts";

const encryption = "end-to-end encryption: encrypted rooms cannot be read or written yet";

const manifest: Manifest = {
  protocol: "matrix",
  title: "Matrix",
  schema,
  channel: {
    // The specification, "Room aliases" and "Room ids": at most 255 bytes with sigil and server name; newer room ids have no server name.
    pattern: String.raw`^(?:#[^\p{Cc}\s:]{1,250}:[^\p{Cc}\s/?#]{1,250}|![^\p{Cc}\s/?#]{1,254})$`,
    hint: "must be the alias of a room, such as #room:example.org, or its id, such as !abcdef:example.org",
    lowerCase: false,
  },
  ignored: [
    { name: "SessionFile", state: "later", why: encryption },
    { name: "PickleKey", state: "later", why: encryption },
    { name: "RecoveryKey", state: "later", why: encryption },
    {
      name: "SkipTLSVerify",
      state: "unneeded",
      why: "set NODE_EXTRA_CA_CERTS in the environment to trust your own certificate",
    },
    {
      name: "DisableMarkdownParsing",
      state: "unneeded",
      why: "Rialto formats only what the sender's network formats",
    },
  ],
  network: "Server",
  // Aliases and ids hold the name of their server.
  room: (channel) => channel,
  login: "Login",
  address: (settings) => {
    const { Server } = settings as MatrixSettings;
    if (!URL.canParse(Server)) return null;
    // Without what may be in it beside the host: credentials, a path.
    const { protocol, hostname, port } = new URL(Server);
    const isTls = protocol === "https:";
    return `${hostname}:${port || (isTls ? "443" : "80")} (${isTls ? "TLS" : "no TLS"})`;
  },
  check: (settings) => checkSettings(settings as MatrixSettings),
  commands: [registrationCommand],
};

/**
 * Homeservers know a repeated transaction for half an hour at the least: Synapse keeps answers in memory for 30 to 60 minutes, and the ids of
 * a device's transactions on disk for a day.
 */
export const capabilities = {
  ops: { edit: "native", delete: "native", react: "native" },
  reply: "native",
  replyWords: "quote",
  thread: "native",
  mention: "native",
  notice: "native",
  fileIn: "native",
  fileOut: "native",
  members: "native",
  topic: "native",
  history: "native",
  identity: ["puppet", "per-message", "prefix"],
  idempotency: { by: "key", windowMs: 30 * 60_000 },
  proof: "server",
  formats: [
    ...([
      "text",
      "code",
      "bold",
      "italic",
      "underline",
      "strike",
      "spoiler",
      "colour",
      "link",
      "mention",
      "emoji",
    ] as const),
    ...(["para", "heading", "pre", "quote", "list"] as const),
  ],
  limits: { textMax: 16_384, textUnit: "bytes", inflightMax: 1 },
} as const satisfies Capabilities;

export const adapter = defineAdapter<typeof capabilities, MatrixSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
