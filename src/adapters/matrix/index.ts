import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { registrationCommand } from "./registration.ts";
import { checkSettings, schema } from "./settings.ts";
import type { MatrixSettings } from "./settings.ts";

const encryption = "end-to-end encryption: encrypted rooms cannot be read or written yet";

const manifest: Manifest = {
  protocol: "matrix",
  title: "Matrix",
  schema,
  channel: {
    // The specification, "Room aliases" and "Room ids": at most 255 bytes with sigil and server name; newer room ids
    // have no server name.
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
    const { Server } = settingsBy(schema, settings);
    if (!URL.canParse(Server)) return null;
    // Without what may be in it beside the host: credentials, a path.
    const { protocol, hostname, port } = new URL(Server);
    const isTls = protocol === "https:";
    return `${hostname}:${port || (isTls ? "443" : "80")} (${isTls ? "TLS" : "no TLS"})`;
  },
  check: (settings) => checkSettings(settingsBy(schema, settings)),
  commands: [
    registrationCommand,
    {
      name: "login",
      summary: "log in with a browser, or once with a password, and save the login",
      load: () => import("./sign-in.ts"),
    },
  ],
};

export const adapter = defineAdapter<typeof capabilities, MatrixSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
