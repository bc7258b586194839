import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { constants, createDeflate } from "node:zlib";
import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from "discord-api-types/v10";
import { type WebSocket, WebSocketServer } from "ws";
import type { Pipe, Session } from "./hub.ts";
import { requestMembers } from "./members.ts";
import { textOf } from "./wire.ts";
import type { World } from "./world.ts";

/** Larger payloads of clients are refused. */
const PAYLOAD_MAX = 4096;
/** So many payloads a minute. */
const PAYLOADS = 120;

const PRIVILEGED = {
  members: GatewayIntentBits.GuildMembers,
  presence: GatewayIntentBits.GuildPresences,
  messageContent: GatewayIntentBits.MessageContent,
} as const;

const ALL_INTENTS = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === "number")
  .reduce((all, bit) => all | bit, 0);

type Fields = Readonly<Record<string, unknown>>;

/** The connections of the gateway: what a client may say on one, and what it hears. */
export class Sockets {
  readonly #world: World;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  readonly #open = new Map<WebSocket, Pipe>();
  /** How long a client may be silent between heartbeats. */
  heartbeatMs = 41_250;
  /** Heartbeats are not acknowledged, as on a connection that is dead and does not know it. */
  deaf = false;
  /** Whoever wants to go on with a session is cut off with this code; null: is not. */
  closesResumes: number | null = null;
  /** Heartbeats of all clients. */
  beats = 0;
  /** The version of the API. */
  version = "10";
  /** Who does not say what it is, by a User-Agent, is shut out. */
  wantsAgent = false;
  /** Connections that end are still taken for sound; see `FakeDiscord.cutUnseen`. */
  blind = false;
  readonly #unseen: (() => void)[] = [];
  readonly #mute = new WeakSet<WebSocket>();
  /** Each IDENTIFY and RESUME, and by which path the connection came. */
  readonly logins: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      const pipe = pipeOf(client, () => this.#mute.has(client), url.searchParams.get("compress") === "zlib-stream");
      this.#open.set(client, pipe);
      client.on("error", () => client.terminate());
      const line = new Line(this.#world, this, pipe, url.pathname.replace(/\/$/, ""));
      client.on("message", (data: Buffer, binary) => line.hear(data, binary));
      client.on("close", (code) => {
        const gone = (): void => {
          this.#open.delete(client);
          line.end(code);
        };
        if (this.blind) this.#unseen.push(gone);
        else gone();
      });
      if (this.wantsAgent && request.headers["user-agent"] === undefined) {
        return pipe.close(GatewayCloseCodes.DecodeError, "");
      }
      if ((url.searchParams.get("v") ?? this.version) !== this.version) {
        return pipe.close(GatewayCloseCodes.InvalidAPIVersion, "Invalid API version.");
      }
      line.begin();
    });
  }

  /** Nothing at all is said any more on the connections there are, as if their other end had forgotten them. */
  mute(): void {
    for (const client of this.#open.keys()) this.#mute.add(client);
  }

  /** The server sees now which connections have ended. */
  see(): void {
    this.blind = false;
    for (const gone of this.#unseen.splice(0)) gone();
  }

  get count(): number {
    return this.#open.size;
  }

  /** The server closes all connections, with this code. */
  close(code: number, reason = ""): void {
    for (const pipe of this.#open.values()) pipe.close(code, reason);
  }

  /** Asks all clients to connect anew and go on. */
  askReconnect(): void {
    this.#say({ op: GatewayOpcodes.Reconnect, d: null, s: null, t: null });
  }

  /** Says anything, as the real one never would. */
  babble(text: string): void {
    for (const pipe of this.#open.values()) pipe.say(text);
  }

  /** Wants a sign of life at once. */
  askHeartbeat(): void {
    this.#say({ op: GatewayOpcodes.Heartbeat, d: null, s: null, t: null });
  }

  /** Tells all clients that their session is at an end, or that they may go on with it on another connection. */
  invalidate(resumable: boolean): void {
    if (!resumable) this.#world.hub.forget();
    this.#say({ op: GatewayOpcodes.InvalidSession, d: resumable, s: null, t: null });
  }

  terminate(): void {
    for (const client of this.#open.keys()) client.terminate();
  }

  #say(payload: object): void {
    for (const pipe of this.#open.values()) pipe.say(JSON.stringify(payload));
  }
}

/** One connection. */
class Line {
  readonly #world: World;
  readonly #sockets: Sockets;
  readonly #pipe: Pipe;
  readonly #path: string;
  #session: Session | null = null;
  #watch: NodeJS.Timeout | null = null;
  #heard: number[] = [];

  constructor(world: World, sockets: Sockets, pipe: Pipe, path: string) {
    this.#world = world;
    this.#sockets = sockets;
    this.#pipe = pipe;
    this.#path = path;
  }

  begin(): void {
    const { heartbeatMs } = this.#sockets;
    this.#say(GatewayOpcodes.Hello, { heartbeat_interval: heartbeatMs });
    const tooLate = (): void => this.#close(GatewayCloseCodes.SessionTimedOut, "Session timed out.");
    this.#watch = setTimeout(tooLate, heartbeatMs * 1.5);
  }

  end(code: number): void {
    if (this.#watch !== null) clearTimeout(this.#watch);
    if (this.#session !== null) this.#world.hub.left(this.#session, this.#pipe, code);
  }

  hear(data: Buffer, binary: boolean): void {
    const now = this.#world.now();
    this.#heard = [...this.#heard.filter((at) => now - at < 60_000), now];
    if (this.#heard.length > PAYLOADS) return this.#close(GatewayCloseCodes.RateLimited, "Rate limited.");
    const payload = binary || data.length > PAYLOAD_MAX ? null : read(data.toString("utf8"));
    if (payload === null) return this.#close(GatewayCloseCodes.DecodeError, "Error while decoding payload.");
    const { op, d } = payload;
    const fields = typeof d === "object" && d !== null ? (d as Fields) : {};
    if (op === GatewayOpcodes.Heartbeat) return this.#beat();
    if (op === GatewayOpcodes.Identify || op === GatewayOpcodes.Resume) {
      if (this.#session !== null) {
        return this.#close(GatewayCloseCodes.AlreadyAuthenticated, "Already authenticated.");
      }
      if (op === GatewayOpcodes.Identify) this.#identify(fields);
      else this.#resume(fields);
      return;
    }
    if (this.#session === null) return this.#close(GatewayCloseCodes.NotAuthenticated, "Not authenticated.");
    if (op === GatewayOpcodes.RequestGuildMembers) return requestMembers(this.#world, this.#session, fields);
    const silent = op === GatewayOpcodes.PresenceUpdate || op === GatewayOpcodes.VoiceStateUpdate;
    if (!silent) this.#close(GatewayCloseCodes.UnknownOpcode, "Unknown opcode.");
  }

  #beat(): void {
    this.#sockets.beats += 1;
    if (this.#sockets.deaf) return;
    this.#watch?.refresh();
    this.#say(GatewayOpcodes.HeartbeatAck, null);
  }

  #identify(asked: Fields): void {
    this.#sockets.logins.push(`IDENTIFY ${this.#path}`);
    const app = this.#world.appOf(textOf(asked["token"]).replace(/^Bot /, ""));
    if (app === undefined) return this.#close(GatewayCloseCodes.AuthenticationFailed, "Authentication failed.");
    const properties = asked["properties"];
    const intents = asked["intents"];
    if (typeof properties !== "object" || properties === null || typeof intents !== "number") {
      return this.#close(GatewayCloseCodes.DecodeError, "Error while decoding payload.");
    }
    if ((intents & ~ALL_INTENTS) !== 0) return this.#close(GatewayCloseCodes.InvalidIntents, "Invalid intent(s).");
    const missing = (Object.keys(PRIVILEGED) as (keyof typeof PRIVILEGED)[]).some(
      (name) => (intents & PRIVILEGED[name]) !== 0 && !app.portal[name],
    );
    if (missing) return this.#close(GatewayCloseCodes.DisallowedIntents, "Disallowed intent(s).");
    const shard = asked["shard"];
    if (shard !== undefined && !isShard(shard)) {
      return this.#close(GatewayCloseCodes.InvalidShard, "Invalid shard.");
    }
    if (this.#world.hub.starts <= 0) return this.#say(GatewayOpcodes.InvalidSession, false);
    this.#session = this.#world.hub.identify(app, intents, shard, this.#pipe);
  }

  #resume(asked: Fields): void {
    this.#sockets.logins.push(`RESUME ${this.#path}`);
    if (this.#sockets.closesResumes !== null) return this.#close(this.#sockets.closesResumes, "");
    const { token, session_id: id, seq } = asked;
    if (typeof token !== "string" || typeof id !== "string" || typeof seq !== "number") {
      return this.#close(GatewayCloseCodes.DecodeError, "Error while decoding payload.");
    }
    const session = this.#world.hub.resume(token.replace(/^Bot /, ""), id, seq, this.#pipe);
    if (session === "ahead") return this.#close(GatewayCloseCodes.InvalidSeq, "Invalid seq.");
    if (session === "unknown") return this.#say(GatewayOpcodes.InvalidSession, false);
    this.#session = session;
  }

  #say(op: GatewayOpcodes, d: unknown): void {
    this.#pipe.say(JSON.stringify({ op, d, s: null, t: null }));
  }

  #close(code: number, reason: string): void {
    this.#pipe.close(code, reason);
  }
}

/** With compression, all messages of a connection are one stream, flushed after each. */
function pipeOf(client: WebSocket, isMute: () => boolean, compressed: boolean): Pipe {
  const close = (code: number, reason: string): void => client.close(code, reason);
  if (!compressed) {
    const say = (text: string): void => {
      if (!isMute()) client.send(text);
    };
    return { say, close };
  }
  const deflate = createDeflate();
  const parts: Buffer[] = [];
  deflate.on("data", (part: Buffer) => parts.push(part));
  const say = (text: string): void => {
    if (isMute()) return;
    deflate.write(text);
    deflate.flush(constants.Z_SYNC_FLUSH, () => client.send(Buffer.concat(parts.splice(0))));
  };
  return { say, close };
}

function isShard(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value[0] === 0 && value[1] === 1;
}

function read(text: string): { op: unknown; d: unknown } | null {
  try {
    const { op, d } = JSON.parse(text) as Record<string, unknown>;
    return { op, d };
  } catch {
    return null;
  }
}
