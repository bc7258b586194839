import type { SettingIssue, SettingsOf, SettingsSchema, TextRule } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";

const word: TextRule = {
  pattern: String.raw`^[^\p{Cc} ]*$`,
  hint: "must not contain spaces, line breaks or control characters",
};
/** The specification §4 "User identifiers": what a local part may hold, so that it can be in a namespace. */
const prefix: TextRule = {
  pattern: String.raw`^[a-z\d._=/+-]{1,64}$`,
  hint: "must contain only lowercase letters, digits and . _ = - / +, and be at most 64 characters long",
};

const identity = (description: string) =>
  ({ type: "string", description, default: "", rule: word, protects: true }) as const;
const secret = (description: string) => ({ type: "string", description, default: "", secret: true }) as const;
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;

const login = {
  Server: {
    type: "string",
    description: "URL of the homeserver's client API, such as `https://matrix.example.org`.",
    examples: ["https://matrix.example.org"],
    rule: {
      pattern: String.raw`^https?://[^\s/?#@]+(?:/[^\s?#]*)?$`,
      hint: "must be a URL such as https://matrix.example.org",
    },
    protects: true,
  },
  Login: identity(
    "Local part or whole id of the bot's user, such as `rialto`. With `Password`, Rialto logs in as this user. With `ASToken`, Rialto creates the user if it does not exist.",
  ),
  Password: secret("Password of the bot's user."),
  MxID: identity(
    "Whole id of the bot's user, such as `@rialto:example.org`. It is compared with the user that `Token` belongs to.",
  ),
  Token: secret("Access token of the bot's user, instead of `Login` and `Password`."),
  SavedLogin: {
    ...flag(
      "Uses the login that `rialto matrix login` has saved in the data folder, instead of `Login` and `Password` or `Token`, and refreshes it.",
    ),
    notWith: ["Token", "ASToken"],
  },
  Proxy: proxySetting,
  DeviceID: {
    type: "string",
    description:
      "The device that Rialto logs in as. Keep it: the homeserver recognises repeated messages by it. Two programs must not share one.",
    default: "RIALTO",
    zeroIsDefault: true,
    rule: word,
    protects: true,
  },
} as const;

const appservice = {
  ASToken: secret(
    "`as_token` of Rialto's registration as an application service, instead of a password or token. Each sender then gets a separate Matrix user.",
  ),
  HSToken: secret("`hs_token` of the registration. Only the registration file needs it."),
  GhostPrefix: {
    onlyWith: ["ASToken"],
    type: "string",
    description: "With `ASToken`: what the local parts of the senders' users begin with.",
    default: "rialto_",
    zeroIsDefault: true,
    rule: prefix,
    protects: true,
  },
} as const;

const showing = {
  NoHomeServerSuffix: flag(
    "Leaves the homeserver out of names: no `(@alice:example.org)` where two people have the same name, and `alice` for a person without a display name.",
  ),
  UseUserName: flag("Shows people by the local part of their id instead of their display name."),
  KeepQuotedReply: flag("Keeps the quote that older programs put before the text of a reply."),
  HTMLDisable: flag("Sends messages as plain text, without formatting."),
  SpoilerMedia: {
    type: "string",
    description:
      "How a picture goes that its sender hides: `link` is a link in a spoiler, or a file to download if there is no public address; `native` is a picture with the marks of MSC4193, which Element shows openly.",
    enum: ["link", "native"],
    default: "link",
    zeroIsDefault: true,
    protects: true,
  },
  SpoofUsername: flag(
    "Changes the bot's display name in the room to the sender's before each message. Every change is an event in the room, so this suits quiet rooms only.",
  ),
  UseMSC4144: flag(
    "Sends the sender's name and picture with each message (MSC4144), and the name before the text for programs that do not know MSC4144.",
  ),
} as const;

export const schema = {
  type: "object",
  properties: { ...login, ...appservice, ...showing },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type MatrixSettings = SettingsOf<typeof schema>;

/** How we become our user. */
type LoginWay = "password" | "token" | "saved" | "appservice";

export function loginWay({
  ASToken,
  Token,
  SavedLogin,
}: Pick<MatrixSettings, "ASToken" | "Token" | "SavedLogin">): LoginWay {
  if (ASToken !== "") return "appservice";
  if (Token !== "") return "token";
  return SavedLogin ? "saved" : "password";
}

/** The local part of our user as an application service. */
export function botOf({ Login, MxID }: Pick<MatrixSettings, "Login" | "MxID">): string {
  return [Login, MxID].map((id) => id.replace(/^@/u, "").replace(/:.*$/su, "")).find((name) => name !== "") ?? "rialto";
}

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings(settings: MatrixSettings): readonly SettingIssue[] {
  const { Server, Login, Password, MxID, Token, ASToken, HSToken, SpoofUsername, UseMSC4144 } = settings;
  const issues: SettingIssue[] = [];
  if (loginWay(settings) === "password" && Login === "") {
    const message = "needs a user to log in as: add Login and Password, or Token, or ASToken, or SavedLogin";
    issues.push({ ...error("Server", message), lacksLogin: true });
  } else if (loginWay(settings) === "password" && Password === "") {
    issues.push({ ...error("Password", `is missing: ${NOTHING_TO_LOG_IN_WITH}`), lacksLogin: true });
  }
  if (/\/_matrix(?:\/|$)/u.test(Server)) issues.push(error("Server", "must end before /_matrix; remove that part"));
  if (MxID !== "" && !/^@[^:]+:.+$/u.test(MxID))
    issues.push(error("MxID", "must be a whole user id, such as @rialto:example.org"));
  if (Password !== "" && loginWay(settings) !== "password") {
    const other = { appservice: "ASToken", token: "Token", saved: "SavedLogin", password: "" }[loginWay(settings)];
    issues.push(warning("Password", `has no effect with ${other}; remove one of them`));
  }
  if (Token !== "" && ASToken !== "") issues.push(warning("Token", "has no effect with ASToken; remove one of them"));
  if (HSToken !== "" && ASToken === "") issues.push(warning("HSToken", "has no effect without ASToken"));
  if (SpoofUsername && UseMSC4144) issues.push(warning("SpoofUsername", "has no effect with UseMSC4144"));
  if ((SpoofUsername || UseMSC4144) && ASToken !== "") {
    issues.push(
      warning(
        SpoofUsername ? "SpoofUsername" : "UseMSC4144",
        "has no effect with ASToken: senders have their own users",
      ),
    );
  }
  if (Server.startsWith("http://") && !LOCAL.test(Server)) {
    issues.push(warning("Server", "sends the password and all messages unencrypted; use https"));
  }
  return issues;
}

export const NOTHING_TO_LOG_IN_WITH =
  "add Password, or Token, or log in (rialto matrix login) and add SavedLogin, or create a registration (rialto matrix registration) and add its ASToken";

const LOCAL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|\/|$)/u;

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
