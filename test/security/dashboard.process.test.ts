import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminV1Routes } from "../../src/http/admin/v1/index.ts";
import type { Route } from "../../src/http/v1/route.ts";
import { get as httpGet } from "../../src/lib/node-http.ts";
import { PAGE_HEADERS } from "../../src/lib/static-files.ts";
import { type Answer, request, type RequestOptions } from "../support/http.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually, within } from "../support/wait.ts";

const TOKEN = "the-operators-own-token";
const PUBLIC = "https://bridge.example";
const GATEWAYS = ["lobby", "den"]
  .map((name) => `[[gateway]]\nname = "${name}"\nenable = true\ninout = [{ account = "api.a" }, { account = "api.b" }]`)
  .join("\n");
const ROOT = join(import.meta.dirname, "../..");

let port = 0;
let rialto: Rialto;
const base = (): string => `http://127.0.0.1:${port}`;
const config = (more = ""): string =>
  `[general]\nAdminBindAddress = "127.0.0.1:${port}"\nAdminToken = "${TOKEN}"\n${more}\n[api.a]\n[api.b]\n${GATEWAYS}`;

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  rialto = await startRialto({ config: config() });
});
afterAll(async () => await rialto.dispose());

const ask = async (path: string, options: RequestOptions = {}): Promise<Answer> =>
  await request(base() + path, options);

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** What `rialto dashboard` prints. */
async function printed(...args: readonly string[]): Promise<string> {
  const program = startProgram(ROOT, ["dashboard", "--data", rialto.dataPath, ...args]);
  expect(await program.exited()).toBe(0);
  return program.output();
}

const enter = async (login: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  await ask("/v1/session", { method: "POST", body: JSON.stringify({ login }), headers });

const secretOf = (link: string): string => link.trim().split("#login=")[1] ?? "";
const cookieOf = ({ headers }: Answer): string => headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

/** Headers of a page of ours. */
async function session(): Promise<Readonly<Record<string, string>>> {
  const answer = await enter(secretOf(await printed()));
  expect(answer.status).toBe(201);
  return { Cookie: cookieOf(answer), Origin: base(), "X-Rialto": "1", "Sec-Fetch-Site": "same-origin" };
}

/** A token of `rialto token create`. */
async function tokenOf(body: object): Promise<string> {
  const made = await ask("/v1/admin/tokens", {
    method: "POST",
    headers: bearer(TOKEN),
    body: JSON.stringify({ account: "api.a", ...body }),
  });
  expect(made.status).toBe(201);
  return (made.json() as { token: string }).token;
}

const without = (headers: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));

