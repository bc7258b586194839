import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Host } from "../../../contract/host.ts";
import type { Ended } from "../../../contract/session.ts";
import { parseAddress, plainIp } from "../../../lib/address.ts";
import { errorCode } from "../../../lib/network-error.ts";
import { Server } from "../../../lib/node-http.ts";
import { builtPages, type StaticFiles } from "../../../lib/static-files.ts";
import { lost, misconfigured } from "../../kit/ends.ts";
import { type Chat, errorText, isRefusal, NO_MORE, type Refusal, refusal, UNAVAILABLE } from "../chat.ts";
import { digestOf, join, newSecret } from "../guests.ts";
import { publicUrl, type WebSettings } from "../settings.ts";
import { type CallReply, reply, type WebCall } from "./calls.ts";
import { GuestCookies, type GuestSession } from "./guest-cookies.ts";
import { Rates } from "./rates.ts";
import {
  addressOf,
  answer,
  isProxy,
  letGo,
  netOf,
  type OwnPlace,
  ownerOf,
  readBody,
  refuse,
  strangerOf,
  textIn,
} from "./requests.ts";
import { openSessions, ROOMS_MAX, roomsOf, showInvite } from "./room-routes.ts";
import { guestRoutes, meOf } from "./routes.ts";
import { AddressShares, Incoming } from "./shares.ts";
import { Streams } from "./streams.ts";

const CONNECTIONS_MAX = 4_000;
/** Of one address that is no proxy: more than a school behind one has open. */
const ADDRESS_CONNECTIONS_MAX = 1_000;
const HEADERS_MS = 20_000;
/** For a large file on a slow connection. */
const REQUEST_MS = 10 * 60_000;
const LINGER_MS = 5_000;
const KEPT_MS = 30_000;
/** For the last answers, at a close. */
const GOODBYE_MS = 200;
/** A guest is seen again after so long. */
const SEEN_MS = 60_000;
/** Requests without a session of one address, and tries to join; and reading requests of one guest, in a minute. */
const STRANGERS_MAX = 600;
const READS_MAX = 1_200;
const MINUTE = 60_000;
/** Whoever guessed it, with the invite, would be this guest. */
const JOIN_KEY = /^[\x21-\x7e]{20,200}$/u;

/** The chat's own web server. */
export class ChatServer {
  readonly #settings: WebSettings;
  readonly #host: Host;
  readonly #place: OwnPlace;
  readonly #cookies: GuestCookies;
  readonly #server: InstanceType<typeof Server>;
  readonly #joins: Rates;
  readonly #strangers: Rates;
  readonly #acts: Rates;
  readonly #reads: Rates;
  readonly #connections = new AddressShares(ADDRESS_CONNECTIONS_MAX);
  readonly #incoming = new Incoming();
  #pages: StaticFiles | null = null;
  #serving: { readonly chat: Chat; readonly streams: Streams } | null = null;

