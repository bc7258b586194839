import { isIP } from "node:net";
import type { SettingIssue, SettingsOf, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";
import { charsetOf } from "./wire/charset.ts";

const line: TextRule = {
  pattern: String.raw`^\P{Cc}*$`,
  hint: "must not contain line breaks or control characters",
};
/** A parameter that need not be the last one of its line (RFC 2812 §2.3.1). */
const word: TextRule = {
  pattern: String.raw`^(?!:)[^\p{Cc} ]*$`,
  hint: "must not contain spaces, line breaks or control characters, and must not begin with a colon",
};

const text = (description: string, rule: TextRule) => ({ type: "string", description, default: "", rule }) as const;
/** Who the bot is, and where it connects from. */
const identity = (description: string, rule: TextRule) => ({ ...text(description, rule), protects: true }) as const;
const secret = (description: string, rule: TextRule) => ({ ...text(description, rule), secret: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;
const guard = (description: string) => ({ ...flag(description), protects: true }) as const;

const connection = {
  Server: {
    type: "string",
    description: "Server and port, such as `irc.libera.chat:6697`. Put an IPv6 address in brackets.",
    format: "host-port",
    examples: ["irc.libera.chat:6697 with UseTLS", "irc.libera.chat:6667 without"],
  },
  Nick: {
    type: "string",
    description:
      "The bot's nick. While somebody else uses it, Rialto adds underscores; when it is free again, Rialto takes it back.",
    minLength: 1,
    rule: word,
  },
  UserName: text(
    "User name (ident), sent unchanged. Empty: the nick, without characters that an ident may not contain.",
    word,
  ),
  RealName: text("Real name, which WHOIS shows. Empty: the nick.", line),
  Password: secret(
    "Password of the server; few servers have one. The password of the bot's account belongs in `NickServPassword`.",
    line,
  ),
  UseTLS: guard("Connects with TLS. Most networks expect it on port 6697."),
  SkipTLSVerify: {
    ...guard("Accepts any certificate from the server, even an expired one or somebody else's."),
    onlyWith: ["UseTLS"],
  },
  TLSClientCertificate: {
    type: "string",
    description:
      "PEM file with the bot's certificate and its key, relative to the configuration file. It is shown to the server at each connection; with `UseSASL` it logs the bot in (SASL EXTERNAL).",
    default: "",
    format: "path",
    protects: true,
  },
  Proxy: proxySetting,
  Bind: identity("Address of this machine to connect from. Empty: the system chooses.", word),
  Charset: {
    type: "string",
    description:
      "Encoding of text to this network, such as `iso-8859-1`, `windows-1251` or `iso-2022-jp`; empty and `autodetect` mean `utf-8`. Text from the network that is not UTF-8 is read in this encoding; if it is `utf-8`, the encoding of each line is guessed.",
    default: "utf-8",
    zeroIsDefault: true,
    rule: word,
  },
} as const;

const login = {
  UseSASL: guard(
    "Logs in while connecting: by SASL with `NickServNick` and `NickServPassword` (SCRAM-SHA-256 if the server offers it, which does not reveal the password, otherwise PLAIN), or by SASL EXTERNAL with `TLSClientCertificate`. If the server has no SASL, Rialto connects without logging in, and logs a warning.",
  ),
  RequireSASL: guard(
    "With `UseSASL`: does not connect if it cannot log in, for example because the server offers no SASL. Set it if the bot's name matters.",
  ),
  NickServNick: {
    ...identity(
      "With `UseSASL`: the name of the bot's account. Otherwise: the service that gets the password after connecting, `NickServ` or `Q@CServe.quakenet.org`.",
      word,
    ),
    onlyWith: ["NickServPassword", "UseSASL"],
  },
  NickServPassword: secret("Password of the bot's account.", line),
  NickServUsername: {
    ...identity("Name of the bot's account, if the service needs it together with the password, as on QuakeNet.", word),
    onlyWith: ["NickServPassword"],
  },
  RunCommands: {
    type: "array",
    items: { type: "string", minLength: 1, rule: line },
    description:
      "Lines sent to the server after connecting, before channels are joined; `{BOTNICK}` stands for the bot's nick. In the environment: one command per line.",
    default: [],
    lines: true,
    secret: true,
  },
} as const;

const sending = {
  MessageDelay: {
    type: "integer",
    description:
      "Milliseconds between one line and the next. 0: as fast as the server answers; public networks may disconnect the bot for that.",
    default: 1300,
    minimum: 0,
    maximum: 600_000,
  },
  MessageLength: {
    type: "integer",
    description:
      "Maximum number of bytes of text in one line, without the name before it. The server's own limit may leave less, usually about 430. Longer messages are split between words. 0 means the default.",
    default: 512,
    minimum: 100,
    maximum: 8192,
    zeroIsDefault: true,
  },
  MessageLines: {
    type: "integer",
    description:
      "Maximum number of lines for one message. If that is not enough, the last line says how much was left out.",
    default: 30,
    minimum: 1,
    maximum: 1000,
  },
  ColorNicks: flag("Gives each sender's name a colour."),
  StripMarkdown: flag(
    "Sends messages to this network without formatting codes, and removes Markdown marks from plain text.",
  ),
  UseDisplayNames: flag(
    "Shows people under the name that they have chosen, with their nick behind it: `Alice Liddell (alice)`, if the server offers `draft/metadata-2` or `draft/metadata-3`. `IgnoreNicks` and `{NICK}` then see that whole name.",
  ),
  UseRelayMsg: flag(
    "Shows each sender under a separate nick, made from `RemoteNickFormat`, if the server offers `draft/relaymsg` and lets the bot use it. Otherwise names are put before the text.",
  ),
  UseRelayFallback: {
    onlyWith: ["UseRelayMsg"],
    type: "boolean",
    description:
      "With `UseRelayMsg`: if the server does not accept a name, sends the message as `RelayFallbackNick`, with the name before the text.",
    default: true,
  },
  RelayFallbackNick: {
    onlyWith: ["UseRelayMsg"],
    type: "string",
    description: "The nick for senders whose own nick the server does not accept.",
    default: "unknown",
    zeroIsDefault: true,
    rule: word,
  },
} as const;

const channels = {
  JoinDelay: {
    type: "integer",
    description: "Milliseconds to wait before each channel is joined.",
    default: 0,
    minimum: 0,
    maximum: 600_000,
  },
  RejoinDelay: {
    type: "integer",
    description: "Seconds to wait after a kick before the channel is joined again.",
    default: 0,
    minimum: 0,
    maximum: 86_400,
  },
  PingDelay: {
    type: "integer",
    description:
      "How long the server may be silent before Rialto pings it. After 20 seconds without an answer the account is degraded, and after 90 Rialto closes the connection. If the server echoes the bot's messages, a channel that is silent for so long is checked as well.",
    default: 60_000,
    minimum: 10_000,
    maximum: 600_000,
    format: "duration",
    zeroIsDefault: true,
  },
  VerboseJoinPart: flag("Announces people who join or leave with user name and host."),
} as const;

export const schema = {
  type: "object",
  properties: { ...connection, ...login, ...sending, ...channels },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type IrcSettings = SettingsOf<typeof schema>;

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: IrcSettings): readonly SettingIssue[] {
  const { UseTLS, TLSClientCertificate, Bind, Server, Charset } = settings;
  const issues: SettingIssue[] = loginIssues(settings);
  if (TLSClientCertificate !== "" && !UseTLS) {
    issues.push(warning("TLSClientCertificate", "has no effect without TLS; set UseTLS = true"));
  }
  if (Server.endsWith(":6697") && !UseTLS) {
    issues.push(warning("Server", "uses the usual port for TLS; set UseTLS = true"));
  }
  if (Bind !== "" && isIP(Bind) === 0) {
    issues.push(error("Bind", "must be an IP address of this machine, such as 192.0.2.7 or 2001:db8::7"));
  }
  if (charsetOf(Charset) === null) {
    issues.push(error("Charset", "is not a charset that Rialto can use for IRC; most networks use utf-8"));
  }
  return issues;
}

function loginIssues(settings: IrcSettings): SettingIssue[] {
  const { UseSASL, RequireSASL, NickServNick, NickServPassword, TLSClientCertificate } = settings;
  if (RequireSASL && !UseSASL) return [error("RequireSASL", "needs UseSASL = true")];
  if (UseSASL && TLSClientCertificate === "" && (NickServNick === "" || NickServPassword === "")) {
    const missing = NickServNick === "" ? "NickServNick" : "NickServPassword";
    return [error("UseSASL", `needs an account to log in to; add ${missing}, or set TLSClientCertificate`)];
  }
  if (!UseSASL && NickServNick === "" && NickServPassword !== "") {
    const fix = "is not used; set UseSASL = true and NickServNick to the name of the account";
    return [warning("NickServPassword", `${fix}, or only NickServNick = "NickServ"`)];
  }
  return [];
}

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
