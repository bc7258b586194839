import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Clock } from "../../contract/host.ts";
import type { Logger } from "../../logger.ts";
import type { Certainty } from "./certainty.ts";
import type { HubEvents } from "./connection.ts";
import type { GatewayFeed } from "./feed.ts";
import { ReaderHub } from "./reader-hub.ts";
import { WebSocketConnection } from "./websocket-connection.ts";

/**
 * What is not of the feed (errors, and what the account's other sockets say) may wait for a socket up to so many bytes;
 * a message with files has up to 11 MiB.
 */
const UNSENT_MAX = 16 * 1024 * 1024;
/** How far back a backlog reaches, by the time of accepting. */
const BACKLOG_MS = 60 * 60 * 1000;

export interface WebSocketHubOptions {
  readonly feed: GatewayFeed;
  /** Items below were taken by some socket; null: the account never had one. */
  readonly position: number | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: HubEvents;
  readonly certainty?: Certainty;
}

/** The WebSockets of one API account. */
export class WebSocketHub {
  readonly #feed: GatewayFeed;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #hub: ReaderHub<readonly Buffer[]>;
  readonly #sockets = new Set<WebSocket>();
  /** The account has had a socket. */
  #isKnown: boolean;

  constructor({ feed, position, clock, logger, events, ...certainty }: WebSocketHubOptions) {
    this.#feed = feed;
    this.#clock = clock;
    this.#logger = logger;
    this.#isKnown = position !== null;
    const hub = { feed, position: position ?? feed.end, clock, encode: framesOf, events };
    this.#hub = new ReaderHub({ ...hub, ...certainty });
  }

  /** See ReaderHub. */
  get settled(): number {
    return this.#hub.settled;
  }

  /** `isLive`: it wants no backlog. */
  add(ws: WebSocket, socket: Socket, greeting: string, isLive: boolean): void {
    const start = this.#start(isLive);
    this.#sockets.add(ws);
    ws.on("close", () => this.#sockets.delete(ws));
    this.#hub.add(new WebSocketConnection(ws, socket, this.#clock.monoMs()), framesOf([greeting]), start);
  }

  flush(): void {
    this.#hub.flush();
  }

  /** Sends to all sockets of the account but `except`, the one it came from. */
  broadcast(line: string, except: WebSocket): void {
    // One buffer for all: a message with files is large.
    const frame = Buffer.from(line);
    for (const ws of this.#sockets) if (ws !== except) this.send(ws, frame);
  }

  /** Sends one frame; a socket that holds too much back already is dropped instead. */
  send(ws: WebSocket, frame: Buffer | string): void {
    if (ws.bufferedAmount <= UNSENT_MAX) return ws.send(frame, { binary: false });
    if (this.#sockets.delete(ws)) {
      this.#logger.warn({ unsent: ws.bufferedAmount }, "a WebSocket was closed: it does not read its messages");
    }
    ws.terminate();
  }

  sweep(): void {
    if (this.#isKnown) this.#hub.sweep();
  }

  end(): void {
    this.#hub.end();
  }

  /** Where a new socket begins: after what was taken, if it is alone. */
  #start(isLive: boolean): number {
    const { end, start } = this.#feed;
    if (!this.#isKnown) {
      this.#isKnown = true;
      this.#hub.skipTo(end);
    }
    if (isLive || this.#hub.isOpen) return end;
    return this.#feed.acceptedSince(this.#clock.nowMs() - BACKLOG_MS, Math.max(this.#hub.position, start));
  }
}

const framesOf = (lines: readonly string[]): readonly Buffer[] => lines.map((line) => Buffer.from(line));
