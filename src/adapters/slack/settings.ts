import type { SettingIssue, SettingsOf, SettingsSchema } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";

const secret = (description: string) => ({ type: "string", description, default: "", secret: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;

/** Where Slack's own API is. */
export const SLACK_API = "https://slack.com/api/";

export const schema = {
  type: "object",
  properties: {
    Token: secret(
      "Token of the app's bot, which begins with `xoxb-`: from the page OAuth & Permissions of the app at `api.slack.com/apps`.",
    ),
    AppToken: secret(
      "Token of the app itself, which begins with `xapp-`, with the scope `connections:write`: from its page Basic Information, App-Level Tokens. By it Slack tells what happens (Socket Mode).",
    ),
    Proxy: proxySetting,
    ApiURL: {
      type: "string",
      description:
        "Where Slack's Web API is: for GovSlack (`https://slack-gov.com/api/`) and servers that speak the same one.",
      default: SLACK_API,
      examples: [SLACK_API],
      zeroIsDefault: true,
      protects: true,
      rule: {
        pattern: String.raw`^(?:|https?://[^\s/?#@]+(?:/[^\s?#]*)?)$`,
        hint: `must be the address of an API like Slack's, such as ${SLACK_API}`,
      },
    },
    WebhookURL: {
      ...secret(
        "Address of an incoming webhook of Slack, through which messages are sent if there is no `Token`: only to the webhook's own channel, under the webhook's name, and without edits, deletions, reactions, replies and files.",
      ),
      rule: {
        pattern: String.raw`^(?:|https?://[^\s/?#@]+/[^\s?#]*)$`,
        hint: "must be the address of an incoming webhook, such as https://hooks.slack.com/services/T000/B000/abcdef",
      },
    },
    PrefixMessagesWithNick: flag(
      "Puts the sender's name before the text, instead of showing it as the author of the message.",
    ),
    UseFullName: flag("Shows people by their full name instead of their display name."),
  },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type SlackSettings = SettingsOf<typeof schema>;

/** How the account takes part: as an app, or through a webhook alone. */
export function takesPartBy({ Token, WebhookURL }: Pick<SlackSettings, "Token" | "WebhookURL">): "app" | "webhook" {
  return Token === "" && WebhookURL !== "" ? "webhook" : "app";
}

/** Where the Web API is: what stands before the names of its methods. */
export function apiOf({ ApiURL }: Pick<SlackSettings, "ApiURL">): URL {
  return new URL(`${ApiURL.replace(/\/+$/u, "")}/`);
}

const APPS = "api.slack.com/apps > the app";
const MAKE = "make one from the manifest that `rialto slack manifest <account>` prints";

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: SlackSettings): readonly SettingIssue[] {
  const { Token, AppToken, ApiURL, WebhookURL } = settings;
  const issues: SettingIssue[] = [];
  if (takesPartBy(settings) === "webhook") {
    issues.push(
      warning(
        "WebhookURL",
        "only sends: no edits, deletions, reactions, replies and files, and nothing comes back; add Token and AppToken of an app for all of it",
      ),
    );
  } else {
    if (WebhookURL !== "") issues.push(warning("WebhookURL", "has no effect with Token: Rialto sends as the app"));
    issues.push(...checkToken(Token), ...checkAppToken(AppToken));
  }
  if (!URL.canParse(ApiURL)) issues.push(error("ApiURL", "is not an address"));
  else if (ApiURL.startsWith("http:") && !LOCAL.test(ApiURL))
    issues.push(warning("ApiURL", "sends the tokens and all messages unencrypted; use https"));
  return issues;
}

function checkToken(Token: string): readonly SettingIssue[] {
  const where = `${APPS} > OAuth & Permissions > Bot User OAuth Token`;
  if (Token === "") return [error("Token", `is missing; it is the app's token at ${where}. Without an app, ${MAKE}`)];
  if (Token.startsWith("xapp-"))
    return [error("Token", `is the token for AppToken; the one that belongs here begins with xoxb- (${where})`)];
  if (Token.startsWith("xoxe"))
    return [
      error(
        "Token",
        "is one that expires after hours and has to be renewed, which Rialto does not do: use an app without token rotation",
      ),
    ];
  if (!Token.startsWith("xoxb-"))
    return [
      error(
        "Token",
        `is no bot's token, which begins with xoxb-: Slack has ended the ways to connect with others (legacy tokens, tokens of people). Use an app's: ${MAKE}`,
      ),
    ];
  return PRINTED.test(Token)
    ? []
    : [error("Token", `has spaces or other characters in it that no token has; copy it again from ${where}`)];
}

function checkAppToken(AppToken: string): readonly SettingIssue[] {
  const where = `${APPS} > Basic Information > App-Level Tokens, with the scope connections:write`;
  if (AppToken === "")
    return [
      error("AppToken", `is missing: with Token alone, Slack delivers no events; make the app's token at ${where}`),
    ];
  if (!AppToken.startsWith("xapp-"))
    return [error("AppToken", `is no app's token, which begins with xapp-; make one at ${where}`)];
  return PRINTED.test(AppToken)
    ? []
    : [error("AppToken", `has spaces or other characters in it that no token has; copy it again from ${where}`)];
}

const PRINTED = /^[\x21-\x7e]+$/u;

/** A server on this machine. */
const LOCAL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|\/|$)/u;

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
