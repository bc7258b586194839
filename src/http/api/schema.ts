import type { XStatic } from "typebox/schema";

/**
 * The API's shapes, once, as JSON Schema: they check what clients send and make the OpenAPI description.
 * Source: the API specification §2 and §4.
 */

const text = <const D extends string>(description: D) => ({ type: "string", description }) as const;

const fileFields = {
  Name: text("File name."),
  Data: text("Content in standard base64 (RFC 4648 §4); empty when only `URL` is known."),
  Comment: text("Caption."),
  URL: text("Where the file can be fetched; may be empty."),
  Size: { type: "integer", minimum: 0, description: "Size in bytes; the service computes it if `Data` is given." },
  Avatar: { type: "boolean", description: "True if the file is the sender's picture." },
  SHA: text("Hash of the content, if the origin network gives one."),
  NativeID: text("The file's identifier on its origin network."),
} as const;

const Spoiler = {
  type: ["boolean", "string"],
  description:
    "Its sender hides the file until a reader asks for it: true, or the reason. Absent: the file is open. " +
    "Readers get a hidden file as a link, without `Data` and `Comment`.",
} as const;

const hops = {
  type: "integer",
  minimum: 0,
  description:
    "How many programs have passed this message on from one gateway to another. Absent when none has. " +
    "A program that posts what it has read adds one. A message with too many hops is not relayed.",
} as const;

const messageFields = {
  text: text("Message text. Empty for the `api_connected` event."),
  channel: text("Channel the message comes from; `api` for a posted message."),
  username: text("Sender name, formatted by the account's `RemoteNickFormat`."),
  userid: text("Sender identifier on the origin system; may be empty."),
  avatar: text("Sender avatar address; may be empty."),
  account: text("Account the message came from, `<protocol>.<name>`."),
  event: text(
    "Event kind; empty for an ordinary message. `api_connected` greets a reader, `user_action` is a /me, `join_leave`, `join` and `leave` are sent with ShowJoinPart, " +
      "`topic_change` with ShowTopicChange or SyncTopic, `api_error` answers a refused WebSocket frame. With FullEvents, `msg_edit` brings the new text of the message with this `id`, " +
      "`msg_delete` says that it was deleted, `msg_reaction` and `msg_reaction_removed` have an emoji as their text. Any other value is a label that its poster chose.",
  ),
  protocol: text("Protocol of the origin; `api` for a posted message."),
  gateway: text("Gateway the message belongs to."),
  parent_id: text(
    "Identifier of a parent message as the poster gave it; with FullEvents, the `id` of the message that this one answers. May be empty.",
  ),
  timestamp: {
    type: "string",
    format: "date-time",
    description: "When the service accepted the message: RFC 3339 in UTC with fractional seconds.",
    examples: ["2026-11-21T10:00:00.123Z"],
  },
  id: text(
    "Empty without FullEvents. With it, the message's identifier; for `msg_edit`, `msg_delete`, `msg_reaction` and `msg_reaction_removed`, the identifier of the message that they are about.",
  ),
  Extra: {
    description: "Files, or null.",
    anyOf: [
      { type: "null" },
      {
        type: "object",
        properties: {
          file: {
            type: "array",
            items: { type: "object", properties: { ...fileFields, Spoiler }, required: Object.keys(fileFields) },
          },
        },
        required: ["file"],
      },
    ],
  },
};

export const MessageSchema = {
  type: "object",
  description: "A message. All keys but `hops` are always present, in this order; strings are never null.",
  properties: { ...messageFields, hops },
  required: Object.keys(messageFields),
};

export const PostSchema = {
  type: "object",
  description:
    "A message to deliver. Keys may be in upper or lower case, null counts as absent, and unknown keys are ignored; " +
    "the service sets `channel`, `account`, `protocol` and `timestamp` itself.",
  properties: {
    text: text("Text to deliver."),
    username: text("Sender name to display."),
    userid: text("Sender identifier on the client's side."),
    avatar: text("Sender avatar address."),
    gateway: text("Target gateway; may be left out when the account is in exactly one."),
    parent_id: text(
      "Identifier of a parent message; passed on unchanged. With FullEvents, the `id` of the message that this one answers.",
    ),
    id: text(
      "Only with FullEvents, and for the events `msg_edit`, `msg_delete`, `msg_reaction` and `msg_reaction_removed`: the `id` of the message that they are about.",
    ),
    event: text(
      "A label that is passed on with the message, such as `user_action`. The labels that the service uses itself are refused. With FullEvents, `msg_edit` and `msg_delete` change a message " +
        "that this account posted; `msg_reaction` and `msg_reaction_removed` add the emoji in `text` to any message, or remove it.",
    ),
    Extra: {
      type: "object",
      description: "Files to deliver; each needs `Data` or `URL`. Keys other than `file` are ignored.",
      properties: { file: { type: "array", items: { type: "object", properties: { ...fileFields, Spoiler } } } },
    },
    hops,
  },
} as const;

/** What a client may send for one file: every field optional. */
export const PostedFileSchema = PostSchema.properties.Extra.properties.file.items;

export type PostedMessage = XStatic<typeof PostSchema>;
export type PostedFile = XStatic<typeof PostedFileSchema>;

export const ErrorSchema = {
  type: "object",
  description: "Body of every error answer.",
  properties: { message: text("What is wrong and how to fix it.") },
  required: ["message"],
};
