import { isIP } from "node:net";
import type { XStatic } from "typebox/schema";
import type { SettingIssue, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { charsetOf } from "./charset.ts";

const line: TextRule = {
  pattern: String.raw`^\P{Cc}*$`,
  hint: "must hold no line break and no control character",
};
/** A parameter that need not be the last one of its line (RFC 2812 §2.3.1). */
const word: TextRule = {
  pattern: String.raw`^(?!:)[^\p{Cc} ]*$`,
  hint: "must hold no space, line break or control character, and must not begin with a colon",
};

const text = (description: string, rule: TextRule) => ({ type: "string", description, default: "", rule }) as const;
/** Who we are, and where from. */
const identity = (description: string, rule: TextRule) => ({ ...text(description, rule), protects: true }) as const;
const secret = (description: string, rule: TextRule) => ({ ...text(description, rule), secret: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;
const guard = (description: string) => ({ ...flag(description), protects: true }) as const;

const connection = {
  Server: {
    type: "string",
    description: "Server and port, such as `irc.libera.chat:6697`; an IPv6 address stands in brackets.",
    format: "host-port",
    examples: ["irc.libera.chat:6697 with UseTLS", "irc.libera.chat:6667 without"],
  },
  Nick: {
    type: "string",
    description: "Our nick. While somebody else has it, underscores are added; once it is free we take it back.",
    minLength: 1,
    rule: word,
  },
  UserName: text("User name (ident), sent as it is. Empty: the nick, without what an ident may not hold.", word),
  RealName: text("Real name, which WHOIS shows. Empty: the nick.", line),
  Password: secret(
    "Password of the server; few servers have one. Accounts of services log in with `NickServPassword`.",
    line,
  ),
  UseTLS: guard("Connects by TLS. Most networks expect it on port 6697."),
  SkipTLSVerify: guard("Takes any certificate of the server, also an expired one or that of somebody else."),
  TLSClientCertificate: {
    type: "string",
    description:
      "PEM file with our certificate and its key, relative to the configuration file. Shown to the server at each connect; with `UseSASL` it logs us in by SASL EXTERNAL.",
    default: "",
    format: "path",
    protects: true,
  },
  Bind: identity("Address of this machine to connect from. Empty: the system chooses.", word),
  Charset: {
    type: "string",
    description:
      "How text to this network is encoded, such as `iso-8859-1`, `windows-1251` or `iso-2022-jp`; empty and `autodetect` are `utf-8`. Text from there that is not UTF-8 is read in it; without it the charset of each line is guessed.",
    default: "utf-8",
    zeroIsDefault: true,
    rule: word,
  },
} as const;

const login = {
  UseSASL: guard(
    "Logs in while connecting: by SASL with `NickServNick` and `NickServPassword` (SCRAM-SHA-256 where the server offers it, which does not tell the password, else PLAIN), or by SASL EXTERNAL with `TLSClientCertificate`. A server without SASL is used without the login, with a warning.",
  ),
  RequireSASL: guard(
    "With `UseSASL`: never connects without the login, as to a server that offers no SASL. Set it where the name of the bot matters.",
  ),
  NickServNick: identity(
    "With `UseSASL` the name of our account. Otherwise the service that gets our password once we are connected: `NickServ`, or `Q@CServe.quakenet.org`.",
    word,
  ),
  NickServPassword: secret("Password of our account.", line),
  NickServUsername: identity(
    "Name of our account, where the service wants it beside the password, as QuakeNet's does.",
    word,
  ),
  RunCommands: {
    type: "array",
    items: { type: "string", minLength: 1, rule: line },
    description:
      "Lines sent to the server once we are connected, before channels are joined; `{BOTNICK}` stands for our nick. In the environment: one command per line.",
    default: [],
    lines: true,
    secret: true,
  },
} as const;

const sending = {
  MessageDelay: {
    type: "integer",
    description:
      "Milliseconds from one line to the next. 0: as fast as the server answers, which public networks may punish with a disconnect.",
    default: 1300,
    minimum: 0,
    maximum: 600_000,
  },
  MessageLength: {
    type: "integer",
    description:
      "Most bytes of text in one line, without the name before it; less where the server's own limit leaves less, as mostly about 430. Longer messages are split between words. 0 means the default.",
    default: 512,
    minimum: 100,
    maximum: 8192,
    zeroIsDefault: true,
  },
  MessageLines: {
    type: "integer",
    description: "Most lines that one message may take; the last one then says how much was left out.",
    default: 30,
    minimum: 1,
    maximum: 1000,
  },
  ColorNicks: flag("Names of senders get a colour each."),
  StripMarkdown: flag(
    "Writes messages to this network without formatting codes, and takes the marks of Markdown out of plain text.",
  ),
  UseRelayMsg: flag(
    "Shows each sender under a nick of their own, made of `RemoteNickFormat`, where the server offers `draft/relaymsg` and lets us use it; elsewhere names stand before the text.",
  ),
  UseRelayFallback: {
    type: "boolean",
    description:
      "With `UseRelayMsg`: a name that the server does not take is shown as `RelayFallbackNick`, and stands before the text.",
    default: true,
  },
  RelayFallbackNick: {
    type: "string",
    description: "The nick for those whose own the server does not take.",
    default: "unknown",
    zeroIsDefault: true,
    rule: word,
  },
} as const;

const channels = {
  JoinDelay: {
    type: "integer",
    description: "Milliseconds before each channel is joined.",
    default: 0,
    minimum: 0,
    maximum: 600_000,
  },
  RejoinDelay: {
    type: "integer",
    description: "Seconds before a channel is joined again after a kick.",
    default: 0,
    minimum: 0,
    maximum: 86_400,
  },
  PingDelay: {
    type: "integer",
    description:
      "How long the server may be silent before it is asked for a sign of life. It is in doubt when 20 seconds bring no answer, and the connection is given up after 90. Where the server shows us what we write, a channel silent for so long is looked at as well.",
    default: 60_000,
    minimum: 10_000,
    maximum: 600_000,
    format: "duration",
    zeroIsDefault: true,
  },
  VerboseJoinPart: flag("People who join or leave are announced with user name and host."),
} as const;

export const schema = {
  type: "object",
  required: [
    ...(["Server", "Nick", "UserName", "RealName", "Password", "UseTLS", "SkipTLSVerify"] as const),
    ...(["TLSClientCertificate", "Bind", "Charset"] as const),
    ...(["UseSASL", "RequireSASL", "NickServNick", "NickServPassword", "NickServUsername", "RunCommands"] as const),
    ...(["MessageDelay", "MessageLength", "MessageLines", "ColorNicks", "StripMarkdown"] as const),
    ...(["UseRelayMsg", "UseRelayFallback", "RelayFallbackNick"] as const),
    ...(["JoinDelay", "RejoinDelay", "PingDelay", "VerboseJoinPart"] as const),
  ],
  properties: { ...connection, ...login, ...sending, ...channels },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type IrcSettings = Readonly<XStatic<typeof schema>>;

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: IrcSettings): readonly SettingIssue[] {
  const { UseTLS, TLSClientCertificate, Bind, Server, Charset } = settings;
  const issues: SettingIssue[] = loginIssues(settings);
  if (TLSClientCertificate !== "" && !UseTLS) {
    issues.push(warning("TLSClientCertificate", "has no effect without TLS; set UseTLS = true"));
  }
  if (Server.endsWith(":6697") && !UseTLS) {
    issues.push(warning("Server", "has the port that servers use for TLS; set UseTLS = true"));
  }
  if (Bind !== "" && isIP(Bind) === 0) {
    issues.push(error("Bind", "must be an IP address of this machine, such as 192.0.2.7 or 2001:db8::7"));
  }
  if (charsetOf(Charset) === null) {
    issues.push(error("Charset", "is not one that IRC can be written in; utf-8 is what most networks speak"));
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
    const mend = "is not sent to anybody; set UseSASL = true and NickServNick to the name of the account";
    return [warning("NickServPassword", `${mend}, or only NickServNick = "NickServ"`)];
  }
  return [];
}

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
