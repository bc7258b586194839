import type { XStatic } from "typebox/schema";
import { SeqSchema } from "../../../consumers/spec.ts";
import { isObject } from "../../../lib/shapes.ts";

/** The bodies of what is said below `/v1`; the router has checked them against these. */

/** An id of a file, as `POST /v1/files` gives it. */
const FileIdSchema = { type: "string", pattern: "^(s256_[A-Za-z0-9_-]{43}|at_[1-9]\\d{0,14}_\\d{1,4})$" } as const;

const HiddenFileSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: {
    id: FileIdSchema,
    spoiler: {
      anyOf: [{ type: "boolean" }, { type: "string", maxLength: 200 }],
      description: "Hides the file until a reader asks for it: true, or the reason.",
    },
  },
} as const;

export const AuthorSchema = {
  type: "object",
  additionalProperties: false,
  description: "Who says it, as people are to see it. Absent: the token's name, or the account's.",
  properties: {
    id: { type: "string", maxLength: 1024, description: "Tells this person from all others of the client." },
    name: { type: "string", maxLength: 1024 },
    avatar: { type: ["string", "null"], maxLength: 8192, description: "Address of a picture." },
  },
} as const;

const text = {
  text: { type: "string", description: "What is said. May be empty where there are files." },
  format: {
    type: "string",
    enum: ["markdown", "plain"],
    description: "How `text` is written, whatever the account's TextFormat says; `markdown` if absent.",
  },
  author: AuthorSchema,
  mentions: {
    type: "string",
    enum: ["none", "users", "all"],
    description:
      "Whom it may notify at most: nobody, who is named, or whole rooms as well. AllowMention of the destination has the last word. `users` if absent.",
  },
} as const;

const files = {
  type: "array",
  items: { anyOf: [FileIdSchema, HiddenFileSchema] },
  maxItems: 32,
  description: "Ids of `POST /v1/files`, or of files in events; a hidden file is an object with its id.",
} as const;

export const NewMessageSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...text,
    style: { type: "string", enum: ["normal", "action", "notice"], description: "`normal` if absent." },
    reply_to: { ...SeqSchema, type: ["string", "null"], description: "Id of the message that it answers." },
    thread: { ...SeqSchema, type: ["string", "null"], description: "Id of the first message of its thread." },
    files,
    hops: {
      type: "integer",
      minimum: 0,
      maximum: 1_000_000,
      description: "A program that says what it has read elsewhere gives the hops of that, and one more.",
    },
  },
} as const;

export const EditSchema = {
  type: "object",
  additionalProperties: false,
  required: ["text"],
  properties: {
    ...text,
    text: {
      type: "string",
      description: "What the message says from now on. May be empty where `files` names a file.",
    },
    files: {
      ...files,
      description:
        "All files that the message has from now on, as in a post: a file that is not in the list is removed. Absent: the files stay.",
    },
  },
} as const;

/** Of what has nothing to say but who does it. */
export const ActorSchema = {
  type: "object",
  additionalProperties: false,
  properties: { author: AuthorSchema },
} as const;

export type NewMessageBody = XStatic<typeof NewMessageSchema>;
export type Edit = XStatic<typeof EditSchema>;
export type Actor = XStatic<typeof ActorSchema>;
export type SayingAuthor = XStatic<typeof AuthorSchema>;

/** The body of a route that has this schema: the router has held it against that. */
export const isNewMessage = (body: unknown): body is NewMessageBody => isObject(body);
export const isEdit = (body: unknown): body is Edit => isObject(body) && typeof body["text"] === "string";
export const isActor = (body: unknown): body is Actor => isObject(body);

export function checked<T>(body: unknown, is: (body: unknown) => body is T): T {
  if (is(body)) return body;
  throw new TypeError("a body was not held against its schema");
}
