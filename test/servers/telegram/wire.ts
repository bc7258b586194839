import type {
  ApiMethods,
  Chat,
  ChatMemberAdministrator,
  ChatPermissions,
  Message,
  ReactionType,
  ResponseParameters,
  Update,
  User,
} from "@grammyjs/types";

/**
 * What the fake server says, by the published types. Where these are narrower than what servers really send, the
 * difference is here and nowhere else.
 */

/** The published type of a replied message has a field that is never there. */
export type WireMessage = Omit<Message, "reply_to_message"> & { reply_to_message?: Bare };
export type Bare = Omit<Message, "reply_to_message">;

/** What a message holds, beside who wrote it where. */
export type Content = Omit<Bare, "message_id" | "date" | "chat">;

export type UpdateKind = Exclude<keyof Update, "update_id">;

type OfMessages = "message" | "edited_message" | "channel_post" | "edited_channel_post";

/** An update before it has its id. */
export type Told = Omit<Update, "update_id" | OfMessages> & { [K in OfMessages]?: WireMessage };
export type WireUpdate = Told & { readonly update_id: number };

/** What a method answers: servers make of a file what they find it to be, so every message may be of every kind. */
export type Answered<M extends keyof ApiMethods<never>> = Loose<ReturnType<ApiMethods<never>[M]>>;
type Loose<R> = R extends readonly Message[]
  ? WireMessage[]
  : R extends Message
    ? WireMessage
    : R extends readonly Update[]
      ? WireUpdate[]
      : R;

export type AdminRight = Exclude<keyof ChatMemberAdministrator, "status" | "user" | "custom_title">;
export type Permission = keyof ChatPermissions;

export interface BotRow {
  readonly user: User & { readonly is_bot: true; readonly username: string };
  token: string;
  /** Of earlier tokens: they are refused. */
  readonly revoked: Set<string>;
  /** As BotFather has it: in groups it hears only what is meant for it. */
  hasPrivacy: boolean;
  /** As BotFather has it: *Bot-to-Bot Communication Mode*. */
  hearsBots: boolean;
  loggedOut: boolean;
  webhook: string;
  /** What it asked for; null: what a server sends to whoever does not ask. */
  allowed: ReadonlySet<string> | null;
}

export interface MemberRow {
  readonly user: User;
  status: "creator" | "administrator" | "member" | "restricted" | "left" | "kicked";
  /** Of administrators. */
  rights: ReadonlySet<AdminRight>;
  /** Of the restricted. */
  permissions: ChatPermissions;
  isAnonymous: boolean;
  title: string;
  /** When it last wrote, for slow mode. */
  lastSaid: number;
}

export interface TopicRow {
  readonly id: number;
  name: string;
  isClosed: boolean;
  isGone: boolean;
}

export interface ChatRow {
  readonly id: number;
  wire: Chat;
  readonly members: Map<number, MemberRow>;
  readonly messages: Map<number, MessageRow>;
  lastId: number;
  /** What members may do who are no administrators. */
  permissions: ChatPermissions;
  /** Seconds between two messages of one member; 0: as fast as they like. */
  slowMode: number;
  /** Emoji with which people may react; null: all. */
  reactions: readonly string[] | null;
  /** The group of a channel, or the channel of a group. */
  linked: ChatRow | null;
  readonly topics: Map<number, TopicRow>;
  isGeneralClosed: boolean;
  migratedTo: number | null;
  /** Which bot wrote last: commands without a name are for it. */
  lastBot: number | null;
  /** Of a private chat: who is not the bot has blocked it. */
  isBlocked: boolean;
  description: string;
}

export interface MessageRow {
  readonly id: number;
  readonly chat: ChatRow;
  wire: WireMessage;
  /** The person or bot that wrote it, also where others are not shown who it was. */
  readonly by: number;
  readonly isService: boolean;
  /** The first message of the thread of replies. */
  readonly thread: number;
  readonly reactions: Map<number, readonly ReactionType[]>;
}

/** A file as somebody sends it. */
export interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
  readonly mime?: string;
  /** What the server says it has of it, where it shall be larger than its content. */
  readonly size?: number;
}

export type MediaKind = "photo" | "document" | "video" | "animation" | "audio" | "voice" | "video_note" | "sticker";

/** A refusal: thrown where it is found out, sent as the network's error body. */
export class Refusal extends Error {
  readonly code: number;
  readonly parameters: ResponseParameters | null;

  constructor(code: number, description: string, parameters: ResponseParameters | null = null) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const bad = (what: string): Refusal => new Refusal(400, `Bad Request: ${what}`);
export const forbidden = (what: string): Refusal => new Refusal(403, `Forbidden: ${what}`);
export const tooMany = (seconds: number): Refusal =>
  new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What the network counts as characters: code points, not the UTF-16 units in which offsets are. */
export const lengthOf = (text: string): number => Array.from(text).length;
