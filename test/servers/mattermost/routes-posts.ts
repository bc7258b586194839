import type { PostDraft, Posts } from "./posts.ts";
import { type Call, field, idOf, listOf, objectOf, OK, type Routes } from "./requests.ts";
import { forbidden, invalidBody, invalidUrl, isId, newId, Refusal } from "./wire.ts";
import type { World } from "./world.ts";

/** Posts and reactions. */
export function routePosts(routes: Routes, world: World, posts: Posts): void {
  routes.on("POST", "/posts", async (call) => {
    const draft = draftOf(call);
    if (!isId(draft.channel_id)) throw forbidden(call.me, "create_post");
    if (call.query.get("set_online") !== "false") world.account(call.me).status = "online";
    return { status: 201, json: await posts.create(call.me, draft) };
  });
  routes.on("POST", "/posts/ids", (call) => {
    const ids = listOf(call, "post_ids");
    if (ids.length > 1000) throw invalidBody("post_ids");
    const rows = ids.flatMap((id) => world.posts.get(id) ?? []);
    const readable = rows.filter((row) => row.delete_at === 0 && world.mayRead(call.me, world.channel(row.channel_id)));
    if (readable.length === 0) throw new Refusal(404, "app.post.get.app_error", "Unable to get the post.");
    return { json: readable.map((row) => posts.shelf.show(row)) };
  });
  routes.on("POST", "/posts/ids/reactions", (call) => ({
    json: Object.fromEntries(listOf(call, "post_ids").map((id) => [id, world.reactions.get(id) ?? []])),
  }));
  routes.on("GET", "/posts/:post_id", (call) => ({
    json: posts.shelf.show(posts.readable(call.me, idOf(call, "post_id"))),
  }));
  routes.on("GET", "/posts/:post_id/thread", (call) => ({
    json: posts.shelf.thread(posts.readable(call.me, idOf(call, "post_id"))),
  }));
  routes.on("PUT", "/posts/:post_id", (call) => {
    const id = idOf(call, "post_id");
    if (objectOf(call, "post")["id"] !== id) throw invalidBody("id");
    const whole = draftOf(call);
    const draft = { ...whole, message: whole.message ?? "", file_ids: whole.file_ids ?? [] };
    return { json: posts.edit(call.me, id, draft) };
  });
  routes.on("PUT", "/posts/:post_id/patch", (call) => ({
    json: posts.edit(call.me, idOf(call, "post_id"), draftOf(call)),
  }));
  routes.on("DELETE", "/posts/:post_id", (call) => {
    posts.erase(call.me, idOf(call, "post_id"));
    return OK;
  });
  for (const [name, pinned] of Object.entries({ pin: true, unpin: false })) {
    routes.on("POST", `/posts/:post_id/${name}`, (call) => {
      const row = posts.readable(call.me, idOf(call, "post_id"));
      posts.touch(row.id, { is_pinned: pinned });
      return OK;
    });
  }
  routeReactions(routes, world, posts);
  routes.on("POST", "/commands/execute", async (call) => await run(call, world, posts));
}

function routeReactions(routes: Routes, world: World, posts: Posts): void {
  routes.on("POST", "/reactions", (call) => {
    const body = objectOf(call, "reaction");
    const { user_id: user, post_id: post, emoji_name: emoji } = body;
    if (!isId(user) || !isId(post) || typeof emoji !== "string" || emoji === "" || emoji.length > 64) {
      throw new Refusal(400, "api.reaction.save_reaction.invalid.app_error", "Reaction is not valid.");
    }
    if (user !== call.me) {
      const words = "You cannot save reaction for the other user.";
      throw new Refusal(403, "api.reaction.save_reaction.user_id.app_error", words);
    }
    // Of a post that is not there the server only knows that one has no permission for it.
    if (!world.posts.has(post)) throw forbidden(call.me, "add_reaction");
    return { json: posts.react(user, post, emoji) };
  });
  routes.on("GET", "/posts/:post_id/reactions", (call) => ({
    json: world.reactions.get(posts.readable(call.me, idOf(call, "post_id")).id) ?? [],
  }));
  routes.on("DELETE", "/users/:user_id/posts/:post_id/reactions/:emoji_name", (call) => {
    const [user, post] = [idOf(call, "user_id"), idOf(call, "post_id")];
    if (!world.posts.has(post)) throw forbidden(call.me, "remove_reaction");
    if (user !== call.me) throw forbidden(call.me, "remove_others_reactions");
    posts.unreact(user, post, call.params["emoji_name"] ?? "");
    return OK;
  });
  routes.on("GET", "/emoji/name/:emoji_name", (call) => {
    const name = call.params["emoji_name"] ?? "";
    const id = world.emoji.get(name);
    if (id === undefined) {
      throw new Refusal(404, "app.emoji.get_by_name.no_result", "We couldn't find the emoji.");
    }
    const [creator = ""] = world.accounts.keys();
    return { json: { id, create_at: 1, update_at: 1, delete_at: 0, creator_id: creator, name } };
  });
  routes.on("GET", "/emoji/:emoji_id/image", (call) => {
    if (![...world.emoji.values()].includes(call.params["emoji_id"] ?? "")) throw invalidUrl("emoji_id");
    return { bytes: "PNG", headers: { "content-type": "image/png" } };
  });
}

async function run(call: Call, world: World, posts: Posts): Promise<{ json: object }> {
  const body = objectOf(call, "command_args");
  const { channel_id: channel, command, root_id: root } = body;
  if (typeof command !== "string" || command.length <= 1 || !command.startsWith("/")) throw invalidBody("command");
  if (!isId(channel)) throw invalidBody("channel_id");
  world.needs(call.me, channel, "create_post");
  const [, trigger = "", words = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(command) ?? [];
  if (trigger !== "me") {
    const message = `Command with a trigger of '/${trigger}' not found.`;
    throw new Refusal(404, "api.command.execute_command.not_found.app_error", message);
  }
  await posts.create(call.me, {
    channel_id: channel,
    message: `*${words}*`,
    type: "me",
    props: { message: words },
    ...(typeof root === "string" && { root_id: root }),
  });
  return { json: { response_type: "in_channel", text: `*${words}*`, type: "me", trigger_id: newId() } };
}

function draftOf(call: Call): PostDraft {
  const body = objectOf(call, "post");
  const files = field(body, "file_ids", "object", "post");
  if (files !== undefined && (!Array.isArray(files) || files.some((id) => typeof id !== "string"))) {
    throw invalidBody("post");
  }
  const texts = ["channel_id", "message", "root_id", "pending_post_id", "type"] as const;
  const given = texts.flatMap((name) => {
    const value = field(body, name, "string", "post");
    return value === undefined ? [] : [[name, value] as const];
  });
  const props = field(body, "props", "object", "post");
  const pinned = field(body, "is_pinned", "boolean", "post");
  return {
    ...Object.fromEntries(given),
    ...(props !== undefined && { props: props as Record<string, unknown> }),
    ...(files !== undefined && { file_ids: files as string[] }),
    ...(pinned !== undefined && { is_pinned: pinned }),
  };
}
