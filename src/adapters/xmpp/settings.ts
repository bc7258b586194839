import type { SettingIssue, SettingsOf, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";
import { domainOf, localOf } from "./jid.ts";

const line: TextRule = {
  pattern: String.raw`^\P{Cc}*$`,
  hint: "must not contain line breaks or control characters",
};

const text = (description: string, rule: TextRule) => ({ type: "string", description, default: "", rule }) as const;
/** Who the bot is, and how it logs in. */
const identity = (description: string, rule: TextRule) => ({ ...text(description, rule), protects: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;
const guard = (description: string) => ({ ...flag(description), protects: true }) as const;

export const schema = {
  type: "object",
  properties: {
    Server: {
      type: "string",
      description: "Server and port, such as `jabber.example.org:5222`. Put an IPv6 address in brackets.",
      format: "host-port",
      examples: ["jabber.example.org:5222", "jabber.example.org:5223 with UseDirectTLS"],
    },
    Jid: identity(
      "Address of the bot's account, such as `rialto@example.org`. Needed unless `Anonymous` is set; then only its domain is used, if there is one.",
      {
        pattern: String.raw`^(?:[^\p{Cc}\p{Zs}"&'/:<>@]+@)?[^\p{Cc}\p{Zs}"&'/<>@]*(?:/[^\p{Cc}]+)?$`,
        hint: "must look like user@example.org",
      },
    ),
    Password: { ...text("Password of the bot's account.", line), secret: true, notWith: ["Anonymous"] },
    Muc: {
      type: "string",
      description: "Service that hosts the rooms, such as `conference.example.org`.",
      minLength: 1,
      rule: {
        pattern: String.raw`^[^\p{Cc}\p{Zs}"&'/<>@]*$`,
        hint: "must be the name of a service, such as conference.example.org, without a room before it",
      },
    },
    Nick: {
      type: "string",
      description: "The bot's nick in the rooms. While somebody else uses it, Rialto adds underscores.",
      minLength: 1,
      rule: {
        pattern: String.raw`^(?=.*[^\p{Z}\p{Cc}])\P{Cc}+$`,
        hint: "must contain more than spaces, and no control characters",
      },
    },
    Anonymous: guard("Logs in without an account (SASL ANONYMOUS), if the server allows it."),
    UseDirectTLS: guard("Starts with TLS at once instead of STARTTLS. Most servers expect it on port 5223."),
    NoStartTLS: guard(
      "Connects without TLS: everything, including messages, can be read on the way. Only for servers on the same machine.",
    ),
    NoTLS: guard(
      "Like `NoStartTLS`, and also sends the password itself if the server offers nothing better, as matterbridge does. Anybody on the way can read it: remove this setting as soon as the server has TLS.",
    ),
    NoPLAIN: guard("Never sends the password itself, not even over TLS."),
    Mechanism: identity(
      "The only SASL mechanism to log in with. Empty: the best one that both sides have. `PLAIN` also allows it without TLS, as `NoTLS` does.",
      {
        pattern: "^(?:|SCRAM-SHA-256|SCRAM-SHA-1|PLAIN|ANONYMOUS)$",
        hint: "must be SCRAM-SHA-256, SCRAM-SHA-1, PLAIN or ANONYMOUS",
      },
    ),
    SkipTLSVerify: guard("Accepts any certificate from the server, even an expired one or somebody else's."),
    Proxy: proxySetting,
    JoinDelay: {
      type: "integer",
      description: "Milliseconds to wait before each room is joined.",
      default: 0,
      minimum: 0,
      maximum: 600_000,
    },
  },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type XmppSettings = SettingsOf<typeof schema>;

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: XmppSettings): readonly SettingIssue[] {
  const { Jid, Password, Anonymous, UseDirectTLS, NoPLAIN, Mechanism, Server } = settings;
  const issues: SettingIssue[] = [];
  const isNamed = localOf(Jid) !== null && domainOf(Jid) !== "";
  if (!Anonymous && !isNamed)
    issues.push(error("Jid", "must be the account's address, such as user@example.org; or set Anonymous = true"));
  if (!Anonymous && isNamed && Password === "") issues.push(error("Password", "is missing; Rialto needs it to log in"));
  if (NoPLAIN && Mechanism === "PLAIN")
    issues.push(error("NoPLAIN", 'contradicts Mechanism = "PLAIN"; leave one of them out'));
  if (Anonymous && Mechanism !== "" && Mechanism !== "ANONYMOUS") {
    issues.push(error("Mechanism", "must be ANONYMOUS, or be left out, with Anonymous = true"));
  }
  if (!Anonymous && Mechanism === "ANONYMOUS") issues.push(error("Mechanism", "needs Anonymous = true as well"));
  issues.push(...withoutTls(settings));
  if (Server.endsWith(":5223") && !UseDirectTLS) {
    issues.push(warning("Server", "uses the usual port for direct TLS; set UseDirectTLS = true"));
  }
  return issues;
}

function withoutTls({ UseDirectTLS, NoStartTLS, NoTLS, SkipTLSVerify, Server }: XmppSettings): readonly SettingIssue[] {
  const which = NoTLS ? "NoTLS" : "NoStartTLS";
  if (!NoTLS && !NoStartTLS) return [];
  if (UseDirectTLS) return [warning(which, "has no effect with UseDirectTLS")];
  const issues: SettingIssue[] = [];
  if (!isLocal(Server)) {
    const password = NoTLS ? "the password" : "passwords sent as PLAIN";
    issues.push(
      warning(which, `lets everybody on the way read everything, ${password} too; remove it if the server has TLS`),
    );
  }
  if (SkipTLSVerify) issues.push(warning("SkipTLSVerify", "has no effect without TLS"));
  return issues;
}

/** On this machine. */
export function isLocal(server: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+$/u.test(server);
}

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });

/** How the connection is secured. */
export function tlsOf({ UseDirectTLS, NoStartTLS, NoTLS }: XmppSettings): "direct" | "starttls" | "none" {
  if (UseDirectTLS) return "direct";
  return NoStartTLS || NoTLS ? "none" : "starttls";
}
