import { describe, expect, test } from "vitest";
import { type Scope, SCOPES } from "../../access/access.ts";
import { stage as fileStage } from "../../files/stage.suite.ts";
import { isObject } from "../../lib/shapes.ts";
import type { Route } from "./route.ts";
import { v1Routes } from "./routes/index.ts";
import { type V1Stage, v1Stage } from "./stage.suite.ts";

const TOKEN = "sesam-sesam";

/** Somebody who asks: with what, and what that is. */
interface Caller {
  readonly name: string;
  readonly credential: string | null;
  readonly by: "open" | "configuration" | "token" | null;
  readonly scopes: readonly Scope[];
}

/** What the table of routes says of a caller, in the words of the design and not of the code. */
function expected({ needs }: Route, { by, scopes }: Caller): "in" | "401" | "403" {
  if (needs === null) return "in";
  if (by === null) return "401";
  switch (needs) {
    case "any":
      return "in";
    case "token":
      return by === "open" ? "403" : "in";
    case "secret":
      return by === "configuration" || scopes.includes("admin") ? "in" : "403";
    case "read":
    case "write":
      return by !== "token" || scopes.includes(needs) ? "in" : "403";
    case "moderate":
    case "admin":
      return scopes.includes(needs) ? "in" : "403";
  }
}

interface Met {
  readonly status: number;
  readonly problem: unknown;
}

async function meet({ url }: V1Stage, route: Route, credential: string | null, gateway = "lobby"): Promise<Met> {
  const path = route.path.replaceAll("{gateway}", gateway).replaceAll(/\{\w+\}/gu, "7");
  const gone = new AbortController();
  const answer = await fetch(url + path, {
    method: route.method,
    headers: {
      ...(credential !== null && { Authorization: `Bearer ${credential}` }),
      ...(route.body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(route.body !== undefined && { body: '{"text":"hello"}' }),
    signal: gone.signal,
  });
  const { status } = answer;
  const problem: unknown = status >= 400 ? await answer.json() : null;
  // Streams have no end.
  gone.abort();
  return { status, problem };
}

/** `403`: because of what the caller may, and not of what was asked. */
function sort({ status, problem }: Met): string {
  if (status === 401) return "401";
  if (status === 500) return `500: ${JSON.stringify(problem)}`;
  return isObject(problem) && String(problem["detail"]).startsWith("this needs ") ? "403" : "in";
}

const named = v1Routes.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);

describe("every route, for everybody who may ask, and no token in the log", () => {
  test("on an account with a Token", async () => {
    const stage = await v1Stage({ token: TOKEN, files: (await fileStage()).files });
    const of = async (...scopes: Scope[]): Promise<Caller> => {
      const credential = await stage.token({ scopes });
      return { name: `a token for ${scopes.join(", ") || "nothing"}`, credential, by: "token", scopes };
    };
    const revoked = await of("read", "write");
    await stage.tokens.revoke(revoked.credential?.slice(4, 12) ?? "");
    const elsewhere = await stage.token({ account: "api.other" });
    const expired = await stage.token({ expiresMs: 1 });
    const whole = await of(...SCOPES);
    const nobody = { by: null, scopes: [] };
    const callers: readonly Caller[] = [
      { name: "no credential", credential: null, ...nobody },
      { name: "another Token", credential: `${TOKEN}x`, ...nobody },
      { ...revoked, ...nobody, name: "a revoked token" },
      { name: "an expired token", credential: expired, ...nobody },
      { name: "a token of another account", credential: elsewhere, ...nobody },
      { name: "a token cut short", credential: whole.credential?.slice(0, -1) ?? "", ...nobody },
      { name: "the Token", credential: TOKEN, by: "configuration", scopes: ["read", "write"] },
      await of(),
      ...(await Promise.all(SCOPES.map(async (scope) => await of(scope)))),
      whole,
    ];
    for (const caller of callers) {
      for (const [name, route] of named) {
        const found = sort(await meet(stage, route, caller.credential));
        expect.soft(found, `${name} with ${caller.name}`).toBe(expected(route, caller));
      }
    }
    const logged = JSON.stringify(stage.logger.lines);
    expect(logged).toContain("a token was created");
    const secretOf = ({ credential }: Caller): string => (credential ?? "none").replace(/^rlt_\w{8}/u, "");
    expect(callers.filter((caller) => logged.includes(secretOf(caller)))).toEqual([]);
  });

  test("on an account without one", async () => {
    const stage = await v1Stage({ files: (await fileStage()).files });
    const admin = await stage.token({ scopes: ["admin"] });
    const callers: readonly Caller[] = [
      { name: "no credential", credential: null, by: "open", scopes: ["read", "write"] },
      { name: "any word", credential: "whatever", by: "open", scopes: ["read", "write"] },
      { name: "a token that is none", credential: "rlt_x", by: null, scopes: [] },
      { name: "an admin's token", credential: admin, by: "token", scopes: ["admin"] },
    ];
    for (const caller of callers) {
      for (const [name, route] of named) {
        const found = sort(await meet(stage, route, caller.credential));
        expect.soft(found, `${name} with ${caller.name}`).toBe(expected(route, caller));
      }
    }
  });

  test("a gateway that a token does not see is as little there as one that is not", async () => {
    const stage = await v1Stage({ token: TOKEN, files: (await fileStage()).files });
    const limited = await stage.token({ scopes: SCOPES, gateways: ["den"] });
    const ofGateway = named.filter(([, { path }]) => path.includes("{gateway}"));
    expect(ofGateway.length).toBeGreaterThan(2);
    const { head } = stage.log;
    for (const [name, route] of ofGateway) {
      const hidden = await meet(stage, route, limited, "lobby");
      const absent = await meet(stage, route, limited, "nowhere");
      // Where the body is refused for itself, nothing is said of gateways.
      expect.soft(hidden.status === 400 ? 404 : hidden.status, name).toBe(404);
      expect.soft(hidden.status, name).toBe(absent.status);
      expect.soft(JSON.stringify(hidden.problem), name).not.toMatch(/"detail":"[^"]*\blobby\b[^"]*is/u);
    }
    expect(stage.log.head).toBe(head);
  });
});
