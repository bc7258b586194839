/** A server with a table of operations of its own, for tests of the router. */
import net from "node:net";
import { onTestFinished } from "vitest";
import { freePorts } from "../../../test/support/ports.ts";
import type { HttpLimits } from "../http-server.ts";
import { createServer } from "../server.ts";
import { Doorman } from "./doorman.ts";
import type { V1Deps } from "./deps.ts";
import { V1Door } from "./index.ts";
import { RateLimits } from "./limits.ts";
import { type Quotas, USUAL_QUOTAS } from "./quotas.ts";
import { ok, type Route } from "./route.ts";
import { Router } from "./router.ts";

export const TOKEN = "sesam";
export const AUTH = { Authorization: `Bearer ${TOKEN}` };

/** A body must be there within a second. */
export const HASTY: HttpLimits = {
  requestMs: 1_000,
  checkMs: 100,
  stallMs: 60_000,
  lingerMs: 60_000,
  connections: 100,
  keptMs: 60_000,
  kept: 100,
};

interface Serving {
  readonly limits?: HttpLimits;
  readonly token?: string | null;
  readonly opens?: () => Promise<void>;
  readonly quotas?: Quotas;
}

/** A server with a table of its own. */
export async function serve(
  routes: readonly Partial<Route>[],
  { token = TOKEN, opens, limits, quotas = USUAL_QUOTAS }: Serving = {},
) {
  const bugs: string[] = [];
  const onError = (error: unknown, path: string): unknown => bugs.push(`${path}: ${String(error)}`);
  const table = routes.map((route): Route => ({
    method: "GET",
    path: "/v1/thing",
    needs: "any",
    id: "thing",
    summary: "",
    answers: {},
    handle: () => ok({}),
    ...route,
  }));
  const names = () => ({ bound: "127.0.0.1", allowed: ["chat.example"], machine: "box" });
  const v1 = new V1Door(async (host) => {
    await opens?.();
    const account = { key: "api.game", name: "api.game" };
    return new Router({
      routes: table,
      deps: {} as V1Deps,
      doorman: new Doorman({ account, token, names, verify: () => null, redeem: () => null }),
      limits: new RateLimits(() => 0, quotas),
      quotas,
      serveSocket: (socket) => socket.close(),
      host,
      alerts: () => [],
      hint: () => undefined,
      close: () => Promise.resolve(),
    });
  });
  const http = await createServer({ token, names, maxBodySize: 1_000, onError, v1, ...(limits && { limits }) });
  const [port = 0] = await freePorts(1);
  await http.app.listen({ host: "127.0.0.1", port });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= http.close());
  onTestFinished(async () => await close());
  const ask = async (method: string, path: string, how: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: AUTH, ...how });
    const text = await answer.text();
    const body: unknown = text === "" ? null : JSON.parse(text);
    return { status: answer.status, headers: answer.headers, body };
  };
  return { port, ask, bugs, close };
}

/** Says it on a connection of its own, and gathers what comes until it is closed or all of `until` was seen. */
export function say(port: number, bytes: string, until: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (part: Buffer) => {
      text += part.toString();
      if (until.test(text)) socket.destroy();
    });
    socket.on("close", () => resolve(text)).on("error", () => undefined);
  });
}
