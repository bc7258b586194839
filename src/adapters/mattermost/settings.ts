import type { SettingIssue, SettingsOf, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";

const word: TextRule = {
  pattern: String.raw`^[^\p{Cc} ]*$`,
  hint: "must not contain spaces, line breaks or control characters",
};
const url: TextRule = {
  pattern: String.raw`^(?:|https?://[^\s/?#@]+/[^\s?#]*)$`,
  hint: "must be the address of an incoming webhook, such as https://chat.example.org/hooks/abcdef",
};

const secret = (description: string) => ({ type: "string", description, default: "", secret: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;
const guard = (description: string) => ({ ...flag(description), protects: true }) as const;

const place = {
  Server: {
    type: "string",
    description:
      "The Mattermost server: a host, with a port and a path if it has them, such as `chat.example.org` or `example.org:8443/chat`. Not needed with webhooks alone.",
    default: "",
    examples: ["chat.example.org", "example.org:8443/chat"],
    protects: true,
    rule: {
      pattern: String.raw`^(?:|(?:\[[\da-fA-F:.]+\]|[^\s/?#@:\[\]]+)(?::\d{1,5})?(?:/[^\s?#]*)?)$`,
      hint: "must be a host such as chat.example.org, with a port and a path if it has them, and without https://",
    },
  },
  Team: {
    type: "string",
    description: "The team whose channels are named, as it is in the address of its pages, such as `sales`.",
    default: "",
    protects: true,
    rule: { ...word, hint: "must be as in the address of the team's pages, such as sales, and not its title" },
  },
  NoTLS: guard(
    "Connects without TLS: everything, including the token, can be read on the way. Only for servers on the same machine.",
  ),
  SkipTLSVerify: guard("Accepts any certificate from the server, even an expired one or somebody else's."),
  Proxy: proxySetting,
  TLSCACertificate: {
    type: "string",
    description:
      "PEM file with the certificate of an authority to trust beside the usual ones, relative to the configuration file.",
    default: "",
    format: "path",
    protects: true,
  },
} as const;

const login = {
  Token: secret("Token of the bot's account, or a personal access token."),
  Login: {
    type: "string",
    description: "Name or e-mail address of the bot's user, with `Password`, instead of `Token`.",
    default: "",
    protects: true,
    rule: word,
  },
  Password: { ...secret("Password of the bot's user."), notWith: ["Token"] },
} as const;

const webhooks = {
  WebhookURL: {
    ...secret(
      "Address of an incoming webhook of Mattermost, through which messages are sent if there is neither `Token` nor `Login`. Without edits, deletions, reactions, replies and files: Mattermost says nothing about what it posts.",
    ),
    rule: url,
  },
  WebhookBindAddress: {
    type: "string",
    description:
      "Address, `host:port`, where Rialto receives what outgoing webhooks of Mattermost post, if there is neither `Token` nor `Login`. Only messages: no edits, deletions, reactions, replies and files.",
    default: "",
    format: "bind-address",
    zeroIsDefault: true,
  },
  WebhookToken: {
    onlyWith: ["WebhookBindAddress"],
    type: "array",
    items: { type: "string" },
    description:
      "With `WebhookBindAddress`: the tokens of the outgoing webhooks. What comes without one of them is refused. Empty: anybody who reaches the address can post.",
    default: [],
    secret: true,
  },
} as const;

const showing = {
  PrefixMessagesWithNick: flag(
    "Puts the sender's name before the text, instead of showing it as the author of the post.",
  ),
  UseUserName: flag("Shows people by their user name instead of their nickname."),
} as const;

export const schema = {
  type: "object",
  properties: { ...place, ...login, ...webhooks, ...showing },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type MattermostSettings = SettingsOf<typeof schema>;

/** How the account takes part: as a user, or through webhooks alone. */
export function takesPartBy({ Token, Login }: Pick<MattermostSettings, "Token" | "Login">): "user" | "webhooks" {
  return Token !== "" || Login !== "" ? "user" : "webhooks";
}

/** Where the server is: its scheme, and its address with port and path. */
export function baseOf({ Server, NoTLS }: Pick<MattermostSettings, "Server" | "NoTLS">): URL | null {
  const text = `${NoTLS ? "http" : "https"}://${Server.replace(/\/+$/u, "")}`;
  return Server !== "" && URL.canParse(text) ? new URL(text) : null;
}

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: MattermostSettings): readonly SettingIssue[] {
  return takesPartBy(settings) === "user" ? checkUser(settings) : checkWebhooks(settings);
}

function checkUser(settings: MattermostSettings): readonly SettingIssue[] {
  const { Server, Team, Token, Login, Password, WebhookURL, WebhookBindAddress } = settings;
  const issues: SettingIssue[] = [];
  if (Server === "") issues.push(error("Server", "is missing; it is the server's host, such as chat.example.org"));
  else if (baseOf(settings) === null) issues.push(error("Server", "is not a host that can be connected to"));
  if (Team === "") issues.push(error("Team", "is missing; it is in the address of the team's pages"));
  if (Token === "" && Password === "")
    issues.push(error("Password", "is missing; add it, or use the token of a bot account (Token) instead of Login"));
  if (Token !== "" && Login !== "") issues.push(warning("Login", "has no effect with Token; remove one of them"));
  for (const [name, value] of Object.entries({ WebhookURL, WebhookBindAddress })) {
    if (value !== "")
      issues.push(warning(name, "has no effect with Token or Login: Rialto reads and writes as the bot's user"));
  }
  return [...issues, ...checkTls(settings)];
}

function checkTls({ Server, NoTLS, SkipTLSVerify, TLSCACertificate }: MattermostSettings): readonly SettingIssue[] {
  const issues: SettingIssue[] = [];
  if (NoTLS && !LOCAL.test(Server))
    issues.push(warning("NoTLS", "sends the login and all messages unencrypted; remove it if the server has TLS"));
  if (NoTLS && SkipTLSVerify) issues.push(warning("SkipTLSVerify", "has no effect without TLS"));
  if (TLSCACertificate !== "" && (NoTLS || SkipTLSVerify))
    issues.push(warning("TLSCACertificate", `has no effect with ${NoTLS ? "NoTLS" : "SkipTLSVerify"}`));
  return issues;
}

function checkWebhooks({ WebhookURL, WebhookBindAddress, WebhookToken }: MattermostSettings): readonly SettingIssue[] {
  if (WebhookURL === "" && WebhookBindAddress === "")
    return [error("Token", "is missing; add the token of a bot account, or Login and Password of a user")];
  const issues: SettingIssue[] = [];
  const better = "add Token (of a bot account), Server and Team for all of it";
  const both = "no edits, deletions, reactions, replies and files";
  if (WebhookURL === "")
    issues.push(warning("WebhookBindAddress", `only receives, because there is no WebhookURL: ${both}; ${better}`));
  else if (WebhookBindAddress === "")
    issues.push(warning("WebhookURL", `only sends, because there is no WebhookBindAddress: ${both}; ${better}`));
  else issues.push(warning("WebhookURL", `carries messages alone: ${both}, and nothing that was missed; ${better}`));
  if (WebhookBindAddress !== "" && WebhookToken.length === 0)
    issues.push(
      warning(
        "WebhookBindAddress",
        "accepts what anybody posts who can reach it; add the webhooks' tokens, WebhookToken",
      ),
    );
  return issues;
}

/** A server on this machine. */
const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|\/|$)/u;

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
