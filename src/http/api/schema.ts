import { Type, type Static } from "typebox";

/**
 * The API's shapes, once: they check what clients send and make the OpenAPI description.
 * Source: the API specification §2 and §4.
 */

const text = (description: string) => Type.String({ description });

const fileFields = {
  Name: text("File name."),
  Data: text("Content in standard base64 (RFC 4648 §4); empty when only `URL` is known."),
  Comment: text("Caption."),
  URL: text("Where the file can be fetched; may be empty."),
  Size: Type.Integer({ minimum: 0, description: "Bytes; computed by the service when `Data` is given." }),
  Avatar: Type.Boolean({ description: "True when the file is the sender's picture." }),
  SHA: text("Hash of the content when the origin gives one."),
  NativeID: text("The file's identifier on its origin network."),
};

export const FileSchema = Type.Object(fileFields, { description: "A file that came with a message." });

const hops = Type.Integer({
  minimum: 0,
  description:
    "How many programs have passed this message on from one gateway to another. Absent when none has. " +
    "A program that posts what it has read adds one; a message with too many hops is not relayed.",
});

export const MessageSchema = Type.Object(
  {
    text: text("Message text. Empty for the `api_connected` event."),
    channel: text("Channel the message comes from; `api` for a posted message."),
    username: text("Sender name, formatted by the account's `RemoteNickFormat`."),
    userid: text("Sender identifier on the origin system; may be empty."),
    avatar: text("Sender avatar address; may be empty."),
    account: text("Account the message came from, `<protocol>.<name>`."),
    event: text(
      "Event kind; empty for an ordinary message. `api_connected` greets a reader, `user_action` is a /me, `join_leave`, `join` and `leave` come with ShowJoinPart, " +
        "`topic_change` with ShowTopicChange, `api_error` answers a refused WebSocket frame; any other is a label that its poster chose.",
    ),
    protocol: text("Protocol of the origin; `api` for a posted message."),
    gateway: text("Gateway the message belongs to."),
    parent_id: text("Identifier of a parent message as the poster gave it; may be empty."),
    timestamp: Type.String({
      format: "date-time",
      description: "When the service accepted the message: RFC 3339 in UTC with fractional seconds.",
      examples: ["2026-11-21T10:00:00.123Z"],
    }),
    id: text("Always empty on these endpoints."),
    Extra: Type.Union([Type.Null(), Type.Object({ file: Type.Array(FileSchema) })], {
      description: "Files, or null.",
    }),
    hops: Type.Optional(hops),
  },
  { description: "The one resource. All keys but `hops` are always present, in this order; strings are never null." },
);

/** What a client may send for one file: every field optional, `Data` or `URL` needed. */
export const PostedFileSchema = Type.Object({
  Name: Type.Optional(fileFields.Name),
  Data: Type.Optional(fileFields.Data),
  Comment: Type.Optional(fileFields.Comment),
  URL: Type.Optional(fileFields.URL),
  Size: Type.Optional(Type.Integer({ minimum: 0, description: "Bytes; ignored when `Data` is given." })),
  Avatar: Type.Optional(fileFields.Avatar),
  SHA: Type.Optional(fileFields.SHA),
  NativeID: Type.Optional(fileFields.NativeID),
});

export const PostSchema = Type.Object(
  {
    text: Type.Optional(text("Text to deliver.")),
    username: Type.Optional(text("Sender name to display.")),
    userid: Type.Optional(text("Sender identifier on the client's side.")),
    avatar: Type.Optional(text("Sender avatar address.")),
    gateway: Type.Optional(text("Target gateway; may be left out when the account is in exactly one.")),
    parent_id: Type.Optional(text("Identifier of a parent message; travels as given.")),
    event: Type.Optional(
      text("A label that travels with the message, such as `user_action`. The service's own are refused."),
    ),
    Extra: Type.Optional(
      Type.Object(
        { file: Type.Optional(Type.Array(PostedFileSchema)) },
        { description: "Files to deliver. Keys other than `file` are ignored." },
      ),
    ),
    hops: Type.Optional(hops),
  },
  {
    description:
      "A message to deliver. Keys are taken in any case, null counts as absent, unknown keys are ignored; " +
      "`channel`, `account`, `protocol`, `timestamp` and `id` are the service's own.",
  },
);

export type PostedMessage = Static<typeof PostSchema>;
export type PostedFile = Static<typeof PostedFileSchema>;

export const ErrorSchema = Type.Object(
  { message: text("What is wrong and how to mend it.") },
  { description: "Body of every error answer." },
);
