import { isObject, type Json, listIn, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";

/** The network's records, as far as a bridge needs them. What lacks its id is none. */
export interface MattermostPost {
  readonly id: string;
  readonly channelId: string;
  readonly userId: string;
  /** The first post of its thread; empty for one that begins none or is its first. */
  readonly rootId: string;
  /** Of the copy that is kept of a post before an edit: the post. Otherwise empty. */
  readonly originalId: string;
  readonly message: string;
  /** Empty for what people say; `me`, `system_…`, or what a plugin calls it. */
  readonly type: string;
  readonly createAt: number;
  readonly updateAt: number;
  readonly editAt: number;
  readonly deleteAt: number;
  readonly replyCount: number;
  readonly props: Json;
  readonly fileIds: readonly string[];
  /** Of `fileIds`, as far as they are told. */
  readonly files: readonly MattermostFile[];
  /** All that stand, as far as they are told; null: nothing is said of them. */
  readonly reactions: readonly MattermostReaction[] | null;
  readonly priority: MattermostPriority;
}

/** How urgently its writer wants a post to be read. */
interface MattermostPriority {
  /** `important`, `urgent`; empty: as any other. */
  readonly label: string;
  /** Readers are asked to acknowledge it. */
  readonly asksAck: boolean;
}

export interface MattermostFile {
  readonly id: string;
  readonly name: string;
  readonly size: number | null;
  readonly mime: string | null;
}

export interface MattermostReaction {
  readonly userId: string;
  readonly postId: string;
  /** Without colons. */
  readonly emoji: string;
  /** When it was given or taken back, the last time. */
  readonly atMs: number;
}

export interface MattermostUser {
  readonly id: string;
  readonly username: string;
  readonly nickname: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly isBot: boolean;
  readonly deleteAt: number;
  /** When the picture was set last; 0: never. */
  readonly pictureAt: number;
}

export interface MattermostChannel {
  readonly id: string;
  readonly teamId: string;
  /** `O` open, `P` private, `D` direct, `G` group. */
  readonly type: string;
  readonly name: string;
  readonly title: string;
  readonly deleteAt: number;
  readonly lastPostAt: number;
}

/** What the server allows, as its client configuration has it. */
export interface MattermostLimits {
  readonly version: string;
  /** In code points. */
  readonly postMax: number;
  readonly fileMax: number | null;
  readonly files: boolean;
  /** Whether posts of bots may have another name, and another picture. */
  readonly nameOverride: boolean;
  readonly iconOverride: boolean;
}

export function postIn(raw: unknown): MattermostPost | null {
  if (!isObject(raw)) return null;
  const [id, channelId] = [textIn(raw, "id") ?? "", textIn(raw, "channel_id") ?? ""];
  if (id === "" || channelId === "") return null;
  const metadata = objectIn(raw, "metadata");
  const reactions = metadata["reactions"];
  const priority = objectIn(metadata, "priority");
  return {
    id,
    channelId,
    userId: textIn(raw, "user_id") ?? "",
    rootId: textIn(raw, "root_id") ?? "",
    originalId: textIn(raw, "original_id") ?? "",
    message: textIn(raw, "message") ?? "",
    type: textIn(raw, "type") ?? "",
    createAt: numberIn(raw, "create_at") ?? 0,
    updateAt: numberIn(raw, "update_at") ?? 0,
    editAt: numberIn(raw, "edit_at") ?? 0,
    deleteAt: numberIn(raw, "delete_at") ?? 0,
    replyCount: numberIn(raw, "reply_count") ?? 0,
    props: objectIn(raw, "props"),
    fileIds: listIn(raw, "file_ids").filter((one) => typeof one === "string"),
    files: listIn(metadata, "files").flatMap((one) => fileIn(one) ?? []),
    reactions: Array.isArray(reactions)
      ? reactions.flatMap((one) => reactionIn(one) ?? [])
      : raw["has_reactions"] === true
        ? null
        : [],
    priority: { label: textIn(priority, "priority") ?? "", asksAck: priority["requested_ack"] === true },
  };
}

/** In events, a record is a text of its own. */
export function recordIn(data: Json, key: string): unknown {
  const value = data[key];
  return typeof value === "string" ? parsed(value) : value;
}

export function fileIn(raw: unknown): MattermostFile | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  const size = numberIn(raw, "size");
  return {
    id,
    name: textIn(raw, "name") || "file",
    size: size !== null && Number.isSafeInteger(size) && size > 0 ? size : null,
    mime: textIn(raw, "mime_type") || null,
  };
}

export function reactionIn(raw: unknown): MattermostReaction | null {
  if (!isObject(raw)) return null;
  const [userId, postId, emoji] = [textIn(raw, "user_id"), textIn(raw, "post_id"), textIn(raw, "emoji_name")];
  if (userId === null || postId === null || emoji === null || emoji === "") return null;
  // One that is put back keeps its `create_at`.
  const atMs = Math.max(...["create_at", "update_at", "delete_at"].map((key) => numberIn(raw, key) ?? 0));
  return { userId, postId, emoji, atMs };
}

export function userIn(raw: unknown): MattermostUser | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  return {
    id,
    username: textIn(raw, "username") ?? "",
    nickname: textIn(raw, "nickname") ?? "",
    firstName: textIn(raw, "first_name") ?? "",
    lastName: textIn(raw, "last_name") ?? "",
    isBot: raw["is_bot"] === true,
    deleteAt: numberIn(raw, "delete_at") ?? 0,
    pictureAt: numberIn(raw, "last_picture_update") ?? 0,
  };
}

export function channelIn(raw: unknown): MattermostChannel | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  return {
    id,
    teamId: textIn(raw, "team_id") ?? "",
    type: textIn(raw, "type") ?? "",
    name: textIn(raw, "name") ?? "",
    title: textIn(raw, "display_name") ?? "",
    deleteAt: numberIn(raw, "delete_at") ?? 0,
    lastPostAt: numberIn(raw, "last_post_at") ?? 0,
  };
}

/** What servers allow that do not say it. */
const POST_MAX = 4_000;

/** All values of `/config/client?format=old` are texts. */
export function limitsIn(config: Json): MattermostLimits {
  const count = (key: string): number | null => {
    const value = Number(textIn(config, key));
    return Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  return {
    version: textIn(config, "Version") ?? "",
    postMax: count("MaxPostSize") ?? POST_MAX,
    fileMax: count("MaxFileSize"),
    files: textIn(config, "EnableFileAttachments") !== "false",
    nameOverride: textIn(config, "EnablePostUsernameOverride") === "true",
    iconOverride: textIn(config, "EnablePostIconOverride") === "true",
  };
}
