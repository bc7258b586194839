import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { sessionOf } from "./requests.ts";
import type { Stream } from "./hub.ts";
import { isId, textOf } from "./wire.ts";
import type { World } from "./world.ts";

/** Who has not said who it is by then is shown out. */
const AUTH_MS = 5000;
const PING_MS = 60_000;
const MESSAGE_MAX = 8 * 1024;

interface Asked {
  readonly seq: number;
  readonly action: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The sockets on which clients hear of events, and ask for a few things. */
export class Sockets {
  readonly #world: World;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_MAX });
  readonly #open = new Set<WebSocket>();
  /** The server does not see that connections end. */
  blind = false;
  /** What clients have asked for. */
  readonly actions = new Set<string>();
  readonly #unseen: (() => void)[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      this.#open.add(client);
      client.on("error", () => client.terminate());
      let stream: Stream | null = null;
      const enter = (me: string, token: string): void => {
        const old = query.get("connection_id") ?? "";
        const expected = query.get("sequence_number") ?? "";
        // Only a session that the handshake shows may name an old stream.
        const known = stream === null && old !== "" && this.#world.major >= 6 && shown;
        if (known && (!isId(old) || !/^\d+$/.test(expected))) return client.terminate();
        const back = known ? { connection: old, expected: Number(expected) } : undefined;
        stream = this.#world.hub.connect(client, me, token, back);
        this.#online(me);
      };
      let shown = true;
      try {
        const { me, token } = sessionOf(this.#world, request.headers);
        enter(me, token);
      } catch {
        // A bad token is no token: the client may still say who it is.
      }
      shown = false;
      const late = setTimeout(() => {
        if (stream === null) client.terminate();
      }, AUTH_MS);
      const ping = setInterval(() => client.ping(), PING_MS);
      client.on("message", (data: Buffer, binary) => {
        const asked = binary ? null : read(data.toString("utf8"));
        if (asked !== null) this.actions.add(asked.action);
        if (asked === null) client.terminate();
        else if (asked.action === "authentication_challenge") {
          if (stream !== null) return;
          const token = textOf(asked.data["token"]);
          const me = this.#world.tokens.get(token);
          if (me === undefined) return client.terminate();
          enter(me, token);
          client.send(JSON.stringify({ status: "OK", seq_reply: asked.seq }));
        } else this.#answer(client, stream, asked);
      });
      client.on("close", () => {
        clearTimeout(late);
        clearInterval(ping);
        this.#open.delete(client);
        const gone = (): void => {
          if (stream !== null) this.#world.hub.left(stream, client);
        };
        if (this.blind) this.#unseen.push(gone);
        else gone();
      });
    });
  }

  /** The server sees now which connections have ended. */
  see(): void {
    this.blind = false;
    for (const gone of this.#unseen.splice(0)) gone();
  }

  /** Breaks all of them. */
  terminate(): void {
    for (const client of this.#open) client.terminate();
  }

  get count(): number {
    return this.#open.size;
  }

  #online(user: string): void {
    const account = this.#world.account(user);
    if (account.status === "online") return;
    account.status = "online";
    this.#world.tell("status_change", { status: "online", user_id: user }, { user });
  }

  #answer(client: WebSocket, stream: Stream | null, { seq, action, data }: Asked): void {
    const fail = (id: string, message: string, status: number): void => {
      const error = { id, message, detailed_error: "", status_code: status };
      client.send(JSON.stringify({ status: "FAIL", error, seq_reply: seq }));
    };
    if (action === "") return fail("api.web_socket_router.no_action.app_error", "No websocket action.", 400);
    if (seq <= 0)
      return fail("api.web_socket_router.bad_seq.app_error", "Invalid sequence for WebSocket message.", 400);
    if (stream === null) {
      const words = "WebSocket connection is not authenticated. Please log in and try again.";
      return fail("api.web_socket_router.not_authenticated.app_error", words, 401);
    }
    const { version } = this.#world.config;
    const users = [...this.#world.accounts.values()];
    let answer: Record<string, unknown>;
    if (action === "ping") {
      answer = { text: "pong", version, server_time: this.#world.now(), node_id: "" };
    } else if (action === "get_statuses") {
      answer = Object.fromEntries(users.map(({ user, status }) => [user.id, status]));
    } else if (action === "user_typing") {
      const channel = textOf(data["channel_id"]);
      if (!this.#world.isIn(channel, stream.user)) {
        return fail("api.context.permissions.app_error", "You do not have the appropriate permissions.", 403);
      }
      const typists = this.#world.typists.get(channel) ?? new Map<string, number>();
      this.#world.typists.set(channel, typists.set(stream.user, Date.now()));
      const typing = { parent_id: textOf(data["parent_id"]), user_id: stream.user };
      this.#world.tell("typing", typing, { channel, omit: [stream.user] });
      answer = {};
    } else {
      return fail("api.web_socket_router.bad_action.app_error", "Unknown WebSocket action.", 500);
    }
    client.send(JSON.stringify({ status: "OK", data: answer, seq_reply: seq }));
  }
}

function read(text: string): Asked | null {
  try {
    const { seq, action, data } = JSON.parse(text) as Record<string, unknown>;
    return {
      seq: typeof seq === "number" ? seq : 0,
      action: typeof action === "string" ? action : "",
      data: typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {},
    };
  } catch {
    return null;
  }
}
