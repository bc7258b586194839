import type { OpenedFile } from "../../contract/session.ts";
import { download } from "../kit/download.ts";
import type { Http, Upload } from "../kit/http.ts";
import { isObject, type Json, listIn, NOTHING, objectIn, textIn, written } from "../kit/json.ts";
import { multipart } from "../kit/multipart.ts";
import { segment } from "../kit/segment.ts";
import {
  discordMemberIn,
  discordMessageIn,
  discordUserIn,
  isLaterId,
  type DiscordMember,
  type DiscordMessage,
  type DiscordUser,
} from "./model.ts";
import {
  applicationIn,
  channelIn,
  type DiscordApplication,
  type DiscordChannel,
  type DiscordGuild,
  type DiscordRole,
  type DiscordSelf,
  type DiscordWebhook,
  guildIn,
  roleIn,
  selfIn,
  webhookIn,
} from "./records.ts";
import type { DiscordCall, DiscordRest } from "./rest.ts";
import { NO_FAILURE } from "./rest-answer.ts";
import type { DiscordResult } from "./rest-result.ts";

/** Servers give no more messages for one page. */
export const MESSAGES_MAX = 100;
const GUILDS_MAX = 200;

/** A file of a message: `files[n]` of it, by its place in the list. The body's `attachments` say the rest. */
export interface DiscordUpload extends Upload {
  readonly name: string;
}

/** Which messages of a channel; the ids of messages. */
export interface DiscordWhich {
  readonly after?: string;
  readonly before?: string;
  readonly around?: string;
  readonly limit: number;
}

/** In the order of their ids, the oldest first. `isFull`: with those that cannot be read, as many as were asked for. */
export interface DiscordPage {
  readonly messages: readonly DiscordMessage[];
  readonly isFull: boolean;
}

/** What may post without being asked who it is. */
export interface DiscordHook {
  readonly id: string;
  readonly token: string;
}

/** `thread`: of the webhook's channel, where the message is or is to be; null: the channel itself. */
export interface DiscordHookPlace {
  readonly thread: string | null;
}

/** REST API v10, as far as a bridge needs it. Every answer is a value. Bodies are the network's own records. */
export class DiscordApi {
  readonly #rest: DiscordRest;
  readonly #http: Http;

  constructor(rest: DiscordRest, http: Http) {
    this.#rest = rest;
    this.#http = http;
  }

  async me(signal: AbortSignal): Promise<DiscordResult<DiscordUser>> {
    return await this.#read("/users/@me", discordUserIn, signal);
  }

  async application(signal: AbortSignal): Promise<DiscordResult<DiscordApplication>> {
    return await this.#read("/applications/@me", applicationIn, signal);
  }

  /** The guilds that the bot is in. */
  async guilds(signal: AbortSignal): Promise<DiscordResult<readonly { readonly id: string; readonly name: string }[]>> {
    const call = { path: "/users/@me/guilds", query: { limit: GUILDS_MAX }, signal };
    return mapped(await this.#rest.call({ method: "GET", ...call }), (raw) =>
      rows(raw).flatMap((row) => {
        const id = textIn(row, "id");
        return id === null ? [] : [{ id, name: textIn(row, "name") ?? "" }];
      }),
    );
  }

  /** The gateway's record as it is (`APIGatewayBotInfo`). */
  async gateway(signal: AbortSignal): Promise<DiscordResult<Json>> {
    return await this.#read("/gateway/bot", (raw) => (isObject(raw) ? raw : NOTHING), signal);
  }

  async channel(id: string, signal: AbortSignal): Promise<DiscordResult<DiscordChannel>> {
    return await this.#read(`/channels/${segment(id)}`, (raw) => channelIn(raw, ""), signal);
  }

  /** A thread that is archived takes messages again. */
  async reopenThread(thread: string, signal: AbortSignal): Promise<DiscordResult<unknown>> {
    const body = { archived: false };
    return await this.#rest.call({ method: "PATCH", path: `/channels/${segment(thread)}`, body, signal });
  }

