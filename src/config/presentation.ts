import { DEFAULT_NICK_FORMAT } from "../contract/message.ts";
import type { SettingSchema, SettingsOf, SettingsSchema } from "../contract/manifest.ts";

const filter = (description: string) =>
  ({
    type: "array",
    items: { type: "string", format: "regex" },
    description: `${description} A list, or one text with the expressions separated by spaces.`,
    default: [],
    protects: true,
  }) as const;
const pairs = <const S extends SettingSchema>(description: string, second: S) =>
  ({
    type: "array",
    items: { type: "array", items: [{ type: "string", format: "regex" }, second], minItems: 2 },
    description,
    default: [],
  }) as const;
const replacements = (description: string) => pairs(description, { type: "string" });
const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;
const words = (text: string): readonly string[] => text.split(" ");
const text = (description: string, value = "") => ({ type: "string", description, default: value }) as const;

/** The settings of every account: how messages to it and from it look, and which pass. May be set in `[general]`. */
export const sharedSchema = {
  type: "object",
  properties: {
    RemoteNickFormat: {
      ...text(
        "How the names of senders are shown here, with marks where the network has them, such as `**{NICK}**`. Placeholders: `{NICK}` `{NOPINGNICK}` `{BRIDGE}` `{PROTOCOL}` `{GATEWAY}` `{LABEL}` `{USERID}` `{CHANNEL}`.",
        DEFAULT_NICK_FORMAT,
      ),
      placeholders: words("NICK NOPINGNICK BRIDGE PROTOCOL GATEWAY LABEL USERID CHANNEL"),
      emptyPlaceholders: { names: ["TENGO"], why: "scripts do not run", needed: words("NICK NOPINGNICK USERID") },
    },
    StripNick: flag("Removes everything but the letters A to Z and digits from names shown here."),
    Label: text("What `{LABEL}` stands for in the names of senders from here."),
    IconURL: {
      needs: "pictures",
      ...text("Address of the picture shown here for senders that have none. `{NICK}` stands for the name."),
      placeholders: words("NICK BRIDGE PROTOCOL"),
    },
    IgnoreNicks: filter("Drops messages from here if the sender's name matches one of these regular expressions."),
    IgnoreMessages: filter(
      "Drops messages from here if their text or file comment matches one of these regular expressions.",
    ),
    EmojiCodes: {
      enum: ["standing", "reference", "off"],
      description:
        "Which short codes in messages and captions from here become emoji, such as `:cat:`. `standing`: those that stand alone between spaces or punctuation, outside code and addresses; `reference`: all of them, as matterbridge does it; `off`: none.",
      default: "standing",
    },
    ReplaceMessages: replacements(
      "Changes the texts and captions of messages from here: pairs of a regular expression and its replacement.",
    ),
    ReplaceNicks: replacements(
      "Changes the names of senders from here: pairs of a regular expression and its replacement.",
    ),
    ExtractNicks: pairs(
      "Takes the real sender's name out of the text of messages that another bridge has relayed: pairs of an expression that matches the other bridge's name, and one whose only group is the real name.",
      { type: "string", format: "regex" },
    ),
    ShowJoinPart: flag("Announces here when people join or leave elsewhere."),
    NoSendJoinPart: {
      ...flag(
        "Does not announce elsewhere when people join or leave here. Guests of the web chat see how many are here, and no names.",
      ),
      needs: "members",
    },
    ShowTopicChange: flag("Announces here when the topic changes elsewhere."),
    SyncTopic: flag(
      "Sets the topic here when it changes elsewhere. It is announced in words where this network or this room does not let Rialto set it.",
    ),
    ShowOutages: {
      needs: "texts",
      type: "boolean",
      description:
        "Shows a notice here when a linked room has been out of reach for longer than OutageNotice, and says when it is back. Not for API accounts.",
      default: true,
    },
    ShowFailures: {
      needs: "texts",
      type: "boolean",
      description:
        "Answers a message from here when it was not delivered to a linked channel: at most once in 10 minutes for each of these, and not while more than 20 messages a minute are said here. Not for API accounts.",
      default: true,
    },
    ShowUserTyping: {
      type: "boolean",
      description:
        "Shows here that people type elsewhere, and elsewhere that people type here, on networks that can show it and to programs that use the API below `/v1`. `false` does neither.",
      default: true,
    },
    PreserveThreading: {
      type: "boolean",
      description: "Shows replies and threads here as such, if possible. Otherwise they are ordinary messages.",
      default: true,
    },
    QuoteDisable: flag(
      "Leaves out the quote in replies that cannot refer to their message here, and in replies from here at the HTTP API without `FullEvents`.",
    ),
    QuoteFormat: {
      ...text(
        "How a reply looks here if it cannot refer to its message. Placeholders: `{MESSAGE}` `{QUOTENICK}` `{QUOTEMESSAGE}`. Empty: the usual form on this network. Also for replies from here at an HTTP API account without `FullEvents` that has no QuoteFormat of its own.",
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
    EditDisable: { ...flag("Does not relay edits of messages from here."), needs: "edits" },
    EditSuffix: { ...text("Text that is added after an edited message from here."), needs: "edits" },
    EditFallback: {
      needs: "texts",
      enum: ["diff", "whole", "none"],
      description:
        "What is shown for an edit if messages cannot be edited here: `diff` shows what changed (`s/old/new/`), or the new text if that is shorter; `whole` always shows the new text; `none` shows nothing.",
      default: "diff",
    },
    DeleteFallback: {
      needs: "texts",
      enum: ["none", "note"],
      description:
        "What is shown for a deletion if messages cannot be deleted here: `note` shows a line that says so, `none` shows nothing.",
      default: "none",
    },
    ReactionDisable: flag("Neither relays reactions from here nor shows reactions here."),
    ReactionFallback: {
      needs: "texts",
      enum: ["none", "line"],
      description:
        "What is shown for reactions if messages cannot have any here: `line` shows them in a line, which is edited if possible; `none` shows nothing.",
      default: "none",
    },
    AllowMention: {
      needs: "texts",
      type: "array",
      items: {
        type: "string",
        enum: ["users", "everyone", "roles"],
        idleValues: { roles: "no message from elsewhere mentions a role" },
      },
      description:
        "Whom messages may notify here. `users`: a person who is present and is mentioned by a name that nobody else there has. `everyone`: the whole room (`@room`, `@everyone`). `roles` is accepted and does nothing: no message from elsewhere mentions a role.",
      default: ["users"],
      protects: true,
    },
  },
} as const satisfies SettingsSchema;

type SharedSettings = SettingsOf<typeof sharedSchema>;

/** The settings every account has, named as code names things: `remoteNickFormat` for `RemoteNickFormat`. */
export type PresentationSettings = {
  readonly [Name in keyof SharedSettings as Uncapitalize<Name>]: SharedSettings[Name];
};

export function presentationOf(shared: SharedSettings): PresentationSettings {
  const named = Object.entries(shared).map(([name, value]) => [name.slice(0, 1).toLowerCase() + name.slice(1), value]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name is made as the type above makes it
  return Object.fromEntries(named) as PresentationSettings;
}
