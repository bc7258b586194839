import {
  type APIAllowedMentions,
  type APIMessage,
  type AllowedMentionsTypes,
  MessageType,
} from "discord-api-types/v10";
import type { Author } from "./messages.ts";
import { may } from "./permissions.ts";
import type { ChannelRow } from "./wire.ts";
import type { World } from "./world.ts";

/** Whom a message pings: what stands in its text, as far as that is allowed. */
export function mentionsOf(
  world: World,
  channel: ChannelRow,
  { user, hook }: Author,
  wire: APIMessage,
  allowed: APIAllowedMentions | undefined,
): Pick<APIMessage, "mentions" | "mention_roles" | "mention_everyone"> {
  const { content } = wire;
  const guild = world.guild(channel.guild);
  const passes = (kind: `${AllowedMentionsTypes}`, id: string): boolean => {
    if (allowed === undefined || (allowed.parse as string[] | undefined)?.includes(kind) === true) return true;
    return (kind === "users" ? allowed.users : kind === "roles" ? allowed.roles : [])?.includes(id) === true;
  };
  const everybody = hook !== undefined || may(world, channel, user.id, "MentionEveryone");
  const ids = (pattern: RegExp): string[] => [...new Set(Array.from(content.matchAll(pattern), ([, id]) => id ?? ""))];
  const users = ids(/<@!?(\d+)>/g).filter((id) => passes("users", id));
  const answered =
    wire.type === MessageType.Reply ? world.messages.get(wire.message_reference?.message_id ?? "") : undefined;
  const replied = answered?.wire.author.id;
  const pings = allowed === undefined || allowed.replied_user === true;
  if (replied !== undefined && pings && !users.includes(replied)) users.unshift(replied);
  return {
    mentions: users.flatMap((id) => world.users.get(id) ?? []),
    mention_roles: ids(/<@&(\d+)>/g).filter((id) => {
      const role = guild.roles.get(id);
      return role !== undefined && (role.mentionable || everybody) && passes("roles", id);
    }),
    mention_everyone: everybody && /@(everyone|here)\b/.test(content) && passes("everyone", ""),
  };
}
