import { siteOf } from "./site.ts";
import type { SettingIssue, SettingsOf, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";

const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;

/** Whose addresses and names count as Discord's own. */
export const DISCORD_API = "https://discord.com/api/v10";

/** Where `ApiURL` names no version. */
const API_VERSION = "10";

/** An address of a webhook, as its page shows it. */
export const WEBHOOK_RULE = {
  pattern: String.raw`^(?:|https?://[^\s?#@]+/webhooks/\d{1,20}/[\w-]+/?)$`,
  hint: "must be the address of a webhook, such as https://discord.com/api/webhooks/123456789012345678/abcdef",
} as const satisfies TextRule;

const place = {
  Token: {
    type: "string",
    description:
      "Token of the bot, from the page Bot of its application at `discord.com/developers/applications`. `Bot ` before it does no harm.",
    default: "",
    secret: true,
  },
  Server: {
    type: "string",
    description: "The server (guild) whose channels are named: its name, or its id, such as `ID:123456789012345678`.",
    default: "",
    examples: ["Our Town", "ID:123456789012345678"],
    protects: true,
    rule: { pattern: String.raw`^[^\p{Cc}]*$`, hint: "must not contain line breaks or control characters" },
  },
  Proxy: proxySetting,
  ApiURL: {
    type: "string",
    description:
      "Where Discord's API is, with its version: for servers that speak the same one, such as Spacebar. Links and advice then name the host of this address.",
    default: DISCORD_API,
    examples: [DISCORD_API, "https://chat.example.org/api/v9"],
    zeroIsDefault: true,
    protects: true,
    rule: {
      pattern: String.raw`^(?:|https?://[^\s/?#@]+(?:/[^\s?#]*)?)$`,
      hint: `must be the address of an API like Discord's, such as ${DISCORD_API}`,
    },
  },
} as const;

const webhooks = {
  AutoWebhooks: {
    type: "boolean",
    description:
      "Posts through a webhook of each channel, which Rialto makes where the bot may (Manage Webhooks), so that people are shown under their own names and avatars. `false`: only through the webhooks of `WebhookURL`, else as the bot, with the name before the text.",
    default: true,
  },
  WebhookURL: {
    type: "string",
    description:
      "Address of a webhook for the channel that it belongs to. A channel's own is better written as its option `WebhookURL`.",
    default: "",
    secret: true,
    rule: WEBHOOK_RULE,
  },
  UseLocalAvatar: {
    type: "array",
    items: { type: "string" },
    description:
      "People who come from these accounts or protocols are shown with the avatar that somebody of the same name has on the Discord server.",
    default: [],
    examples: ["irc"],
  },
} as const;

const showing = {
  UseUserName: flag("Shows people by their user name instead of their name on the server."),
  UseDiscriminator: flag("Adds the four digits to user names that still have them, as in `name#1234`."),
  ShowEmbeds: flag(
    "Tells what is in embeds, such as previews of links that people post, as text. What bots and webhooks say in embeds alone is always told.",
  ),
} as const;

export const schema = {
  type: "object",
  properties: { ...place, ...webhooks, ...showing },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type DiscordSettings = SettingsOf<typeof schema>;

/** Where the API is, without its version, and that version. */
export function apiOf({ ApiURL }: Pick<DiscordSettings, "ApiURL">): {
  readonly base: string;
  readonly version: string;
} {
  const [, base = "", version = API_VERSION] = /^(.*?)(?:\/v(\d+))?$/u.exec(ApiURL.replace(/\/+$/u, "")) ?? [];
  return { base, version };
}

/** The token as requests have it, without what some write before it. */
export function tokenOf({ Token }: Pick<DiscordSettings, "Token">): string {
  return Token.trim().replace(/^Bot\s+/u, "");
}

/** The webhook that an address leads to; null: it is none. */
export function hookIn(url: string): { readonly id: string; readonly token: string } | null {
  const [, id, token] = /\/webhooks\/(\d{1,20})\/([\w-]+)\/?$/u.exec(url) ?? [];
  return id === undefined || token === undefined ? null : { id, token };
}

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: DiscordSettings): readonly SettingIssue[] {
  const { Token, Server, ApiURL } = settings;
  const issues: SettingIssue[] = [];
  const portal = `${siteOf(settings).portal} > the application > Bot > Reset Token`;
  if (tokenOf(settings) === "") issues.push(error("Token", `is missing; it is at ${portal}`));
  else if (/^(?:User|Bearer)\s/u.test(Token.trim()))
    issues.push(
      error("Token", `is not a bot's: Discord forbids bridges in the account of a person; make a bot (${portal})`),
    );
  else if (!/^[\x21-\x7e]+$/u.test(tokenOf(settings)))
    issues.push(error("Token", `has spaces or other characters in it that no token has; copy it again from ${portal}`));
  if (Server.trim() === "")
    issues.push(error("Server", "is missing; it is the server's name, or its id, such as ID:123456789012345678"));
  if (!URL.canParse(ApiURL)) issues.push(error("ApiURL", "is not an address"));
  else if (ApiURL.startsWith("http:") && !LOCAL.test(ApiURL))
    issues.push(warning("ApiURL", "sends the token and all messages unencrypted; use https"));
  return issues;
}

/** A server on this machine. */
const LOCAL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|\/|$)/u;

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
