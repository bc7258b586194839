import type { DiscordChannel, DiscordGuild, DiscordOverwrite, DiscordSelf } from "./records.ts";

/** Bits of `PermissionFlagsBits` that taking part in a channel needs. */
export const ROOM_RIGHT = {
  administrator: 1n << 3n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  addReactions: 1n << 6n,
  readHistory: 1n << 16n,
  connect: 1n << 20n,
  manageWebhooks: 1n << 29n,
  manageThreads: 1n << 34n,
  sendInThreads: 1n << 38n,
} as const;

const ALL = (1n << 64n) - 1n;
/** All that somebody can do who is in a time-out. */
const SILENT = ROOM_RIGHT.viewChannel | ROOM_RIGHT.readHistory;

type RoleSource = Pick<DiscordGuild, "id" | "owner" | "roles">;

/** What our roles allow everywhere. */
function baseRights({ id, owner, roles }: RoleSource, self: DiscordSelf): bigint {
  if (owner === self.id) return ALL;
  const mine = roles.filter((role) => role.id === id || self.roles.includes(role.id));
  const rights = mine.reduce((all, { permissions }) => all | permissions, 0n);
  return (rights & ROOM_RIGHT.administrator) === 0n ? rights : ALL;
}

/** What we may do in a channel (`PermissionFlagsBits`); of a thread, give the channel that it is in. */
export function rightsIn(
  guild: RoleSource,
  self: DiscordSelf,
  { overwrites }: Pick<DiscordChannel, "overwrites">,
  nowMs: number,
): bigint {
  const base = baseRights(guild, self);
  if (base === ALL) return ALL;
  const everyone = overwrites.filter(({ id }) => id === guild.id);
  const roles = overwrites.filter(({ id, isRole }) => isRole && id !== guild.id && self.roles.includes(id));
  const own = overwrites.filter(({ id, isRole }) => !isRole && id === self.id);
  const rights = [everyone, roles, own].reduce((all, which) => applied(all, which), base);
  return self.silentUntilMs > nowMs ? rights & SILENT : rights;
}

function applied(rights: bigint, overwrites: readonly DiscordOverwrite[]): bigint {
  const allow = overwrites.reduce((all, one) => all | one.allow, 0n);
  const deny = overwrites.reduce((all, one) => all | one.deny, 0n);
  return (rights & ~deny) | allow;
}
