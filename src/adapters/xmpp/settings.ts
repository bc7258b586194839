import type { XStatic } from "typebox/schema";
import type { SettingIssue, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { domainOf, localOf } from "./jid.ts";

const line: TextRule = {
  pattern: String.raw`^\P{Cc}*$`,
  hint: "must hold no line break and no control character",
};

const text = (description: string, rule: TextRule) => ({ type: "string", description, default: "", rule }) as const;
/** Who we are, and how we show it. */
const identity = (description: string, rule: TextRule) => ({ ...text(description, rule), protects: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;
const guard = (description: string) => ({ ...flag(description), protects: true }) as const;

export const schema = {
  type: "object",
  required: [
    ...(["Server", "Jid", "Password", "Muc", "Nick", "Anonymous", "UseDirectTLS", "NoStartTLS", "NoPLAIN"] as const),
    ...(["NoTLS", "Mechanism", "SkipTLSVerify", "JoinDelay"] as const),
  ],
  properties: {
    Server: {
      type: "string",
      description: "Server and port, such as `jabber.example.org:5222`; an IPv6 address stands in brackets.",
      format: "host-port",
      examples: ["jabber.example.org:5222", "jabber.example.org:5223 with UseDirectTLS"],
    },
    Jid: identity(
      "Address of our account, such as `rialto@example.org`. Needed unless `Anonymous`; then only its domain counts, if there is one.",
      {
        pattern: String.raw`^(?:[^\p{Cc}\p{Zs}"&'/:<>@]+@)?[^\p{Cc}\p{Zs}"&'/<>@]*(?:/[^\p{Cc}]+)?$`,
        hint: "must look like user@example.org",
      },
    ),
    Password: { ...text("Password of our account.", line), secret: true },
    Muc: {
      type: "string",
      description: "Service that has the rooms, such as `conference.example.org`.",
      minLength: 1,
      rule: {
        pattern: String.raw`^[^\p{Cc}\p{Zs}"&'/<>@]*$`,
        hint: "must be the name of a service, such as conference.example.org, without a room before it",
      },
    },
    Nick: {
      type: "string",
      description: "Our nick in the rooms. While somebody else has it, underscores are added.",
      minLength: 1,
      rule: {
        pattern: String.raw`^(?=.*[^\p{Z}\p{Cc}])\P{Cc}+$`,
        hint: "must hold more than spaces, and no control character",
      },
    },
    Anonymous: guard("Logs in without an account (SASL ANONYMOUS), where the server lets people do so."),
    UseDirectTLS: guard("Begins with TLS at once, which most servers expect on port 5223, in place of STARTTLS."),
    NoStartTLS: guard(
      "Goes on without TLS: everything, also what is said, can be read on the way. For servers on the same machine.",
    ),
    NoTLS: guard(
      "The same, and where the server has nothing better the password itself is sent, as in matterbridge. Everybody on the way can read it: take it out as soon as the server has TLS.",
    ),
    NoPLAIN: guard("Never sends the password itself, not even over TLS."),
    Mechanism: identity(
      "The one SASL mechanism to log in by. Empty: the best that both have. `PLAIN` also allows it without TLS, as `NoTLS` does.",
      {
        pattern: "^(?:|SCRAM-SHA-256|SCRAM-SHA-1|PLAIN|ANONYMOUS)$",
        hint: "must be SCRAM-SHA-256, SCRAM-SHA-1, PLAIN or ANONYMOUS",
      },
    ),
    SkipTLSVerify: guard("Takes any certificate of the server, also an expired one or that of somebody else."),
    JoinDelay: {
      type: "integer",
      description: "Milliseconds before each room is joined.",
      default: 0,
      minimum: 0,
      maximum: 600_000,
    },
  },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type XmppSettings = Readonly<XStatic<typeof schema>>;

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: XmppSettings): readonly SettingIssue[] {
  const { Jid, Password, Anonymous, UseDirectTLS, NoPLAIN, Mechanism, Server } = settings;
  const issues: SettingIssue[] = [];
  const isNamed = localOf(Jid) !== null && domainOf(Jid) !== "";
  if (!Anonymous && !isNamed)
    issues.push(error("Jid", "must be our account, such as user@example.org, or set Anonymous = true"));
  if (!Anonymous && isNamed && Password === "") issues.push(error("Password", "is missing: it is what we log in with"));
  if (NoPLAIN && Mechanism === "PLAIN")
    issues.push(error("NoPLAIN", 'contradicts Mechanism = "PLAIN"; leave one of them out'));
  if (Anonymous && Mechanism !== "" && Mechanism !== "ANONYMOUS") {
    issues.push(error("Mechanism", "must be ANONYMOUS, or be left out, with Anonymous = true"));
  }
  if (!Anonymous && Mechanism === "ANONYMOUS") issues.push(error("Mechanism", "needs Anonymous = true as well"));
  issues.push(...withoutTls(settings));
  if (Server.endsWith(":5223") && !UseDirectTLS) {
    issues.push(warning("Server", "has the port that servers use for direct TLS; set UseDirectTLS = true"));
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
      warning(which, `lets everybody on the way read along, ${password} too; leave it out if the server has TLS`),
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