describe("a link", () => {
  test("is one line, counts once, makes a cookie that no script reads, and stands in no log", async () => {
    const line = await printed();
    expect(line).toMatch(new RegExp(`^${base()}/#login=[\\w-]{43}\\n$`, "u"));
    const { url } = JSON.parse(await printed("--json")) as { url: string };
    expect(url).toMatch(/#login=[\w-]{43}$/u);
    const answer = await enter(secretOf(line), { Origin: base() });
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({ name: "operator", expiresMs: expect.any(Number) as number });
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        new RegExp(`^rialto-${port}=[\\w-]{43}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict$`, "u"),
      ),
    ]);
    const again = await enter(secretOf(line));
    expect([again.status, again.headers["content-type"], again.headers["set-cookie"]]).toEqual([
      401,
      "application/problem+json",
      undefined,
    ]);
    const cookie = cookieOf(answer);
    const who = await ask("/v1/session", { headers: { Cookie: `other=1; ${cookie}` } });
    expect(who.json()).toMatchObject({ name: "operator", by: "session" });
    // Another server on this host name can set cookies of the same name: neither keeps the right one out.
    const name = `rialto-${port}`;
    const shadowed = await ask("/v1/session", { headers: { Cookie: `${name}=theirs; ${cookie}; ${name}=` } });
    expect(shadowed.json()).toMatchObject({ by: "session" });
    expect(cookieOf(shadowed)).toBe(cookie);
    expect((await ask("/v1/session", { headers: { Cookie: `${name}=theirs` } })).status).toBe(401);
    for (const secret of [secretOf(line), secretOf(url), cookie.split("=")[1] ?? ""]) {
      expect(rialto.output()).not.toContain(secret);
    }
    const stored = readdirSync(rialto.dataPath).filter((name) => name.startsWith("log.sqlite"));
    for (const name of stored) {
      expect(readFileSync(join(rialto.dataPath, name)).includes(cookie.split("=")[1] ?? "")).toBe(false);
    }
  });

  test("that a page of another host tries to use is refused, and still counts", async () => {
    const secret = secretOf(await printed());
    expect((await enter(secret, { Origin: "http://evil.example" })).status).toBe(403);
    expect((await enter(secret, { Origin: "null" })).status).toBe(403);
    expect((await enter(secret, { Host: "evil.example" })).status).toBe(421);
    expect((await enter(secret, { Origin: base() })).status).toBe(201);
  });

  test("cannot be guessed for long, which keeps nobody out who has one", async () => {
    const secret = secretOf(await printed());
    const answers: Answer[] = [];
    for (let guess = 0; guess < 30; guess++) answers.push(await enter(`${secret}${guess}`));
    const last = answers.at(-1);
    expect([last?.status, Number(last?.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect((await enter(secret)).status).toBe(201);
  });
});

describe("the page", () => {
  test("is for everybody, without data, and allows nothing that is not its own", async () => {
    const page = await ask("/");
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.text).toBe(readFileSync(join(ROOT, "dist/web/index.html"), "utf8"));
    const [script = ""] = /assets\/[\w.-]+\.js/u.exec(page.text) ?? [];
    const asset = await ask(`/${script}`, { headers: { "Accept-Encoding": "br" } });
    expect([asset.status, asset.headers["content-encoding"]]).toEqual([200, "br"]);
    expect(asset.headers["cache-control"]).toContain("immutable");
    for (const { headers } of [page, asset]) {
      for (const [name, value] of Object.entries(PAGE_HEADERS)) expect(headers[name.toLowerCase()]).toBe(value);
    }
    const known = { "If-None-Match": String(asset.headers.etag), "Accept-Encoding": "br" };
    expect((await ask(`/${script}`, { headers: known })).status).toBe(304);
  });

  test.each(["/assets/..%2findex.html", "/assets/%2e%2e/main.js", "/assets/nothing.js", "/main.js"])(
    "%s leads to no other file",
    async (path) => {
      const { status, text } = await ask(path, { headers: bearer(TOKEN) });
      expect([status, text.length < 200]).toEqual([404, true]);
    },
  );

  test("answers to its own names only", async () => {
    expect((await ask("/", { headers: { Host: "evil.example" } })).status).toBe(421);
    expect((await ask("/", { headers: { Host: `localhost:${port}` } })).status).toBe(200);
  });
});

const routes = adminV1Routes.map((route): [string, Route<never>] => [`${route.method} ${route.path}`, route as never]);
const closed = routes.filter(([, { needs }]) => needs !== null);

/** A body that no route takes for its own: what passes the door is refused behind it. */
const meet = async (route: Route<never>, headers: Readonly<Record<string, string>>): Promise<number> => {
  const path = route.path.replaceAll(/\{\w+\}/gu, "7");
  const { method } = route;
  return (await ask(path, { method, headers, ...(route.body !== undefined && { body: '{"":0}' }) })).status;
};

