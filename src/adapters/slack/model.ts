import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";

/** The network's records, as far as a bridge needs them. What lacks its id is none. */
export interface SlackMessage {
  /** Its name in its channel, and when it was said: seconds and microseconds, as `1700000000.123456`. */
  readonly ts: string;
  /** Empty in answers about one channel. */
  readonly channel: string;
  /** The root of its thread, also of the root itself once it has replies; empty: it is in none. */
  readonly threadTs: string;
  /** Empty for what people say; `me_message`, `file_share`, `bot_message`, `thread_broadcast`, `channel_join`, … */
  readonly subtype: string;
  /** Empty for messages with a name of their own. */
  readonly user: string;
  readonly botId: string;
  readonly appId: string;
  /** The name that a bot has given itself for this message; empty: none. */
  readonly username: string;
  /** In mrkdwn. */
  readonly text: string;
  /** As they came. */
  readonly blocks: readonly Json[];
  /** Legacy attachments and unfurled links, as they came. */
  readonly attachments: readonly Json[];
  readonly files: readonly SlackFile[];
  /** When it was edited last; empty: never, or by the server alone. */
  readonly editedTs: string;
  readonly editedBy: string;
  readonly replyCount: number;
  /** The newest reply; empty: there is none. */
  readonly latestReply: string;
  readonly reactions: readonly SlackReactions[];
  /** `event_type` and `event_payload`; events have none. */
  readonly metadata: Json;
  /** All the rest of what came: the fields of the subtypes. */
  readonly raw: Json;
}

/** All who have reacted with one emoji. */
export interface SlackReactions {
  /** Without colons, as `+1` or `+1::skin-tone-3`. */
  readonly name: string;
  /** Of many, only some are named. */
  readonly users: readonly string[];
  readonly count: number;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly size: number | null;
  readonly mime: string | null;
  /** `hosted`, `external`, `snippet`, `hidden_by_limit`, `tombstone`, … */
  readonly mode: string;
  /** `check_file_info`: of another workspace, the rest has to be asked for. */
  readonly access: string;
  /** Where the content is, with our token; null: nowhere for us. */
  readonly url: string | null;
  /** Where people see it. */
  readonly permalink: string | null;
  /** The messages that it stands in: only `files.info` tells them, a while after it was shared. */
  readonly shares: readonly SlackShare[];
}

interface SlackShare {
  readonly channel: string;
  readonly ts: string;
}

export interface SlackUser {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly displayName: string;
  readonly realName: string;
  readonly isBot: boolean;
  readonly deleted: boolean;
  /** Public address of the picture; null: none. */
  readonly picture: string | null;
}

export interface SlackChannel {
  readonly id: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isMember: boolean;
  readonly isArchived: boolean;
}

export function messageIn(raw: unknown): SlackMessage | null {
  if (!isObject(raw)) return null;
  const ts = textIn(raw, "ts") ?? "";
  if (!isTs(ts)) return null;
  const edited = objectIn(raw, "edited");
  return {
    ts,
    channel: textIn(raw, "channel") ?? "",
    threadTs: tsIn(raw, "thread_ts"),
    subtype: textIn(raw, "subtype") ?? "",
    user: textIn(raw, "user") ?? "",
    botId: textIn(raw, "bot_id") ?? "",
    appId: textIn(raw, "app_id") ?? "",
    username: textIn(raw, "username") ?? "",
    text: textIn(raw, "text") ?? "",
    blocks: listIn(raw, "blocks").filter((one) => isObject(one)),
    attachments: listIn(raw, "attachments").filter((one) => isObject(one)),
    files: listIn(raw, "files").flatMap((one) => fileIn(one) ?? []),
    editedTs: tsIn(edited, "ts"),
    editedBy: textIn(edited, "user") ?? "",
    replyCount: numberIn(raw, "reply_count") ?? 0,
    latestReply: tsIn(raw, "latest_reply"),
    reactions: listIn(raw, "reactions").flatMap((one) => reactionsIn(one) ?? []),
    metadata: objectIn(raw, "metadata"),
    raw,
  };
}

function reactionsIn(raw: unknown): SlackReactions | null {
  if (!isObject(raw)) return null;
  const name = textIn(raw, "name") ?? "";
  const users = listIn(raw, "users").filter((one) => typeof one === "string");
  return name === "" ? null : { name, users, count: numberIn(raw, "count") ?? users.length };
}

export function fileIn(raw: unknown): SlackFile | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  const size = numberIn(raw, "size");
  return {
    id,
    name: textIn(raw, "name") || textIn(raw, "title") || "file",
    title: textIn(raw, "title") ?? "",
    size: size !== null && Number.isSafeInteger(size) && size > 0 ? size : null,
    mime: textIn(raw, "mimetype") || null,
    mode: textIn(raw, "mode") ?? "",
    access: textIn(raw, "file_access") ?? "",
    url: textIn(raw, "url_private_download") || textIn(raw, "url_private") || null,
    permalink: textIn(raw, "permalink") || null,
    shares: sharesIn(objectIn(raw, "shares")),
  };
}

function sharesIn(raw: Json): readonly SlackShare[] {
  return ["public", "private"].flatMap((kind) => {
    const channels = objectIn(raw, kind);
    return Object.keys(channels).flatMap((channel) =>
      listIn(channels, channel).flatMap((one) => {
        const ts = isObject(one) ? tsIn(one, "ts") : "";
        return ts === "" ? [] : [{ channel, ts }];
      }),
    );
  });
}

export function userIn(raw: unknown): SlackUser | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  const profile = objectIn(raw, "profile");
  return {
    id,
    teamId: textIn(raw, "team_id") ?? "",
    name: textIn(raw, "name") ?? "",
    displayName: textIn(profile, "display_name") ?? "",
    realName: textIn(profile, "real_name") || (textIn(raw, "real_name") ?? ""),
    isBot: raw["is_bot"] === true,
    deleted: raw["deleted"] === true,
    picture: textIn(profile, "image_192") || textIn(profile, "image_72") || textIn(profile, "image_48") || null,
  };
}

export function channelIn(raw: unknown): SlackChannel | null {
  if (!isObject(raw)) return null;
  const id = textIn(raw, "id") ?? "";
  if (id === "") return null;
  return {
    id,
    name: textIn(raw, "name") ?? "",
    isPrivate: raw["is_private"] === true,
    isMember: raw["is_member"] === true,
    isArchived: raw["is_archived"] === true,
  };
}

const TS = /^\d{1,12}\.\d{6}$/u;

export const isTs = (text: string): boolean => TS.test(text);

const tsIn = (json: Json, key: string): string => {
  const text = textIn(json, key) ?? "";
  return isTs(text) ? text : "";
};

/** Microseconds, by which messages are in order; 0 for what is no `ts`. */
export function microsOf(ts: string): bigint {
  const [seconds = "", micros = ""] = ts.split(".");
  return isTs(ts) ? BigInt(seconds) * 1_000_000n + BigInt(micros) : 0n;
}

export const isLaterTs = (one: string, other: string): boolean => microsOf(one) > microsOf(other);

/** Milliseconds of the server's clock. */
export const slackTimeOf = (ts: string): number => Number(microsOf(ts) / 1000n);

/** The first `ts` of a moment. */
export const tsAt = (ms: number): string => {
  const at = Math.max(0, Math.floor(ms));
  return `${Math.floor(at / 1000)}.${String(at % 1000).padStart(3, "0")}000`;
};
