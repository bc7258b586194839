import {
  type APIGuildMember,
  GatewayIntentBits,
  type GatewayGuildMembersChunkDispatchData,
  type RESTAPIPartialCurrentUserGuild,
} from "discord-api-types/v10";
import { byId } from "./clock.ts";
import type { Session } from "./hub.ts";
import { entered, guildRights, inGuild } from "./permissions.ts";
import { limitOf, type Routes } from "./requests.ts";
import { flagsOf } from "./hub.ts";
import { showChannel, showGuild } from "./show.ts";
import { badField, type GuildRow, no, textOf } from "./wire.ts";
import type { World } from "./world.ts";

/** Members of one event. */
const CHUNK = 1000;

/** Who is in a guild: asked by requests, and by the gateway. */
export function routeMembers(routes: Routes, world: World): void {
  routes.on("GET", "/guilds/:guild/members", ({ params, query, me }) => {
    const guild = inGuild(world, params["guild"] ?? "", me);
    if (world.apps.get(me)?.portal.members !== true) throw no("missingAccess");
    const limit = limitOf(query, 1, 1000);
    const after = BigInt(query.get("after") ?? "0");
    const rest = sorted(guild).filter(({ user }) => BigInt(user.id) > after);
    return { json: rest.slice(0, limit) };
  });
  routes.on("GET", "/guilds/:guild/members/search", ({ params, query, me }) => {
    const guild = inGuild(world, params["guild"] ?? "", me);
    const words = query.get("query");
    if (words === null || words === "") throw badField("query", "BASE_TYPE_REQUIRED", "This field is required");
    return { json: named(guild, words).slice(0, limitOf(query, 1, 1000)) };
  });
  routes.on("GET", "/guilds/:guild/members/:user", ({ params, me }) => {
    const guild = inGuild(world, params["guild"] ?? "", me);
    const user = params["user"] === "@me" ? me : (params["user"] ?? "");
    const member = guild.members.get(user);
    if (member === undefined) throw no(world.users.has(user) ? "unknownMember" : "unknownUser");
    return { json: member };
  });
  routes.on("GET", "/users/:user", ({ params, me }) => ({
    json: params["user"] === "@me" ? { ...world.user(me), verified: true } : world.user(params["user"] ?? ""),
  }));
  routes.on("GET", "/users/@me/guilds", ({ me }) => ({
    json: [...world.guilds.values()].filter(({ members }) => members.has(me)).map((guild) => listed(guild, me)),
  }));
  routes.on("GET", "/applications/@me", ({ me }) => ({ json: application(world, me) }));
  routes.on("GET", "/oauth2/applications/@me", ({ me }) => ({ json: application(world, me) }));
  routes.on("GET", "/guilds/:guild", ({ params, me }) => ({
    json: showGuild(inGuild(world, params["guild"] ?? "", me)),
  }));
  routes.on("GET", "/guilds/:guild/channels", ({ params, me }) => {
    const guild = inGuild(world, params["guild"] ?? "", me);
    const rows = [...world.channels.values()].filter((row) => row.guild === guild.id && row.thread === null);
    return { json: rows.map((row) => showChannel(world, row)) };
  });
  routes.on("GET", "/guilds/:guild/roles", ({ params, me }) => ({
    json: [...inGuild(world, params["guild"] ?? "", me).roles.values()],
  }));
  routes.on("GET", "/guilds/:guild/emojis", ({ params, me }) => ({
    json: inGuild(world, params["guild"] ?? "", me).emojis,
  }));
  routes.on("POST", "/channels/:channel/typing", ({ params, me }) => {
    const channel = entered(world, params["channel"] ?? "", me);
    entered(world, channel.id, me, channel.thread === null ? "SendMessages" : "SendMessagesInThreads");
    typing(world, channel.id, me);
    return { status: 204 };
  });
}

export function typing(world: World, id: string, user: string): void {
  const channel = world.channels.get(id);
  if (channel === undefined) throw no("unknownChannel");
  const member = world.guild(channel.guild).members.get(user);
  const typists = world.typists.get(id) ?? new Map<string, number>();
  world.typists.set(id, typists.set(user, world.now()));
  const timestamp = Math.floor(world.now() / 1000);
  const data = { channel_id: id, guild_id: channel.guild, user_id: user, timestamp, member };
  world.hub.tell("TYPING_START", channel.guild, data, { channel });
}

function application(world: World, me: string): object {
  const app = world.apps.get(me);
  if (app === undefined) throw no("unauthorized");
  const flags = flagsOf(app);
  return {
    id: me,
    name: app.user.username,
    icon: null,
    description: "",
    summary: "",
    bot_public: true,
    bot_require_code_grant: false,
    bot: app.user,
    verify_key: "0".repeat(64),
    team: null,
    flags,
    flags_new: String(flags),
  };
}

/** Answers op 8 with as many events as it takes. What is asked for wrongly, or without the intent, is not answered. */
export function requestMembers(world: World, session: Session, asked: Readonly<Record<string, unknown>>): void {
  const guild = world.guilds.get(textOf(asked["guild_id"]));
  if (guild === undefined || !guild.members.has(session.app.user.id)) return;
  const ids = asked["user_ids"];
  const wanted = Array.isArray(ids) ? (ids as string[]).slice(0, 100) : typeof ids === "string" ? [ids] : null;
  const limit = Number(asked["limit"] ?? 0);
  const words = textOf(asked["query"]);
  const everybody = wanted === null && words === "" && limit === 0;
  if (everybody && (session.intents & GatewayIntentBits.GuildMembers) === 0) return;
  const found =
    wanted === null
      ? named(guild, words).slice(0, everybody ? undefined : Math.min(limit === 0 ? 100 : limit, 100))
      : sorted(guild).filter(({ user }) => wanted.includes(user.id));
  const missing = wanted?.filter((id) => !guild.members.has(id)) ?? [];
  const count = Math.max(1, Math.ceil(found.length / CHUNK));
  for (let index = 0; index < count; index += 1) {
    world.hub.put(session, "GUILD_MEMBERS_CHUNK", {
      guild_id: guild.id,
      members: found.slice(index * CHUNK, (index + 1) * CHUNK),
      chunk_index: index,
      chunk_count: count,
      ...(missing.length > 0 && { not_found: missing }),
      ...(typeof asked["nonce"] === "string" && { nonce: asked["nonce"] }),
    } satisfies GatewayGuildMembersChunkDispatchData);
  }
}

const sorted = (guild: GuildRow): APIGuildMember[] =>
  [...guild.members.values()].sort((one, other) => byId(one.user, other.user));

/** Whose name or nickname begins so. */
function named(guild: GuildRow, words: string): APIGuildMember[] {
  const begin = words.toLowerCase();
  return sorted(guild).filter(({ user, nick }) =>
    [user.username, user.global_name, nick].some((name) => name?.toLowerCase().startsWith(begin) === true),
  );
}

function listed(guild: GuildRow, me: string): RESTAPIPartialCurrentUserGuild {
  const { id, name, ownerId } = guild;
  const permissions = String(guildRights(guild, me));
  return { id, name, icon: null, banner: null, owner: ownerId === me, permissions, features: [] };
}
