import type { OpenedFile } from "../../contract/session.ts";
import type { Upload } from "../kit/http.ts";
import { isObject, type Json, listIn, NOTHING, numberIn, objectIn, textIn } from "../kit/json.ts";
import type { Rest, RestAnswer, RestCall, RestFailure } from "../kit/rest.ts";
import { segment } from "../kit/segment.ts";
import {
  channelIn,
  fileIn,
  limitsIn,
  type MattermostChannel,
  type MattermostFile,
  type MattermostLimits,
  type MattermostPost,
  type MattermostUser,
  postIn,
  userIn,
} from "./model.ts";

/** The first requests of a session, which tell whether anybody is there at all. */
const ENTRY_MS = 20_000;
/** Events wait for what they speak of. */
const LOOKUP_MS = 10_000;
/** Nobody waits long for a goodbye. */
const LOGOUT_MS = 3_000;
/** Servers give no more rows for one page. */
export const PAGE_MAX = 200;

export type MattermostResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: RestFailure };

/** What a post is made of. */
export interface NewPost {
  readonly channelId: string;
  readonly message: string;
  /** The first post of the thread, which is itself in none; empty: no thread. */
  readonly rootId: string;
  readonly fileIds: readonly string[];
  readonly props: Json;
  /** Within 30 s, the server knows a repeated post by this, and answers with the first. */
  readonly pendingId: string;
}

export interface PostPatch {
  readonly message?: string;
  readonly fileIds?: readonly string[];
  readonly props?: Json;
}

/** Which posts of a channel: all that changed since a moment of the server, or a page of those before a post. */
export type WhichPosts = { readonly sinceMs: number } | { readonly before: string | null; readonly count: number };

/** REST API v4 of one server, as far as a bridge needs it. Every answer is a value. */
export class MattermostApi {
  /** The login is refused, or has ended. */
  onUnauthorized: (failure: RestFailure) => void = () => undefined;
  /** The server's edition hides posts of a channel from that moment and before. */
  onHidden: (channel: string, atMs: number) => void = () => undefined;
  readonly #rest: Rest;
  /** Servers keep the session of each login for a month. */
  #loggedIn = false;
  #goodbye: Promise<unknown> | null = null;

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** The token of the new session, and who we are. */
  async login(
    login: string,
    password: string,
    signal: AbortSignal,
  ): Promise<MattermostResult<{ readonly token: string; readonly user: MattermostUser | null }>> {
    const body = { login_id: login, password };
    const path = "/api/v4/users/login";
    const answer = await this.#ask({ method: "POST", path, body, signal, timeoutMs: ENTRY_MS });
    if (!answer.ok) return answer;
    const token = answer.headers["token"];
    this.#loggedIn = true;
    return { ok: true, value: { token: typeof token === "string" ? token : "", user: userIn(answer.value) } };
  }

  /** Every later call is made with it. */
  set token(token: string | null) {
    this.#rest.token = token;
  }

