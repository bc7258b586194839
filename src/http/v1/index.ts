import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Alert } from "../../admin/views.ts";
import type { SharedHint } from "../../consumers/hint-event.ts";
import type { Webhooks } from "../../consumers/webhooks.ts";
import type { BodyBounds } from "../body.ts";
import { LogError } from "../../log/errors.ts";
import { problemOf, refusalOf, sendProblem, type V1Refusal } from "./answers.ts";

/** What the server under it lends to what is below `/v1`. */
export interface V1Host {
  readonly bounds: BodyBounds;
  /** See HttpServer. */
  readonly release: (response: ServerResponse) => void;
  /** See HttpServer. */
  readonly leaveTime: (request: IncomingMessage) => void;
  /** Of bugs. */
  readonly onError: (error: unknown, path: string) => void;
}

/** All of `/v1` at one address, once its code is loaded and its state read. */
export interface V1Service {
  /** Answers it. Never throws. */
  take(request: IncomingMessage, response: ServerResponse): void;
  /** Whether this upgrade of `/v1/socket` is let in; otherwise the refusal, ready to be sent. Never throws. */
  admit(request: IncomingMessage): V1Refusal | null;
  /** A WebSocket whose upgrade was let in. */
  open(socket: WebSocket, request: IncomingMessage, wire: Socket): void;
  /** What the status says of it. */
  alerts(): readonly Alert[];
  /** Of an account of the HTTP API; null: there are none here. */
  readonly webhooks: Webhooks | null;
  /** Somebody types, or is there, in a channel of a network. Must be quick. */
  hint(accountKey: string, channel: string, hint: SharedHint): void;
  /** Ends what waits and what streams; what comes from now on is refused. */
  end(): void;
  /** When no client is connected any more. Never rejects. */
  close(): Promise<void>;
}

/**
 * The way to `/v1`: nothing of it is loaded before the first request, so that a start need not wait for it. `load`
 * rejects with a LogError when the state cannot be read; the next request tries again then.
 */
export class V1Door {
  readonly #load: (host: V1Host) => Promise<V1Service>;
  #host: V1Host | null = null;
  #service: V1Service | null = null;
  #loading: Promise<V1Service> | null = null;
  #isEnded = false;

  constructor(load: (host: V1Host) => Promise<V1Service>) {
    this.#load = load;
  }

  /** Before the first request. */
  attach(host: V1Host): void {
    this.#host = host;
  }

  /** False: it is not below `/v1`, and was not touched. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    if (!isBelow(request.url ?? "")) return false;
    if (this.#service === null) void this.#takeLater(request, response);
    else this.#service.take(request, response);
    return true;
  }

  /** For WebSockets, and for what has to run although nobody asks. Rejects with a LogError. */
  async service(): Promise<V1Service> {
    if (this.#service !== null) return this.#service;
    const host = this.#host;
    if (host === null || this.#isEnded) throw new LogError("closed", "Rialto is stopping");
    try {
      const service = await (this.#loading ??= this.#load(host));
      this.#service = service;
      if (this.#hasEnded()) service.end();
      return service;
    } finally {
      this.#loading = null;
    }
  }

  async admit(request: IncomingMessage): Promise<V1Refusal | null> {
    try {
      return (await this.service()).admit(request);
    } catch (error) {
      return this.#refusal(error);
    }
  }

  open(socket: WebSocket, request: IncomingMessage, wire: Socket): void {
    if (this.#service === null) socket.terminate();
    else this.#service.open(socket, request, wire);
  }

  /** While nothing of it is loaded, nobody listens, and nothing can fail. */
  alerts(): readonly Alert[] {
    return this.#service?.alerts() ?? [];
  }

  hint(accountKey: string, channel: string, hint: SharedHint): void {
    this.#service?.hint(accountKey, channel, hint);
  }

  end(): void {
    this.#isEnded = true;
    this.#service?.end();
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.end();
    const service = await (this.#loading ?? Promise.resolve(this.#service)).catch(() => null);
    await service?.close();
  }

  async #takeLater(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      (await this.service()).take(request, response);
    } catch (error) {
      sendProblem(response, this.#refusal(error));
    }
  }

  #hasEnded(): boolean {
    return this.#isEnded;
  }

  #refusal(error: unknown): V1Refusal {
    const id = randomUUID();
    if (!(error instanceof LogError)) this.#host?.onError(error, `/v1 (${id})`);
    return refusalOf(problemOf(error), id);
  }
}

/** Also in the absolute form that proxies are sent (RFC 9112 §3.2.2). */
function isBelow(url: string): boolean {
  if (url.startsWith("/")) return isV1(url);
  const path = /^https?:\/\/[^/?#]*(?<path>\/.*)$/iu.exec(url)?.groups?.["path"];
  return path !== undefined && isV1(path);
}

function isV1(path: string): boolean {
  if (!path.startsWith("/v1")) return false;
  const next = path[3];
  return next === undefined || next === "/" || next === "?";
}
