import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter } from "node:events";
import { ClientRequest, type RequestOptions } from "node:http";
import { Encoding, type IContextFetchingStrategy, type SessionInfo, WebSocketShard } from "@discordjs/ws";
import { GatewayOpcodes } from "discord-api-types/v10";
import { WebSocket } from "ws";
import { type Agents, agentsFor } from "../kit/agents.ts";
import { limitInterim } from "../kit/http.ts";
import { PUBLIC, type ServerTrust } from "../kit/trust.ts";
import { isObject, type Json, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";
import type { DiscordResume } from "./positions.ts";

const HANDSHAKE_MS = 20_000;
/** A close that keeps the session for later (4000–4999, by the library's own choice); 1000 would end it. */
const KEEP = 4200;
const DEVICE = "Rialto";

/** What the gateway tells. */
export interface DiscordEvent {
  /** `GatewayDispatchEvents`, or one that is newer. */
  readonly type: string;
  readonly data: Json;
  readonly seq: number;
  /** Where the gateway can be taken up behind it; null: nowhere. */
  readonly behind: DiscordResume | null;
}

/** Why nothing more comes. */
export type ShardEnd =
  /** By the server, the road or us. `words`: for people. */
  | { readonly is: "closed"; readonly code: number; readonly words: string }
  /** The server wants another connection, or the library has given this one up: it can be taken up. */
  | { readonly is: "again" }
  /** The session is no more. */
  | { readonly is: "refused" };

interface ShardOptions {
  /** `ws:` or `wss:`; of a session that is taken up its own. */
  readonly url: string;
  readonly trust?: ServerTrust;
  /** Of the API, such as `10`. */
  readonly version: string;
  readonly token: string;
  readonly intents: number;
  /** Where to take the events up; null: a new session. */
  readonly from: DiscordResume | null;
  readonly onEvent: (event: DiscordEvent) => void;
  readonly onHeard: () => void;
  readonly onEnd: (end: ShardEnd) => void;
}

/**
 * One connection to the gateway: a shard of `@discordjs/ws`, which logs in and keeps it alive. What it does about ends
 * is left out, for one session of ours is one connection; and what it does not expect of a server goes by.
 */
export class DiscordShard {
  readonly #options: ShardOptions;
  readonly #shard: WebSocketShard;
  #session: SessionInfo | null;
  #resume: DiscordResume | null;
  #ended = false;
  #greeted = false;
  #words = "";

  constructor(options: ShardOptions) {
    this.#options = options;
    const { from } = options;
    this.#resume = from;
    this.#session =
      from === null
        ? null
        : { sessionId: from.session, sequence: from.seq, resumeURL: from.url, shardCount: 1, shardId: 0 };
    this.#shard = new WebSocketShard(this.#strategy(), 0);
    this.#shard.on("error", () => undefined);
    this.#shard.on("socketError", (error: unknown) => {
      this.#words = error instanceof Error ? error.message : "";
    });
    this.#takeOver();
  }

  open(): void {
    // It resolves with the first login, which `onEvent` tells as well.
    void this.#shard.connect().catch(() => undefined);
  }

  /** A question that every server answers. */
  ask(): void {
    const d = this.#session?.sequence ?? null;
    this.#shard.send({ op: GatewayOpcodes.Heartbeat, d }).catch(() => undefined);
  }

  /** Nothing comes any more; the session can be taken up elsewhere. Over when the socket is, or the signal aborted. */
  async close(signal: AbortSignal): Promise<void> {
    const socket = this.#leave();
    if (socket === null) return;
    if (socket.readyState !== WebSocket.OPEN || signal.aborted) return this.#drop(socket);
    const gone = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    socket.close(KEEP);
    await gone;
    this.#drop(socket);
  }

  /** At once. */
  end(): void {
    const socket = this.#leave();
    if (socket !== null) this.#drop(socket);
  }

  #drop(socket: WebSocket): void {
    if (socket.readyState !== WebSocket.CLOSED) socket.terminate();
  }

  /** The library does nothing with it any more. Its socket, which is ours to close; null: it has none. */
  #leave(): WebSocket | null {
    this.#ended = true;
    const socket = this.#socket;
    // Whatever it waits for would make it connect anew.
    const waits: unknown = Reflect.get(this.#shard, "timeoutAbortControllers");
    if (waits instanceof Map) waits.clear();
    if (socket !== null) {
      socket.onmessage = null;
      socket.onclose = null;
      // One that is not open yet fails when it is ended.
      socket.on("error", () => undefined);
    }
    Reflect.set(this.#shard, "connection", null);
    // Its timers end.
    void this.#shard.destroy({ code: KEEP }).catch(() => undefined);
    return socket;
  }

  get #socket(): WebSocket | null {
    const socket: unknown = Reflect.get(this.#shard, "connection");
    return socket instanceof WebSocket ? socket : null;
  }

  #strategy(): IContextFetchingStrategy {
    const { url, trust = PUBLIC, version, token, intents } = this.#options;
    return {
      options: {
        token,
        intents,
        version,
        encoding: Encoding.JSON,
        compression: null,
        useIdentifyCompression: false,
        identifyProperties: { os: process.platform, browser: DEVICE, device: DEVICE },
        initialPresence: null,
        largeThreshold: null,
        // Read just before the library makes its request.
        get handshakeTimeout() {
          if ((trust.proxy ?? null) !== null) lendAgents(agentsFor(trust, { keepAlive: false }));
          return HANDSHAKE_MS;
        },
        // Ours is the limit for all of it.
        helloTimeout: null,
        readyTimeout: null,
        shardCount: 1,
        gatewayInformation: {
          url,
          shards: 1,
          session_start_limit: { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 },
        },
      },
      retrieveSessionInfo: () => this.#session,
      updateSessionInfo: (_, session) => {
        if (!this.#ended) this.#session = session;
      },
      waitForIdentify: async () => await Promise.resolve(),
    };
  }

  /**
   * Six methods of the library do something else. It looks at nothing that a server says, ends the process by what it
   * does not expect, connects anew by itself, and reads payloads of 100 MiB.
   */
  #takeOver(): void {
    const connect = methodOf(this.#shard, "internalConnect");
    const take = methodOf(this.#shard, "onMessage");
    const beat = methodOf(this.#shard, "heartbeat");
    const wait = methodOf(this.#shard, "waitForEvent");
    let connected = false;
    put(this.#shard, "internalConnect", async () => {
      if (connected) return this.#end({ is: "again" });
      connected = true;
      const { url, from } = this.#options;
      await this.#try(async () => await namingUs(from?.url ?? url, connect), []);
    });
    put(this.#shard, "onMessage", async (...given) => await this.#try(take, given));
    put(this.#shard, "heartbeat", async (...given) => {
      // A timer that was set up while the connection ended.
      if (this.#ended) clearInterval(timerIn(Reflect.get(this.#shard, "heartbeatInterval")));
      else await this.#try(beat, given);
    });
    // The first thing that it does with a new socket.
    put(this.#shard, "waitForEvent", async (...given) => {
      bound(this.#socket);
      return await Reflect.apply(wait, this.#shard, given);
    });
    put(this.#shard, "unpackMessage", async (data) => await Promise.resolve(this.#unpack(data)));
    put(this.#shard, "onClose", async (code) => {
      this.#end({ is: "closed", code: typeof code === "number" ? code : 0, words: this.#words });
      await Promise.resolve();
    });
  }

  async #try(method: Method, given: readonly unknown[]): Promise<void> {
    try {
      await Reflect.apply(method, this.#shard, given);
    } catch (error) {
      this.#end({ is: "closed", code: 0, words: error instanceof Error ? error.message : String(error) });
    }
  }

  /** What the library is given of a message; null: nothing. */
  #unpack(data: unknown): Json | null {
    if (this.#ended) return null;
    this.#options.onHeard();
    const payload = typeof data === "string" ? parsed(data) : null;
    if (!isObject(payload)) return null;
    switch (payload["op"]) {
      case GatewayOpcodes.Dispatch:
        return this.#dispatch(payload) ? payload : null;
      case GatewayOpcodes.Hello:
        return this.#isGreeting(payload) ? payload : null;
      case GatewayOpcodes.InvalidSession:
        this.#end(payload["d"] === true ? { is: "again" } : { is: "refused" });
        return null;
      case GatewayOpcodes.Reconnect:
        this.#end({ is: "again" });
        return null;
      case GatewayOpcodes.Heartbeat:
      case GatewayOpcodes.HeartbeatAck:
        return payload;
      default:
        return null;
    }
  }

  /** The first one: of a second the library would forget a timer, which ends the process once the socket is shut. */
  #isGreeting(payload: Json): boolean {
    const isFirst = !this.#greeted && isHeartbeat(numberIn(objectIn(payload, "d"), "heartbeat_interval"));
    this.#greeted ||= isFirst;
    return isFirst;
  }

  /** Whether it is one. */
  #dispatch(payload: Json): boolean {
    const [type, seq] = [textIn(payload, "t"), numberIn(payload, "s")];
    if (type === null || seq === null || !Number.isSafeInteger(seq) || seq < 0) return false;
    const data = objectIn(payload, "d");
    if (type === "READY") {
      const [session, url] = [textIn(data, "session_id"), textIn(data, "resume_gateway_url")];
      if (session === null || url === null) return false;
      this.#resume = isGateway(url) ? { session, url, seq } : null;
    } else if (this.#resume !== null) this.#resume = { ...this.#resume, seq: Math.max(this.#resume.seq, seq) };
    this.#options.onEvent({ type, data, seq, behind: this.#resume });
    return true;
  }

  #end(end: ShardEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd(end);
  }
}

/** More than the largest event: a server with all its channels, and no members. */
const PAYLOAD_MAX = 16 << 20;

/** As sockets of the kit are limited; the library has no settings for it. */
function bound(socket: WebSocket | null): void {
  if (socket === null) return;
  const request: unknown = Reflect.get(socket, "_req");
  if (isRequest(request)) limitInterim(request);
  socket.once("open", () => {
    const receiver: unknown = Reflect.get(socket, "_receiver");
    const extensions: unknown = Reflect.get(socket, "_extensions");
    const inflater = isObject(extensions) ? extensions["permessage-deflate"] : null;
    for (const part of [receiver, inflater]) if (isObject(part)) Reflect.set(part, "_maxPayload", PAYLOAD_MAX);
    if (isObject(receiver)) Reflect.set(receiver, "_allowSynchronousEvents", false);
  });
}

/** Each request that the process begins, before it leaves. */
const BEGUN = "http.client.request.created";

/** Some servers close a socket without a User-Agent, and the library has no settings for headers. */
async function namingUs(url: string, connect: Method): Promise<void> {
  const hostname = new URL(url).hostname.replaceAll(/^\[|\]$/gu, "");
  const name = (message: unknown): void => {
    const request = isObject(message) ? message["request"] : null;
    if (!(request instanceof ClientRequest) || request.host !== hostname) return;
    if (!request.hasHeader("sec-websocket-key") || request.hasHeader("user-agent")) return;
    request.setHeader("User-Agent", DEVICE);
    unsubscribe(BEGUN, name);
  };
  subscribe(BEGUN, name);
  try {
    await connect();
  } finally {
    unsubscribe(BEGUN, name);
  }
}

const isRequest = (value: unknown): value is ClientRequest => value instanceof EventEmitter && "destroy" in value;

function timerIn(value: unknown): NodeJS.Timeout | undefined {
  return isTimer(value) ? value : undefined;
}

const isTimer = (value: unknown): value is NodeJS.Timeout => isObject(value) && "refresh" in value;

const HEARTBEAT_MAX_MS = 3_600_000;

const isHeartbeat = (ms: number | null): boolean => ms !== null && ms > 0 && ms <= HEARTBEAT_MAX_MS;

/** Where sockets can be opened. */
export function isGateway(url: string): boolean {
  return URL.canParse(url) && /^wss?:\/\/[^\s#]+$/u.test(url);
}

/**
 * Has the next request of this process, which the library makes in the same turn, connect by these agents: it has no
 * setting for them.
 */
function lendAgents(agents: Agents): void {
  const modules = [
    [process.getBuiltinModule("node:http"), agents["http:"]],
    [process.getBuiltinModule("node:https"), agents["https:"]],
  ] as const;
  const own = modules.map(([module]) => module.request);
  const takeBack = (): void => {
    for (const [at, [module]] of modules.entries()) Reflect.set(module, "request", own[at]);
  };
  for (const [at, [module, agent]] of modules.entries()) {
    Reflect.set(module, "request", (options: RequestOptions) => {
      takeBack();
      return own[at]?.({ ...options, agent });
    });
  }
  queueMicrotask(takeBack);
}

type Method = (...given: readonly unknown[]) => unknown;

function methodOf(shard: WebSocketShard, name: string): Method {
  const method: unknown = Reflect.get(shard, name);
  if (typeof method !== "function") throw new Error(`@discordjs/ws has no ${name} any more`);
  return (...given): unknown => Reflect.apply(method, shard, given) as unknown;
}

function put(shard: WebSocketShard, name: string, method: (...given: readonly unknown[]) => Promise<unknown>): void {
  Reflect.set(shard, name, method);
}
