import { randomBytes } from "node:crypto";
import {
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
  ChannelType,
  type GuildMemberFlags,
  GuildPremiumTier,
  OverwriteType,
  type RoleFlags,
} from "discord-api-types/v10";
import { Clock } from "./clock.ts";
import { Hub } from "./hub.ts";
import { bitsOf, EVERYBODY, type Right } from "./permissions.ts";
import { showChannel, showGuild } from "./show.ts";
import { type AppRow, type ChannelRow, type GuildRow, type MessageRow, no, type Upload } from "./wire.ts";
import type { APIUser, WebhookRow } from "./wire.ts";

/** A file that the server gives out. */
interface StoredFile {
  readonly upload: Upload;
  readonly channel: string;
}

const MIB = 1024 * 1024;

/** Most bytes of one file, by what the members of a guild have paid. */
const FILE_MAX: Readonly<Record<GuildPremiumTier, number>> = {
  [GuildPremiumTier.None]: 10 * MIB,
  [GuildPremiumTier.Tier1]: 10 * MIB,
  [GuildPremiumTier.Tier2]: 50 * MIB,
  [GuildPremiumTier.Tier3]: 100 * MIB,
};

/** How long an address of a file is good. */
const SIGNED_MS = 24 * 3_600_000;

/** Everything that a restart of the server keeps. */
export class World {
  readonly clock = new Clock();
  readonly hub: Hub = new Hub(this);
  readonly users = new Map<string, APIUser>();
  /** Bots: by the id of the user, which is the application's. */
  readonly apps = new Map<string, AppRow>();
  readonly guilds = new Map<string, GuildRow>();
  readonly channels = new Map<string, ChannelRow>();
  readonly messages = new Map<string, MessageRow>();
  /** Of each channel, oldest first; deleted ones too. */
  readonly history = new Map<string, string[]>();
  /** Who types in which channel, and since when. */
  readonly typists = new Map<string, Map<string, number>>();
  readonly pins = new Map<string, Map<string, string>>();
  readonly webhooks = new Map<string, WebhookRow>();
  readonly files = new Map<string, StoredFile>();
  /** Most bytes of one file; null: what each guild has. */
  maxFile: number | null = null;
  /** By the documentation bots need not mind slow mode. */
  slowsBots = false;
  /** Who has blocked whom, by ids of users: nobody reacts to messages of somebody who has blocked them. */
  readonly blocks = new Set<string>();
  /** As `http://127.0.0.1:1234`: where files are. */
  site = "";

  now(): number {
    return this.clock.now();
  }

  addUser(username: string, more: Partial<APIUser> = {}): APIUser {
    const user: APIUser = {
      id: this.clock.id(),
      username,
      discriminator: "0",
      global_name: null,
      avatar: null,
      ...more,
    };
    this.users.set(user.id, user);
    return user;
  }

  /** A bot with all switches of the portal on. */
  addApp(username: string): AppRow {
    const user = this.addUser(username, { bot: true, discriminator: "0420" });
    const secret = randomBytes(28).toString("base64url").slice(0, 38);
    const token = `${Buffer.from(user.id).toString("base64url")}.Gfake0.${secret}`;
    const app: AppRow = { user, token, portal: { messageContent: true, members: true, presence: true } };
    this.apps.set(user.id, app);
    return app;
  }

  addGuild(name: string, owner: APIUser): GuildRow {
    const id = this.clock.id();
    const guild: GuildRow = {
      id,
      name,
      ownerId: owner.id,
      systemChannel: null,
      tier: GuildPremiumTier.None,
      roles: new Map(),
      members: new Map(),
      emojis: [],
    };
    this.guilds.set(id, guild);
    this.addRole(guild, "@everyone", EVERYBODY, id);
    guild.members.set(owner.id, this.memberOf(owner));
    return guild;
  }

