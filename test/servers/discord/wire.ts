import { createHash } from "node:crypto";
import type {
  APIAttachment,
  APIEmoji,
  APIGuildMember,
  APIMessage,
  APIOverwrite,
  APIPartialEmoji,
  APIRole,
  APIThreadMetadata,
  APIUser,
  APIWebhook,
  ChannelType,
  GuildPremiumTier,
} from "discord-api-types/v10";

/** What the fake server keeps, in the network's published types where it is what the wire carries. */

export interface GuildRow {
  readonly id: string;
  name: string;
  ownerId: string;
  systemChannel: string | null;
  /** How much its members have paid for it. */
  tier: GuildPremiumTier;
  readonly roles: Map<string, APIRole>;
  readonly members: Map<string, APIGuildMember>;
  readonly emojis: APIEmoji[];
}

export interface ChannelRow {
  readonly id: string;
  readonly guild: string;
  type: ChannelType;
  name: string;
  parent: string | null;
  position: number;
  topic: string | null;
  /** Seconds between two messages of one person. */
  slowS: number;
  overwrites: APIOverwrite[];
  lastMessage: string | null;
  lastPin: string | null;
  /** Of threads only. */
  thread: { readonly owner: string; meta: APIThreadMetadata; members: Set<string>; count: number } | null;
  requireTag: boolean;
}

export interface MessageRow {
  readonly id: string;
  readonly channel: string;
  readonly guild: string;
  /** The text and everything else of it; reactions are counted when it is shown. */
  wire: APIMessage;
  readonly nonce: string | number | null;
  readonly reactions: Reaction[];
}

interface Reaction {
  readonly emoji: APIPartialEmoji;
  readonly users: string[];
}

export interface WebhookRow {
  readonly id: string;
  readonly token: string;
  readonly guild: string;
  channel: string;
  name: string;
  avatar: string | null;
  readonly user: APIUser;
  readonly application: string | null;
  readonly type: APIWebhook["type"];
}

export interface AppRow {
  readonly user: APIUser;
  readonly token: string;
  /** The switches of the developer portal. */
  readonly portal: { messageContent: boolean; members: boolean; presence: boolean };
}

/** A file as somebody sends it. */
export interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
  readonly mime?: string;
  readonly description?: string;
  /** As of voice messages: how long, and how loud when. */
  readonly more?: Partial<APIAttachment>;
}

export type { APIUser };

interface FieldError {
  readonly code: string;
  readonly message: string;
}

/** Errors of a body by the path of the field, as `embeds.0.title`. */
export type FieldErrors = Readonly<Record<string, FieldError>>;

/** An answer that is a refusal: thrown where it is found out, sent as the network's error body. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly fields: FieldErrors;
  /** In so many seconds it may be tried again. */
  readonly retryS: number | null;

  constructor(status: number, code: number, message: string, fields: FieldErrors = {}, retryS: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.retryS = retryS;
  }
}

export function errorBody({ code, message, fields, retryS }: Refusal): object {
  const names = Object.keys(fields);
  if (names.length === 0) return { message, code, ...(retryS !== null && { retry_after: retryS }) };
  const errors: Record<string, unknown> = {};
  for (const name of names) {
    let at = errors;
    for (const part of name.split(".")) at = (at[part] ??= {}) as Record<string, unknown>;
    at["_errors"] = [fields[name]];
  }
  return { message, code, errors };
}

const KNOWN = {
  unauthorized: [401, 0, "401: Unauthorized"],
  notFound: [404, 0, "404: Not Found"],
  methodNotAllowed: [405, 0, "405: Method Not Allowed"],
  badJson: [400, 50109, "The request body contains invalid JSON."],
  unknownChannel: [404, 10003, "Unknown Channel"],
  unknownGuild: [404, 10004, "Unknown Guild"],
  unknownMember: [404, 10007, "Unknown Member"],
  unknownMessage: [404, 10008, "Unknown Message"],
  unknownUser: [404, 10013, "Unknown User"],
  unknownEmoji: [400, 10014, "Unknown Emoji"],
  unknownWebhook: [404, 10015, "Unknown Webhook"],
  maxPins: [400, 30003, "Maximum number of pinned messages reached (50)"],
  maxWebhooks: [400, 30007, "Maximum number of webhooks reached (15)"],
  maxReactions: [400, 30010, "Maximum number of reactions reached (20)"],
  maxAttachments: [400, 30015, "Maximum number of attachments in a message reached (10)"],
  tooLarge: [413, 40005, "Request entity too large"],
  threadExists: [400, 160_004, "A thread has already been created for this message"],
  missingAccess: [403, 50001, "Missing Access"],
  notYours: [403, 50005, "Cannot edit a message authored by another user"],
  empty: [400, 50006, "Cannot send an empty message"],
  nonText: [400, 50008, "Cannot send messages in a non-text channel"],
  missingPermissions: [403, 50013, "Missing Permissions"],
  bulkCount: [
    400,
    50016,
    "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete.",
  ],
  systemMessage: [403, 50021, "Cannot execute action on a system message"],
  channelType: [400, 50024, "Cannot execute action on this channel type"],
  webhookToken: [401, 50027, "Invalid Webhook Token"],
  bulkOld: [400, 50034, "A message provided was too old to bulk delete"],
  blocked: [403, 90001, "Reaction was blocked"],
  archived: [400, 50083, "Thread is archived"],
  forumNeedsThread: [400, 220_001, "Webhooks posted to forum channels must have a thread_name or thread_id"],
  forumBoth: [400, 220_002, "Webhooks posted to forum channels cannot have both a thread_name and thread_id"],
  forumOnly: [400, 220_003, "Webhooks can only create threads in forum channels"],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

/** The refusal that the network has for this. */
export function no(name: keyof typeof KNOWN): Refusal {
  const [status, code, message] = KNOWN[name];
  return new Refusal(status, code, message);
}

export const invalid = (fields: FieldErrors): Refusal => new Refusal(400, 50035, "Invalid Form Body", fields);

/** In a channel with slow mode: so many seconds are to wait. */
export const tooSoon = (seconds: number): Refusal =>
  new Refusal(429, 20016, "This action cannot be performed due to slowmode rate limit.", {}, seconds);

export const badField = (name: string, code: string, message: string): Refusal =>
  invalid({ [name]: { code, message } });

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const hashOf = (text: string): string => createHash("md5").update(text).digest("hex");

/** Of one emoji: its id, or the character itself. */
export const keyOf = ({ id, name }: APIPartialEmoji): string => id ?? name ?? "";
