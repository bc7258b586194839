import type { IncomingHttpHeaders } from "node:http";
import type { Asked } from "../site/site.ts";
import { type AppRow, isRecord, no, textOf, wrong } from "./wire.ts";
import type { World } from "./world.ts";

/** One call of a method, with who calls. */
export interface Call {
  readonly method: string;
  readonly args: Args;
  readonly app: AppRow;
}

/** A method of the Web API. */
export interface Method {
  /** The scopes of which the token must have one; none: every token will do. */
  readonly scopes: readonly string[];
  /** Methods that read take no JSON. */
  readonly json?: boolean;
  /** Of which kind the token must be. */
  readonly token?: "xapp";
  readonly handler: (call: Call) => object;
}

export type Methods = Readonly<Record<string, Method>>;

/** The arguments of a call, all of which a form gives as text. */
export class Args {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null && value !== "";
  }

  text(name: string): string {
    const value = this.#values[name];
    return typeof value === "number" || typeof value === "boolean" ? String(value) : textOf(value);
  }

  /** Refuses where it is absent, with the method's own word for that. */
  need(name: string, error = "invalid_arguments"): string {
    if (this.has(name)) return this.text(name);
    throw error === "invalid_arguments" ? wrong(error, [`[ERROR] missing required field: ${name}`]) : no(error);
  }

  flag(name: string): boolean {
    return ["true", "1"].includes(this.text(name));
  }

  /** A value that a form gives as JSON. */
  value(name: string, error: string): unknown {
    const value = this.#values[name];
    if (typeof value !== "string" || value === "") return value === "" ? undefined : value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw no(error);
    }
  }

  /** How many are asked for. */
  limit(fallback: number, most: number): number {
    if (!this.has("limit")) return fallback;
    const limit = Number(this.text("limit"));
    if (!Number.isInteger(limit) || limit < 0) throw no("invalid_limit");
    return limit === 0 ? fallback : Math.min(limit, most);
  }
}

export interface Read {
  readonly args: Args;
  readonly token: string;
  readonly warnings: readonly string[];
}

/** Reads arguments and token: from the address, a form or JSON, and the header. */
export async function read({ url, headers, raw }: Asked, takesJson: boolean): Promise<Read> {
  const values: Record<string, unknown> = Object.fromEntries(url.searchParams);
  const type = textOf(headers["content-type"]);
  const warnings: string[] = [];
  if (type.startsWith("application/json")) {
    // Without this a JSON body would be passed over in silence, and the caller told that arguments are missing.
    if (takesJson) Object.assign(values, objectOf(raw.toString("utf8")));
    if (!/charset/i.test(type)) warnings.push("missing_charset");
    // A token in such a body is not looked at.
    delete values["token"];
  } else if (raw.length > 0) {
    if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)/.test(type)) throw no("invalid_form_data");
    Object.assign(values, await formOf(raw, type));
  }
  const [, bearer = ""] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
  return { args: new Args(values), token: bearer || textOf(values["token"]), warnings };
}

export async function formOf(raw: Buffer, type: string): Promise<Record<string, unknown>> {
  try {
    const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
    return Object.fromEntries(form);
  } catch {
    throw no("invalid_form_data");
  }
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw no("invalid_json");
  }
  if (!isRecord(value)) throw no("json_not_object");
  return value;
}

/** Whose the token is, and whether it may do this. Throws refusals. */
export function entitled(world: World, token: string, { scopes, token: kind }: Method): AppRow {
  if (token === "") throw no("not_authed");
  const app = [...world.apps.values()].find((one) => one.token === token || one.appToken === token);
  if (app === undefined) throw no("invalid_auth");
  if (app.revoked !== null) throw no(app.revoked);
  if ((token === app.appToken) !== (kind === "xapp")) throw no("not_allowed_token_type");
  const provided = kind === "xapp" ? app.appScopes : app.scopes;
  if (scopes.length === 0 || scopes.some((scope) => provided.has(scope))) return app;
  throw missing(app, scopes, kind);
}

/** A scope that the token lacks, and those that it has. */
export const missing = (app: AppRow, scopes: readonly string[], kind?: "xapp"): Error =>
  no("missing_scope", { needed: scopes.join(","), provided: provided(app, kind) });

export const provided = (app: AppRow, kind?: "xapp"): string =>
  [...(kind === "xapp" ? app.appScopes : app.scopes)].join(",");

/** The token of a request for a file. */
export const bearerOf = (headers: IncomingHttpHeaders): string =>
  /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? "";

/** One part of a list, and the cursor of the next. */
export function paged<T>(
  all: readonly T[],
  cursor: string,
  limit: number,
  keyOf: (one: T) => string,
): { part: readonly T[]; next: string } {
  let begin = 0;
  if (cursor !== "") {
    const [, key] = /^next:(.+)$/.exec(Buffer.from(cursor, "base64").toString("utf8")) ?? [];
    if (key === undefined) throw no("invalid_cursor");
    begin = all.findIndex((one) => keyOf(one) === key);
    if (begin < 0) throw no("invalid_cursor");
  }
  const next = all[begin + limit];
  return {
    part: all.slice(begin, begin + limit),
    next: next === undefined ? "" : Buffer.from(`next:${keyOf(next)}`).toString("base64"),
  };
}
