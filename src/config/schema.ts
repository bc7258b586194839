import { Type } from "typebox";
import type { Static } from "typebox";

const list = (description: string) =>
  Type.Array(Type.String({ format: "regex" }), {
    description: `${description} A list, or one text with the expressions separated by spaces.`,
    default: [],
  });
const replacements = (description: string) =>
  Type.Array(Type.Tuple([Type.String({ format: "regex" }), Type.String()]), { description, default: [] });
const flag = (description: string) => Type.Boolean({ description, default: false });
const text = (description: string, value = "") => Type.String({ description, default: value });

/** The settings of every account: how messages to it and from it look, and which pass. May stand in `[general]`. */
export const sharedSchema = Type.Object({
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
  ExtractNicks: Type.Array(Type.Tuple([Type.String({ format: "regex" }), Type.String({ format: "regex" })]), {
    description:
      "Takes the name of a sender out of the text: pairs of an expression for the name of the relaying sender and one whose only group is the real name.",
    default: [],
  }),
  ShowJoinPart: flag("People joining and leaving elsewhere are announced here."),
  NoSendJoinPart: flag("People joining and leaving here are announced nowhere else."),
  ShowTopicChange: flag("Changes of the topic elsewhere are announced here."),
});

/** The settings of the program itself. */
export const generalSchema = Type.Object({
  DataPath: Type.String({
    description: "Folder of the log, relative to the configuration file.",
    default: "rialto-data",
    minLength: 1,
  }),
  Durability: Type.Enum(["power", "process"], {
    description:
      "`power`: a message is accepted once it is safe from a power cut. `process`: faster, safe from a crash of the program only.",
    default: "power",
  }),
  RetentionDays: Type.Integer({
    description: "How many days the log keeps messages.",
    default: 7,
    minimum: 1,
    maximum: 36_500,
  }),
  RetentionBytes: Type.Integer({
    description: "How large the log may grow, in bytes, before its oldest messages go.",
    default: 1024 ** 3,
    minimum: 1024 ** 2,
  }),
  LogFile: text("File that the program's own messages are appended to. Empty: standard output."),
  Debug: flag("Logs in detail. The flag `-debug` and the environment variable `DEBUG=1` do the same."),
});

export type SharedSettings = Readonly<Static<typeof sharedSchema>>;
export type GeneralValues = Readonly<Static<typeof generalSchema>>;
