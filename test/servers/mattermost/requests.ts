import type { IncomingMessage, ServerResponse } from "node:http";
import { isId, invalidBody, invalidUrl, newId, Refusal, sessionExpired, type WireError } from "./wire.ts";
import type { World } from "./world.ts";

/** One request of a client, read. */
export interface Call {
  readonly method: string;
  /** Behind the subpath. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly raw: Buffer;
  /** The user of the session; empty where none is needed. */
  readonly me: string;
  readonly token: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Uint8Array | string;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

interface Route {
  readonly method: string;
  readonly parts: readonly string[];
  readonly open: boolean;
  readonly handler: Handler;
}

export const OK: Answer = { json: { status: "OK" } };

/** Which request is answered by what. */
export class Routes {
  readonly #routes: Route[] = [];

  /** A path as `/posts/:post_id`; `open`: needs no session. */
  on(method: string, path: string, handler: Handler, open = false): void {
    this.#routes.push({ method, parts: path.split("/"), open, handler });
  }

  /** The route and what stands in the path, or null. */
  find(method: string, path: string): { handler: Handler; open: boolean; params: Record<string, string> } | null {
    const parts = path.split("/");
    for (const route of this.#routes) {
      if (route.method !== method || route.parts.length !== parts.length) continue;
      const params: Record<string, string> = {};
      const fits = route.parts.every((part, at) => {
        const given = decoded(parts[at] ?? "");
        if (!part.startsWith(":")) return part === given;
        params[part.slice(1)] = given;
        return PATTERNS[part.slice(1)]?.test(given) ?? given !== "";
      });
      if (fits) return { handler: route.handler, open: route.open, params };
    }
    return null;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What stands elsewhere in a path leads to no route at all. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  user_id: /^[A-Za-z0-9]+$/,
  team_id: /^[A-Za-z0-9]+$/,
  channel_id: /^[A-Za-z0-9]+$/,
  post_id: /^[A-Za-z0-9]+$/,
  file_id: /^[A-Za-z0-9]+$/,
  emoji_name: /^[A-Za-z0-9_+-]+$/,
};

/** The id in the path; `me` is the user of the session. */
export function idOf(call: Call, name: string): string {
  const id = call.params[name] ?? "";
  if (name === "user_id" && id === "me") return call.me;
  if (!isId(id)) throw invalidUrl(name);
  return id;
}

/** The body as an object; the server reads what it knows of it. */
export function objectOf(call: Call, name: string): Record<string, unknown> {
  const value = jsonOf(call, name);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidBody(name);
  return value as Record<string, unknown>;
}

export function listOf(call: Call, name: string): string[] {
  const value = jsonOf(call, name);
  if (!Array.isArray(value) || value.length === 0 || value.some((one) => typeof one !== "string")) {
    throw invalidBody(name);
  }
  return value as string[];
}

function jsonOf(call: Call, name: string): unknown {
  try {
    return JSON.parse(call.raw.toString("utf8"));
  } catch {
    throw invalidBody(name);
  }
}

/** Go refuses a whole body in which a field has another type. */
export function field<T extends "string" | "boolean" | "object">(
  body: Readonly<Record<string, unknown>>,
  name: string,
  type: T,
  whole: string,
): (T extends "string" ? string : T extends "boolean" ? boolean : object) | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw invalidBody(whole);
  return value as never;
}

/** Who the headers say it is. */
export function sessionOf(world: World, headers: IncomingMessage["headers"]): { me: string; token: string } {
  const [, kind = "", token = ""] = /^(bearer|token)\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const me = kind === "" ? undefined : world.tokens.get(token);
  if (me === undefined || world.account(me).user.delete_at !== 0) throw sessionExpired();
  const { mfaSecret, user } = world.account(me);
  if (world.config.mfaRequired && mfaSecret === null && !user.is_bot) {
    const words = "Multi-factor authentication is required on this server.";
    throw new Refusal(401, "api.context.mfa_required.app_error", words);
  }
  return { me, token };
}

export function errorBody(refusal: Refusal): WireError {
  return {
    id: refusal.id,
    message: refusal.message,
    detailed_error: refusal.detail,
    request_id: newId(),
    status_code: refusal.status,
  };
}

export function write(response: ServerResponse, answer: Answer): void {
  const text = answer.json === undefined ? (answer.bytes ?? "") : `${JSON.stringify(answer.json)}\n`;
  const body = typeof text === "string" ? Buffer.from(text) : text;
  response.writeHead(answer.status ?? 200, {
    ...(answer.json !== undefined && { "content-type": "application/json" }),
    "content-length": body.length,
    ...answer.headers,
  });
  response.end(body);
}

export class TooLarge extends Error {}

/** Reads a body within a limit. */
export async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > most) throw new TooLarge();
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** The page asked for: 60 unless said, 200 at most. */
export function pageOf(call: Call): { page: number; perPage: number } {
  const page = Number(call.query.get("page") ?? "0");
  const perPage = Number(call.query.get("per_page") ?? "60");
  return {
    page: Number.isInteger(page) && page > 0 ? page : 0,
    perPage: Number.isInteger(perPage) && perPage >= 0 ? Math.min(perPage, 200) : 60,
  };
}