  /** Ends the session that `login` began, once, if it did: also while the server forbids everything else. */
  async logout(): Promise<void> {
    if (!this.#loggedIn) return;
    const path = "/api/v4/users/logout";
    this.#goodbye ??= this.#ask({ method: "POST", path, again: true, urgent: true, timeoutMs: LOGOUT_MS });
    await this.#goodbye;
  }

  async me(signal: AbortSignal): Promise<MattermostResult<MattermostUser | null>> {
    return await this.#read("/api/v4/users/me", userIn, signal, ENTRY_MS);
  }

  async limits(signal: AbortSignal): Promise<MattermostResult<MattermostLimits>> {
    const call = { path: "/api/v4/config/client", query: { format: "old" }, signal, timeoutMs: ENTRY_MS };
    return mapped(await this.#ask({ method: "GET", ...call }), (raw) => limitsIn(isObject(raw) ? raw : NOTHING));
  }

  /** The id of the team with this name. */
  async team(name: string, signal: AbortSignal): Promise<MattermostResult<string | null>> {
    return await this.#read(`/api/v4/teams/name/${segment(name)}`, (raw) => idIn(raw), signal, ENTRY_MS);
  }

  /** Whether somebody is in a team; no failure when not. */
  async isInTeam(team: string, user: string, signal: AbortSignal): Promise<MattermostResult<boolean>> {
    return found(await this.#read(`/api/v4/teams/${segment(team)}/members/${segment(user)}`, isHere, signal));
  }

  async channelNamed(
    team: string,
    name: string,
    signal: AbortSignal,
  ): Promise<MattermostResult<MattermostChannel | null>> {
    const path = `/api/v4/teams/${segment(team)}/channels/name/${segment(name)}`;
    const answer = await this.#ask({ method: "GET", path, query: { include_deleted: true }, signal });
    return mapped(answer, channelIn);
  }

  /** Those of a team that somebody is in. */
  async channelsOf(
    team: string,
    user: string,
    signal: AbortSignal,
  ): Promise<MattermostResult<readonly MattermostChannel[]>> {
    return await this.#read(`/api/v4/users/${segment(user)}/teams/${segment(team)}/channels`, channelsIn, signal);
  }

  /** The first page of a team's public ones. */
  async openChannels(team: string, signal: AbortSignal): Promise<MattermostResult<readonly MattermostChannel[]>> {
    const path = `/api/v4/teams/${segment(team)}/channels`;
    const query = { page: 0, per_page: PAGE_MAX };
    return mapped(await this.#ask({ method: "GET", path, query, signal, timeoutMs: LOOKUP_MS }), channelsIn);
  }

  async channel(id: string, signal: AbortSignal): Promise<MattermostResult<MattermostChannel | null>> {
    return await this.#read(`/api/v4/channels/${segment(id)}`, channelIn, signal);
  }

  /** Whether somebody is in a channel; no failure when not. */
  async isInChannel(channel: string, user: string, signal: AbortSignal): Promise<MattermostResult<boolean>> {
    return found(await this.#read(`/api/v4/channels/${segment(channel)}/members/${segment(user)}`, isHere, signal));
  }

  async enterChannel(channel: string, user: string, signal: AbortSignal): Promise<MattermostResult<unknown>> {
    const path = `/api/v4/channels/${segment(channel)}/members`;
    return await this.#ask({ method: "POST", path, body: { user_id: user }, again: true, signal });
  }

  async patchHeader(channel: string, header: string, signal: AbortSignal): Promise<MattermostResult<unknown>> {
    const path = `/api/v4/channels/${segment(channel)}/patch`;
    return await this.#ask({ method: "PUT", path, body: { header }, again: true, signal });
  }

  /** In the order of their time, the oldest first. */
  async posts(
    channel: string,
    which: WhichPosts,
    signal: AbortSignal,
  ): Promise<MattermostResult<readonly MattermostPost[]>> {
    const query =
      "sinceMs" in which ? { since: Math.floor(which.sinceMs) } : { per_page: which.count, before: which.before };
    const path = `/api/v4/channels/${segment(channel)}/posts`;
    const answer = await this.#ask({ method: "GET", path, query, signal });
    const hiddenMs =
      answer.ok && isObject(answer.value) ? numberIn(answer.value, "first_inaccessible_post_time") : null;
    if (hiddenMs !== null && hiddenMs > 0) this.onHidden(channel, hiddenMs);
    return mapped(answer, postsIn);
  }

  async post(id: string, signal: AbortSignal): Promise<MattermostResult<MattermostPost | null>> {
    return await this.#read(`/api/v4/posts/${segment(id)}`, postIn, signal);
  }

  async createPost(post: NewPost, signal: AbortSignal): Promise<MattermostResult<MattermostPost | null>> {
    const body = {
      channel_id: post.channelId,
      message: post.message,
      root_id: post.rootId,
      file_ids: post.fileIds,
      props: post.props,
      pending_post_id: post.pendingId,
    };
    // Whether Rialto runs says nothing of the person whose account it may use.
    const query = { set_online: false };
    return mapped(await this.#ask({ method: "POST", path: "/api/v4/posts", query, body, signal }), postIn);
  }

  async patchPost(id: string, patch: PostPatch, signal: AbortSignal): Promise<MattermostResult<MattermostPost | null>> {
    const { message, fileIds, props } = patch;
    const body = {
      ...(message !== undefined && { message }),
      ...(fileIds !== undefined && { file_ids: fileIds }),
      ...(props !== undefined && { props }),
    };
    const path = `/api/v4/posts/${segment(id)}/patch`;
    return mapped(await this.#ask({ method: "PUT", path, body, again: true, signal }), postIn);
  }

  async deletePost(id: string, signal: AbortSignal): Promise<MattermostResult<unknown>> {
    return await this.#ask({ method: "DELETE", path: `/api/v4/posts/${segment(id)}`, again: true, signal });
  }

  /** `emoji`: its name, without colons. */
  async react(user: string, post: string, emoji: string, signal: AbortSignal): Promise<MattermostResult<unknown>> {
    const body = { user_id: user, post_id: post, emoji_name: emoji };
    return await this.#ask({ method: "POST", path: "/api/v4/reactions", body, again: true, signal });
  }

  async unreact(user: string, post: string, emoji: string, signal: AbortSignal): Promise<MattermostResult<unknown>> {
    const path = `/api/v4/users/${segment(user)}/posts/${segment(post)}/reactions/${segment(emoji)}`;
    return await this.#ask({ method: "DELETE", path, again: true, signal });
  }

  /** Whether the server has a custom emoji of this name; no failure when not. */
  async hasEmoji(name: string, signal: AbortSignal): Promise<MattermostResult<boolean>> {
    return found(await this.#read(`/api/v4/emoji/name/${segment(name)}`, isHere, signal));
  }

  async user(id: string, signal: AbortSignal): Promise<MattermostResult<MattermostUser | null>> {
    return await this.#read(`/api/v4/users/${segment(id)}`, userIn, signal, LOOKUP_MS);
  }

  /** Those of them that there are. */
  async users(ids: readonly string[], signal: AbortSignal): Promise<MattermostResult<readonly MattermostUser[]>> {
    const call = { path: "/api/v4/users/ids", body: ids, again: true, signal, timeoutMs: LOOKUP_MS };
    return mapped(await this.#ask({ method: "POST", ...call }), usersIn);
  }

  /** A page of those in a channel, from 0 on, of up to `count` people (200 at most). */
  async usersIn(
    channel: string,
    { page, count }: { readonly page: number; readonly count: number },
    signal: AbortSignal,
  ): Promise<MattermostResult<readonly MattermostUser[]>> {
    const query = { in_channel: channel, page, per_page: count };
    const call = { path: "/api/v4/users", query, signal, timeoutMs: LOOKUP_MS };
    return mapped(await this.#ask({ method: "GET", ...call }), usersIn);
  }

  async userNamed(name: string, signal: AbortSignal): Promise<MattermostResult<MattermostUser | null>> {
    return await this.#read(`/api/v4/users/username/${segment(name)}`, userIn, signal);
  }

  /** The content is the body of the request, so that no more of it than needed is in memory. */
  async uploadFile(
    channel: string,
    name: string,
    content: Upload,
    signal: AbortSignal,
  ): Promise<MattermostResult<MattermostFile | null>> {
    const query = { channel_id: channel, filename: name };
    const answer = await this.#rest.upload({ method: "POST", path: "/api/v4/files", query, content, signal });
    return mapped(answer, (raw) => {
      const infos = isObject(raw) ? raw["file_infos"] : null;
      return Array.isArray(infos) ? fileIn(infos[0]) : null;
    });
  }

  async fileInfo(id: string, signal: AbortSignal): Promise<MattermostResult<MattermostFile | null>> {
    return await this.#read(`/api/v4/files/${segment(id)}/info`, fileIn, signal, LOOKUP_MS);
  }

  async openFile(id: string, signal: AbortSignal): Promise<OpenedFile> {
    return await this.#rest.download({ path: `/api/v4/files/${segment(id)}` }, signal);
  }

  async openPicture(user: string, signal: AbortSignal): Promise<OpenedFile> {
    return await this.#rest.download({ path: `/api/v4/users/${segment(user)}/image` }, signal);
  }

  async #ask(call: RestCall): Promise<RestAnswer> {
    const answer = await this.#rest.call(call);
    if (!answer.ok && answer.failure.status === 401) this.onUnauthorized(answer.failure);
    return answer;
  }

  async #read<T>(
    path: string,
    read: (raw: unknown) => T,
    signal: AbortSignal,
    timeoutMs?: RestCall["timeoutMs"],
  ): Promise<MattermostResult<T>> {
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    return mapped(await this.#ask({ method: "GET", path, signal, ...limit }), read);
  }
}

function idIn(raw: unknown): string | null {
  return isObject(raw) ? textIn(raw, "id") : null;
}

const channelsIn = (raw: unknown): readonly MattermostChannel[] =>
  Array.isArray(raw) ? raw.flatMap((one) => channelIn(one) ?? []) : [];

const usersIn = (raw: unknown): readonly MattermostUser[] =>
  Array.isArray(raw) ? raw.flatMap((one) => userIn(one) ?? []) : [];

const isHere = (): boolean => true;

/**
 * By their own time, and those of one moment as the answer has them, which begins with the newest. Whole threads come
 * with the posts that were asked for: only these are in the order.
 */
function postsIn(raw: unknown): readonly MattermostPost[] {
  const list = isObject(raw) ? raw : NOTHING;
  const posts = objectIn(list, "posts");
  const ids = new Set(listIn(list, "order").filter((id) => typeof id === "string"));
  return [...ids]
    .toReversed()
    .flatMap((id) => postIn(posts[id]) ?? [])
    .toSorted((a, b) => a.createAt - b.createAt);
}

/** `not there` is an answer to whether it is there. */
function found(result: MattermostResult<boolean>): MattermostResult<boolean> {
  return !result.ok && result.failure.status === 404 ? { ok: true, value: false } : result;
}

function mapped<T>(answer: MattermostResult<unknown>, map: (raw: unknown) => T): MattermostResult<T> {
  return answer.ok ? { ok: true, value: map(answer.value) } : answer;
}
