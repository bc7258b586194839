import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Answer } from "../site/answer.ts";
import { newSecret } from "./clock.ts";
import type { Hub, Pipe } from "./hub.ts";
import { type AppRow, isRecord } from "./wire.ts";
import type { World } from "./world.ts";

/** A ticket is for one connection, soon. */
const TICKET_MS = 30_000;
const PING_MS = 10_000;
/** Connections of one app at a time. */
const CONNECTIONS = 10;
/** After a warning the server closes the connection. */
const GRACE_MS = 10_000;

type Reason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";

/** The connections of Socket Mode. */
export class Sockets {
  readonly #world: World;
  readonly #hub: Hub;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 1 << 20, autoPong: false });
  readonly #open = new Map<WebSocket, Pipe>();
  readonly #tickets = new Map<string, { readonly app: AppRow; readonly until: number }>();
  readonly #timers = new Map<WebSocket, NodeJS.Timeout[]>();
  graceMs = GRACE_MS;
  pingMs = PING_MS;
  /** Pings are not answered and events not sent, as on a connection that is dead and does not know it. */
  deaf = false;
  /** Connections open and are not greeted. */
  silent = false;
  /** Connections that end are still taken for sound; see `FakeSlack.cutUnseen`. */
  blind = false;
  readonly #unseen: (() => void)[] = [];
  /** What clients said that is no acknowledgement of anything. */
  readonly strange: string[] = [];
  /** How many connections there have been. */
  greeted = 0;

  constructor(world: World, hub: Hub) {
    this.#world = world;
    this.#hub = hub;
  }

  /** Where the app may connect, once. */
  ticket(app: AppRow): string {
    const ticket = newSecret(32);
    this.#tickets.set(ticket, { app, until: this.#world.now() + TICKET_MS });
    return `${this.#world.site.replace("http", "ws")}/link/?ticket=${ticket}&app_id=${app.id}`;
  }

  /** Tickets that were given out are worth nothing any more. */
  expireTickets(): void {
    this.#tickets.clear();
  }

  /** Why there is no connection, or null where there is one. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, url: URL): Answer | null {
    const ticket = url.searchParams.get("ticket") ?? "";
    const held = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    const isGood = held !== undefined && held.until > this.#world.now();
    if (!isGood || url.searchParams.get("app_id") !== held.app.id) return { status: 404, bytes: "" };
    this.#server.handleUpgrade(request, socket, head, (client) => this.#welcome(client, held.app));
    return null;
  }

  count(app: AppRow): number {
    return this.#hub.count(app.id);
  }

  /** Says that connections come to an end, those of one app or all; `refresh_requested` and others close them then. */
  disconnect(reason: Reason, app?: AppRow): void {
    for (const [client, pipe] of this.#open) {
      if (app !== undefined && pipe.app !== app.id) continue;
      this.#farewell(client, reason);
    }
  }

  /** The app's owner turns Socket Mode off. */
  disable(app: AppRow): void {
    app.socketMode = false;
    this.disconnect("link_disabled", app);
  }

  /** Breaks all of them. */
  terminate(): void {
    for (const client of this.#open.keys()) client.terminate();
  }

  /** The server sees now which connections have ended. */
  see(): void {
    this.blind = false;
    for (const gone of this.#unseen.splice(0)) gone();
  }

  #welcome(client: WebSocket, app: AppRow): void {
    const pipe: Pipe = {
      app: app.id,
      say: (text) => {
        if (!this.deaf) client.send(text);
      },
    };
    client.on("error", () => client.terminate());
    client.on("ping", (data: Buffer) => {
      if (!this.deaf) client.pong(data);
    });
    const ping = setInterval(() => {
      if (!this.deaf) client.ping();
    }, this.pingMs);
    this.#timers.set(client, [ping]);
    this.#open.set(client, pipe);
    client.on("close", () => {
      for (const timer of this.#timers.get(client) ?? []) clearTimeout(timer);
      this.#timers.delete(client);
      this.#open.delete(client);
      const gone = (): void => this.#hub.left(pipe);
      if (this.blind) this.#unseen.push(gone);
      else gone();
    });
    client.on("message", (data: Buffer, binary) => this.#hear(binary ? "" : data.toString("utf8")));
    if (this.#hub.count(app.id) >= CONNECTIONS) return this.#farewell(client, "too_many_websockets");
    this.#hub.connect(pipe);
    if (this.silent) return;
    this.greeted += 1;
    const info = { host: "applink-1", build_number: 12, approximate_connection_time: 18_060 };
    const hello = { type: "hello", num_connections: this.#hub.count(app.id), debug_info: info };
    pipe.say(JSON.stringify({ ...hello, connection_info: { app_id: app.id } }));
  }

  #farewell(client: WebSocket, reason: Reason): void {
    client.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-1" } }));
    // The new connection has this long to be made; otherwise the old one is closed at once.
    const grace = reason === "warning" || reason === "refresh_requested" ? this.graceMs : 0;
    const close = setTimeout(() => client.close(1000), grace);
    this.#timers.get(client)?.push(close);
  }

  #hear(text: string): void {
    const said = read(text);
    const envelope = said?.["envelope_id"];
    if (typeof envelope !== "string" || !this.#hub.ack(envelope)) this.strange.push(text);
  }
}

function read(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
