import type { Channels } from "./channels.ts";
import type { Posts } from "./posts.ts";
import { idOf, listOf, objectOf, OK, pageOf, type Routes } from "./requests.ts";
import { forbidden, isId, invalidBody, invalidUrl, Refusal, type ServerChannel } from "./wire.ts";
import type { World } from "./world.ts";

/** Channels, who is in them, and what stands in them. */
export function routeChannels(routes: Routes, world: World, channels: Channels, posts: Posts): void {
  const byName = (name: string, team: string, me: string, deleted: boolean): ServerChannel => {
    const missing = new Refusal(
      404,
      "app.channel.get_by_name.missing.app_error",
      "Channel does not exist.",
      `teamId=${team}, name=${name}`,
    );
    const channel = [...world.channels.values()].find(
      (one) => one.team_id === team && one.name === name && (deleted || one.delete_at === 0),
    );
    if (channel === undefined) throw missing;
    if (channel.type === "O") {
      if (!world.isIn(team, me) && !world.isIn(channel.id, me)) throw forbidden(me, "read_channel");
    } else if (!world.isIn(channel.id, me)) throw missing;
    return channel;
  };
  routes.on("GET", "/teams/:team_id/channels/name/:channel_name", (call) => {
    const deleted = call.query.get("include_deleted") === "true";
    return { json: byName(call.params["channel_name"] ?? "", idOf(call, "team_id"), call.me, deleted) };
  });
  routes.on("GET", "/teams/name/:team_name/channels/name/:channel_name", (call) => {
    const team = [...world.teams.values()].find(({ name }) => name === call.params["team_name"]);
    if (team === undefined) {
      throw new Refusal(404, "app.team.get_by_name.missing.app_error", "Unable to find the existing team.");
    }
    const deleted = call.query.get("include_deleted") === "true";
    return { json: byName(call.params["channel_name"] ?? "", team.id, call.me, deleted) };
  });
  routes.on("GET", "/teams/:team_id/channels", (call) => {
    const team = idOf(call, "team_id");
    if (!world.isIn(team, call.me)) throw forbidden(call.me, "list_team_channels");
    const { page, perPage } = pageOf(call);
    const open = [...world.channels.values()].filter(
      (one) => one.team_id === team && one.type === "O" && one.delete_at === 0,
    );
    return { json: open.slice(page * perPage, (page + 1) * perPage) };
  });
  const mine = (user: string, team: string | null, deleted: boolean): ServerChannel[] =>
    [...world.channels.values()].filter(
      (one) =>
        world.isIn(one.id, user) &&
        (team === null || one.team_id === team || one.team_id === "") &&
        (deleted || one.delete_at === 0),
    );
  routes.on("GET", "/users/:user_id/teams/:team_id/channels", (call) => ({
    json: mine(idOf(call, "user_id"), idOf(call, "team_id"), call.query.get("include_deleted") === "true"),
  }));
  routes.on("GET", "/users/:user_id/channels", (call) => ({
    json: mine(idOf(call, "user_id"), null, call.query.get("include_deleted") === "true"),
  }));
  routes.on("GET", "/users/:user_id/teams/:team_id/channels/members", (call) => {
    const user = idOf(call, "user_id");
    return { json: mine(user, idOf(call, "team_id"), true).map(({ id }) => member(world, id, user)) };
  });
  routes.on("GET", "/channels/:channel_id", (call) => {
    const channel = world.channel(idOf(call, "channel_id"));
    if (!world.mayRead(call.me, channel)) throw forbidden(call.me, "read_channel");
    return { json: channel };
  });
  routes.on("PUT", "/channels/:channel_id/patch", (call) => ({
    json: channels.patch(call.me, idOf(call, "channel_id"), objectOf(call, "channel")),
  }));
  routes.on("DELETE", "/channels/:channel_id", (call) => {
    const id = idOf(call, "channel_id");
    world.needs(call.me, id, "delete_public_channel");
    channels.archive(call.me, id);
    return OK;
  });
  routes.on("POST", "/channels/:channel_id/restore", (call) => {
    const id = idOf(call, "channel_id");
    if (!world.account(call.me).user.roles.includes("admin")) throw forbidden(call.me, "manage_team");
    channels.restore(call.me, id);
    return { json: world.channel(id) };
  });
  routes.on("POST", "/channels/direct", (call) => {
    const users = listOf(call, "user_ids");
    if (users.length !== 2 || !users.includes(call.me)) throw invalidBody("user_ids");
    for (const user of users) world.account(user);
    const name = [...users].sort().join("__");
    const known = [...world.channels.values()].find((one) => one.name === name);
    const channel = known ?? world.addChannel("", name, { type: "D", display_name: "" });
    for (const user of users) world.members.get(channel.id)?.add(user);
    if (known === undefined) world.tell("direct_added", { teammate_id: users[1] }, { channel: channel.id });
    return { status: 201, json: channel };
  });
  routeMembers(routes, world, channels);
  routePosts(routes, world, posts);
}

