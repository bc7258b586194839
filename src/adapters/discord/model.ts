import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";

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
  /** Of a voice message; null: not told. */
  readonly seconds: number | null;
  readonly url: string;
  readonly isSpoiler: boolean;
}

export interface DiscordReaction {
  /** Null for an emoji of Unicode. */
  readonly emojiId: string | null;
  readonly emojiName: string;
  readonly isOurs: boolean;
}

/** `MessageReferenceType`: a reply, or a forward. */
interface DiscordReference {
  readonly type: "reply" | "forward";
  readonly message: string;
  readonly channel: string;
  readonly guild: string;
  /** Who wrote that message; null: not told. */
  readonly author: DiscordUser | null;
}

/** Somebody has used a command. */
interface DiscordCommand {
  readonly by: DiscordMember;
  /** Without the slash; empty: not told. */
  readonly name: string;
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
  /** The name of the game or program that it is about; empty: not told. */
  readonly appName: string;
  /** Of an invitation to do something together, raw; null: it is none. */
  readonly activity: Json | null;
  /** Of the answer to a command; null: it is none, or that is not known. */
  readonly command: DiscordCommand | null;
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

/** A thread, as far as its history goes. */
export interface DiscordThread {
  readonly id: string;
  /** `ThreadType`. */
  readonly type: number;
  /** The channel that it is in. */
  readonly parent: string;
  /** The newest message in it; empty: none. */
  readonly lastMessage: string;
}

/** `ThreadType`: of announcements, public. */
const OPEN_THREADS: ReadonlySet<number | null> = new Set([10, 11]);

/** Whether whoever reads its channel may read it: else it is no part of what is said there. */
export const isOpenThread = ({ type }: { readonly type: number | null }): boolean => OPEN_THREADS.has(type);

/** Null for other channels, and for private threads. */
export function discordThreadIn(raw: unknown): DiscordThread | null {
  if (!isObject(raw)) return null;
  const [id, parent, type] = [snowflakeIn(raw, "id"), snowflakeIn(raw, "parent_id"), numberIn(raw, "type")];
  if (id === "" || parent === "" || type === null || !isOpenThread({ type })) return null;
  return { id, type, parent, lastMessage: snowflakeIn(raw, "last_message_id") };
}

/** Null: such a user has no id. */
export function discordUserIn(raw: unknown): DiscordUser | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  const discriminator = textIn(raw, "discriminator") ?? "";
  return {
    id,
    username: textIn(raw, "username") ?? "",
    globalName: textIn(raw, "global_name") ?? "",
    discriminator: /^0*$/.test(discriminator) ? "" : discriminator,
    avatar: textIn(raw, "avatar") ?? "",
    isBot: raw["bot"] === true,
  };
}

/** `user`: of whom the record speaks, where it does not say it itself. */
export function discordMemberIn(raw: unknown, user: DiscordUser | null = null): DiscordMember | null {
  if (!isObject(raw)) return null;
  const who = discordUserIn(raw["user"]) ?? user;
  if (who === null) return null;
  return {
    user: who,
    nick: textIn(raw, "nick") ?? "",
    avatar: textIn(raw, "avatar") ?? "",
    roles: listIn(raw, "roles").filter((one) => typeof one === "string"),
  };
}

export function discordMessageIn(raw: unknown): DiscordMessage | null {
  if (!isObject(raw)) return null;
  const [id, channel] = [snowflakeIn(raw, "id"), snowflakeIn(raw, "channel_id")];
  const author = discordUserIn(raw["author"]);
  if (id === "" || channel === "" || author === null) return null;
  const { poll, activity } = raw;
  return {
    id,
    channel,
    guild: textIn(raw, "guild_id") ?? "",
    type: numberIn(raw, "type") ?? 0,
    author,
    member: discordMemberIn(raw["member"], author),
    webhook: textIn(raw, "webhook_id") ?? "",
    application: textIn(raw, "application_id") ?? "",
    appName: textIn(objectIn(raw, "application"), "name") ?? "",
    activity: isObject(activity) ? activity : null,
    command: commandIn(raw),
    content: textIn(raw, "content") ?? "",
    atMs: timeIn(raw, "timestamp") ?? discordTimeOf(id),
    editedMs: timeIn(raw, "edited_timestamp"),
    nonce: String(textIn(raw, "nonce") ?? numberIn(raw, "nonce") ?? ""),
    flags: numberIn(raw, "flags") ?? 0,
    attachments: listIn(raw, "attachments").flatMap((one) => discordAttachmentIn(one) ?? []),
    embeds: objectsIn(raw, "embeds"),
    stickers: objectsIn(raw, "sticker_items"),
    poll: isObject(poll) ? poll : null,
    components: objectsIn(raw, "components"),
    snapshots: objectsIn(raw, "message_snapshots").map((one) => objectIn(one, "message")),
    mentions: listIn(raw, "mentions").flatMap((one) => mentionIn(one) ?? []),
    reactions: listIn(raw, "reactions").flatMap((one) => discordReactionIn(one) ?? []),
    reference: referenceIn(raw["message_reference"], raw["referenced_message"]),
    thread: snowflakeIn(objectIn(raw, "thread"), "id"),
  };
}

