import type { OpenedFile } from "../../contract/session.ts";
import { download } from "../kit/download.ts";
import type { Http, HttpRequest, Upload } from "../kit/http.ts";
import {
  isObject,
  type Json,
  listIn,
  NOTHING,
  numberIn,
  objectIn,
  parsedInTurns,
  textIn,
  written,
} from "../kit/json.ts";
import { segment } from "../kit/segment.ts";
import { type MatrixFailure, refused, unreachable } from "./failure.ts";
import type { LoginTokens } from "./saved-login.ts";

/**
 * How long a request may take that the server answers at once, as a rule; joining a room of another server takes long.
 */
const CALL_MS = 60_000;
/** The first requests of a session, which tell whether anybody is there at all. */
const ENTRY_MS = 20_000;
/** Of an upload, beside what it takes at 64 KiB a second. */
const UPLOAD_MS = 120_000;

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: MatrixFailure };

interface Call {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | null>>;
  readonly body?: Json | Upload;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly again?: boolean;
  /** A user of our namespace who is to have done it; our own when null or absent. */
  readonly as?: string | null;
  readonly withoutToken?: boolean;
}

/** The user who acts, and until when. */
export interface ActingUser {
  readonly as?: string | null;
  readonly signal?: AbortSignal | undefined;
}

const never = new AbortController().signal;
const accountData = (user: string, type: string): string =>
  `/_matrix/client/v3/user/${segment(user)}/account_data/${segment(type)}`;
const room = (id: string): string => `/_matrix/client/v3/rooms/${segment(id)}`;

/** The client-server API of one homeserver, as far as a bridge needs it. Every answer is a value. */
export class Client {
  readonly #http: Http;
  readonly #base: string;
  /** Of a saved login, in place of a token that stays. */
  readonly #tokens: LoginTokens | null;
  #token: string | null;
  #user: string | null = null;

  constructor(options: {
    readonly http: Http;
    readonly server: string;
    readonly token: string | null;
    readonly tokens?: LoginTokens | null;
  }) {
    this.#http = options.http;
    this.#base = options.server.replace(/\/+$/u, "");
    this.#token = options.token;
    this.#tokens = options.tokens ?? null;
  }

  set token(token: string) {
    this.#token = token;
  }

  /** Whose doing it is when nobody is named: as an application service, the token alone does not say it. */
  set user(id: string) {
    this.#user = id;
  }

