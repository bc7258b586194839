import type { Random } from "./random.ts";
import { json, mutated, text, word } from "./text.ts";

const METHODS = [
  "GET",
  "GET",
  "POST",
  "POST",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "HEAD",
  "PATCH",
  "TRACE",
  "CONNECT",
  "PRI",
  "get",
];
const TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "application/x-www-form-urlencoded",
  "text/plain",
  "multipart/form-data; boundary=x",
  "",
  ";",
  "application/json; charset=utf-16",
];

/** What a server is asked that is meant for it. */
export interface Dialect {
  readonly paths: readonly string[];
  /** Of the objects in bodies. */
  readonly keys: readonly string[];
  /** Answered 200 by a program that lives. */
  readonly health: string;
  readonly postPath: string;
  /** A body that is to be taken, with this text. */
  readonly post: (random: Random, text: string) => Readonly<Record<string, unknown>>;
}

/** Requests as bytes, and the texts that must come through once where they are answered 200. */
export interface Batch {
  readonly bytes: Buffer;
  /** Sent in pieces of so many bytes; 0: at once. */
  readonly piece: number;
  /** Requests, roughly: what is garbage counts as one. */
  readonly count: number;
}

/** A text that only one request carries. */
export const TAG = /^once-[\d-]+$/u;

/** Some requests for one connection; `turn` makes their texts the only ones. */
export function batch(random: Random, turn: number, dialect: Dialect): Batch {
  const count = 1 + random.int(30);
  // What stands behind one that cannot be read is not read either.
  const strangeness = random.pick([0.02, 0.1, 0.5]);
  const parts = Array.from({ length: count }, (_, at) => one(random, `once-${turn}-${at}`, strangeness, dialect));
  // Mostly it ends as a client would, so that the server closes.
  if (random.chance(0.8)) parts.push(head("GET", dialect.health, ["Connection: close"]));
  const piece = random.chance(0.03) ? 1 + random.int(40) : 0;
  return { bytes: Buffer.concat(parts.map((part) => Buffer.from(part, "utf8"))), piece, count: parts.length };
}

function head(method: string, path: string, fields: readonly string[]): string {
  return [`${method} ${path} HTTP/1.1`, "Host: localhost", ...fields, "", ""].join("\r\n");
}

function one(random: Random, tag: string, strangeness: number, dialect: Dialect): string {
  if (!random.chance(strangeness)) return sound(random, tag, dialect);
  const request = strange(random, dialect);
  if (random.chance(0.03)) return text(random, 40);
  return random.chance(0.25) ? mutated(random, request) : request;
}

/** A post that is to be taken, in one of the ways in which clients send it. */
function sound(random: Random, tag: string, { post, postPath }: Dialect): string {
  // Each character is a byte, so that it can be cut anywhere.
  const body = JSON.stringify(post(random, tag)).replaceAll(/[^ -~]/gu, "?");
  const more = random.some(2, () => `X-${random.int(9)}: ${text(random, 3).replaceAll(/[^ -~]/gu, "")}`);
  const fields = ["Content-Type: application/json", ...more];
  if (random.chance(0.1)) fields.push(`Idempotency-Key: ${tag}`);
  if (random.chance(0.05))
    fields.push("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk");
  if (random.chance(0.2))
    return `${head("POST", postPath, [...fields, "Transfer-Encoding: chunked"])}${chunked(random, body)}`;
  return head("POST", postPath, [...fields, `Content-Length: ${Buffer.byteLength(body)}`]) + body;
}

function chunked(random: Random, body: string): string {
  let written = "";
  for (let at = 0; at < body.length;) {
    const part = body.slice(at, at + 1 + random.int(60));
    written += `${part.length.toString(16)}\r\n${part}\r\n`;
    at += part.length;
  }
  return `${written}0\r\n\r\n`;
}

function strange(random: Random, { paths, keys }: Dialect): string {
  const method = random.pick(METHODS);
  const path = random.chance(0.85) ? random.pick(paths) : `/${encodeURI(text(random, 3).toWellFormed())}`;
  const fields = random.some(5, () => field(random));
  const body = random.chance(0.5) ? content(random, keys) : "";
  if (body !== "" && random.chance(0.9)) {
    const length = random.chance(0.9) ? Buffer.byteLength(body) : random.int(300);
    fields.push(`Content-Type: ${random.pick(TYPES)}`, `Content-Length: ${length}`);
  }
  return head(method, path, fields) + body;
}

function field(random: Random): string {
  switch (random.int(10)) {
    case 0:
      return `Authorization: ${random.pick(["Bearer t", "bearer  x", "Basic eDp5", "", "Bearer"])}`;
    case 1:
      return random.pick([
        "Connection: close",
        "Connection: keep-alive",
        "Connection: Upgrade",
        "Connection: x, y",
        "Connection:",
      ]);
    case 2:
      return random.pick(["Upgrade: h2c", "Upgrade: websocket", "Upgrade: x", "Upgrade:"]);
    case 3:
      return random.pick([
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Version: 99",
      ]);
    case 4:
      return random.pick([
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: gzip",
        "Content-Length: 5",
        "Content-Length: -1",
        "Content-Length: 99999999999",
      ]);
    case 5:
      return random.pick([
        "Expect: 100-continue",
        "Expect: x",
        "Origin: null",
        "Origin: http://x",
        "Host: y",
        "TE: trailers",
      ]);
    case 6:
      return `Idempotency-Key: ${oneLine(text(random, 2))}`;
    case 7:
      return `X: ${"x".repeat(random.int(random.chance(0.05) ? 20_000 : 100))}`;
    case 8:
      return `${oneLine(word(random))}: ${oneLine(text(random, 2))}`;
    default:
      return `X-${random.int(100)}: ${oneLine(text(random, 3))}`;
  }
}

function content(random: Random, keys: readonly string[]): string {
  if (random.chance(0.2)) return text(random, 10);
  if (random.chance(0.2))
    return random.some(6, () => `${random.pick(keys)}=${encodeURIComponent(text(random, 2).toWellFormed())}`).join("&");
  const post = {
    text: text(random, 6),
    username: "u",
    gateway: random.pick(["g", "g", "h", ""]),
    Extra: random.chance(0.2) ? json(random, keys, 4) : null,
  };
  const body = JSON.stringify(random.chance(0.5) ? post : json(random, keys, 4));
  return random.chance(0.3) ? mutated(random, body) : body;
}

function oneLine(words: string): string {
  return words.replaceAll(/[\r\n\0]/gu, " ");
}
