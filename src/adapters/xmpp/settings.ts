import type { XStatic } from "typebox/schema";
import type { SettingIssue, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { domainOf, localOf } from "./jid.ts";

const line: TextRule = {
  pattern: String.raw`^\P{Cc}*$`,
  hint: "must hold no line break and no control character",
};

const text = (description: string, rule: TextRule) => ({ type: "string", description, default: "", rule }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;

export const schema = {
  type: "object",
  required: [
    ...(["Server", "Jid", "Password", "Muc", "Nick", "Anonymous", "UseDirectTLS", "NoStartTLS", "NoPLAIN"] as const),
    ...(["Mechanism", "SkipTLSVerify", "JoinDelay"] as const),
  ],
  properties: {
    Server: {
      type: "string",
      description: "Server and port, such as `jabber.example.org:5222`; an IPv6 address stands in brackets.",
      format: "host-port",
      examples: ["jabber.example.org:5222", "jabber.example.org:5223 with UseDirectTLS"],
    },
    Jid: text(
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
    Anonymous: flag("Logs in without an account (SASL ANONYMOUS), where the server lets people do so."),
    UseDirectTLS: flag("Begins with TLS at once, which most servers expect on port 5223, in place of STARTTLS."),
    NoStartTLS: flag(
      "Goes on without TLS: everything, also what is said, can be read on the way. For servers on the same machine.",
    ),
    NoPLAIN: flag("Never sends the password itself, not even over TLS."),
    Mechanism: text(
      "The one SASL mechanism to log in by. Empty: the best that both have. `PLAIN` also allows it without TLS.",
      {
        pattern: "^(?:|SCRAM-SHA-256|SCRAM-SHA-1|PLAIN|ANONYMOUS)$",
        hint: "must be SCRAM-SHA-256, SCRAM-SHA-1, PLAIN or ANONYMOUS",
      },
    ),
    SkipTLSVerify: flag("Takes any certificate of the server, also an expired one or that of somebody else."),
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
  const { Jid, Password, Anonymous, UseDirectTLS, NoStartTLS, NoPLAIN, Mechanism, SkipTLSVerify, Server } = settings;
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
  if (UseDirectTLS && NoStartTLS) issues.push(warning("NoStartTLS", "has no effect with UseDirectTLS"));
  else if (NoStartTLS && !isLocal(Server))
    issues.push(warning("NoStartTLS", "lets everybody on the way read along, passwords sent as PLAIN too"));
  if (SkipTLSVerify && NoStartTLS && !UseDirectTLS) issues.push(warning("SkipTLSVerify", "has no effect without TLS"));
  if (Server.endsWith(":5223") && !UseDirectTLS) {
    issues.push(warning("Server", "has the port that servers use for direct TLS; set UseDirectTLS = true"));
  }
  return issues;
}

function isLocal(server: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+$/u.test(server);
}

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
