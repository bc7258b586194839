import {
  type APIAttachment,
  type APIChannel,
  type APIMessage,
  type APIReaction,
  type APIUser,
  type APIWebhook,
  type APIGuild,
  ChannelType,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  GuildMFALevel,
  GuildNSFWLevel,
  type GuildSystemChannelFlags,
  GuildVerificationLevel,
  Locale,
  MessageType,
  type TextChannelType,
  type ThreadMemberFlags,
} from "discord-api-types/v10";
import { type ChannelRow, type GuildRow, keyOf, type MessageRow, type WebhookRow } from "./wire.ts";
import type { World } from "./world.ts";

/** Rows as the network shows them. */

export function showChannel(world: World, row: ChannelRow, me?: string): APIChannel {
  const base = {
    id: row.id,
    type: row.type,
    guild_id: row.guild,
    name: row.name,
    parent_id: row.parent,
    position: row.position,
    permission_overwrites: row.overwrites,
    flags: row.requireTag ? 16 : 0,
    nsfw: false,
  };
  const text = {
    topic: row.topic,
    last_message_id: row.lastMessage,
    rate_limit_per_user: row.slowS,
    ...(row.lastPin !== null && { last_pin_timestamp: row.lastPin }),
  };
  if (row.type === ChannelType.GuildCategory) return base as APIChannel;
  if (row.type === ChannelType.GuildVoice) {
    return { ...base, ...text, bitrate: 64_000, user_limit: 0, rtc_region: null } as APIChannel;
  }
  if (row.type === ChannelType.GuildForum || row.type === ChannelType.GuildMedia) {
    const forum = { available_tags: [], default_reaction_emoji: null, default_sort_order: null };
    return { ...base, ...text, ...forum, default_forum_layout: 0 } as APIChannel;
  }
  if (row.thread === null) return { ...base, ...text } as APIChannel;
  const { owner, meta, members, count } = row.thread;
  const { position: _position, permission_overwrites: _overwrites, nsfw: _nsfw, ...bare } = base;
  return {
    ...bare,
    last_message_id: row.lastMessage,
    ...(row.slowS > 0 && { rate_limit_per_user: row.slowS }),
    owner_id: owner,
    thread_metadata: meta,
    message_count: count,
    total_message_sent: count,
    member_count: members.size,
    ...(me !== undefined && members.has(me) && { member: showThreadMember(world, row, me) }),
  } as APIChannel;
}

export function showThreadMember(world: World, row: ChannelRow, user: string) {
  return { id: row.id, user_id: user, join_timestamp: world.clock.iso(), flags: 0 as ThreadMemberFlags };
}

export function showGuild(row: GuildRow): APIGuild {
  return {
    id: row.id,
    name: row.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: row.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    widget_enabled: false,
    verification_level: GuildVerificationLevel.None,
    default_message_notifications: GuildDefaultMessageNotifications.AllMessages,
    explicit_content_filter: GuildExplicitContentFilter.Disabled,
    roles: [...row.roles.values()],
    emojis: row.emojis,
    features: [],
    mfa_level: GuildMFALevel.None,
    application_id: null,
    system_channel_id: row.systemChannel,
    system_channel_flags: 0 as GuildSystemChannelFlags,
    rules_channel_id: null,
    max_members: 25_000_000,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: row.tier,
    preferred_locale: Locale.EnglishUS,
    public_updates_channel_id: null,
    nsfw_level: GuildNSFWLevel.Default,
    stickers: [],
    premium_progress_bar_enabled: false,
    hub_type: null,
    safety_alerts_channel_id: null,
    incidents_data: null,
  };
}

export function showWebhook(world: World, row: WebhookRow, withToken: boolean): APIWebhook {
  return {
    id: row.id,
    type: row.type,
    guild_id: row.guild,
    channel_id: row.channel,
    name: row.name,
    avatar: row.avatar,
    application_id: row.application,
    user: row.user,
    ...(withToken && { token: row.token, url: `${world.site}/api/webhooks/${row.id}/${row.token}` }),
  };
}

/** What is asked for by someone whose application may not read along: others' messages without what is in them. */
export function mayRead(world: World, row: MessageRow, me: string, allowed: boolean): boolean {
  if (allowed || me === "" || row.wire.author.id === me) return true;
  return (
    row.wire.mentions.some(({ id }) => id === me) || world.webhooks.get(row.wire.webhook_id ?? "")?.application === me
  );
}

/** A message as this user gets it; `readable`: with its content. */
export function showMessage(world: World, row: MessageRow, me: string, readable: boolean): APIMessage {
  const { wire } = row;
  const reactions = row.reactions
    .filter(({ users }) => users.length > 0)
    .map(({ emoji, users }): APIReaction => {
      const mine = users.includes(me);
      const details = { burst: 0, normal: users.length };
      return { emoji, count: users.length, count_details: details, burst_colors: [], me_burst: false, me: mine };
    });
  const thread = world.channels.get(row.id);
  // A forwarded file is where it was.
  const signed = (file: APIAttachment): APIAttachment => {
    const url = world.sign(world.files.get(file.id)?.channel ?? row.channel, file.id, file.filename);
    return { ...file, url, proxy_url: url };
  };
  const snapshots = wire.message_snapshots?.map(({ message }) => {
    const attachments = message.attachments.map(signed);
    return { message: { ...message, attachments } };
  });
  const shown: APIMessage = {
    ...wire,
    attachments: wire.attachments.map(signed),
    ...(snapshots !== undefined && { message_snapshots: snapshots }),
    pinned: world.pins.get(row.channel)?.has(row.id) === true,
    ...(reactions.length > 0 && { reactions }),
    ...(isThread(thread) && { thread: showChannel(world, thread) }),
  };
  const answered = wire.message_reference;
  if (answered !== undefined && wire.type === MessageType.Reply) {
    const other = world.messages.get(answered.message_id ?? "");
    shown.referenced_message = other === undefined ? null : { ...showMessage(world, other, me, readable) };
    delete shown.referenced_message?.referenced_message;
  }
  if (readable) return shown;
  const { poll: _poll, components: _components, message_snapshots: _snapshots, ...bare } = shown;
  return { ...bare, content: "", embeds: [], attachments: [] };
}

const isThread = (row: ChannelRow | undefined): row is ChannelRow => row !== undefined && row.thread !== null;

/** As events carry it: with the guild, and what the author is in it. */
export function showEvent(world: World, row: MessageRow, me: string, readable: boolean): object {
  const guild = world.guild(row.guild);
  const noUser = (id: string): object | undefined => {
    const member = guild.members.get(id);
    if (member === undefined) return undefined;
    const { user: _user, ...rest } = member;
    return rest;
  };
  const withMember = (user: APIUser): object => ({ ...user, member: noUser(user.id) });
  const { reactions: _reactions, ...message } = showMessage(world, row, me, readable);
  const member = row.wire.webhook_id === undefined ? noUser(row.wire.author.id) : undefined;
  return {
    ...message,
    guild_id: row.guild,
    channel_type: world.channels.get(row.channel)?.type as TextChannelType,
    mentions: message.mentions.map(withMember),
    ...(member !== undefined && { member }),
    ...(row.nonce !== null && row.wire.author.id === me && { nonce: row.nonce }),
  };
}

/** The reaction with this emoji, which there need not be. */
export const reactionOf = (row: MessageRow, key: string) => row.reactions.find(({ emoji }) => keyOf(emoji) === key);
