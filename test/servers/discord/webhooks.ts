import { randomBytes } from "node:crypto";
import { ChannelType, WebhookType } from "discord-api-types/v10";
import { draftOf } from "./draft.ts";
import type { Author, Messages } from "./messages.ts";
import { entered, inGuild } from "./permissions.ts";
import { type Answer, type Call, DONE, type Routes } from "./requests.ts";
import { showMessage, showWebhook } from "./show.ts";
import type { Threads } from "./threads.ts";
import { badField, type ChannelRow, hashOf, type MessageRow, no, textOf, type WebhookRow } from "./wire.ts";
import type { World } from "./world.ts";

/** Of one channel. */
const WEBHOOKS_MAX = 15;

const FORUMS: ReadonlySet<ChannelType> = new Set([ChannelType.GuildForum, ChannelType.GuildMedia]);

/** Webhooks: made by those who may, used by whoever has their token. */
export class Webhooks {
  readonly #world: World;
  readonly #messages: Messages;
  readonly #threads: Threads;

  constructor(world: World, messages: Messages, threads: Threads) {
    this.#world = world;
    this.#messages = messages;
    this.#threads = threads;
  }

  make(me: string, channel: ChannelRow, name: string, avatar: string | null): WebhookRow {
    if (this.of(channel.id).length >= WEBHOOKS_MAX) throw no("maxWebhooks");
    const row: WebhookRow = {
      id: this.#world.clock.id(),
      token: randomBytes(51).toString("base64url"),
      guild: channel.guild,
      channel: channel.id,
      name: goodName("name", name),
      avatar: avatar === null ? null : hashOf(avatar),
      user: this.#world.user(me),
      application: this.#world.apps.has(me) ? me : null,
      type: WebhookType.Incoming,
    };
    this.#world.webhooks.set(row.id, row);
    this.#tell(channel);
    return row;
  }

  remove(row: WebhookRow): void {
    this.#world.webhooks.delete(row.id);
    const channel = this.#world.channels.get(row.channel);
    if (channel !== undefined) this.#tell(channel);
  }

  of(channel: string): WebhookRow[] {
    return [...this.#world.webhooks.values()].filter((row) => row.channel === channel);
  }

  /** The webhook, by its token where one stands in the path. */
  known({ params }: Call): WebhookRow {
    const row = this.#world.webhooks.get(params["webhook"] ?? "");
    if (row === undefined) throw no("unknownWebhook");
    if (params["token"] !== undefined && params["token"] !== row.token) throw no("webhookToken");
    return row;
  }

  change(row: WebhookRow, json: Readonly<Record<string, unknown>>, mayMove: boolean): void {
    const { name, avatar, channel_id: channel } = json;
    if (name !== undefined) row.name = goodName("name", textOf(name));
    if (avatar !== undefined) row.avatar = typeof avatar === "string" ? hashOf(avatar) : null;
    if (mayMove && typeof channel === "string") {
      if (!this.#world.channels.has(channel)) throw no("unknownChannel");
      row.channel = channel;
    }
    const at = this.#world.channels.get(row.channel);
    if (at !== undefined) this.#tell(at);
  }

  /** Writes a message under any name; in a forum it may begin a thread. */
  execute(row: WebhookRow, { body, query }: Call): MessageRow {
    const draft = draftOf(body);
    const { username, avatar_url: avatar, thread_name: threadName } = body.json;
    const author: Author = {
      hook: row,
      user: {
        id: row.id,
        username: typeof username === "string" ? goodName("username", username) : row.name,
        avatar: typeof avatar === "string" && avatar !== "" ? hashOf(avatar) : row.avatar,
        discriminator: "0000",
        global_name: null,
        bot: true,
      },
    };
    // Neither a reply nor a nonce is among what a webhook may say.
    const { reference: _reference, nonce: _nonce, enforceNonce: _enforce, ...said } = draft;
    const channel = this.#world.channels.get(row.channel);
    if (channel === undefined) throw no("unknownChannel");
    const thread = query.get("thread_id");
    const forum = FORUMS.has(channel.type);
    if (typeof threadName === "string" && thread !== null) throw no("forumBoth");
    if (typeof threadName === "string") {
      if (!forum) throw no("forumOnly");
      return this.#threads.post(author, channel, threadName, said).first;
    }
    if (forum && thread === null) throw no("forumNeedsThread");
    return this.#messages.create(author, thread === null ? channel : this.#thread(row, thread), said);
  }

  /** One of its own messages, in its channel or in the thread that is named. */
  message(row: WebhookRow, { params, query }: Call): MessageRow {
    const thread = query.get("thread_id");
    const channel = thread === null ? row.channel : this.#thread(row, thread).id;
    const message = this.#world.message(channel, params["message"] ?? "");
    if (message.wire.webhook_id !== row.id) throw no("unknownMessage");
    return message;
  }

  #thread(row: WebhookRow, id: string): ChannelRow {
    const thread = this.#world.channels.get(id);
    if (thread === undefined || thread.thread === null || thread.parent !== row.channel) throw no("unknownChannel");
    return thread;
  }

  #tell(channel: ChannelRow): void {
    const data = { guild_id: channel.guild, channel_id: channel.id };
    this.#world.hub.tell("WEBHOOKS_UPDATE", channel.guild, data, { channel });
  }
}

