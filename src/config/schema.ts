import type { SettingsSchema } from "../contract/manifest.ts";
import type { LogFormat, RegexRule } from "./config.ts";
import { adminProperties, type AdminValues } from "./admin.ts";
import { mediaProperties, type MediaValues } from "./media.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const filter = (description: string) => ({
  type: "array",
  items: { type: "string", format: "regex" },
  description: `${description} A list, or one text with the expressions separated by spaces.`,
  default: [],
  protects: true,
});
const pairs = (description: string, second: { readonly type: string; readonly format?: string }) => ({
  type: "array",
  items: { type: "array", items: [{ type: "string", format: "regex" }, second], minItems: 2 },
  description,
  default: [],
});
const replacements = (description: string) => pairs(description, { type: "string" });
const flag = (description: string) => ({ type: "boolean", description, default: false });
const words = (text: string): readonly string[] => text.split(" ");
const text = (description: string, value = "") => ({ type: "string", description, default: value });

/** What `sharedSchema` yields, by setting. */
export interface SharedSettings {
  readonly RemoteNickFormat: string;
  readonly StripNick: boolean;
  readonly Label: string;
  readonly IconURL: string;
  readonly IgnoreNicks: readonly string[];
  readonly IgnoreMessages: readonly string[];
  readonly ReplaceMessages: readonly RegexRule[];
  readonly ReplaceNicks: readonly RegexRule[];
  readonly ExtractNicks: readonly RegexRule[];
  readonly ShowJoinPart: boolean;
  readonly NoSendJoinPart: boolean;
  readonly ShowTopicChange: boolean;
  readonly ShowOutages: boolean;
  readonly PreserveThreading: boolean;
  readonly QuoteDisable: boolean;
  readonly QuoteFormat: string;
  readonly QuoteLengthLimit: number;
  readonly EditDisable: boolean;
  readonly EditSuffix: string;
  readonly EditFallback: "diff" | "whole" | "none";
  readonly DeleteFallback: "note" | "none";
  readonly ReactionDisable: boolean;
  readonly ReactionFallback: "line" | "none";
  readonly AllowMention: readonly string[];
}

/** The settings of every account: how messages to it and from it look, and which pass. May be set in `[general]`. */
export const sharedSchema = {
  type: "object",
  properties: {
    RemoteNickFormat: {
      ...text(
        "How the names of senders are shown here. Placeholders: `{NICK}` `{NOPINGNICK}` `{BRIDGE}` `{PROTOCOL}` `{GATEWAY}` `{LABEL}` `{USERID}` `{CHANNEL}`.",
        "[{PROTOCOL}] <{NICK}> ",
      ),
      placeholders: words("NICK NOPINGNICK BRIDGE PROTOCOL GATEWAY LABEL USERID CHANNEL TENGO"),
    },
    StripNick: flag("Removes everything but the letters A to Z and digits from names shown here."),
    Label: text("What `{LABEL}` stands for in the names of senders from here."),
    IconURL: {
      ...text("Address of the picture shown here for senders that have none. `{NICK}` stands for the name."),
      placeholders: words("NICK BRIDGE PROTOCOL"),
    },
    IgnoreNicks: filter("Drops messages from here if the sender's name matches one of these regular expressions."),
    IgnoreMessages: filter(
      "Drops messages from here if their text or file comment matches one of these regular expressions.",
    ),
    ReplaceMessages: replacements(
      "Changes the text of messages from here: pairs of a regular expression and its replacement.",
    ),
    ReplaceNicks: replacements(
      "Changes the names of senders from here: pairs of a regular expression and its replacement.",
    ),
    ExtractNicks: pairs(
      "Takes the real sender's name out of the text of messages that another bridge has relayed: pairs of an expression that matches the other bridge's name, and one whose only group is the real name.",
      { type: "string", format: "regex" },
    ),
    ShowJoinPart: flag("Announces here when people join or leave elsewhere."),
    NoSendJoinPart: flag("Does not announce elsewhere when people join or leave here."),
    ShowTopicChange: flag("Announces here when the topic changes elsewhere."),
    ShowOutages: {
      type: "boolean",
      description:
        "Shows a notice here when a linked room has been out of reach for longer than OutageNotice, and says when it is back. Not for API accounts.",
      default: true,
    },
    PreserveThreading: {
      type: "boolean",
      description: "Shows replies and threads here as such, if possible. Otherwise they are ordinary messages.",
      default: true,
    },
    QuoteDisable: flag("Leaves out the quote in replies that cannot refer to their message here."),
    QuoteFormat: {
      ...text(
        "How a reply looks here if it cannot refer to its message. Placeholders: `{MESSAGE}` `{QUOTENICK}` `{QUOTEMESSAGE}`. Empty: the usual form on this network.",
      ),
      placeholders: words("MESSAGE QUOTENICK QUOTEMESSAGE"),
    },
    QuoteLengthLimit: {
      type: "integer",
      description: "Maximum number of characters of a quote. 0 means the default.",
      default: 100,
      minimum: 1,
      maximum: 1000,
      zeroIsDefault: true,
    },
    EditDisable: flag("Does not relay edits of messages from here."),
    EditSuffix: text("Text that is added after an edited message from here."),
    EditFallback: {
      enum: ["diff", "whole", "none"],
      description:
        "What is shown for an edit if messages cannot be edited here: `diff` shows what changed (`s/old/new/`), or the new text if that is shorter; `whole` always shows the new text; `none` shows nothing.",
      default: "diff",
    },
    DeleteFallback: {
      enum: ["none", "note"],
      description:
        "What is shown for a deletion if messages cannot be deleted here: `note` shows a line that says so, `none` shows nothing.",
      default: "none",
    },
    ReactionDisable: flag("Neither relays reactions from here nor shows reactions here."),
    ReactionFallback: {
      enum: ["none", "line"],
      description:
        "What is shown for reactions if messages cannot have any here: `line` shows them in a line, which is edited if possible; `none` shows nothing.",
      default: "none",
    },
    AllowMention: {
      type: "array",
      items: { type: "string", enum: ["users", "everyone"] },
      description:
        "Whom messages may notify here. `users`: a person who is present and is mentioned by a name that nobody else there has. `everyone`: the whole room (`@room`, `@everyone`).",
      default: ["users"],
      protects: true,
    },
  } satisfies Readonly<Record<keyof SharedSettings, unknown>>,
} as const satisfies SettingsSchema;

