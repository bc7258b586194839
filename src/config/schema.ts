import type { SettingsSchema } from "../contract/manifest.ts";
import type { RegexRule } from "./config.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const list = (description: string) => ({
  type: "array",
  items: { type: "string", format: "regex" },
  description: `${description} A list, or one text with the expressions separated by spaces.`,
  default: [],
});
const pairs = (description: string, second: { readonly type: string; readonly format?: string }) => ({
  type: "array",
  items: { type: "array", items: [{ type: "string", format: "regex" }, second], minItems: 2 },
  description,
  default: [],
});
const replacements = (description: string) => pairs(description, { type: "string" });
const flag = (description: string) => ({ type: "boolean", description, default: false });
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
}

/** The settings of every account: how messages to it and from it look, and which pass. May stand in `[general]`. */
export const sharedSchema = {
  type: "object",
  properties: {
    RemoteNickFormat: text(
      "How the name of a sender is shown here. Placeholders: `{NICK}` `{NOPINGNICK}` `{BRIDGE}` `{PROTOCOL}` `{GATEWAY}` `{LABEL}` `{USERID}` `{CHANNEL}`.",
      "[{PROTOCOL}] <{NICK}> ",
    ),
    StripNick: flag("Names shown here keep only letters A to Z and digits."),
    Label: text("What `{LABEL}` stands for in the names of senders from here."),
    IconURL: text("Picture for senders that have none, shown here. `{NICK}` stands for the name."),
    IgnoreNicks: list("Messages from senders whose name matches one of these regular expressions are dropped."),
    IgnoreMessages: list("Messages from here whose text or file comment matches one of these are dropped."),
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
  } satisfies Readonly<Record<keyof SharedSettings, unknown>>,
} as const satisfies SettingsSchema;

/** What `generalSchema` yields, by setting. */
export interface GeneralValues {
  readonly DataPath: string;
  readonly Durability: "power" | "process";
  readonly RetentionDays: number;
  readonly RetentionBytes: number;
  /** Milliseconds, like every duration. */
  readonly MaxAge: number;
  readonly OutageNotice: number;
  readonly LogFile: string;
  readonly Debug: boolean;
}

/** The settings of the program itself. */
export const generalSchema = {
  type: "object",
  properties: {
    DataPath: {
      type: "string",
      description: "Folder of the log, relative to the configuration file.",
      default: "rialto-data",
      minLength: 1,
      format: "path",
    },
    Durability: {
      enum: ["power", "process"],
      description:
        "`power`: a message is accepted once it is safe from a power cut. `process`: faster, safe from a crash of the program only.",
      default: "power",
    },
    RetentionDays: {
      type: "integer",
      description: "How many days the log keeps messages.",
      default: 7,
      minimum: 1,
      maximum: 36_500,
    },
    RetentionBytes: {
      type: "integer",
      description: "How large the log may grow, in bytes, before its oldest messages go.",
      default: 1024 ** 3,
      minimum: 1024 ** 2,
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
      description: "How long messages may wait for a network before the log says so.",
      default: 5 * MINUTE_MS,
      minimum: 1000,
      maximum: 24 * HOUR_MS,
    },
    LogFile: text("File that the program's own messages are appended to. Empty: standard output."),
    Debug: flag("Logs in detail. The flag `-debug` and the environment variable `DEBUG=1` do the same."),
  } satisfies Readonly<Record<keyof GeneralValues, unknown>>,
} as const satisfies SettingsSchema;
