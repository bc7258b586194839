import type { APIPartialEmoji } from "discord-api-types/v10";
import { byId } from "./clock.ts";
import { draftOf } from "./draft.ts";
import type { Messages } from "./messages.ts";
import { entered, may } from "./permissions.ts";
import { type Answer, type Call, DONE, limitOf, type Routes } from "./requests.ts";
import { mayRead, reactionOf, showChannel, showMessage } from "./show.ts";
import type { Threads } from "./threads.ts";
import { badField, keyOf, type MessageRow, no } from "./wire.ts";
import type { World } from "./world.ts";

/** Channels, messages, reactions and pins. */
export function routeChannels(routes: Routes, world: World, messages: Messages, threads: Threads): void {
  const show = (row: MessageRow, me: string): Answer => ({ json: seen(world, row, me) });
  routes.on("GET", "/channels/:channel", ({ params, me }) => ({
    json: showChannel(world, entered(world, params["channel"] ?? "", me), me),
  }));
  routes.on("PATCH", "/channels/:channel", (call) => patch(call, world, threads));
  routes.on("GET", "/channels/:channel/messages", (call) => ({
    json: page(call, world).map((row) => seen(world, row, call.me)),
  }));
  routes.on("POST", "/channels/:channel/messages", ({ params, body, me }) => {
    const row = messages.post(me, params["channel"] ?? "", draftOf(body));
    return { json: { ...seen(world, row, me), ...(row.nonce !== null && { nonce: row.nonce }) } };
  });
  routes.on("POST", "/channels/:channel/messages/bulk-delete", ({ params, body, me }) => {
    const ids = body.json["messages"];
    messages.removeMany(me, params["channel"] ?? "", Array.isArray(ids) ? (ids as string[]) : []);
    return DONE;
  });
  routes.on("GET", "/channels/:channel/messages/:message", (call) => show(readable(call, world), call.me));
  routes.on("PATCH", "/channels/:channel/messages/:message", ({ params, body, me }) =>
    show(messages.edit(me, params["channel"] ?? "", params["message"] ?? "", draftOf(body)), me),
  );
  routes.on("DELETE", "/channels/:channel/messages/:message", ({ params, me }) => {
    messages.erase(me, params["channel"] ?? "", params["message"] ?? "");
    return DONE;
  });
  routeReactions(routes, world, messages);
  routePins(routes, world, messages);
}

function routeReactions(routes: Routes, world: World, messages: Messages): void {
  const base = "/channels/:channel/messages/:message/reactions";
  const ids = ({ params }: Call): [string, string] => [params["channel"] ?? "", params["message"] ?? ""];
  routes.on("PUT", `${base}/:emoji/@me`, (call) => {
    messages.react(call.me, ...ids(call), emojiOf(call, world));
    return DONE;
  });
  routes.on("DELETE", `${base}/:emoji/:user`, (call) => {
    const whose = call.params["user"] === "@me" ? call.me : (call.params["user"] ?? "");
    messages.unreact(call.me, ...ids(call), emojiOf(call, world), whose);
    return DONE;
  });
  routes.on("GET", `${base}/:emoji`, (call) => {
    const row = readable(call, world);
    const users = reactionOf(row, keyOf(emojiOf(call, world)))?.users ?? [];
    const after = BigInt(call.query.get("after") ?? "0");
    const rest = users.filter((id) => BigInt(id) > after).map((id) => world.user(id));
    return { json: rest.sort(byId).slice(0, limitOf(call.query, 25, 100)) };
  });
  routes.on("DELETE", base, (call) => {
    messages.clear(call.me, ...ids(call));
    return DONE;
  });
  routes.on("DELETE", `${base}/:emoji`, (call) => {
    messages.clear(call.me, ...ids(call), emojiOf(call, world));
    return DONE;
  });
}

/** Both as it was and as it is. */
function routePins(routes: Routes, world: World, messages: Messages): void {
  const pinned = ({ params, me }: Call): [MessageRow, string][] => {
    const channel = entered(world, params["channel"] ?? "", me, "ReadMessageHistory");
    const pins = [...(world.pins.get(channel.id) ?? [])].reverse();
    return pins.map(([id, at]) => [world.message(channel.id, id), at]);
  };
  routes.on("GET", "/channels/:channel/pins", (call) => ({
    json: pinned(call).map(([row]) => seen(world, row, call.me)),
  }));
  routes.on("GET", "/channels/:channel/messages/pins", (call) => ({
    json: {
      items: pinned(call).map(([row, at]) => ({ pinned_at: at, message: seen(world, row, call.me) })),
      has_more: false,
    },
  }));
  for (const path of ["/channels/:channel/pins/:message", "/channels/:channel/messages/pins/:message"]) {
    for (const [method, on] of Object.entries({ PUT: true, DELETE: false })) {
      routes.on(method, path, ({ params, me }) => {
        messages.pin(me, params["channel"] ?? "", params["message"] ?? "", on);
        return DONE;
      });
    }
  }
}

