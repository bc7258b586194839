import type { IncomingMessage } from "node:http";
import type { Answer } from "./requests.ts";
import type { Sockets } from "./sockets.ts";

/** How Spacebar, a server that speaks Discord's API, differs from Discord, as far as bridges met it. */
export class Spacebar {
  /** Requests that this server does not have. */
  readonly missing: readonly RegExp[] = [/^\/guilds\/\d+\/threads\/active$/u, /\/threads\/archived\/public$/u];

  constructor(sockets: Sockets) {
    sockets.version = "9";
    sockets.wantsAgent = true;
  }

  /** What it answers instead of doing what is asked; null: it does that. */
  refusal(method: string, path: string, request: IncomingMessage, raw: Buffer): Answer | null {
    if (this.missing.some((one) => one.test(path))) {
      return { status: 404, json: { message: "Endpoint not found", code: 404, request: `${method} ${path}` } };
    }
    if (request.headers["content-type"]?.startsWith("multipart/") === true) {
      return { status: 400, json: { message: "Invalid multipart body", code: 400 } };
    }
    // It downloads the avatar of a webhook's message, and fails with the download.
    if (method === "POST" && /^\/webhooks\/\d+\//u.test(path) && raw.includes('"avatar_url"')) {
      return { status: 500, json: { message: "Internal Server Error", code: 500 } };
    }
    return null;
  }

  /** Guilds come without their roles, and applications without flags. */
  answer(method: string, path: string, answer: Answer): Answer {
    const { json } = answer;
    if (method !== "GET" || typeof json !== "object" || json === null) return answer;
    const lacks = /^\/guilds\/\d+$/u.test(path) ? "roles" : path === "/applications/@me" ? "flags" : "";
    return { ...answer, json: lacks === "" ? json : { ...json, [lacks]: undefined } };
  }
}
