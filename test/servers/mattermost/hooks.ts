import type { Posts } from "./posts.ts";
import type { Answer, Call } from "./requests.ts";
import { Refusal, type WirePost } from "./wire.ts";
import type { OutgoingWebhook, World } from "./world.ts";

/** `POST /hooks/{id}`: what it is told is posted as its creator; the answer names no post. */
export async function incoming(world: World, posts: Posts, id: string, call: Call): Promise<Answer> {
  const hook = world.webhooks.get(id);
  if (hook === undefined) {
    throw new Refusal(400, "web.incoming_webhook.invalid.app_error", "Invalid webhook.");
  }
  const payload = payloadOf(call);
  const text = typeof payload["text"] === "string" ? payload["text"] : "";
  if (text === "" && !Array.isArray(payload["attachments"])) {
    throw new Refusal(400, "web.incoming_webhook.text.app_error", "No text specified.");
  }
  const wanted = payload["channel"];
  let channel = hook.channel;
  if (typeof wanted === "string" && wanted !== "" && !hook.locked) {
    const { team_id: team } = world.channel(hook.channel);
    const found = [...world.channels.values()].find((one) => one.team_id === team && one.name === wanted);
    if (found === undefined) {
      throw new Refusal(404, "web.incoming_webhook.channel.app_error", "Couldn't find the channel.");
    }
    channel = found.id;
  }
  const { usernameOverride, iconOverride, maxPostSize } = world.config;
  const { username, icon_url: icon, attachments } = payload;
  const props = {
    ...(typeof payload["props"] === "object" && payload["props"]),
    from_webhook: "true",
    ...(usernameOverride && { override_username: typeof username === "string" ? username : "webhook" }),
    ...(iconOverride && typeof icon === "string" && { override_icon_url: icon }),
    ...(Array.isArray(attachments) && { attachments: attachments as unknown[] }),
  };
  const characters = Array.from(text);
  do {
    const message = characters.splice(0, maxPostSize).join("");
    await posts.create(hook.user, { channel_id: channel, message, props });
  } while (characters.length > 0);
  return { bytes: "ok", headers: { "content-type": "text/plain" } };
}

function payloadOf(call: Call): Readonly<Record<string, unknown>> {
  const type = call.headers["content-type"] ?? "";
  const body = call.raw.toString("utf8");
  const text = type.startsWith("application/x-www-form-urlencoded")
    ? (new URLSearchParams(body).get("payload") ?? "")
    : body;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  const words = "Unable to parse incoming data.";
  throw new Refusal(400, "web.incoming_webhook.parse.app_error", words);
}

/** Outgoing webhooks hear of what people say in public channels; what they answer is posted. */
export class Outgoing {
  readonly #world: World;
  readonly #posts: Posts;
  readonly #calls = new Set<Promise<void>>();

  constructor(world: World, posts: Posts) {
    this.#world = world;
    this.#posts = posts;
  }

  hear(post: WirePost): void {
    const channel = this.#world.channel(post.channel_id);
    if (channel.type !== "O" || post.type.startsWith("system_")) return;
    for (const hook of this.#world.outgoing) {
      if (hook.team !== channel.team_id || (hook.channel !== "" && hook.channel !== channel.id)) continue;
      const word = post.message.split(/\s/)[0] ?? "";
      if (hook.words.length > 0 && !hook.words.includes(word)) continue;
      const call = this.#call(hook, post, hook.words.length > 0 ? word : "").catch(() => undefined);
      this.#calls.add(call);
      void call.finally(() => this.#calls.delete(call));
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#calls);
  }

  async #call(hook: OutgoingWebhook, post: WirePost, word: string): Promise<void> {
    const channel = this.#world.channel(post.channel_id);
    const fields = {
      token: hook.token,
      team_id: channel.team_id,
      team_domain: this.#world.teams.get(channel.team_id)?.name ?? "",
      channel_id: channel.id,
      channel_name: channel.name,
      timestamp: hook.json ? post.create_at : String(post.create_at),
      user_id: post.user_id,
      user_name: this.#world.account(post.user_id).user.username,
      post_id: post.id,
      text: post.message,
      trigger_word: word,
      file_ids: (post.file_ids ?? []).join(","),
    };
    const form = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
    const response = await fetch(hook.url, {
      method: "POST",
      headers: {
        "content-type": hook.json ? "application/json" : "application/x-www-form-urlencoded",
        accept: "application/json",
      },
      body: hook.json ? JSON.stringify(fields) : new URLSearchParams(form).toString(),
      signal: AbortSignal.timeout(30_000),
    });
    const answer = await response.text();
    if (answer === "") return;
    const { text, username } = JSON.parse(answer) as { text?: string; username?: string };
    if (text === undefined || text === "") return;
    const props = { from_webhook: "true", ...(username !== undefined && { override_username: username }) };
    await this.#posts.create(post.user_id, { channel_id: channel.id, message: text, props });
  }
}
