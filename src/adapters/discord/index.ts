import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { checkSettings, DISCORD_API, type DiscordSettings, schema, WEBHOOK_RULE } from "./settings.ts";

const manifest: Manifest = {
  protocol: "discord",
  title: "Discord",
  schema,
  channel: {
    pattern: String.raw`^(?:(?!#)(?!ID:)[^\p{Cc}]{1,201}|ID:\d{15,21})$`,
    hint: "must be the name of a channel, such as general, without # before it, or category/general, or an id, such as ID:123456789012345678, also of a thread or a post of a forum",
    lowerCase: false,
  },
  options: {
    webhookurl: {
      description: "Address of a webhook of this channel, through which messages are sent.",
      secret: true,
      rule: WEBHOOK_RULE,
    },
  },
  ignored: [
    { name: "MessageSplitMaxCount", state: "unneeded", why: "a long message becomes as many messages as it needs" },
    {
      name: "PrefixMessagesWithNick",
      state: "replaced",
      why: "names come before the text with AutoWebhooks = false, and without the permission Manage Webhooks",
    },
    { name: "CustomStatus", state: "later", why: "the bot shows no status" },
    { name: "EditMaxDays", state: "unneeded", why: "edits are told as long as Rialto knows the message" },
  ],
  network: "Server",
  login: "Token",
  address: (settings) => {
    const { ApiURL } = settingsBy(schema, settings);
    if (ApiURL === DISCORD_API || !URL.canParse(ApiURL)) return "discord.com (TLS)";
    const { protocol, host, pathname } = new URL(ApiURL);
    return `${host}${pathname === "/" ? "" : pathname} (${protocol === "https:" ? "TLS" : "no TLS"})`;
  },
  check: (settings) => checkSettings(settingsBy(schema, settings)),
};

export const adapter = defineAdapter<typeof capabilities, DiscordSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
