import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { checkSettings, isTelegramItself, schema, type TelegramSettings } from "./settings.ts";
import { canvasKitFile, sharpFile } from "./sharp-file.ts";

const manifest: Manifest = {
  protocol: "telegram",
  title: "Telegram",
  schema,
  channel: {
    pattern: String.raw`^-?[1-9]\d{0,15}(?:/[1-9]\d{0,9})?$`,
    hint: "must be the id of a chat, such as -1001234567890, or of a topic in it, such as -1001234567890/5; write /chatId to the bot there, and it answers with the id",
    lowerCase: false,
  },
  ignored: [
    {
      name: "UseInsecureURL",
      state: "unneeded",
      why: "files cross themselves; their addresses at Telegram hold the bot's token",
    },
  ],
  network: "Token",
  // A chat is the same one for all bots.
  room: (channel) => channel.replace(/\/1$/u, ""),
  login: "Token",
  address: (settings) => {
    const { ApiURL } = settingsBy(schema, settings);
    if (!URL.canParse(ApiURL)) return null;
    if (isTelegramItself({ ApiURL })) return "api.telegram.org (TLS)";
    const { protocol, host, pathname } = new URL(ApiURL);
    return `${host}${pathname === "/" ? "" : pathname} (${protocol === "https:" ? "TLS" : "no TLS"})`;
  },
  check: (settings) =>
    checkSettings(
      settingsBy(schema, settings),
      () => sharpFile() !== null,
      () => canvasKitFile() !== null,
    ),
};

export const adapter = defineAdapter<typeof capabilities, TelegramSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