export function discordAttachmentIn(raw: unknown): DiscordAttachment | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  const bytes = numberIn(raw, "size");
  const [name, title] = [textIn(raw, "filename") ?? "", textIn(raw, "title") ?? ""];
  return {
    id,
    name: name.replace(SPOILER_NAME, "") || "file",
    title: title.replace(SPOILER_NAME, ""),
    description: textIn(raw, "description") ?? "",
    mime: textIn(raw, "content_type") || null,
    bytes: bytes !== null && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null,
    seconds: numberIn(raw, "duration_secs"),
    url: textIn(raw, "url") ?? "",
    isSpoiler: isHidden(raw) || SPOILER_NAME.test(name),
  };
}

/** `AttachmentFlags`. */
const IS_SPOILER = 8;
/** Older clients hide a file by its name alone. */
export const SPOILER = "SPOILER_";
const SPOILER_NAME = /^SPOILER_/u;

const isHidden = (raw: Json): boolean =>
  raw["is_spoiler"] === true || raw["spoiler"] === true || ((numberIn(raw, "flags") ?? 0) & IS_SPOILER) !== 0;

export function discordReactionIn(raw: unknown): DiscordReaction | null {
  if (!isObject(raw)) return null;
  const emoji = objectIn(raw, "emoji");
  const [emojiId, emojiName] = [textIn(emoji, "id"), textIn(emoji, "name") ?? ""];
  // A custom emoji that was deleted has no name.
  return emojiName === "" && emojiId === null ? null : { emojiId, emojiName, isOurs: raw["me"] === true };
}

/** An id that says when it was made; empty for what is none. */
export function snowflakeIn(from: Json, key: string): string {
  const id = from[key];
  return isSnowflake(id) ? id : "";
}

export const isSnowflake = (raw: unknown): raw is string => typeof raw === "string" && SNOWFLAKE.test(raw);

const SNOWFLAKE = /^\d{1,20}$/;

/** Unix milliseconds of a snowflake; 0 for what is none. */
export function discordTimeOf(id: string): number {
  return isSnowflake(id) ? Number(BigInt(id) >> 22n) + EPOCH_MS : 0;
}

/** The first id of this moment. */
export function firstIdAt(atMs: number): string {
  return String(BigInt(Math.max(0, Math.floor(atMs) - EPOCH_MS)) << 22n);
}

/** Whether an id was made after another. The empty one was made before all others. */
export function isLaterId(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}

/** Snowflakes count from the first moment of 2015. */
const EPOCH_MS = 1_420_070_400_000;

/** In events, a member comes with the user who is mentioned; in answers, the user alone. */
function mentionIn(raw: unknown): DiscordMember | null {
  const user = discordUserIn(raw);
  if (user === null || !isObject(raw)) return null;
  return discordMemberIn(raw["member"], user) ?? { user, nick: "", avatar: "", roles: [] };
}

/** `MessageType` of answers to commands, written or chosen in a menu. */
const COMMANDS: ReadonlySet<number | null> = new Set([20, 23]);

/** The older record has the name of the command, and the newer one may be alone. */
function commandIn(raw: Json): DiscordCommand | null {
  if (!COMMANDS.has(numberIn(raw, "type"))) return null;
  const [older, newer] = [objectIn(raw, "interaction"), objectIn(raw, "interaction_metadata")];
  const user = discordUserIn(older["user"]) ?? discordUserIn(newer["user"]);
  if (user === null) return null;
  const by = discordMemberIn(older["member"], user) ?? { user, nick: "", avatar: "", roles: [] };
  return { by, name: textIn(older, "name") ?? textIn(newer, "name") ?? "" };
}

/** `answered`: the message itself, where the record has it. */
function referenceIn(raw: unknown, answered: unknown): DiscordReference | null {
  if (!isObject(raw)) return null;
  return {
    type: numberIn(raw, "type") === 1 ? "forward" : "reply",
    message: snowflakeIn(raw, "message_id"),
    channel: snowflakeIn(raw, "channel_id"),
    guild: textIn(raw, "guild_id") ?? "",
    author: isObject(answered) ? discordUserIn(answered["author"]) : null,
  };
}

function timeIn(raw: Json, key: string): number | null {
  const ms = Date.parse(textIn(raw, key) ?? "");
  return Number.isNaN(ms) ? null : ms;
}

const objectsIn = (raw: Json, key: string): readonly Json[] => listIn(raw, key).filter(isObject);
