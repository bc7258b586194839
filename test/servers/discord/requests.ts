import type { IncomingMessage, ServerResponse } from "node:http";
import { invalid, no, type Upload } from "./wire.ts";

/** One request of a client, read. */
export interface Call {
  readonly method: string;
  /** Behind `/v10`. */
  readonly path: string;
  /** As `POST /channels/:channel/messages`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Body;
  /** The user of the token; empty where a webhook's token stands in the path. */
  readonly me: string;
}

export interface Body {
  readonly json: Readonly<Record<string, unknown>>;
  /** By the number in `files[n]`. */
  readonly files: ReadonlyMap<string, Upload>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Uint8Array | string;
}

export type Handler = (call: Call) => Answer;

interface Route {
  readonly name: string;
  readonly method: string;
  readonly parts: readonly string[];
  readonly open: boolean;
  readonly handler: Handler;
}

export const DONE: Answer = { status: 204 };

interface Found {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** Which request is answered by what. */
export class Routes {
  readonly #routes: Route[] = [];

  /** A path as `/channels/:channel`; `open`: needs no token of a bot. */
  on(method: string, path: string, handler: Handler, open = false): void {
    this.#routes.push({ name: `${method} ${path}`, method, parts: path.split("/"), open, handler });
  }

  /** The route and what stands in the path, or why there is none. */
  find(method: string, path: string): Found {
    const parts = path.split("/");
    let elsewhere = false;
    for (const route of this.#routes) {
      const params = fits(route, parts);
      if (params === null) continue;
      if (route.method === method) return { route, params };
      elsewhere = true;
    }
    throw no(elsewhere ? "methodNotAllowed" : "notFound");
  }
}

function fits(route: Route, parts: readonly string[]): Record<string, string> | null {
  if (route.parts.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of route.parts.entries()) {
    const given = parts[at] ?? "";
    if (!part.startsWith(":")) {
      if (part !== given) return null;
      continue;
    }
    const name = part.slice(1);
    const any = name === "token" || name === "emoji";
    // Literal words of other routes are no ids.
    if (!any && !/^\d+$/.test(given) && !RESERVED.has(given)) {
      throw invalid({ [`${name}_id`]: { code: "NUMBER_TYPE_COERCE", message: `Value "${given}" is not snowflake.` } });
    }
    if (!any && RESERVED.has(given) && !(name === "user" && given === "@me")) return null;
    params[name] = decodeURIComponent(given);
  }
  return params;
}

const RESERVED = new Set(["@me", "@original", "bulk-delete", "pins", "search"]);

/** Reads what the request says: JSON, or a form with `payload_json` and `files[n]`. */
export async function bodyOf(request: IncomingMessage, raw: Buffer): Promise<Body> {
  const type = request.headers["content-type"] ?? "";
  if (raw.length === 0) return { json: {}, files: new Map() };
  if (!type.startsWith("multipart/form-data")) {
    if (type.split(";")[0] !== "application/json") {
      const message = `Expected "Content-Type" header to be one of {"application/json"}.`;
      throw invalid({ "": { code: "CONTENT_TYPE_INVALID", message } });
    }
    return { json: objectOf(raw.toString("utf8")), files: new Map() };
  }
  const files = new Map<string, Upload>();
  const json: Record<string, unknown> = {};
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
  for (const [name, value] of form) {
    if (typeof value === "string") {
      if (name === "payload_json") Object.assign(json, objectOf(value));
      else json[name] = value;
      continue;
    }
    const [, number = ""] = /^files\[(\d+)\]$/.exec(name) ?? [];
    const content = new Uint8Array(await value.arrayBuffer());
    const mime = value.type === "" ? {} : { mime: value.type };
    files.set(number === "" ? name : number, { name: value.name, content, ...mime });
  }
  return { json, files };
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw no("badJson");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const message = "Only dictionaries may be used in a DictType";
  throw invalid({ "": { code: "DICT_TYPE_CONVERT", message } });
}

export function write(response: ServerResponse, answer: Answer): void {
  const text = answer.json === undefined ? (answer.bytes ?? "") : JSON.stringify(answer.json);
  const body = typeof text === "string" ? Buffer.from(text) : text;
  response.writeHead(answer.status ?? 200, {
    ...(answer.json !== undefined && { "content-type": "application/json" }),
    ...(answer.status !== 204 && { "content-length": body.length }),
    ...answer.headers,
  });
  response.end(body);
}

/** Reads a body within a limit; the rest of one that is larger is not kept. */
export async function rawOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size <= most) parts.push(part as Buffer);
  }
  if (size > most) throw no("tooLarge");
  return Buffer.concat(parts);
}

/** How many are asked for. */
export function limitOf(query: URLSearchParams, fallback: number, most: number): number {
  const given = query.get("limit");
  if (given === null) return fallback;
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > most) {
    const message = `int value should be between 1 and ${most}.`;
    throw invalid({ limit: { code: "NUMBER_TYPE_RANGE", message } });
  }
  return limit;
}