/** By the switch of the portal; what a connection asked for does not matter here. */
function seen(world: World, row: MessageRow, me: string): object {
  const asked = world.apps.get(me)?.portal.messageContent === true;
  return showMessage(world, row, me, mayRead(world, row, me, asked));
}

function readable({ params, me }: Call, world: World): MessageRow {
  const channel = entered(world, params["channel"] ?? "", me, "ReadMessageHistory");
  return world.message(channel.id, params["message"] ?? "");
}

/** Newest first, whatever was asked for. */
function page({ params, query, me }: Call, world: World): MessageRow[] {
  const channel = entered(world, params["channel"] ?? "", me);
  const limit = limitOf(query, 50, 100);
  // Who may not read back gets nothing, and is not told why.
  if (!may(world, channel, me, "ReadMessageHistory")) return [];
  const all = (world.history.get(channel.id) ?? []).flatMap((id) => world.messages.get(id) ?? []).sort(byId);
  const given = (name: string): bigint | null => {
    const id = query.get(name);
    if (id !== null && !/^\d+$/.test(id)) {
      throw badField(name, "NUMBER_TYPE_COERCE", `Value "${id}" is not snowflake.`);
    }
    return id === null ? null : BigInt(id);
  };
  const [around, before, after] = [given("around"), given("before"), given("after")];
  let rows = all.slice(-limit);
  if (around !== null) {
    const at = all.filter(({ id }) => BigInt(id) < around).length;
    rows = all.slice(Math.max(0, at - Math.floor(limit / 2)), at + Math.ceil(limit / 2));
  } else if (before !== null) rows = all.filter(({ id }) => BigInt(id) < before).slice(-limit);
  else if (after !== null) rows = all.filter(({ id }) => BigInt(id) > after).slice(0, limit);
  return rows.toReversed();
}

/** `name:id` of one that is there, or one of Unicode. */
function emojiOf({ params }: Call, world: World): APIPartialEmoji {
  const given = params["emoji"] ?? "";
  const [, name, id] = /^(?:a:)?(\w+):(\d+)$/.exec(given) ?? [];
  if (id !== undefined && name !== undefined) {
    const known = [...world.guilds.values()].flatMap(({ emojis }) => emojis).find((emoji) => emoji.id === id);
    if (known === undefined) throw no("unknownEmoji");
    return { id, name: known.name, ...(known.animated === true && { animated: true }) };
  }
  if (!/^\p{RGI_Emoji}$/v.test(given) && !/^\p{Extended_Pictographic}$/u.test(given)) throw no("unknownEmoji");
  return { id: null, name: given };
}

function patch({ params, body, me }: Call, world: World, threads: Threads): Answer {
  const channel = entered(world, params["channel"] ?? "", me);
  const { name, topic, archived, locked } = body.json;
  if (channel.thread !== null) {
    // Who may write in it may open it.
    const opens = Object.keys(body.json).join() === "archived" && archived === false && !channel.thread.meta.locked;
    if (channel.thread.owner !== me) entered(world, channel.id, me, opens ? "SendMessages" : "ManageThreads");
    if (channel.thread.meta.archived && archived !== false) throw no("archived");
    if (typeof name === "string") channel.name = name;
    threads.archive(channel, archived === true, locked === undefined ? undefined : locked === true);
    return { json: showChannel(world, channel, me) };
  }
  entered(world, channel.id, me, "ManageChannels");
  if (typeof topic === "string" && topic.length > 1024) {
    throw badField("topic", "BASE_TYPE_MAX_LENGTH", "Must be 1024 or fewer in length.");
  }
  if (typeof name === "string" && (name.length < 1 || name.length > 100)) {
    throw badField("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  }
  if (typeof name === "string") channel.name = name;
  if (topic !== undefined) channel.topic = typeof topic === "string" && topic !== "" ? topic : null;
  world.hub.tell("CHANNEL_UPDATE", channel.guild, showChannel(world, channel));
  return { json: showChannel(world, channel, me) };
}
