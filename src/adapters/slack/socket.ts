import type { Clock } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import { inTime } from "../kit/in-time.ts";
import { isObject, type Json, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";
import { Liveness } from "../kit/liveness.ts";
import { PUBLIC, type ServerTrust } from "../kit/trust.ts";
import { type ClientSocket, openWebSocket, type SocketEnd } from "../kit/web-socket.ts";

const HANDSHAKE_MS = 20_000;
/** A socket that opens and does not greet is none. */
const HELLO_MS = 10_000;
/** No event is as long; those of messages have 100 KiB at most. */
const FRAME_MAX = 8 << 20;
/** The server pings every few seconds: how long it may be silent before it is asked, in doubt, and given up. */
const SILENT_MS = 30_000;
const DOUBT_MS = 10_000;
const DEAD_MS = 25_000;
/** RFC 6455 §7.4.1. */
const GOODBYE = 1000;

/** What came in an envelope, which has to be acknowledged by its id. */
export interface SlackEnvelope {
  readonly id: string;
  /** `events_api`, `slash_commands`, `interactive`, … */
  readonly type: string;
  readonly payload: Json;
}

interface SocketOptions {
  readonly clock: Clock;
  readonly trust?: ServerTrust;
  /** Good for one connection, and for some seconds. */
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly onEnvelope: (envelope: SlackEnvelope, socket: SlackSocket) => void;
  /** The server says that it ends: `warning`, `refresh_requested`, `link_disabled`, `too_many_websockets`. */
  readonly onDisconnect: (reason: string, socket: SlackSocket) => void;
  readonly onDoubt: (why: Reason | null, socket: SlackSocket) => void;
}

export type OpenedSocket =
  | { readonly ok: true; readonly socket: SlackSocket }
  /** `expired`: the address was no good any more. */
  | ({ readonly ok: false; readonly expired: boolean } & NotGreeted);

interface NotGreeted {
  /** What the server said instead of a greeting, see `SocketOptions.onDisconnect`; empty: nothing. */
  readonly reason: string;
  readonly why: Reason;
}

/** One connection of Socket Mode that has been greeted. Never rejects. */
export async function openSocket(options: SocketOptions): Promise<OpenedSocket> {
  const { url, trust = PUBLIC, clock, signal } = options;
  const socket = new SlackSocket(options);
  const opened = await openWebSocket({
    url,
    headers: {},
    trust,
    clock,
    signal,
    handshakeMs: HANDSHAKE_MS,
    maxPayload: FRAME_MAX,
    onText: (text) => socket.take(text),
    onHeard: () => socket.heard(),
  });
  if (!opened.ok) {
    const { why, status, message } = opened.refusal;
    const expired = status >= 400 && status < 500 && status !== 429;
    const code = why === "timeout" ? "timeout" : why === "aborted" ? "stopping" : "network";
    return { ok: false, expired, reason: "", why: { code, message: `Slack's socket cannot be opened: ${message}` } };
  }
  const refused = await socket.greeted(opened.socket, signal);
  if (refused === null) return { ok: true, socket };
  socket.end(refused.why.message);
  return { ok: false, expired: false, ...refused };
}

/** A connection, from its greeting to its end. */
export class SlackSocket {
  readonly #options: SocketOptions;
  readonly #liveness: Liveness;
  readonly #hello = Promise.withResolvers<string>();
  #socket: ClientSocket | null = null;
  #greeted = false;
  #paused = false;
  #app = "";
  #connections = 0;
  #silent = false;

  constructor(options: SocketOptions) {
    this.#options = options;
    this.#liveness = new Liveness({
      clock: options.clock,
      silentMs: SILENT_MS,
      doubtMs: DOUBT_MS,
      deadMs: DEAD_MS,
      ask: () => this.#socket?.ping(),
      onDoubt: (why) => options.onDoubt(why, this),
      onDead: ({ message }) => {
        this.#silent = true;
        this.end(message);
      },
    });
  }

  /** The app that is told; empty: the server does not say it. */
  get app(): string {
    return this.#app;
  }

  /** So many the app had with this one, as far as the server says it. */
  get connections(): number {
    return this.#connections;
  }

  /** It was given up, because nothing came. */
  get silent(): boolean {
    return this.#silent;
  }

  /** How it ended. */
  get ended(): Promise<SocketEnd> {
    if (this.#socket === null) throw new Error("a socket is used before it is open");
    return this.#socket.ended;
  }

  /** Null once the server has greeted; what it said instead. */
  async greeted(socket: ClientSocket, signal: AbortSignal): Promise<NotGreeted | null> {
    this.#socket = socket;
    const over = socket.ended.then(({ reason, error }) => ({ cut: error || reason || "it was closed" }));
    const said = this.#hello.promise.then((reason) => ({ reason }));
    const limit = { clock: this.#options.clock, ms: HELLO_MS, signal };
    const first = await inTime(Promise.race([said, over]), limit, (why) => ({ why }));
    if ("reason" in first) {
      if (first.reason === "") this.#liveness.start();
      const words = `Slack ends the connection (${first.reason})`;
      return first.reason === "" ? null : { reason: first.reason, why: { code: "remote_error", message: words } };
    }
    if ("cut" in first)
      return { reason: "", why: { code: "network", message: `Slack's socket ended before it began: ${first.cut}` } };
    return first.why === "late"
      ? { reason: "", why: { code: "timeout", message: "Slack's socket opens, and says nothing" } }
      : { reason: "", why: { code: "stopping", message: "connecting was cancelled" } };
  }

  take(text: string): void {
    const message = parsed(text);
    if (!isObject(message)) return;
    const type = textIn(message, "type") ?? "";
    const id = textIn(message, "envelope_id") ?? "";
    if (type === "hello") this.#welcome(message);
    else if (type === "disconnect") this.#farewell(textIn(message, "reason") || "it does not say why");
    else if (id !== "") this.#options.onEnvelope({ id, type, payload: objectIn(message, "payload") }, this);
  }

  heard(): void {
    if (this.#greeted) this.#liveness.heard();
  }

  /** Tells the server that it need not say that again. */
  acknowledge(envelope: string): void {
    this.#socket?.send(JSON.stringify({ envelope_id: envelope }));
  }

  pause(paused: boolean): void {
    if (this.#paused === paused) return;
    this.#paused = paused;
    if (paused) this.#socket?.pause();
    else this.#socket?.resume();
    this.#liveness.reading(!paused);
  }

  /** Nothing comes any more; the server is told. */
  close(): void {
    this.#liveness.stop();
    this.#socket?.close(GOODBYE);
  }

  end(why: string): void {
    this.#liveness.stop();
    this.#socket?.end(why);
  }

  /** The timers of an ended connection. */
  rest(): void {
    this.#liveness.stop();
  }

  #welcome(message: Json): void {
    this.#greeted = true;
    this.#app = textIn(objectIn(message, "connection_info"), "app_id") ?? "";
    this.#connections = numberIn(message, "num_connections") ?? 0;
    this.#hello.resolve("");
  }

  #farewell(reason: string): void {
    if (this.#greeted) this.#options.onDisconnect(reason, this);
    else this.#hello.resolve(reason);
  }
}
