import { randomBytes } from "node:crypto";
import type { Channel, ServerChannel } from "@mattermost/types/channels";
import type { FileInfo } from "@mattermost/types/files";
import type { Post, PostList, PostMetadata } from "@mattermost/types/posts";
import type { Reaction } from "@mattermost/types/reactions";
import type { Team } from "@mattermost/types/teams";
import type { UserProfile } from "@mattermost/types/users";

/**
 * What the fake server says, by the network's published types. Where these are narrower than what servers really send,
 * the difference is here and nowhere else.
 */

/** The published union lacks types that servers send, `me` for one; fields of `metadata` are left out when empty. */
export type WirePost = Omit<Post, "type" | "metadata"> & {
  type: string;
  has_reactions?: boolean;
  metadata: Partial<PostMetadata>;
};

export type WirePostList = Omit<PostList, "posts"> & { posts: Record<string, WirePost>; has_next?: boolean };

/** Others see no notification settings of a user, and nobody sees a password. */
export type WireUser = Partial<UserProfile> &
  Pick<
    UserProfile,
    "id" | "username" | "nickname" | "first_name" | "last_name" | "roles" | "is_bot" | "delete_at" | "create_at"
  >;

export type WireFile = Partial<FileInfo> & Pick<FileInfo, "id" | "user_id" | "name" | "size" | "mime_type">;

/** The list of Go's error type; `is_oauth` is in some versions only. */
export interface WireError {
  readonly id: string;
  readonly message: string;
  readonly detailed_error: string;
  readonly request_id: string;
  readonly status_code: number;
}

export type { Channel, Reaction, ServerChannel, Team };

/** A row of the table of posts; what is computed when it is shown is not in it. */
export type PostRow = Omit<WirePost, "metadata" | "pending_post_id" | "reply_count" | "last_reply_at" | "participants">;

const ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769";

/** 26 characters, as all ids of the network. */
export function newId(): string {
  return Array.from(randomBytes(26), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[\p{L}\p{N}]{26}$/u.test(text);
}

/** An answer that is a refusal: thrown where it is found out, sent as the network's error body. */
export class Refusal extends Error {
  readonly status: number;
  readonly id: string;
  readonly detail: string;

  constructor(status: number, id: string, message: string, detail = "") {
    super(message);
    this.status = status;
    this.id = id;
    this.detail = detail;
  }
}

export const invalidBody = (name: string): Refusal =>
  new Refusal(400, "api.context.invalid_body_param.app_error", `Invalid or missing ${name} in request body.`);
export const invalidUrl = (name: string): Refusal =>
  new Refusal(400, "api.context.invalid_url_param.app_error", `Invalid or missing ${name} parameter in request URL.`);
export const forbidden = (user: string, permission: string): Refusal =>
  new Refusal(
    403,
    "api.context.permissions.app_error",
    "You do not have the appropriate permissions.",
    `userId=${user}, permission=${permission}`,
  );
export const sessionExpired = (): Refusal =>
  new Refusal(401, "api.context.session_expired.app_error", "Invalid or expired session, please login again.");

/** What is a text, and nothing else. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What the network counts as characters. */
export const runes = (text: string): number => Array.from(text).length;
