import type { Json } from "../kit/json.ts";

/** The network's records, as far as a bridge needs them. What lacks its id is none. */
export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  /** The name that a person chose to be shown everywhere; empty: none. */
  readonly globalName: string;
  /** Four digits of names of before 2023, and of bots; empty: none. */
  readonly discriminator: string;
  /** The hash of the picture; empty: none. */
  readonly avatar: string;
  readonly isBot: boolean;
}

export interface DiscordMember {
  readonly user: DiscordUser;
  /** The name in this guild; empty: none. */
  readonly nick: string;
  /** The hash of the picture in this guild; empty: none. */
  readonly avatar: string;
  readonly roles: readonly string[];
}

export interface DiscordAttachment {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** The alt text. */
  readonly description: string;
  readonly mime: string | null;
  readonly bytes: number | null;
  readonly url: string;
}

export interface DiscordReaction {
  /** Null for an emoji of Unicode. */
  readonly emojiId: string | null;
  readonly emojiName: string;
  readonly isOurs: boolean;
}

/** `MessageReferenceType`: a reply, or a forward. */
export interface DiscordReference {
  readonly type: "reply" | "forward";
  readonly message: string;
  readonly channel: string;
  readonly guild: string;
}

export interface DiscordMessage {
  readonly id: string;
  /** The channel or thread. */
  readonly channel: string;
  /** Empty where the event does not say. */
  readonly guild: string;
  /** `MessageType`. */
  readonly type: number;
  readonly author: DiscordUser;
  /** What the event says of the author as a member; null: nothing. */
  readonly member: DiscordMember | null;
  /** Of a message of a webhook; empty: a user's. */
  readonly webhook: string;
  /** The application whose bot or webhook wrote it; empty: none. */
  readonly application: string;
  readonly content: string;
  readonly atMs: number;
  /** Null for one that was never edited. */
  readonly editedMs: number | null;
  readonly nonce: string;
  readonly flags: number;
  readonly attachments: readonly DiscordAttachment[];
  /** Raw (`APIEmbed`, `APISticker`, `APIPoll`, components, snapshots): read by who words them. */
  readonly embeds: readonly Json[];
  readonly stickers: readonly Json[];
  readonly poll: Json | null;
  readonly components: readonly Json[];
  readonly snapshots: readonly Json[];
  /** The users that it mentions. */
  readonly mentions: readonly DiscordMember[];
  readonly reactions: readonly DiscordReaction[];
  readonly reference: DiscordReference | null;
  /** The thread that begins with it; empty: none. */
  readonly thread: string;
}
