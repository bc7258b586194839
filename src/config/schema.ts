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

/** The settings of every account: how messages to it and from it look, and which pass. May stand in `[general]`. */
export const sharedSchema = {
  type: "object",
  properties: {
    RemoteNickFormat: {
      ...text(
        "How the name of a sender is shown here. Placeholders: `{NICK}` `{NOPINGNICK}` `{BRIDGE}` `{PROTOCOL}` `{GATEWAY}` `{LABEL}` `{USERID}` `{CHANNEL}`.",
        "[{PROTOCOL}] <{NICK}> ",
      ),
      placeholders: words("NICK NOPINGNICK BRIDGE PROTOCOL GATEWAY LABEL USERID CHANNEL TENGO"),
    },
    StripNick: flag("Names shown here keep only letters A to Z and digits."),
    Label: text("What `{LABEL}` stands for in the names of senders from here."),
    IconURL: {
      ...text("Picture for senders that have none, shown here. `{NICK}` stands for the name."),
      placeholders: words("NICK BRIDGE PROTOCOL"),
    },
    IgnoreNicks: filter("Messages from senders whose name matches one of these regular expressions are dropped."),
    IgnoreMessages: filter("Messages from here whose text or file comment matches one of these are dropped."),
    ReplaceMessages: replacements(
      "Changes the text of messages from here: pairs of a regular expression and its replacement.",
    ),
    ReplaceNicks: replacements(
      "Changes the names of senders from here: pairs of a regular expression and its replacement.",
    ),
    ExtractNicks: pairs(
      "Takes the name of a sender out of the text: pairs of an expression for the name of the relaying sender and one whose only group is the real name.",
      { type: "string", format: "regex" },
    ),
    ShowJoinPart: flag("People joining and leaving elsewhere are announced here."),
    NoSendJoinPart: flag("People joining and leaving here are announced nowhere else."),
    ShowTopicChange: flag("Changes of the topic elsewhere are announced here."),
    ShowOutages: {
      type: "boolean",
      description:
        "One notice is given here when a room that is linked with this one is out of reach for longer than OutageNotice, and it says so when that room is back. Not for accounts of the API.",
      default: true,
    },
    PreserveThreading: {
      type: "boolean",
      description: "Replies and threads arrive here as such; otherwise as ordinary messages.",
      default: true,
    },
    QuoteDisable: flag("A reply to a message that cannot be pointed at here comes without a quote of it."),
    QuoteFormat: {
      ...text(
        "How a reply looks here where it cannot point at its message: `{MESSAGE}` `{QUOTENICK}` `{QUOTEMESSAGE}`. Empty: as is usual on this network.",
      ),
      placeholders: words("MESSAGE QUOTENICK QUOTEMESSAGE"),
    },
    QuoteLengthLimit: {
      type: "integer",
      description: "Most characters of a quoted message; 0: 100.",
      default: 100,
      minimum: 1,
      maximum: 1000,
      zeroIsDefault: true,
    },
    EditDisable: flag("Edits of messages from here are not relayed."),
    EditSuffix: text("Stands behind the text of an edited message from here."),
    EditFallback: {
      enum: ["diff", "whole", "none"],
      description:
        "An edit that cannot be made here: `diff` says what changed (`s/old/new/`), or the new text where that is shorter; `whole` always says the new text; `none` says nothing.",
      default: "diff",
    },
    DeleteFallback: {
      enum: ["none", "note"],
      description: "A deletion that cannot be made here: `note` says so in a line, `none` says nothing.",
      default: "none",
    },
    ReactionDisable: flag("Reactions from here are not relayed, and none are shown here."),
    ReactionFallback: {
      enum: ["none", "line"],
      description:
        "Reactions that cannot be shown here: `line` says them in a line, which is edited where that is possible; `none` says nothing.",
      default: "none",
    },
    AllowMention: {
      type: "array",
      items: { type: "string", enum: ["users", "everyone"] },
      description:
        "Whom messages may notify here: `users`, somebody present whose name is mentioned and nobody else has; `everyone`, the whole room (`@room`, `@everyone`).",
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
  hint: "must hold names of hosts without scheme, port, path or star, such as bridge.example.org",
};

/** The settings of the program itself. */
export const generalSchema = {
  type: "object",
  properties: {
    DataPath: {
      type: "string",
      description: "Folder of the log and of files, relative to the configuration file.",
      default: "rialto-data",
      minLength: 1,
      format: "path",
      protects: true,
      restart: true,
    },
    Durability: {
      enum: ["power", "process"],
      description:
        "`power`: a message is accepted once it is safe from a power cut. `process`: faster, safe from a crash of the program only.",
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
      description: "How large the log may grow, in bytes, before its oldest messages go.",
      default: 1024 ** 3,
      minimum: 1024 ** 2,
      restart: true,
    },
    MessageIdDays: {
      type: "integer",
      description:
        "How many days the log knows which messages are copies of which, with their author and first words: that long, edits, deletions, replies and reactions find the right one. Oldest ones go earlier when the log is over RetentionBytes.",
      default: 30,
      minimum: 1,
      maximum: 36_500,
      restart: true,
    },
    MaxAge: {
      type: "integer",
      format: "duration",
      description:
        "How long a message may wait for a network that is out of reach before it is left out; one line then says how many were.",
      default: 6 * HOUR_MS,
      minimum: MINUTE_MS,
      maximum: 30 * 24 * HOUR_MS,
    },
    OutageNotice: {
      type: "integer",
      format: "duration",
      description:
        "How long messages may wait for a network before the log says so, and how long a room may be out of reach before the rooms linked with it are told.",
      default: 5 * MINUTE_MS,
      minimum: 1000,
      maximum: 24 * HOUR_MS,
    },
    LogFile: {
      ...text("File that the program's own messages are appended to. Empty: standard output."),
      restart: true,
    },
    LogFormat: {
      enum: ["auto", "json", "pretty"],
      description:
        "How the program's own messages look: `json` is one object per line, `pretty` is for people, `auto` is `pretty` on a terminal and `json` elsewhere.",
      default: "auto",
      restart: true,
    },
    Debug: {
      ...flag("Logs in detail. The flag `-debug` and the environment variable `DEBUG=1` do the same."),
      restart: true,
    },
    AllowedHosts: {
      type: "array",
      items: { type: "string", rule: hostNameRule },
      description:
        "Names under which accounts of the API without Token, and AdminBindAddress without AdminToken, may be called, such as the name that a web server before them passes on. Beside these: IP addresses, `localhost`, names under it, and the name in the address; unless that is on loopback also names without a dot and this machine's own. With a token every name counts.",
      default: [],
      examples: ["bridge.example.org"],
    },
    ...mediaProperties,
    ...adminProperties,
  } satisfies Readonly<Record<keyof GeneralValues, unknown>>,
} as const satisfies SettingsSchema;