/** What `generalSchema` yields, by setting. */
export interface GeneralValues extends MediaValues, AdminValues {
  readonly DataPath: string;
  readonly Durability: "power" | "process";
  readonly RetentionDays: number;
  readonly RetentionBytes: number;
  readonly MessageIdDays: number;
  /** Milliseconds, like every duration. */
  readonly MaxAge: number;
  readonly OutageNotice: number;
  readonly LogFile: string;
  readonly LogFormat: LogFormat;
  readonly Debug: boolean;
  readonly AllowedHosts: readonly string[];
}

const hostNameRule = {
  pattern: "^[^\\s[\\]:/?#@*\\\\]+$",
  hint: "must contain host names without scheme, port, path or star, such as bridge.example.org",
};

/** The settings of the program itself. */
export const generalSchema = {
  type: "object",
  properties: {
    DataPath: {
      type: "string",
      description: "Folder for the log and for files, relative to the configuration file.",
      default: "rialto-data",
      minLength: 1,
      format: "path",
      protects: true,
      restart: true,
    },
    Durability: {
      enum: ["power", "process"],
      description:
        "`power`: a message is accepted once it is safe from a power cut. `process`: faster, but only safe from a crash of the program.",
      default: "power",
      restart: true,
    },
    RetentionDays: {
      type: "integer",
      description: "How many days the log keeps messages.",
      default: 7,
      minimum: 1,
      maximum: 36_500,
      restart: true,
    },
    RetentionBytes: {
      type: "integer",
      description: "How large the log may grow, in bytes, before its oldest messages are deleted.",
      default: 1024 ** 3,
      minimum: 1024 ** 2,
      restart: true,
    },
    MessageIdDays: {
      type: "integer",
      description:
        "How many days Rialto remembers which messages are copies of which, with their author and first words. During this time, edits, deletions, replies and reactions find the right message. The oldest notes are deleted earlier if the log is larger than RetentionBytes.",
      default: 30,
      minimum: 1,
      maximum: 36_500,
      restart: true,
    },
    MaxAge: {
      type: "integer",
      format: "duration",
      description:
        "How long a message may wait for a network that is out of reach. After that it is left out, and one line says how many were left out.",
      default: 6 * HOUR_MS,
      minimum: MINUTE_MS,
      maximum: 30 * 24 * HOUR_MS,
    },
    OutageNotice: {
      type: "integer",
      format: "duration",
      description:
        "How long messages may wait for a network before the log says so, and how long a room may be out of reach before the rooms linked with it get a notice.",
      default: 5 * MINUTE_MS,
      minimum: 1000,
      maximum: 24 * HOUR_MS,
    },
    LogFile: {
      ...text("File to which Rialto appends its log lines. Empty: standard output."),
      restart: true,
    },
    LogFormat: {
      enum: ["auto", "json", "pretty"],
      description:
        "Format of the log lines: `json` is one object per line, `pretty` is for people, `auto` is `pretty` on a terminal and `json` elsewhere.",
      default: "auto",
      restart: true,
    },
    Debug: {
      ...flag("Logs more. The flag `-debug` and the environment variable `DEBUG=1` do the same."),
      restart: true,
    },
    AllowedHosts: {
      type: "array",
      items: { type: "string", rule: hostNameRule },
      description:
        "Host names under which API accounts without Token, and AdminBindAddress without AdminToken, accept requests, such as the name that a web server in front of them passes on. These are always accepted: IP addresses, `localhost`, names under it, and the name in the address itself; unless the address is on loopback, also names without a dot and this machine's own name. With a token, every name is accepted.",
      default: [],
      examples: ["bridge.example.org"],
    },
    ...mediaProperties,
    ...adminProperties,
  } satisfies Readonly<Record<keyof GeneralValues, unknown>>,
} as const satisfies SettingsSchema;
