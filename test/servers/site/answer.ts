import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** What our own servers say to one request. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Uint8Array | string;
}

/** A body that is larger than the server takes. */
class TooLarge extends Error {}

export function write(response: ServerResponse, answer: Answer): void {
  const body = bodyOf(answer);
  response.writeHead(answer.status ?? 200, {
    ...(answer.json !== undefined && { "content-type": "application/json; charset=utf-8" }),
    "content-length": body.length,
    ...answer.headers,
  });
  response.end(body);
}

/** An answer to a handshake, which has no response object. */
export function refuse(socket: Duplex, answer: Answer): void {
  const body = bodyOf(answer);
  const status = answer.status ?? 200;
  const headers = { ...answer.headers, "content-length": String(body.length), connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`);
  socket.end(body);
}

/** Reads a body within a limit; the rest of one that is larger is not kept. */
export async function rawOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size <= most) parts.push(part as Buffer);
  }
  if (size > most) throw new TooLarge(`more than ${most} bytes`);
  return Buffer.concat(parts);
}

function bodyOf({ json, bytes }: Answer): Uint8Array {
  const body = json === undefined ? (bytes ?? "") : JSON.stringify(json);
  return typeof body === "string" ? Buffer.from(body) : body;
}
