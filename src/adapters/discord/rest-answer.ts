import type { ResponseLike } from "@discordjs/rest";
import { isObject, type Json, parsed, textIn } from "../kit/json.ts";
import type { DiscordBan, DiscordRoute } from "./rest-limits.ts";
import type { DiscordFailure } from "./rest-result.ts";

const DETAILS_MAX = 5;

/** Nothing was done. */
export const NO_FAILURE = {
  why: "refused",
  status: 0,
  code: 0,
  message: "",
  certain: true,
  retryAfterMs: null,
  scope: null,
} as const satisfies DiscordFailure;

/** A refusal for a limit: of the network, or of ours before anything was asked. */
export function limited(message: string, { leftMs, scope }: DiscordBan, code = 0): DiscordFailure {
  return { ...NO_FAILURE, status: 429, code, message, retryAfterMs: leftMs, scope };
}

/** What the network counts together: a method and a kind of path at one channel, guild or webhook. */
export function routeOf(method: string, path: string): DiscordRoute {
  const [, major = ""] = /^\/(?:channels|guilds|webhooks)\/(\d+)/u.exec(path) ?? [];
  const kind = path
    .replaceAll(/(?<=\/)\d+(?=\/|$)/gu, ":id")
    .replace(/(?<=^\/webhooks\/:id\/)[^/]+/u, ":token")
    .replace(/(?<=\/reactions)\/.*$/u, "/:reaction");
  return { name: `${method} ${kind}`, major };
}

/** What a refusal says, with what it says of single fields. */
export function wordsOf(body: unknown): string {
  if (!isObject(body)) return "";
  const message = textIn(body, "message") ?? "";
  const details = isObject(body["errors"]) ? detailsIn(body["errors"], "") : [];
  return [message, ...details.slice(0, DETAILS_MAX)].filter((words) => words !== "").join("; ");
}

function detailsIn(errors: Json, where: string): string[] {
  return Object.entries(errors).flatMap(([name, value]) => {
    if (name === "_errors" && Array.isArray(value)) {
      const said = value.flatMap((one) => (isObject(one) ? (textIn(one, "message") ?? []) : []));
      return said.map((words) => (where === "" ? words : `${where}: ${words}`));
    }
    return isObject(value) ? detailsIn(value, where === "" ? name : `${where}.${name}`) : [];
  });
}

/**
 * What the library takes for an answer. It is not `Response`: that of Node brings a whole client with it, of 17 MiB.
 */
export function responseOf(status: number, text: string): ResponseLike {
  return {
    status,
    statusText: "",
    ok: true,
    headers: NO_HEADERS,
    body: null,
    bodyUsed: false,
    text: async () => await Promise.resolve(text),
    json: async () => await Promise.resolve(parsed(text)),
    arrayBuffer: async () => await Promise.resolve(new TextEncoder().encode(text).buffer),
  };
}

const nothing = (): void => undefined;

/** Limits are read before the library is told of an answer. */
const NO_HEADERS: ResponseLike["headers"] = {
  append: nothing,
  delete: nothing,
  set: nothing,
  forEach: nothing,
  get: () => null,
  has: () => false,
  getSetCookie: () => [],
  keys: () => [].values(),
  values: () => [].values(),
  entries: () => [].values(),
  [Symbol.iterator]: () => [].values(),
};
