import { timingSafeEqual } from "node:crypto";
import http from "node:http";
import { isLoopback, parseAddress } from "../../lib/address.ts";
import { errorCode } from "../../lib/network-error.ts";
import { type HookPost, readHookPost } from "./webhook-in.ts";

/** Servers send a post of 64 KiB at most, as a form three times as long. */
const BODY_MAX = 1 << 20;
const REQUEST_MS = 20_000;
const CONNECTIONS_MAX = 64;
/** Posts that are not on disk yet; Mattermost does not repeat what was refused. */
const WAITING_MAX = 256;

interface HookServerOptions {
  /** `host:port`. */
  readonly address: string;
  /** What comes without one of these is refused; empty: nothing is refused. */
  readonly tokens: readonly string[];
  /** True once it is on disk, or wanted nowhere; false: it cannot be taken now. */
  readonly onPost: (post: HookPost) => Promise<boolean>;
}

export type HookListening =
  | { readonly ok: true; readonly server: HookServer }
  | { readonly ok: false; readonly why: string };

/** Where outgoing webhooks post to. Never rejects. */
export async function listenForHooks(options: HookServerOptions): Promise<HookListening> {
  const address = parseAddress(options.address);
  if ("error" in address) return { ok: false, why: `WebhookBindAddress: ${address.error}` };
  const server = new HookServer(options);
  // The resolver may give it another one.
  const host = isLoopback(address.host) && address.host.toLowerCase() === "localhost" ? "127.0.0.1" : address.host;
  const error = await server.listen(host === "" ? null : host, address.port);
  if (error === null) return { ok: true, server };
  const code = errorCode(error);
  const words = code === "EADDRINUSE" ? "another program listens there" : error.message;
  return { ok: false, why: `cannot listen on WebhookBindAddress ${options.address}: ${words}; choose another port` };
}

/** Refuses alike what is no post and what has no token: nobody learns which. */
export class HookServer {
  readonly #options: HookServerOptions;
  readonly #server: http.Server;
  #waiting = 0;

  constructor(options: HookServerOptions) {
    this.#options = options;
    this.#server = http.createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on("request", (request, response) => void this.#serve(request, response));
  }

  /** Null host: every interface. */
  async listen(host: string | null, port: number): Promise<Error | null> {
    const done = Promise.withResolvers<Error | null>();
    this.#server.once("error", done.resolve);
    this.#server.listen({ port, ...(host !== null && { host }) }, () => done.resolve(null));
    const error = await done.promise;
    this.#server.on("error", () => undefined);
    return error;
  }

  /** For tests that listen on any free port. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const answer = (status: number): void => void response.writeHead(status, { "Content-Length": 0 }).end();
    try {
      if (request.method !== "POST") return answer(404);
      const body = await bodyOf(request);
      if (body === null) return answer(413);
      const post = readHookPost(request.headers["content-type"] ?? "", body);
      if (post === null || !this.#isKnown(post.token)) return answer(404);
      if (this.#waiting >= WAITING_MAX) return answer(503);
      this.#waiting += 1;
      try {
        answer((await this.#options.onPost(post)) ? 200 : 503);
      } finally {
        this.#waiting -= 1;
      }
    } catch {
      // Whoever sent it has gone.
      response.destroy();
    }
  }

  #isKnown(token: string): boolean {
    const { tokens } = this.#options;
    return tokens.length === 0 || tokens.some((one) => isSame(one, token));
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Null when it is too long. */
async function bodyOf(request: http.IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