  addRole(guild: GuildRow, name: string, rights: readonly Right[], id = this.clock.id()): APIRole {
    const role: APIRole = {
      id,
      name,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      position: guild.roles.size,
      permissions: bitsOf(rights),
      managed: false,
      mentionable: false,
      flags: 0 as RoleFlags,
    };
    guild.roles.set(id, role);
    return role;
  }

  /** Changes what a role of the guild allows. */
  changeRole(guild: GuildRow, role: APIRole, rights: readonly Right[]): void {
    const changed = { ...role, permissions: bitsOf(rights) };
    guild.roles.set(role.id, changed);
    this.hub.tell("GUILD_ROLE_UPDATE", guild.id, { guild_id: guild.id, role: changed });
  }

  memberOf(user: APIUser, more: Partial<APIGuildMember> = {}): APIGuildMember {
    return {
      user,
      nick: null,
      avatar: null,
      banner: null,
      roles: [],
      joined_at: this.clock.iso(),
      premium_since: null,
      deaf: false,
      mute: false,
      flags: 0 as GuildMemberFlags,
      pending: false,
      communication_disabled_until: null,
      ...more,
    };
  }

  addChannel(guild: GuildRow, name: string, type = ChannelType.GuildText, parent?: ChannelRow): ChannelRow {
    const channel: ChannelRow = {
      id: this.clock.id(),
      guild: guild.id,
      type,
      name,
      parent: parent?.id ?? null,
      position: this.channels.size,
      topic: null,
      slowS: 0,
      overwrites: [],
      lastMessage: null,
      lastPin: null,
      thread: null,
      requireTag: false,
    };
    this.channels.set(channel.id, channel);
    this.hub.tell("CHANNEL_CREATE", guild.id, showChannel(this, channel));
    return channel;
  }

  /** Changes what a role, or one member, may do in a channel; rights that are named nowhere stay with the roles. */
  overwrite(channel: ChannelRow, id: string, allow: readonly Right[], deny: readonly Right[]): void {
    const type = this.guild(channel.guild).roles.has(id) ? OverwriteType.Role : OverwriteType.Member;
    const one: APIOverwrite = { id, type, allow: bitsOf(allow), deny: bitsOf(deny) };
    const saw = this.hub.watchers(channel);
    channel.overwrites = [...channel.overwrites.filter((other) => other.id !== id), one];
    this.hub.tell("CHANNEL_UPDATE", channel.guild, showChannel(this, channel));
    this.hub.tellThreads(channel, saw);
  }

  /** What the members have paid. */
  boost(guild: GuildRow, tier: GuildPremiumTier): void {
    guild.tier = tier;
    this.hub.tell("GUILD_UPDATE", guild.id, showGuild(guild));
  }

  maxFileOf(guild: string): number {
    return this.maxFile ?? FILE_MAX[this.guild(guild).tier];
  }

  /** Of all files of one request, and what is around them. */
  get maxBody(): number {
    const tiers = [...this.guilds.values()].map(({ tier }) => FILE_MAX[tier]);
    return (this.maxFile ?? Math.max(...tiers, FILE_MAX[GuildPremiumTier.None])) * 10 + MIB;
  }

  guild(id: string): GuildRow {
    const guild = this.guilds.get(id);
    if (guild === undefined) throw no("unknownGuild");
    return guild;
  }

  user(id: string): APIUser {
    const user = this.users.get(id);
    if (user === undefined) throw no("unknownUser");
    return user;
  }

  message(channel: string, id: string): MessageRow {
    const row = this.messages.get(id);
    if (row === undefined || row.channel !== channel) throw no("unknownMessage");
    return row;
  }

  appOf(token: string): AppRow | undefined {
    return [...this.apps.values()].find((app) => app.token === token);
  }

  /** The address of a file, which is good for a day. */
  sign(channel: string, id: string, name: string): string {
    const until = Math.floor((this.now() + SIGNED_MS) / 1000).toString(16);
    const from = Math.floor(this.now() / 1000).toString(16);
    return `${this.site}/attachments/${channel}/${id}/${encodeURIComponent(name)}?ex=${until}&is=${from}&hm=${id}&`;
  }
}
