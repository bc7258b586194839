import type { WebSocket } from "ws";
import type { Logger } from "../../logger.ts";
import type { Feed } from "./feed.ts";

/**
 * The WebSockets of one API account: live only, one text frame per message.
 * A socket that does not take its frames, or does not answer pings, is closed; nothing is queued for it beyond UNSENT_MAX.
 */

const UNSENT_MAX = 4 * 1024 * 1024;
const PING_EVERY_MS = 54_000;

interface State {
  pingedAtMs: number;
  alive: boolean;
}

export class WebSocketHub {
  readonly #feed: Feed;
  readonly #sockets = new Map<WebSocket, State>();
  /** Index of the next item to send. */
  #next: number;
  /** A read of the log is under way: what comes meanwhile is sent behind it. */
  #loading = false;
  readonly #logger: Logger;
  readonly #monoMs: () => number;

  constructor(feed: Feed, logger: Logger, monoMs: () => number) {
    this.#feed = feed;
    this.#next = feed.end;
    this.#logger = logger;
    this.#monoMs = monoMs;
  }

  add(socket: WebSocket, greeting: string): void {
    const state: State = { pingedAtMs: this.#monoMs(), alive: true };
    this.#sockets.set(socket, state);
    socket.on("pong", () => {
      state.alive = true;
    });
    socket.on("close", () => this.#sockets.delete(socket));
    socket.send(greeting);
  }

  /** Sends what the feed has got since the last call. */
  flush(): void {
    this.#next = Math.max(this.#next, this.#feed.kept);
    while (this.#sockets.size > 0 && !this.#loading && this.#next < this.#feed.end) {
      const lines = this.#feed.lines(this.#next, this.#feed.end);
      if (lines === null) return this.#loadRest();
      this.#next += lines.length;
      for (const line of lines) this.broadcast(line);
    }
    if (!this.#loading) this.#next = this.#feed.end;
  }

  /** Sends to all sockets of the account but `except`, the one it came from. */
  broadcast(line: string, except: WebSocket | null = null): void {
    for (const socket of this.#sockets.keys()) {
      if (socket !== except) this.send(socket, line);
    }
  }

  /** Sends one frame; a socket that holds too much back already is dropped instead. */
  send(socket: WebSocket, line: string): void {
    if (socket.bufferedAmount <= UNSENT_MAX) return socket.send(line);
    if (this.#sockets.delete(socket)) {
      this.#logger.warn({ unsent: socket.bufferedAmount }, "a WebSocket was closed: it does not take its messages");
    }
    socket.terminate();
  }

  /** For items too large for the memory. */
  #loadRest(): void {
    this.#loading = true;
    this.#feed.load(this.#next, this.#feed.end).then(
      ({ lines, next }) => {
        this.#loading = false;
        this.#next = next;
        for (const line of lines) this.broadcast(line);
        this.flush();
      },
      (error: unknown) => {
        this.#loading = false;
        this.#logger.error({ error: String(error) }, "messages for WebSockets cannot be read; the sockets are closed");
        for (const socket of this.#sockets.keys()) socket.terminate();
      },
    );
  }

  /** Periodic: pings, and drops who has not answered the last one. */
  sweep(): void {
    const now = this.#monoMs();
    for (const [socket, state] of this.#sockets) {
      if (now - state.pingedAtMs < PING_EVERY_MS) continue;
      if (!state.alive) {
        socket.terminate();
        continue;
      }
      state.alive = false;
      state.pingedAtMs = now;
      socket.ping();
    }
  }

  /** Closes every socket: 1001, going away (RFC 6455 §7.4.1). */
  end(): void {
    for (const socket of this.#sockets.keys()) socket.close(1001, "the service stops");
  }
}