function routeMembers(routes: Routes, world: World, channels: Channels): void {
  routes.on("GET", "/channels/:channel_id/members", (call) => {
    const id = idOf(call, "channel_id");
    if (!world.mayRead(call.me, world.channel(id))) throw forbidden(call.me, "read_channel");
    const { page, perPage } = pageOf(call);
    const all = [...(world.members.get(id) ?? [])].slice(page * perPage, (page + 1) * perPage);
    return { json: all.map((user) => member(world, id, user)) };
  });
  routes.on("GET", "/channels/:channel_id/members/:user_id", (call) => {
    const [id, user] = [idOf(call, "channel_id"), idOf(call, "user_id")];
    if (!world.mayRead(call.me, world.channel(id))) throw forbidden(call.me, "read_channel");
    if (!world.isIn(id, user)) {
      const words = "No channel member found for that user ID and channel ID.";
      throw new Refusal(404, "app.channel.get_member.missing.app_error", words, `channel_id=${id}, user_id=${user}`);
    }
    return { json: member(world, id, user) };
  });
  routes.on("POST", "/channels/:channel_id/members", (call) => {
    const [id, { user_id: user }] = [idOf(call, "channel_id"), objectOf(call, "member")];
    if (!isId(user)) throw invalidBody("user_id");
    channels.add(call.me, id, user);
    return { status: 201, json: member(world, id, user) };
  });
  routes.on("DELETE", "/channels/:channel_id/members/:user_id", (call) => {
    channels.remove(call.me, idOf(call, "channel_id"), idOf(call, "user_id"));
    return OK;
  });
}

function routePosts(routes: Routes, world: World, posts: Posts): void {
  routes.on("GET", "/channels/:channel_id/posts", (call) => {
    const id = idOf(call, "channel_id");
    const [before, after, since] = ["before", "after", "since"].map((name) => call.query.get(name) ?? "");
    if (before !== "" && !isId(before)) throw invalidUrl("before");
    if (after !== "" && !isId(after)) throw invalidUrl("after");
    if (since !== "" && !/^[+-]?\d+$/.test(since ?? "")) throw invalidUrl("since");
    if (!world.mayRead(call.me, world.channel(id))) throw forbidden(call.me, "read_channel_content");
    if (Number(since) > 0) return { json: posts.shelf.since(id, Number(since)) };
    const { page, perPage } = pageOf(call);
    const around = { ...(after !== "" && { after: after ?? "" }), ...(after === "" && before !== "" && { before }) };
    return { json: posts.shelf.page(id, page, perPage, around) };
  });
}

function member(world: World, channel: string, user: string): object {
  return {
    channel_id: channel,
    user_id: user,
    roles: "channel_user",
    last_viewed_at: 0,
    msg_count: 0,
    mention_count: 0,
    mention_count_root: 0,
    msg_count_root: 0,
    notify_props: { desktop: "default", email: "default", ignore_channel_mentions: "default", mark_unread: "all" },
    last_update_at: world.channel(channel).update_at,
    scheme_user: true,
    scheme_admin: false,
    scheme_guest: false,
    explicit_roles: "",
  };
}
