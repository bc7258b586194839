import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { FileStore, Published, PublishedFile } from "../../files/files.ts";
import type { Address } from "../../lib/address.ts";
import type { Descriptors } from "../../lib/descriptors.ts";
import { flawOf } from "../flaws.ts";
import { HttpServer } from "../http-server.ts";
import { listenAt } from "../listen.ts";
import { etagOf, headersOf, knows } from "./headers.ts";
import { readRange } from "./range.ts";

export interface MediaServerOptions {
  readonly files: FileStore;
  readonly address: Address;
  readonly descriptors: Descriptors;
  /** Unix ms. */
  readonly nowMs: () => number;
  /** Unexpected failures: bugs, or a disk that does not read. */
  readonly onError: (error: unknown) => void;
}

export interface MediaServer {
  readonly port: number;
  /** Resolves when every answer under way has been taken, or was cut after STOP_GRACE_MS. */
  close(): Promise<void>;
}

/** Each that reads holds a file open. */
const MAX_CONNECTIONS = 1000;
const STOP_GRACE_MS = 4_000;
/**
 * Requests of one connection that wait for their answers, each of which can hold a file open. Browsers and proxies have
 * one, and a next one on its heels.
 */
const WAITING_MAX = 2;
const RETRY_S = 30;
/** Behind the address of the endpoint: token and name. */
const PATH = /^\/media\/([\w-]{1,1000})\/([^/]{1,1000})$/u;

/**
 * Serves published files at `/media/<token>/<name>`, and nothing else. Rejects with an error of the system when it
 * cannot listen.
 */
export async function startMedia(options: MediaServerOptions): Promise<MediaServer> {
  const { descriptors } = options;
  const server = new HttpServer(undefined, { descriptors, each: 1 + WAITING_MAX });
  server.maxConnections = MAX_CONNECTIONS;
  const waiting = new WeakMap<Socket, number>();
  server.serve((request, response) => {
    const { socket } = request;
    const before = waiting.get(socket) ?? 0;
    if (before === WAITING_MAX) return void socket.destroy();
    waiting.set(socket, before + 1);
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    answer(request, response, options).catch((error: unknown) => {
      // Clients may leave whenever they like.
      if (!isGone(error)) options.onError(error);
      response.destroy();
    });
  });
  // There is nothing to speak but HTTP, and such a connection would be under no rule.
  server.on("upgrade", (_request, socket) => socket.destroy());
  await listenAt(
    options.address,
    (host, port) =>
      new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.off("error", reject);
          resolve();
        });
      }),
  );
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : 0,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
      await closed;
      clearTimeout(force);
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: MediaServerOptions): Promise<void> {
  const flaw = flawOf(request);
  if (flaw !== null) return say(response, flaw.status, `${flaw.message}.`);
  const match = PATH.exec((request.url ?? "").split("?", 1)[0] ?? "");
  const name = decode(match?.[2] ?? "");
  if (match === null || name === null) return say(response, 404, "There is no such file.");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return say(response, 405, "Files can only be read.");
  }
  const published = await options.files.published(match[1] ?? "", name);
  // An answer that never had the connection does not know that it is gone, and would wait for it with the file open.
  if (request.socket.destroyed) return;
  if (published.is === "missing" && published.retry) {
    response.setHeader("Retry-After", RETRY_S);
    return say(response, 503, "This file is not available now. Try again later.");
  }
  if (published.is !== "file") return say(response, ...MISSING[published.is]);
  await send(request, response, published.file, options);
}

const MISSING: Readonly<Record<Exclude<Published["is"], "file">, readonly [number, string]>> = {
  unknown: [404, "There is no such file."],
  expired: [410, "This link has expired."],
  gone: [410, "This file is no longer kept."],
  missing: [404, "This file is not available."],
};

async function send(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  file: PublishedFile,
  { nowMs }: MediaServerOptions,
): Promise<void> {
  for (const [name, value] of Object.entries(headersOf(file, nowMs()))) response.setHeader(name, value);
  const etag = etagOf(file);
  if (knows(headers["if-none-match"], etag)) return void response.writeHead(304).end();
  const sameAsBefore = headers["if-range"] === undefined || headers["if-range"] === etag;
  const range = method === "GET" && sameAsBefore ? readRange(headers.range, file.bytes) : null;
  if (range === "none") {
    response.setHeader("Content-Range", `bytes */${file.bytes}`);
    return say(response, 416, "The file is not that long.");
  }
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  response.setHeader("Content-Length", last - first + 1);
  if (range !== null) response.setHeader("Content-Range", `bytes ${first}-${last}/${file.bytes}`);
  response.writeHead(range === null ? 200 : 206);
  if (method === "HEAD") return void response.end();
  await pipeline(file.read(first, last), response);
}

/** Only a sentence: what asks here is a browser or a chat client. */
function say(response: ServerResponse, status: number, sentence: string): void {
  for (const name of ["Content-Disposition", "ETag", "Accept-Ranges"]) response.removeHeader(name);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.writeHead(status).end(`${sentence}\n`);
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const GONE: ReadonlySet<unknown> = new Set([
  "ERR_STREAM_PREMATURE_CLOSE",
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_DESTROYED",
]);

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && GONE.has(error.code);
}