describe("every route below /v1 of the admin server", () => {
  test("lets in no strangers, no wrong tokens, and none that are for less", async () => {
    expect(closed.length).toBeGreaterThan(10);
    const callers = {
      nobody: [{}, 401],
      "a wrong AdminToken": [bearer(`${TOKEN}x`), 401],
      "a token that is none": [bearer("rlt_x"), 401],
      "a cookie of nobody": [{ Cookie: `rialto-${port}=${"A".repeat(43)}`, Origin: base(), "X-Rialto": "1" }, 401],
      "a token without admin": [bearer(await tokenOf({ scopes: ["read", "write", "moderate"] })), 403],
      "a token for one gateway": [bearer(await tokenOf({ scopes: ["admin"], gateways: ["lobby"] })), 403],
      "AdminToken under a strange name": [{ ...bearer(TOKEN), Host: "evil.example" }, 421],
    } as const;
    for (const [who, [headers, status]] of Object.entries(callers)) {
      for (const [name, route] of closed) expect.soft(await meet(route, headers), `${name} by ${who}`).toBe(status);
    }
  });

  test("takes from a browser only what a page of ours sends", async () => {
    const ours = await session();
    const forged = {
      "without X-Rialto": without(ours, "X-Rialto"),
      "without Origin": without(ours, "Origin"),
      "from another page": { ...ours, Origin: "http://evil.example" },
      "from a page of https, where nothing took TLS off": { ...ours, Origin: base().replace("http:", "https:") },
      "from another port": { ...ours, Origin: "http://127.0.0.1:1" },
      "from a page without an origin": { ...ours, Origin: "null" },
      "from another site": { ...ours, "Sec-Fetch-Site": "cross-site" },
      "from a neighbour": { ...ours, "Sec-Fetch-Site": "same-site" },
    };
    for (const [how, headers] of Object.entries(forged)) {
      const meant = closed.filter(([, { method }]) => method !== "GET" || !how.startsWith("without"));
      for (const [name, route] of meant) expect.soft(await meet(route, headers), `${name} ${how}`).toBe(403);
    }
    expect((await ask("/v1/session", { headers: ours })).status).toBe(200);
    for (const [name, { needs }] of routes) {
      if (needs === null) expect.soft(name).not.toContain("/v1/admin");
    }
  });

  test("AdminToken and a token with all rights come in", async () => {
    for (const token of [TOKEN, await tokenOf({ scopes: ["admin"] })]) {
      expect((await ask("/v1/admin/status", { headers: bearer(token) })).status).toBe(200);
    }
  });
});

test("a session that is ended is nobody, and what it holds open ends", async () => {
  const [one, other] = [await session(), await session()];
  const cut = Promise.withResolvers<void>();
  const streaming = httpGet(`${base()}/v1/admin/events`, { headers: one, agent: false });
  const [stream] = (await within(once(streaming, "response"), () => "the stream")) as [NodeJS.ReadableStream];
  stream.on("error", () => undefined).on("close", cut.resolve);
  stream.resume();
  const { sessions } = (await ask("/v1/admin/sessions", { headers: one })).json() as {
    sessions: readonly { id: string; current: boolean }[];
  };
  const current = sessions.filter((each) => each.current);
  expect(current).toHaveLength(1);
  const path = `/v1/admin/sessions/${current[0]?.id ?? ""}`;
  expect((await ask(path, { method: "DELETE", headers: other })).status).toBe(204);
  await within(cut.promise, () => "the end of the stream", 5_000);
  expect((await ask("/v1/session", { headers: one })).status).toBe(401);
  const out = await ask("/v1/session", { method: "DELETE", headers: other });
  expect([out.status, out.headers["set-cookie"]?.[0]]).toEqual([204, expect.stringContaining("Max-Age=0")]);
  expect((await ask("/v1/session", { headers: other })).status).toBe(401);
});

test("behind a web server with TLS, links have its name, and cookies are for it alone", async () => {
  writeFileSync(rialto.file, await rialto.text(config(`DashboardURL = "${PUBLIC}/"`)));
  await eventually(
    async () => await printed(),
    (line) => line.startsWith(`${PUBLIC}/#login=`),
    () => "a link with the public address",
  );
  const passedOn = { Origin: PUBLIC, Host: "bridge.example" };
  const answer = await enter(secretOf(await printed()), passedOn);
  expect(answer.status).toBe(201);
  expect(answer.headers["set-cookie"]?.[0]).toMatch(/^__Host-rialto=[\w-]{43}; Path=\/; .*; Secure$/u);
  const cookie = { Cookie: cookieOf(answer), "X-Rialto": "1" };
  const signOut = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await ask("/v1/session", { method: "DELETE", headers: { ...cookie, ...headers } })).status;
  expect(await signOut({ ...passedOn, Origin: "https://evil.example" })).toBe(403);
  // The same name over an open line, where others can write the page.
  expect(await signOut({ ...passedOn, Origin: "http://bridge.example" })).toBe(403);
  // A web server that passes on the address instead of the name.
  expect(await signOut({ Origin: PUBLIC })).toBe(204);
});