export function routeWebhooks(routes: Routes, world: World, webhooks: Webhooks, messages: Messages): void {
  routes.on("GET", "/channels/:channel/webhooks", ({ params, me }) => {
    const channel = entered(world, params["channel"] ?? "", me, "ManageWebhooks");
    return { json: webhooks.of(channel.id).map((row) => shown(world, row, me)) };
  });
  routes.on("GET", "/guilds/:guild/webhooks", ({ params, me }) => {
    const guild = inGuild(world, params["guild"] ?? "", me, "ManageWebhooks");
    const rows = [...world.webhooks.values()].filter((row) => row.guild === guild.id);
    return { json: rows.map((row) => shown(world, row, me)) };
  });
  routes.on("POST", "/channels/:channel/webhooks", ({ params, body, me }) => {
    const channel = entered(world, params["channel"] ?? "", me, "ManageWebhooks");
    if (channel.thread !== null || channel.type === ChannelType.GuildCategory) throw no("channelType");
    const avatar = body.json["avatar"];
    const row = webhooks.make(me, channel, textOf(body.json["name"]), typeof avatar === "string" ? avatar : null);
    return { json: showWebhook(world, row, true) };
  });
  const managed = (call: Call): WebhookRow => {
    const row = webhooks.known(call);
    if (call.params["token"] === undefined) entered(world, row.channel, call.me, "ManageWebhooks");
    return row;
  };
  for (const [path, open] of [
    ["/webhooks/:webhook", false],
    ["/webhooks/:webhook/:token", true],
  ] as const) {
    const answer = (row: WebhookRow, me: string): Answer => {
      const { user: _user, ...bare } = showWebhook(world, row, true);
      return { json: open ? bare : shown(world, row, me) };
    };
    routes.on("GET", path, (call) => answer(managed(call), call.me), open);
    routes.on(
      "PATCH",
      path,
      (call) => {
        const row = managed(call);
        webhooks.change(row, call.body.json, !open);
        return answer(row, call.me);
      },
      open,
    );
    routes.on(
      "DELETE",
      path,
      (call) => {
        webhooks.remove(managed(call));
        return DONE;
      },
      open,
    );
  }
  routeExecution(routes, world, webhooks, messages);
}

function routeExecution(routes: Routes, world: World, webhooks: Webhooks, messages: Messages): void {
  const show = (row: MessageRow): Answer => ({ json: showMessage(world, row, "", true) });
  routes.on(
    "POST",
    "/webhooks/:webhook/:token",
    (call) => {
      const row = webhooks.execute(webhooks.known(call), call);
      return call.query.get("wait") === "true" ? show(row) : DONE;
    },
    true,
  );
  const path = "/webhooks/:webhook/:token/messages/:message";
  routes.on("GET", path, (call) => show(webhooks.message(webhooks.known(call), call)), true);
  routes.on(
    "PATCH",
    path,
    (call) => {
      const hook = webhooks.known(call);
      const row = webhooks.message(hook, call);
      messages.change(row, draftOf(call.body), { user: row.wire.author, hook });
      return show(row);
    },
    true,
  );
  routes.on(
    "DELETE",
    path,
    (call) => {
      messages.remove(webhooks.message(webhooks.known(call), call));
      return DONE;
    },
    true,
  );
}

/** Applications see only the tokens of their own. */
function shown(world: World, row: WebhookRow, me: string): object {
  return showWebhook(world, row, row.application === null || row.application === me);
}

function goodName(field: string, given: string): string {
  const name = given.trim();
  if (name.length < 1 || name.length > 80) {
    throw badField(field, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.");
  }
  const [bad] = /clyde|discord/i.exec(name) ?? [];
  if (bad !== undefined) {
    throw badField(field, "USERNAME_INVALID_CONTAINS", `Username cannot contain "${bad.toLowerCase()}"`);
  }
  if (/^(?:everyone|here)$/i.test(name)) {
    throw badField(field, "USERNAME_INVALID", `Username cannot be "${name.toLowerCase()}"`);
  }
  return name;
}