  get #login(): Readonly<Record<string, string>> {
    const token = this.#tokens?.token ?? this.#token;
    return token === null ? {} : { Authorization: `Bearer ${token}` };
  }

  /** Some servers repeat what they were sent. Of tokens in the configuration the log knows. */
  #clean(text: string): string {
    const token = this.#tokens?.token ?? "";
    return token === "" ? text : text.replaceAll(token, "…");
  }

  async versions(signal: AbortSignal): Promise<Result<readonly string[]>> {
    const answer = await this.#call({
      method: "GET",
      path: "/_matrix/client/versions",
      signal,
      timeoutMs: ENTRY_MS,
      withoutToken: true,
    });
    return mapped(answer, (json) => listIn(json, "versions").filter((version) => typeof version === "string"));
  }

  async login(body: Json, signal: AbortSignal): Promise<Result<Json>> {
    return await this.#call({ method: "POST", path: "/_matrix/client/v3/login", body, signal, withoutToken: true });
  }

  async whoami(signal: AbortSignal): Promise<Result<Json>> {
    return await this.#call({ method: "GET", path: "/_matrix/client/v3/account/whoami", signal });
  }

  /** Makes a user of our namespace. */
  async register(localpart: string, signal?: AbortSignal): Promise<Result<Json>> {
    const body = { type: "m.login.application_service", username: localpart, inhibit_login: true };
    return await this.#call({ method: "POST", path: "/_matrix/client/v3/register", body, signal });
  }

  async setProfile(
    user: string,
    field: "displayname" | "avatar_url",
    value: string,
    acting: ActingUser,
  ): Promise<Result<Json>> {
    const path = `/_matrix/client/v3/profile/${segment(user)}/${field}`;
    return await this.#call({ method: "PUT", path, body: { [field]: value }, ...acting });
  }

  async profile(user: string, acting: ActingUser): Promise<Result<Json>> {
    return await this.#call({ method: "GET", path: `/_matrix/client/v3/profile/${segment(user)}`, ...acting });
  }

  async accountData(user: string, type: string, acting: ActingUser): Promise<Result<Json>> {
    return await this.#call({ method: "GET", path: accountData(user, type), ...acting });
  }

  async setAccountData(user: string, type: string, body: Json, acting: ActingUser): Promise<Result<Json>> {
    return await this.#call({ method: "PUT", path: accountData(user, type), body, ...acting });
  }

  /** By alias or id; the id of the room. */
  async join(name: string, via: string | null, acting: ActingUser): Promise<Result<string>> {
    const path = `/_matrix/client/v3/join/${segment(name)}`;
    const answer = await this.#call({ method: "POST", path, query: { server_name: via, via }, body: {}, ...acting });
    return mapped(answer, (json) => textIn(json, "room_id") ?? name);
  }

  async invite(roomId: string, user: string, acting: ActingUser): Promise<Result<Json>> {
    return await this.#call({ method: "POST", path: `${room(roomId)}/invite`, body: { user_id: user }, ...acting });
  }

  async joinedRooms(signal?: AbortSignal): Promise<Result<readonly unknown[]>> {
    const answer = await this.#call({ method: "GET", path: "/_matrix/client/v3/joined_rooms", signal });
    return mapped(answer, (json) => listIn(json, "joined_rooms"));
  }

  /** The rooms that the homeserver tells everybody of, with their names: a page. */
  async publicRooms(limit: number, signal: AbortSignal): Promise<Result<readonly unknown[]>> {
    const answer = await this.#call({
      method: "GET",
      path: "/_matrix/client/v3/publicRooms",
      query: { limit },
      signal,
    });
    return mapped(answer, (json) => listIn(json, "chunk"));
  }

  async joinedMembers(roomId: string, signal: AbortSignal): Promise<Result<Json>> {
    const answer = await this.#call({ method: "GET", path: `${room(roomId)}/joined_members`, signal });
    return mapped(answer, (json) => objectIn(json, "joined"));
  }

  async state(roomId: string, type: string, signal: AbortSignal): Promise<Result<Json>> {
    return await this.#call({ method: "GET", path: `${room(roomId)}/state/${segment(type)}/`, signal });
  }

  /** The whole `m.room.create`, with its sender; of a server that does not know `format`, its content. */
  async creation(roomId: string, signal: AbortSignal): Promise<Result<Json>> {
    const path = `${room(roomId)}/state/m.room.create/`;
    return await this.#call({ method: "GET", path, query: { format: "event" }, signal });
  }

  async setState(roomId: string, type: string, key: string, body: Json, acting: ActingUser): Promise<Result<Json>> {
    return await this.#call({
      method: "PUT",
      path: `${room(roomId)}/state/${segment(type)}/${segment(key)}`,
      body,
      ...acting,
    });
  }

  async event(roomId: string, eventId: string, signal: AbortSignal): Promise<Result<Json>> {
    return await this.#call({ method: "GET", path: `${room(roomId)}/event/${segment(eventId)}`, signal });
  }

  /** The id of the new event. */
  async send(roomId: string, type: string, txn: string, body: Json, acting: ActingUser): Promise<Result<string>> {
    const path = `${room(roomId)}/send/${segment(type)}/${segment(txn)}`;
    return mapped(await this.#call({ method: "PUT", path, body, ...acting }), (json) => textIn(json, "event_id") ?? "");
  }

  async redact(roomId: string, eventId: string, txn: string, acting: ActingUser): Promise<Result<Json>> {
    const path = `${room(roomId)}/redact/${segment(eventId)}/${segment(txn)}`;
    return await this.#call({ method: "PUT", path, body: {}, ...acting });
  }

  /** Shows in a room that we type, for `ms`, or with null no longer. */
  async typing(roomId: string, user: string, ms: number | null, signal: AbortSignal): Promise<Result<Json>> {
    const path = `${room(roomId)}/typing/${segment(user)}`;
    const body = ms === null ? { typing: false } : { typing: true, timeout: ms };
    return await this.#call({ method: "PUT", path, body, signal, again: false });
  }

  /** One page of the reactions to a message, newest first. */
  async reactions(roomId: string, eventId: string, from: string | null, signal: AbortSignal): Promise<Result<Json>> {
    const path = `/_matrix/client/v1/rooms/${segment(roomId)}/relations/${segment(eventId)}/m.annotation/m.reaction`;
    return await this.#call({ method: "GET", path, query: { from, limit: 100 }, signal });
  }

  /** `timeoutMs`: how long the server may wait for something to tell. `patienceMs`: how much longer we wait. */
  async sync(wanted: {
    readonly since: string | null;
    readonly filter: string;
    readonly timeoutMs: number;
    readonly patienceMs: number;
    readonly signal: AbortSignal;
  }): Promise<Result<Json>> {
    const { since, filter, timeoutMs, patienceMs, signal } = wanted;
    const query = { since, filter, timeout: timeoutMs, set_presence: "offline" };
    const path = "/_matrix/client/v3/sync";
    return await this.#call({ method: "GET", path, query, signal, timeoutMs: timeoutMs + patienceMs, again: false });
  }

  /** A page of a room's events, newest first, from one position back to another; `characters`: of its JSON. */
  async messages(
    roomId: string,
    page: { readonly from: string; readonly to: string | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Result<{ readonly page: Json; readonly characters: number }>> {
    const filter = JSON.stringify({ lazy_load_members: true, include_redundant_members: true });
    const query = { dir: "b", from: page.from, to: page.to, limit: page.limit, filter };
    const answer = await this.#fetch({ method: "GET", path: `${room(roomId)}/messages`, query, signal });
    return mapped(answer, ({ json, characters }) => ({ page: json, characters }));
  }

  /** The newest reactions of a room, newest first. */
  async newestReactions(roomId: string, signal: AbortSignal): Promise<Result<Json>> {
    const filter = JSON.stringify({ types: ["m.reaction"] });
    return await this.#call({
      method: "GET",
      path: `${room(roomId)}/messages`,
      query: { dir: "b", limit: 100, filter },
      signal,
    });
  }

  /** Its `mxc:` URI. */
  async upload(name: string, body: Upload, signal: AbortSignal): Promise<Result<string>> {
    const timeoutMs = UPLOAD_MS + body.bytes / 64;
    const path = "/_matrix/media/v3/upload";
    const answer = await this.#call({
      method: "POST",
      path,
      query: { filename: name || null },
      body,
      signal,
      timeoutMs,
      again: false,
    });
    return mapped(answer, (json) => textIn(json, "content_uri") ?? "");
  }

  /** The most bytes of one file; null when the server does not say. */
  async uploadMax(): Promise<number | null> {
    for (const path of ["/_matrix/client/v1/media/config", "/_matrix/media/v3/config"]) {
      const answer = await this.#call({ method: "GET", path });
      if (answer.ok) return numberIn(answer.value, "m.upload.size");
    }
    return null;
  }

  /** The content behind an `mxc:` URI. `authenticated`: as servers since v1.11 want it. */
  async download(mxc: string, authenticated: boolean, signal: AbortSignal): Promise<OpenedFile> {
    const { server, media } = /^mxc:\/\/(?<server>[^/?#]+)\/(?<media>[^/?#]+)$/u.exec(mxc)?.groups ?? {};
    if (server === undefined || media === undefined) {
      return { ok: false, why: { code: "bad_content", message: "this is not the address of a file" } };
    }
    const place = `${segment(server)}/${segment(media)}`;
    const failure = authenticated ? await this.#tokens?.ready() : null;
    if (failure) return { ok: false, why: failure.why };
    const path = authenticated ? `/_matrix/client/v1/media/download/${place}` : `/_matrix/media/v3/download/${place}`;
    return await download(this.#http, {
      url: new URL(this.#base + path),
      headers: authenticated ? this.#login : {},
      who: "the homeserver",
      signal,
    });
  }

  async #call(call: Call): Promise<Result<Json>> {
    return mapped(await this.#fetch(call), ({ json }) => json);
  }

  /** With the access token of a saved login, and once more with its next one where the server refuses it. */
  async #fetch(call: Call): Promise<Result<Fetched>> {
    const tokens = call.withoutToken === true ? null : this.#tokens;
    if (tokens === null) return await this.#fetchOnce(call);
    const early = await tokens.ready();
    if (early !== null) return { ok: false, failure: early };
    const { token } = tokens;
    const answer = await this.#fetchOnce(call);
    if (answer.ok || answer.failure.errcode !== "M_UNKNOWN_TOKEN") return answer;
    const failure = await tokens.ready(token);
    if (failure !== null) return { ok: false, failure };
    // What was in a stream is gone.
    if (call.body !== undefined && isUpload(call.body)) return { ok: false, failure: REFRESHED };
    return await this.#fetchOnce(call);
  }

  async #fetchOnce(call: Call): Promise<Result<Fetched>> {
    const { method, path, body, query = {} } = call;
    const url = new URL(this.#base + path);
    const asked: NonNullable<Call["query"]> = { ...query, user_id: call.as ?? this.#user };
    for (const [name, value] of Object.entries(asked)) {
      if (value !== null) url.searchParams.set(name, String(value));
    }
    const answer = await this.#http.request({
      method,
      url,
      headers: call.withoutToken === true ? {} : this.#login,
      body: body === undefined ? null : isUpload(body) ? body : written(body),
      timeoutMs: call.timeoutMs ?? CALL_MS,
      again: call.again ?? true,
      signal: call.signal ?? never,
    });
    if (answer.is === "failed") return { ok: false, failure: unreachable(answer, this.#base) };
    const said = await parsedInTurns(answer.status < 300 ? answer.text : this.#clean(answer.text));
    const json = isObject(said) ? said : null;
    if (answer.status >= 200 && answer.status < 300 && json !== null) {
      return { ok: true, value: { json, characters: answer.text.length } };
    }
    if (answer.status < 300 && json === null && answer.text.startsWith("{")) {
      const why = { is: "failed", why: "too_large", message: "its answer holds too much", certain: false } as const;
      return { ok: false, failure: unreachable(why, this.#base) };
    }
    return { ok: false, failure: refused(answer.status, json ?? NOTHING, answer.headers["retry-after"]) };
  }
}

/** Of an answer; `characters`: how long it is. */
interface Fetched {
  readonly json: Json;
  readonly characters: number;
}

const REFRESHED = refused(503, { error: "the login was refreshed meanwhile" }, undefined);

function isUpload(body: Json | Upload): body is Upload {
  return body["stream" as keyof typeof body] instanceof ReadableStream;
}

function mapped<F, T>(result: Result<F>, map: (value: F) => T): Result<T> {
  return result.ok ? { ok: true, value: map(result.value) } : result;
}
