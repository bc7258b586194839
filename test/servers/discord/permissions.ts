import { ChannelType, OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { type ChannelRow, type GuildRow, no } from "./wire.ts";
import type { World } from "./world.ts";

export type Right = keyof typeof PermissionFlagsBits;

const ALL = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** What a fresh server lets everybody do. */
export const EVERYBODY: readonly Right[] = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "CreatePublicThreads",
  "CreatePrivateThreads",
  "AddReactions",
  "AttachFiles",
  "EmbedLinks",
  "ReadMessageHistory",
  "MentionEveryone",
  "UseExternalEmojis",
  "UseExternalStickers",
  "ChangeNickname",
  "Connect",
  "Speak",
];

export const bitsOf = (rights: readonly Right[]): string =>
  String(rights.reduce((all, right) => all | PermissionFlagsBits[right], 0n));

/** What the roles of a member allow in the guild. */
export function guildRights(guild: GuildRow, user: string): bigint {
  const member = guild.members.get(user);
  if (member === undefined) return 0n;
  if (guild.ownerId === user) return ALL;
  let all = 0n;
  for (const role of [guild.id, ...member.roles]) all |= BigInt(guild.roles.get(role)?.permissions ?? "0");
  return (all & PermissionFlagsBits.Administrator) === 0n ? all : ALL;
}

/** What a member may do in a channel; a thread goes by the channel that it is in. */
export function channelRights(world: World, channel: ChannelRow, user: string): bigint {
  const guild = world.guild(channel.guild);
  const base = guildRights(guild, user);
  const member = guild.members.get(user);
  if (base === ALL || member === undefined) return base;
  const parent = channel.thread === null ? channel : world.channels.get(channel.parent ?? "");
  const overwrites = parent?.overwrites ?? [];
  let rights = base;
  const apply = (which: typeof overwrites): void => {
    const allow = which.reduce((all, overwrite) => all | BigInt(overwrite.allow), 0n);
    const deny = which.reduce((all, overwrite) => all | BigInt(overwrite.deny), 0n);
    rights = (rights & ~deny) | allow;
  };
  apply(overwrites.filter(({ id }) => id === guild.id));
  apply(overwrites.filter(({ id, type }) => type === OverwriteType.Role && member.roles.includes(id)));
  apply(overwrites.filter(({ id, type }) => type === OverwriteType.Member && id === user));
  const silent = Date.parse(member.communication_disabled_until ?? "") > world.now();
  return silent ? rights & (PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory) : rights;
}

export function may(world: World, channel: ChannelRow, user: string, right: Right): boolean {
  return (channelRights(world, channel, user) & PermissionFlagsBits[right]) !== 0n;
}

/** Whether the channel, and of private threads this one, is seen. */
export function sees(world: World, channel: ChannelRow, user: string): boolean {
  if (!may(world, channel, user, "ViewChannel")) return false;
  if (channel.type !== ChannelType.PrivateThread) return true;
  return channel.thread?.members.has(user) === true || may(world, channel, user, "ManageThreads");
}

/** The channel with this id, which the user sees and has these rights in. */
export function entered(world: World, id: string, user: string, ...rights: readonly Right[]): ChannelRow {
  const channel = world.channels.get(id);
  if (channel === undefined) throw no("unknownChannel");
  if (!sees(world, channel, user)) throw no("missingAccess");
  const spoken = channel.type === ChannelType.GuildVoice || channel.type === ChannelType.GuildStageVoice;
  if (spoken && !may(world, channel, user, "Connect")) throw no("missingAccess");
  if (rights.some((right) => !may(world, channel, user, right))) throw no("missingPermissions");
  return channel;
}

/** The guild with this id, which the user is in and has this right in. */
export function inGuild(world: World, id: string, user: string, right?: Right): GuildRow {
  const guild = world.guilds.get(id);
  if (guild === undefined) throw no("unknownGuild");
  if (!guild.members.has(user)) throw no("missingAccess");
  if (right !== undefined && (guildRights(guild, user) & PermissionFlagsBits[right]) === 0n) {
    throw no("missingPermissions");
  }
  return guild;
}
