import type { Posted } from "../../contract/events.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { cleanName } from "../kit/clean-name.ts";
import { isObject, parsed } from "../kit/json.ts";
import { eventKey, userRef } from "./ids.ts";
import { bounded } from "./text.ts";

/** What an outgoing webhook of Mattermost tells ("Outgoing webhooks"), as a form or as JSON. */
export interface HookPost {
  readonly token: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly postId: string;
  readonly userId: string;
  readonly userName: string;
  readonly text: string;
  readonly files: number;
  /** Null: it does not say. */
  readonly atMs: number | null;
}

/** Null for what is none of these. */
export function readHookPost(contentType: string, body: string): HookPost | null {
  const field = fieldsOf(contentType, body);
  if (field === null) return null;
  const token = field("token");
  const text = field("text");
  const time = Number(field("timestamp"));
  const files = field("file_ids")
    .split(",")
    .filter((id) => id !== "").length;
  if (token === "" || (text === "" && files === 0)) return null;
  return {
    token,
    channelId: field("channel_id"),
    channelName: field("channel_name"),
    postId: field("post_id"),
    userId: field("user_id"),
    userName: field("user_name"),
    text,
    files,
    // Some servers count seconds.
    atMs: Number.isFinite(time) && time > 0 ? (time < 1e11 ? time * 1000 : time) : null,
  };
}

function fieldsOf(contentType: string, body: string): ((name: string) => string) | null {
  if (/^application\/json\b/iu.test(contentType)) {
    const json = parsed(body);
    if (!isObject(json)) return null;
    return (name) => {
      const value = json[name];
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
    };
  }
  if (!/^application\/x-www-form-urlencoded\b/iu.test(contentType)) return null;
  const form = new URLSearchParams(body);
  return (name) => form.get(name) ?? "";
}

/** Nobody can answer it or change it: there is no way to speak of it. */
export function hookEvent(post: HookPost, channel: ChannelRef, nowMs: number): Posted {
  const files = post.files === 0 ? "" : `(${post.files === 1 ? "a file" : `${post.files} files`})`;
  const text = [bounded(post.text), files].filter((part) => part !== "").join("\n");
  return {
    kind: "posted",
    key: post.postId === "" ? null : eventKey(`p/${post.postId}`),
    channel,
    atMs: post.atMs ?? nowMs,
    echoOf: null,
    messages: [],
    author: {
      id: userRef(post.userId || post.userName),
      identity: null,
      name: cleanName(post.userName) || "somebody",
      avatar: null,
    },
    body: { style: "normal", source: { format: "mattermost", text }, files: [] },
    replyTo: null,
    thread: null,
  };
}