  /** In the order of their ids, the oldest first. */
  async messages(
    channel: string,
    which: DiscordWhich,
    signal: AbortSignal,
  ): Promise<DiscordResult<readonly DiscordMessage[]>> {
    return mapped(await this.#messages(channel, which, signal), messagesIn);
  }

  /** As `messages`, with whether there may be more. */
  async page(channel: string, which: DiscordWhich, signal: AbortSignal): Promise<DiscordResult<DiscordPage>> {
    return mapped(await this.#messages(channel, which, signal), (raw) => ({
      messages: messagesIn(raw),
      isFull: Array.isArray(raw) && raw.length >= which.limit,
    }));
  }

  async message(channel: string, id: string, signal: AbortSignal): Promise<DiscordResult<DiscordMessage>> {
    return await this.#read(messagePath(channel, id), discordMessageIn, signal);
  }

  async post(
    channel: string,
    body: Json,
    files: readonly DiscordUpload[],
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordMessage>> {
    const path = `/channels/${segment(channel)}/messages`;
    return await this.#message({ method: "POST", path, signal }, body, files);
  }

  async editMessage(
    channel: string,
    id: string,
    body: Json,
    files: readonly DiscordUpload[],
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordMessage>> {
    return await this.#message({ method: "PATCH", path: messagePath(channel, id), signal }, body, files);
  }

  async deleteMessage(channel: string, id: string, signal: AbortSignal): Promise<DiscordResult<unknown>> {
    return await this.#rest.call({ method: "DELETE", path: messagePath(channel, id), signal });
  }

  /** Answers with the message that it made. */
  async executeWebhook(
    hook: DiscordHook,
    place: DiscordHookPlace,
    body: Json,
    files: readonly DiscordUpload[],
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordMessage>> {
    const query = { wait: true, thread_id: place.thread };
    return await this.#message({ method: "POST", path: hookPath(hook), query, open: true, signal }, body, files);
  }

  async editWebhookMessage(
    hook: DiscordHook,
    id: string,
    place: DiscordHookPlace,
    body: Json,
    files: readonly DiscordUpload[],
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordMessage>> {
    const query = { thread_id: place.thread };
    const path = `${hookPath(hook)}/messages/${segment(id)}`;
    return await this.#message({ method: "PATCH", path, query, open: true, signal }, body, files);
  }

  async deleteWebhookMessage(
    hook: DiscordHook,
    id: string,
    place: DiscordHookPlace,
    signal: AbortSignal,
  ): Promise<DiscordResult<unknown>> {
    const query = { thread_id: place.thread };
    const path = `${hookPath(hook)}/messages/${segment(id)}`;
    return await this.#rest.call({ method: "DELETE", path, query, open: true, signal });
  }

  /** Also how one is found whose token is known: without the bot's own right. */
  async webhook(hook: DiscordHook, signal: AbortSignal): Promise<DiscordResult<DiscordWebhook>> {
    return mapped(await this.#rest.call({ method: "GET", path: hookPath(hook), open: true, signal }), webhookIn);
  }

  async webhooksOf(channel: string, signal: AbortSignal): Promise<DiscordResult<readonly DiscordWebhook[]>> {
    return await this.#read(
      `/channels/${segment(channel)}/webhooks`,
      (raw) => rows(raw).flatMap((row) => webhookIn(row) ?? []),
      signal,
    );
  }

  async createWebhook(channel: string, name: string, signal: AbortSignal): Promise<DiscordResult<DiscordWebhook>> {
    const path = `/channels/${segment(channel)}/webhooks`;
    return mapped(await this.#rest.call({ method: "POST", path, body: { name }, signal }), webhookIn);
  }

  async deleteWebhook(id: string, signal: AbortSignal): Promise<DiscordResult<unknown>> {
    return await this.#rest.call({ method: "DELETE", path: `/webhooks/${segment(id)}`, signal });
  }

  /** Shows for 10 s that we type there. */
  async typing(channel: string, signal: AbortSignal): Promise<DiscordResult<unknown>> {
    return await this.#rest.call({ method: "POST", path: `/channels/${segment(channel)}/typing`, signal });
  }

  /** `emoji`: of Unicode, or `name:id`. */
  async react(channel: string, id: string, emoji: string, signal: AbortSignal): Promise<DiscordResult<unknown>> {
    const path = `${messagePath(channel, id)}/reactions/${segment(emoji)}/@me`;
    return await this.#rest.call({ method: "PUT", path, signal });
  }

  /** Our own reaction. */
  async unreact(channel: string, id: string, emoji: string, signal: AbortSignal): Promise<DiscordResult<unknown>> {
    const path = `${messagePath(channel, id)}/reactions/${segment(emoji)}/@me`;
    return await this.#rest.call({ method: "DELETE", path, signal });
  }

  /** Begins with a message of the channel. */
  async startThread(
    channel: string,
    message: string,
    name: string,
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordChannel>> {
    const path = `${messagePath(channel, message)}/threads`;
    const answer = await this.#rest.call({ method: "POST", path, body: { name }, signal });
    return mapped(answer, (raw) => channelIn(raw, ""));
  }

  /** A post of a forum, as the bot. Answers with its first message. */
  async createPost(
    forum: string,
    name: string,
    message: Json,
    files: readonly DiscordUpload[],
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordMessage>> {
    const body = { name, message };
    const call = { method: "POST", path: `/channels/${segment(forum)}/threads`, signal } as const;
    const answer = await this.#rest.call({ ...call, body: files.length === 0 ? body : formOf(body, files) });
    return mapped(answer, (raw) => discordMessageIn(objectIn(isObject(raw) ? raw : NOTHING, "message")));
  }

  /** Those that were archived last. */
  async archivedThreads(
    channel: string,
    guild: string,
    signal: AbortSignal,
  ): Promise<DiscordResult<readonly DiscordChannel[]>> {
    const call = { path: `/channels/${segment(channel)}/threads/archived/public`, query: { limit: 50 }, signal };
    return mapped(await this.#rest.call({ method: "GET", ...call }), (raw) => threadsIn(raw, guild));
  }

  async guild(id: string, signal: AbortSignal): Promise<DiscordResult<DiscordGuild>> {
    return await this.#read(`/guilds/${segment(id)}`, guildIn, signal);
  }

  async roles(guild: string, signal: AbortSignal): Promise<DiscordResult<readonly DiscordRole[]>> {
    const path = `/guilds/${segment(guild)}/roles`;
    return await this.#read(path, (raw) => rows(raw).flatMap((row) => roleIn(row) ?? []), signal);
  }

  /** Without threads. */
  async channels(guild: string, signal: AbortSignal): Promise<DiscordResult<readonly DiscordChannel[]>> {
    const path = `/guilds/${segment(guild)}/channels`;
    return await this.#read(path, (raw) => rows(raw).flatMap((row) => channelIn(row, guild) ?? []), signal);
  }

  async activeThreads(guild: string, signal: AbortSignal): Promise<DiscordResult<readonly DiscordChannel[]>> {
    return await this.#read(`/guilds/${segment(guild)}/threads/active`, (raw) => threadsIn(raw, guild), signal);
  }

  /** We, in a guild. */
  async self(guild: string, id: string, signal: AbortSignal): Promise<DiscordResult<DiscordSelf>> {
    return await this.#read(`/guilds/${segment(guild)}/members/${segment(id)}`, (raw) => selfIn(raw, id), signal);
  }

  async member(guild: string, user: string, signal: AbortSignal): Promise<DiscordResult<DiscordMember>> {
    return await this.#read(
      `/guilds/${segment(guild)}/members/${segment(user)}`,
      (raw) => discordMemberIn(raw),
      signal,
    );
  }

  /** Those whose name or nick begins like this. */
  async membersNamed(
    guild: string,
    name: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<DiscordResult<readonly DiscordMember[]>> {
    const path = `/guilds/${segment(guild)}/members/search`;
    const answer = await this.#rest.call({ method: "GET", path, query: { query: name, limit }, signal });
    return mapped(answer, (raw) => rows(raw).flatMap((row) => discordMemberIn(row) ?? []));
  }

  /** A file by its address, which the network gave us; without our login. */
  async openUrl(url: string, signal: AbortSignal): Promise<OpenedFile> {
    if (!URL.canParse(url)) return { ok: false, why: { code: "bad_content", message: "Discord names no address" } };
    return await download(this.#http, { url: new URL(url), headers: {}, who: "Discord", signal });
  }

  /** With files it is a form. */
  async #message(
    call: Omit<DiscordCall, "body">,
    body: Json,
    files: readonly DiscordUpload[],
  ): Promise<DiscordResult<DiscordMessage>> {
    return mapped(
      await this.#rest.call({ ...call, body: files.length === 0 ? body : formOf(body, files) }),
      discordMessageIn,
    );
  }

  async #messages(
    channel: string,
    { after, before, around, limit }: DiscordWhich,
    signal: AbortSignal,
  ): Promise<DiscordResult<unknown>> {
    const query = { after: after ?? null, before: before ?? null, around: around ?? null, limit };
    return await this.#rest.call({ method: "GET", path: `/channels/${segment(channel)}/messages`, query, signal });
  }

  async #read<T>(path: string, read: (raw: unknown) => T | null, signal: AbortSignal): Promise<DiscordResult<T>> {
    return mapped(await this.#rest.call({ method: "GET", path, signal }), read);
  }
}

function formOf(body: Json, files: readonly DiscordUpload[]): Upload {
  return multipart([
    { name: "payload_json", value: written(body) },
    ...files.map(({ name, ...file }, at) => ({ name: `files[${at}]`, fileName: name, file })),
  ]);
}

function threadsIn(raw: unknown, guild: string): readonly DiscordChannel[] {
  return listIn(isObject(raw) ? raw : NOTHING, "threads").flatMap((row) => channelIn(row, guild) ?? []);
}

const messagePath = (channel: string, id: string): string => `/channels/${segment(channel)}/messages/${segment(id)}`;
const hookPath = ({ id, token }: DiscordHook): string => `/webhooks/${segment(id)}/${segment(token)}`;

const rows = (raw: unknown): readonly Json[] => (Array.isArray(raw) ? raw.filter((row) => isObject(row)) : []);

function messagesIn(raw: unknown): readonly DiscordMessage[] {
  return rows(raw)
    .flatMap((row) => discordMessageIn(row) ?? [])
    .toSorted((a, b) => (isLaterId(a.id, b.id) ? 1 : -1));
}

/** Of what the map makes nothing, nobody can make anything. */
function mapped<T>(answer: DiscordResult<unknown>, map: (raw: unknown) => T | null): DiscordResult<T> {
  if (!answer.ok) return answer;
  const value = map(answer.value);
  if (value !== null) return { ok: true, value };
  const message = "Discord answers without what was asked for";
  return { ok: false, failure: { ...NO_FAILURE, why: "unreadable", status: 200, message, certain: false } };
}
