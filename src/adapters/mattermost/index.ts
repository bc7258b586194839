import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { baseOf, checkSettings, schema, takesPartBy } from "./settings.ts";
import type { MattermostSettings } from "./settings.ts";

const manifest: Manifest = {
  protocol: "mattermost",
  title: "Mattermost",
  schema,
  channel: {
    // The server's model.IsValidChannelIdentifier, which only takes lower case, and ids of 26 characters.
    pattern: String.raw`^(?:(?!#)(?!ID:)[^\p{Cc}\s/?]{1,64}|ID:[a-z\d]{26})$`,
    hint: "must be the name of a channel as its address has it, such as town-square, without # before it, or its id, such as ID:abcdefghijklmnopqrstuvwxyz",
    lowerCase: false,
  },
  ignored: [
    { name: "SkipVersionCheck", state: "unneeded", why: "Rialto asks no server for its version before it connects" },
    { name: "BindAddress", state: "unneeded", why: "matterbridge never used it either" },
    { name: "v6", state: "unneeded", why: "it has no effect in matterbridge either" },
  ],
  network: "Server",
  division: "Team",
  address: (settings) => {
    const known = settingsBy(schema, settings);
    const base = takesPartBy(known) === "user" ? baseOf(known) : null;
    if (base === null) return null;
    const { protocol, hostname, port, pathname } = base;
    const isTls = protocol === "https:";
    const path = pathname === "/" ? "" : pathname;
    return `${hostname}:${port || (isTls ? "443" : "80")}${path} (${isTls ? "TLS" : "no TLS"})`;
  },
  lesser: [
    {
      title: "webhooks alone",
      unknown: "not sent again, but recorded as *unconfirmed* and named in the log; what comes after it is sent",
      rialto: "what was being sent is sent again, and may be there twice; the rest is there once",
      network: "what was being sent is *unconfirmed*, the rest waits and is sent: none doubled",
    },
  ],
  check: (settings) => checkSettings(settingsBy(schema, settings)),
};

export const adapter = defineAdapter<typeof capabilities, MattermostSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
