import type { IgnoredSetting } from "../contract/manifest.ts";

/**
 * What configurations of the reference may hold that Rialto does not have, or not yet. Data only: it decides
 * which warning a setting gets, and the settings page of the documentation lists it.
 */

const later = (name: string, why: string): IgnoredSetting => ({ name, state: "later", why });
const unneeded = (name: string, why: string): IgnoredSetting => ({ name, state: "unneeded", why });
const replaced = (name: string, why: string): IgnoredSetting => ({ name, state: "replaced", why });
const noEffect = (name: string): IgnoredSetting => unneeded(name, "matterbridge never used it either");

/** Settings that any account of the reference may have, and so `[general]` too. */
export const ignoredShared: readonly IgnoredSetting[] = [
  later("PrefixMessagesWithNick", "only Mattermost and Slack accounts have it"),
  unneeded("UseUserName", "only Discord, Matrix and Mattermost have two names for a person"),
  later("UseFullName", "only Slack and Telegram accounts have it"),
  unneeded("MessageClipped", "long messages are split, not clipped"),
  later("SkipTLSVerify", "only IRC, XMPP and Mattermost accounts have it"),
  unneeded("Proxy", "accounts of the API and of the web chat connect to no server"),
  unneeded("JoinDelay", "only IRC and XMPP accounts have it"),
  unneeded("DebugLevel", "use the flag -debug, or Debug under [general]"),
  unneeded("Debug", "use the flag -debug, or Debug under [general]"),
  noEffect("NickFormatter"),
  noEffect("NicksPerRow"),
  noEffect("URL"),
  noEffect("UseAPI"),
  noEffect("Name"),
  noEffect("Protocol"),
  noEffect("Topic"),
];

/** Settings that are called otherwise there, by their names in lower case. */
export const renamed: ReadonlyMap<string, string> = new Map([
  ["http_proxy", "proxy"],
  ["httpproxy", "proxy"],
]);

/** Settings that are only under `[general]`. */
export const ignoredGeneral: readonly IgnoredSetting[] = [
  unneeded("IgnoreFailureOnStart", "an account that cannot connect never stops the others"),
  replaced(
    "MediaServerUpload",
    "Rialto uploads no files to it, so networks that cannot accept files get none; set MediaDownloadPath to a folder that the web server of MediaServerDownload publishes, or set MediaBindAddress",
  ),
  later("TengoModifyMessage", "scripts do not run"),
];

/** Settings under `[tengo]`. */
export const ignoredTengo: readonly IgnoredSetting[] = ["InMessage", "OutMessage", "RemoteNickFormat", "Message"].map(
  (name) => later(name, "scripts do not run"),
);

/** A protocol of the reference that Rialto does not have yet. */
export interface MissingProtocol {
  readonly protocol: string;
  readonly title: string;
  /** Its own settings; the shared ones come on top. */
  readonly settings: readonly string[];
  /**
   * Which setting tells one network from another: two accounts on one network share their rooms. "" when there is
   * only one network, or channel names say which; null when nothing in the configuration tells.
   */
  readonly network: string | null;
}

const words = (text: string): readonly string[] => text.split(" ");

export const missingProtocols: readonly MissingProtocol[] = [
  {
    protocol: "slack-legacy",
    title: "Slack (legacy tokens)",
    settings: words("Token WebhookURL WebhookBindAddress"),
    network: null,
  },
  {
    protocol: "rocketchat",
    title: "Rocket.Chat",
    settings: words("Server Login Password Token WebhookURL WebhookBindAddress Nick NoTLS"),
    network: "Server",
  },
  { protocol: "zulip", title: "Zulip", settings: words("Server Login Token"), network: "Server" },
  { protocol: "vk", title: "VK", settings: words("Token"), network: "" },
  { protocol: "sshchat", title: "SSH-Chat", settings: words("Server Nick"), network: "Server" },
  {
    protocol: "msteams",
    title: "Microsoft Teams",
    settings: words("TenantID ClientID TeamID SessionFile"),
    network: "TeamID",
  },
  {
    protocol: "mumble",
    title: "Mumble",
    settings: words("Server Nick Password UserComment TLSClientCertificate TLSClientKey TLSCACertificate"),
    network: "Server",
  },
  {
    protocol: "nctalk",
    title: "Nextcloud Talk",
    settings: words("Server Login Password GuestSuffix SeparateDisplayName"),
    network: "Server",
  },
  { protocol: "whatsapp", title: "WhatsApp", settings: words("Number SessionFile QrOnWhiteTerminal"), network: "" },
  {
    protocol: "mastodon",
    title: "Mastodon",
    settings: words("Server ClientID ClientSecret AccessToken"),
    network: null,
  },
  {
    protocol: "whatsappmulti",
    title: "WhatsApp (multi-device)",
    settings: words("Number SessionFile QrOnWhiteTerminal"),
    network: "",
  },
  { protocol: "gitter", title: "Gitter", settings: words("Token"), network: "" },
  { protocol: "steam", title: "Steam", settings: words("Login Password AuthCode"), network: "" },
  { protocol: "keybase", title: "Keybase", settings: words("Team"), network: "Team" },
  {
    protocol: "harmony",
    title: "Harmony",
    settings: words("Homeserver Token UserID Community"),
    network: "Homeserver",
  },
];

/** Accounts that the reference accepts without a section. */
export const sectionlessAccounts: ReadonlySet<string> = new Set(["mattermost.plugin"]);