  constructor(settings: WebSettings, host: Host) {
    this.#settings = settings;
    this.#host = host;
    const url = publicUrl(settings);
    const bound = parseAddress(settings.BindAddress);
    this.#place = {
      url,
      bound: "error" in bound ? "" : bound.host,
      proxies: new Set(settings.TrustProxy.map(plainIp)),
    };
    this.#cookies = new GuestCookies(url, settings.GuestTime);
    const nowMs = (): number => host.clock.monoMs();
    this.#joins = new Rates(settings.JoinRate, 60 * MINUTE, nowMs);
    this.#strangers = new Rates(STRANGERS_MAX, MINUTE, nowMs);
    this.#acts = new Rates(settings.Rate, MINUTE, nowMs);
    this.#reads = new Rates(Math.max(READS_MAX, settings.Rate), MINUTE, nowMs);
    this.#server = new Server({
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEPT_MS,
      connectionsCheckingInterval: 10_000,
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on("connection", (socket: Socket) => this.#admit(socket));
    this.#server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void this.#serve(request, response);
    });
  }

  /** Why it does not listen; null: it does. */
  async listen(): Promise<Ended | null> {
    const { BindAddress } = this.#settings;
    const address = parseAddress(BindAddress);
    if ("error" in address) return misconfigured(`BindAddress: ${address.error}`);
    const host = address.host.toLowerCase() === "localhost" ? "127.0.0.1" : address.host;
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    this.#server.once("error", resolve);
    this.#server.listen({ port: address.port, ...(host !== "" && { host }) }, () => resolve(null));
    const error = await promise;
    this.#pages = builtPages();
    this.#server.on("error", () => undefined);
    if (error === null) return null;
    const code = errorCode(error);
    const words = code === "EADDRINUSE" ? "another program listens there" : error.message;
    return lost("network", `cannot listen on BindAddress ${BindAddress}: ${words}`);
  }

  serve(chat: Chat): void {
    const streams = new Streams(chat, this.#host.clock);
    chat.audience = streams;
    this.#serving = { chat, streams };
  }

  dismissRoom(room: string): void {
    this.#serving?.streams.dismissRoom(room);
  }

  async close(): Promise<void> {
    this.#serving?.streams.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeIdleConnections();
    const cut = this.#host.clock.after(GOODBYE_MS, () => this.#server.closeAllConnections());
    await promise;
    cut();
  }

  #admit(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    if (isProxy(address, this.#place)) return;
    const giveBack = this.#connections.take(ownerOf(address));
    if (giveBack === null) socket.destroy();
    else socket.once("close", giveBack);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    request.on("error", () => undefined);
    try {
      const outcome = await this.#answer(request, response);
      if (outcome === "taken") return;
      if (isRefusal(outcome)) refuse(response, outcome);
      else answer(response, outcome.status, outcome.body, outcome.headers);
      letGo(request, LINGER_MS);
    } catch (error) {
      // One that was read to its end counts as destroyed as well.
      if (request.destroyed && !request.complete) return void response.destroy();
      const path = (request.url ?? "/").split("?", 1)[0];
      const fields = { method: request.method, path, error: errorText(error) };
      this.#host.log.warn(fields, "a request of the web chat failed: this is a bug");
      if (response.headersSent) return void response.destroy();
      refuse(response, UNAVAILABLE);
      letGo(request, LINGER_MS);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<CallReply> {
    const stranger = strangerOf(request, this.#place);
    if (stranger !== null) return stranger;
    const at = (request.url ?? "/").indexOf("?");
    const path = at === -1 ? (request.url ?? "/") : (request.url ?? "/").slice(0, at);
    if (!path.startsWith("/v1/")) return await this.#page(path, request, response);
    const serving = this.#serving;
    if (serving === null || serving.chat.store.closed) return UNAVAILABLE;
    const address = addressOf(request, this.#place);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const query = new URLSearchParams(at === -1 ? "" : (request.url ?? "").slice(at + 1));
    const [owner, net] = [ownerOf(address), netOf(address)];
    const incoming = this.#incoming;
    const cookies = this.#cookies;
    const of = { incoming, owner, net, cookies, signal: gone.signal };
    const call = { ...serving, request, response, query, params: [], ...of };
    if (path === "/v1/join" && request.method === "POST") return await this.#join(call);
    if (path === "/v1/invite" && request.method === "POST") return await this.#invite(call);
    if (path === "/v1/rooms" && request.method === "GET") return await this.#rooms(call);
    return await this.#guest(call, path);
  }

  async #page(path: string, request: IncomingMessage, response: ServerResponse): Promise<CallReply> {
    if (request.method !== "GET" && request.method !== "HEAD") return NOT_THERE;
    const isPage = path === "/" || path === "/join";
    if (isPage && this.#pages === null)
      return refusal("unavailable", "the page of the chat was not built: run `npm run build`");
    const name = isPage ? "chat.html" : path.slice(1);
    if (!isPage && !name.startsWith("assets/")) return NOT_THERE;
    return (await this.#pages?.answer(name, request, response)) === true ? "taken" : NOT_THERE;
  }

  async #join(call: WebCall): Promise<CallReply> {
    const { chat, net, owner } = call;
    const knocks = this.#strangers.take(`joins ${owner}`);
    if (knocks > 0) return tooMany(knocks);
    const key = call.request.headers["idempotency-key"]?.toString() ?? newSecret();
    if (!JOIN_KEY.test(key))
      return refusal("bad_request", "the header Idempotency-Key must be 20 to 200 characters of ASCII, by chance");
    const read = await readBody(call);
    if (isRefusal(read)) return read;
    const [invite, name] = [textIn(read.body, "invite"), textIn(read.body, "name")];
    // Whoever has an invite for a class may be a class behind one address.
    const known = chat.people.inviteBy(digestOf(invite));
    const wait = known === null ? this.#joins.take(owner) : this.#joins.take(`${owner} ${known.id}`, known.uses);
    if (wait > 0) return tooMany(wait);
    const elsewhere = openSessions(call).filter(({ guest }) => guest.room !== known?.channel);
    if (elsewhere.length >= ROOMS_MAX)
      return refusal("too_many", `you are in ${ROOMS_MAX} rooms: leave a room first`, { retryS: 60 });
    const joined = await join(chat, { key, invite, name, net });
    if (isRefusal(joined)) return joined;
    const headers = { "Set-Cookie": this.#cookies.cookieOf(joined) };
    return { status: 201, body: meOf(chat, joined.guest), headers };
  }

  /** A wrong invite does not count as a try to join: 32 random bytes cannot be guessed. */
  async #invite(call: WebCall): Promise<CallReply> {
    const wait = this.#strangers.take(`invites ${call.owner}`);
    return wait > 0 ? tooMany(wait) : await showInvite(call);
  }

  /** For everybody: a browser without a session is in no room. It keeps all sessions of the browser alive. */
  async #rooms(call: WebCall): Promise<CallReply> {
    const { chat, cookies, request, response, owner } = call;
    const sessions = openSessions(call);
    const [first] = sessions;
    const wait = first === undefined ? this.#strangers.take(owner) : this.#reads.take(first.guest.id);
    if (wait > 0) return tooMany(wait);
    for (const session of sessions) await this.#seen(chat, session, response);
    const renewed = cookies.renewed(cookies.sessions(chat.people, request), request);
    if (renewed.length > 0) response.setHeader("Set-Cookie", renewed);
    return reply(roomsOf(chat, sessions));
  }

  async #guest(call: WebCall, path: string): Promise<CallReply> {
    const { chat, request, response } = call;
    const known = this.#cookies.session(chat.people, request, call.query.get("room"));
    if (known === null) {
      const wait = this.#strangers.take(call.owner);
      return wait > 0 ? tooMany(wait) : refusal("unauthorized", "join by an invite first");
    }
    const { guest } = known;
    if (guest.banned) return NO_MORE;
    if (!chat.isOpen(guest.room)) return refusal("not_found", "the room is closed");
    for (const { method, path: pattern, counts, handle } of guestRoutes) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (match === null) continue;
      const wait = (counts === true ? this.#acts : this.#reads).take(guest.id);
      if (wait > 0) return tooMany(wait);
      const params = decoded(match.slice(1));
      if (params === null) return NOT_THERE;
      // Whoever only reads asks this now and then, so that the browser keeps the cookie.
      if (path === "/v1/me") response.setHeader("Set-Cookie", this.#cookies.cookieOf(known));
      await this.#seen(chat, known, response);
      return await handle({ ...call, guest, params });
    }
    return NOT_THERE;
  }

  /** Its time begins again, and that of its cookie. */
  async #seen(chat: Chat, session: GuestSession, response: ServerResponse): Promise<void> {
    const { guest } = session;
    const now = chat.nowMs;
    if (Math.abs(now - guest.seenMs) < SEEN_MS) return;
    response.setHeader("Set-Cookie", this.#cookies.cookieOf(session));
    await chat.store.write(() => chat.people.seen(guest.id, now)).catch(() => undefined);
  }
}

const NOT_THERE: Refusal = refusal("not_found", "there is nothing at this address");

const tooMany = (retryS: number): Refusal => refusal("too_many", "too much at once: wait a little", { retryS });

function decoded(params: readonly string[]): readonly string[] | null {
  try {
    return params.map((one) => decodeURIComponent(one));
  } catch {
    return null;
  }
}
