import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { checkSettings, schema } from "./settings.ts";
import type { IrcSettings } from "./settings.ts";

export type { IrcSettings } from "./settings.ts";

const manifest: Manifest = {
  protocol: "irc",
  title: "IRC",
  schema,
  channel: {
    // RFC 2812 §1.3, without the limit of 50 characters: networks allow up to 200 today.
    pattern: String.raw`^[#&+!][^\p{Cc} ,]{0,199}$`,
    hint: "must begin with #, &, + or !, contain no spaces, commas or control characters, and be at most 200 characters long",
    lowerCase: true,
  },
  options: {
    key: {
      description: "Password of the channel (mode `+k`).",
      secret: true,
      rule: {
        pattern: String.raw`^(?!:)[^\p{Cc} ,]*$`,
        hint: "must not contain spaces, commas or control characters, and must not begin with a colon",
      },
    },
  },
  ignored: [
    { name: "MessageQueue", state: "unneeded", why: "messages wait in the log, and none is dropped" },
    { name: "MessageSplit", state: "unneeded", why: "long messages are always split" },
    { name: "MessageClipped", state: "unneeded", why: "nothing is clipped; see MessageLines" },
    { name: "DoubleColonPrefix", state: "unneeded", why: "a colon at the beginning of a text always arrives" },
  ],
  network: "Server",
  login: "Nick",
  address: (settings) => {
    const { Server, UseTLS } = settingsBy(schema, settings);
    return `${Server} (${UseTLS ? "TLS" : "no TLS"})`;
  },
  check: (settings) => checkSettings(settingsBy(schema, settings)),
};

export const adapter = defineAdapter<typeof capabilities, IrcSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
