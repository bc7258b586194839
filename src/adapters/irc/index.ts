import { defineAdapter } from "../../contract/adapter.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import type { Manifest } from "../../contract/manifest.ts";
import { checkSettings, schema } from "./settings.ts";
import type { IrcSettings } from "./settings.ts";

export type { IrcSettings } from "./settings.ts";

const relaymsg = "names of senders stand before the text, as RemoteNickFormat says";

const manifest: Manifest = {
  protocol: "irc",
  title: "IRC",
  schema,
  channel: {
    // RFC 2812 §1.3, without the limit of 50 characters: networks allow up to 200 today.
    pattern: String.raw`^[#&+!][^\p{Cc} ,]{0,199}$`,
    hint: "must begin with #, &, + or !, hold no space, comma or control character, and be at most 200 characters long",
    lowerCase: true,
  },
  options: {
    key: {
      description: "Password of the channel (mode `+k`).",
      secret: true,
      rule: {
        pattern: String.raw`^(?!:)[^\p{Cc} ,]*$`,
        hint: "must hold no space, comma or control character, and must not begin with a colon",
      },
    },
  },
  ignored: [
    { name: "MessageQueue", state: "unneeded", why: "messages wait in the log, and none is dropped" },
    { name: "MessageSplit", state: "unneeded", why: "long messages are always split" },
    { name: "MessageClipped", state: "unneeded", why: "nothing is clipped; see MessageLines" },
    { name: "UseRelayMsg", state: "later", why: relaymsg },
    { name: "UseRelayFallback", state: "later", why: relaymsg },
    { name: "RelayFallbackNick", state: "later", why: relaymsg },
    { name: "DoubleColonPrefix", state: "later", why: relaymsg },
  ],
  network: "Server",
  login: "Nick",
  check: (settings) => checkSettings(settings as IrcSettings),
};

/** A server without echo-message only tells that it has read a line: that is proof, but no way to settle what is unknown. */
export const capabilities = {
  ops: { edit: "none", delete: "none", react: "none" },
  reply: "none",
  thread: "none",
  notice: "native",
  fileIn: "none",
  fileOut: "emulated",
  members: "native",
  topic: "native",
  history: "none",
  identity: ["prefix"],
  idempotency: { by: "none" },
  proof: "server",
  formats: ["text", "bold", "italic", "underline", "strike", "code", "colour", "para"],
  limits: { textMax: 512, textUnit: "bytes", inflightMax: 16 },
} as const satisfies Capabilities;

export const adapter = defineAdapter<typeof capabilities, IrcSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
