import { isObject, type Json, listIn, NOTHING, numberIn, objectIn, textIn } from "../kit/json.ts";
import { snowflakeIn } from "./model.ts";

/** What a bridge needs of an application (`GET /applications/@me`). */
export interface DiscordApplication {
  readonly id: string;
  /** `ApplicationFlags`. */
  readonly flags: number;
}

/** A webhook of a channel, as far as we may see it. */
export interface DiscordWebhook {
  readonly id: string;
  /** Empty where it is not ours to use. */
  readonly token: string;
  readonly name: string;
  readonly channel: string;
  /** The application that made it; empty: a person. */
  readonly application: string;
}

/** An overwrite of a channel. */
export interface DiscordOverwrite {
  /** Of a role, or of a user. */
  readonly id: string;
  readonly isRole: boolean;
  readonly allow: bigint;
  readonly deny: bigint;
}

/** A channel, category, thread or forum of a guild. */
export interface DiscordChannel {
  readonly id: string;
  readonly guild: string;
  /** `ChannelType`. */
  readonly type: number;
  readonly name: string;
  /** The category, or of a thread its channel; empty: none. */
  readonly parent: string;
  readonly topic: string;
  /** Of a channel that has messages; empty: none. */
  readonly lastMessage: string;
  readonly slowS: number;
  readonly overwrites: readonly DiscordOverwrite[];
  /** Of a thread: nobody writes in it for now, or only who may manage threads may. */
  readonly archived: boolean;
  readonly locked: boolean;
  /** `ChannelFlags`. */
  readonly flags: number;
  /** Only adults may see it. */
  readonly nsfw: boolean;
}

export interface DiscordRole {
  readonly id: string;
  readonly name: string;
  readonly permissions: bigint;
  readonly mentionable: boolean;
}

export interface DiscordGuild {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** `GuildPremiumTier`. */
  readonly tier: number;
  readonly roles: readonly DiscordRole[];
  readonly emojis: readonly DiscordEmoji[];
}

/** We, as a member of the guild. */
export interface DiscordSelf {
  readonly id: string;
  readonly roles: readonly string[];
  /** Until when we are in a time-out, in Unix milliseconds; 0: we are in none. */
  readonly silentUntilMs: number;
}

export interface DiscordEmoji {
  readonly id: string;
  readonly name: string;
  readonly animated: boolean;
}

export function applicationIn(raw: unknown): DiscordApplication | null {
  const id = idIn(raw);
  return id === null || !isObject(raw) ? null : { id, flags: numberIn(raw, "flags") ?? 0 };
}

export function webhookIn(raw: unknown): DiscordWebhook | null {
  const id = idIn(raw);
  if (id === null || !isObject(raw)) return null;
  const text = (key: string): string => textIn(raw, key) ?? "";
  return {
    id,
    token: text("token"),
    name: text("name"),
    channel: text("channel_id"),
    application: text("application_id"),
  };
}

/** `guild`: where the record does not say it. */
export function channelIn(raw: unknown, guild: string): DiscordChannel | null {
  const id = idIn(raw);
  if (id === null || !isObject(raw)) return null;
  const thread = objectIn(raw, "thread_metadata");
  return {
    id,
    guild: textIn(raw, "guild_id") ?? guild,
    type: numberIn(raw, "type") ?? 0,
    name: textIn(raw, "name") ?? "",
    parent: textIn(raw, "parent_id") ?? "",
    topic: textIn(raw, "topic") ?? "",
    lastMessage: snowflakeIn(raw, "last_message_id"),
    slowS: numberIn(raw, "rate_limit_per_user") ?? 0,
    overwrites: listIn(raw, "permission_overwrites").flatMap((one) => overwriteIn(one) ?? []),
    archived: thread["archived"] === true,
    locked: thread["locked"] === true,
    flags: numberIn(raw, "flags") ?? 0,
    nsfw: raw["nsfw"] === true,
  };
}

export function guildIn(raw: unknown): DiscordGuild | null {
  const id = idIn(raw);
  if (id === null || !isObject(raw)) return null;
  return {
    id,
    name: textIn(raw, "name") ?? "",
    owner: textIn(raw, "owner_id") ?? "",
    tier: numberIn(raw, "premium_tier") ?? 0,
    roles: listIn(raw, "roles").flatMap((one) => roleIn(one) ?? []),
    emojis: listIn(raw, "emojis").flatMap((one) => emojiIn(one) ?? []),
  };
}

export function roleIn(raw: unknown): DiscordRole | null {
  const id = idIn(raw);
  if (id === null || !isObject(raw)) return null;
  return {
    id,
    name: textIn(raw, "name") ?? "",
    permissions: bitsIn(raw, "permissions"),
    mentionable: raw["mentionable"] === true,
  };
}

export function emojiIn(raw: unknown): DiscordEmoji | null {
  const id = idIn(raw);
  return id === null || !isObject(raw)
    ? null
    : { id, name: textIn(raw, "name") ?? "", animated: raw["animated"] === true };
}

function overwriteIn(raw: unknown): DiscordOverwrite | null {
  const id = idIn(raw);
  if (id === null || !isObject(raw)) return null;
  return { id, isRole: numberIn(raw, "type") === 0, allow: bitsIn(raw, "allow"), deny: bitsIn(raw, "deny") };
}

/** Numbers of more than 53 bits are texts. */
function bitsIn(from: Json, key: string): bigint {
  const text = textIn(from, key) ?? "";
  return /^\d{1,20}$/u.test(text) ? BigInt(text) : 0n;
}

function idIn(raw: unknown): string | null {
  const id = isObject(raw) ? textIn(raw, "id") : null;
  return id !== null && /^\d{1,20}$/u.test(id) ? id : null;
}

/** We, as a record of a member says it. */
export function selfIn(raw: unknown, id: string): DiscordSelf {
  const json = isObject(raw) ? raw : NOTHING;
  const until = Date.parse(textIn(json, "communication_disabled_until") ?? "");
  return {
    id,
    roles: listIn(json, "roles").filter((role) => typeof role === "string"),
    silentUntilMs: Number.isNaN(until) ? 0 : until,
  };
}
