import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Followers } from "../../admin/followers.ts";
import { aLane, aRoom, aStatus, aView, NOW } from "../../admin/samples.suite.ts";
import { ask, lines } from "../../cli/client.ts";
import { encode } from "../../gateway/codec.ts";
import { aConfig, aGateway, aMessage } from "../../gateway/samples.suite.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { LogError } from "../../log/errors.ts";
import type { Logger } from "../../logger.ts";
import { ampleDescriptors } from "../../lib/descriptors.suite.ts";
import { BodyBudget } from "../body-budget.ts";
import { type AdminServer, startAdmin } from "./admin-server.ts";
import type { AdminDeps } from "./routes.ts";
import { V1Door } from "../v1/index.ts";
import { socketPath } from "./socket.ts";

/** Nothing of it is asked for here. */
const noV1 = (): V1Door => new V1Door(() => Promise.reject(new LogError("closed", "no /v1 in this test")));

const FULL = { of: "the log", what: "the disk is full", remedy: null, sinceMs: null };
const LOOPBACK = { host: "127.0.0.1", port: 0 };
const NAMES = () => ({ bound: "127.0.0.1", allowed: ["bridge.example"], machine: "box" });

interface Stage {
  readonly server: AdminServer;
  readonly socket: string;
  readonly url: string;
  readonly followers: Followers;
  readonly logged: string[];
}

async function start(token: string | null = null, more: Partial<AdminDeps> = {}): Promise<Stage> {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-admin-"));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  const logged: string[] = [];
  const note = (_fields: unknown, text: string): void => void logged.push(text);
  const logger = { info: note, error: note } as unknown as Logger;
  const followers = new Followers(
    compileRoutes(aConfig([aGateway("g", ["inout net.a #x", "inout net.b #x"])])),
    () => undefined,
  );
  const deps: AdminDeps = {
    status: () => Promise.resolve(aView()),
    readiness: () => Promise.resolve({ ready: true, troubles: [] }),
    metrics: () => Promise.resolve({ type: "text/plain; version=0.0.4", body: "rialto_x 1\n" }),
    explain: (question) => Promise.resolve({ stories: [], drops: [], more: question === "more" }),
    control: () => Promise.resolve({ is: "unknown" }),
    account: () => null,
    story: () => Promise.resolve(null),
    unknown: (gateway) => (gateway === "g" ? null : "there is no such gateway; there are: g"),
    follow: (follower) => followers.add(follower),
    resend: () => Promise.resolve({ is: "taken" }),
    resendTyped: () => Promise.resolve({ is: "refused", message: "it goes nowhere" }),
    say: ({ gateway }) =>
      Promise.resolve(
        gateway === "g"
          ? { is: "said", seq: 4, destinations: 2 }
          : { is: "unknown", message: "there is no such gateway" },
      ),
    reload: () => Promise.resolve({ is: "unchanged" }),
    tokens: () => Promise.resolve({ ok: true, is: "list", tokens: [] }),
    invite: () => Promise.resolve({ ok: false, message: "there is no room" }),
    dashboard: () => ({ url: "http://127.0.0.1:4290/#login=abc", expiresMs: NOW }),
    backup: () => Promise.resolve("/data/log.sqlite.backup-1"),
    ...more,
  };
  const server = await startAdmin({
    deps,
    followers,
    dataPath,
    listen: { address: LOOPBACK, token, names: NAMES, v1: noV1(), pages: null },
    share: { bodies: new BodyBudget(), descriptors: ampleDescriptors() },
    logger,
  });
  onTestFinished(() => server.close());
  return { server, socket: socketPath(dataPath), url: server.url ?? "", followers, logged };
}

const get = (socket: string, path: string) => ask(socket, { method: "GET", path });

test("operators see and do everything through the socket, without a token", async () => {
  const { socket } = await start("s3cret-token");
  const status = await get(socket, "/api/v1/status");
  expect(JSON.parse(status.body)).toEqual(aView());
  expect((await get(socket, "/healthz")).body).toBe("ok\n");
  expect((await get(socket, "/readyz")).status).toBe(200);
  expect((await get(socket, "/metrics")).body).toBe("rialto_x 1\n");
  expect((await get(socket, "/")).body).toContain("is well");
  expect(JSON.parse((await get(socket, "/api/v1/explain?q=more")).body)).toEqual({
    stories: [],
    drops: [],
    more: true,
  });
  const post = (path: string, body?: unknown) =>
    ask(socket, { method: "POST", path, ...(body !== undefined && { body }) });
  expect(JSON.parse((await post("/api/v1/send", { gateway: "g", text: "x" })).body)).toMatchObject({ seq: 4 });
  expect(JSON.parse((await post("/api/v1/reload")).body)).toEqual({ is: "unchanged" });
});

test.each([
  ["/api/v1/explain", 400, /q must be/],
  [`/api/v1/explain?q=${"x".repeat(1001)}`, 400, /at most 1000/],
  ["/nothing", 404, /Not Found/],
  ["/api/v1/tail?gateway=h", 404, /no such gateway; there are: /],
  ["/api/v1/send", 405, /not allowed/i],
])("%s is refused with %d", async (path, status, message) => {
  const { socket } = await start();
  const answer = await get(socket, path);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatch(message);
});

test.each([
  ["no JSON", "{", "application/json", 400],
  ["no object", "3", "application/json", 400],
  ["no text", '{"gateway":"g"}', "application/json", 400],
  ["no such gateway", '{"gateway":"h","text":"x"}', "application/json", 404],
  ["another type", "gateway=g&text=x", "application/x-www-form-urlencoded", 415],
  ["too much", JSON.stringify({ gateway: "g", text: "x".repeat(70_000) }), "application/json", 413],
])("what cannot be said is refused: %s", async (_, body, type, status) => {
  const { url } = await start();
  const answer = await fetch(`${url}/api/v1/send`, { method: "POST", body, headers: { "Content-Type": type } });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ message: expect.any(String) as string });
});

test("over TCP the token is needed for all but health and readiness", async () => {
  const { url } = await start("s3cret-token");
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(url + path, { headers })).status;
  for (const path of ["/", "/metrics", "/api/v1/status", "/api/v1/tail", "/api/v1/explain?q=x"]) {
    expect(await status(path)).toBe(401);
    expect(await status(path, { Authorization: "Bearer wrong" })).toBe(401);
  }
  expect(await status("/metrics", { Authorization: "Bearer s3cret-token" })).toBe(200);
  expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 200]);
});

/** `fetch` does not let anybody choose the host. */
async function statusFor(url: string, headers: Record<string, string>): Promise<number> {
  return await new Promise((resolve, reject) => {
    request(`${url}/api/v1/status`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

test("without a token, no web page can ask: neither one of another host nor one whose name leads here", async () => {
  const { url } = await start();
  expect(await statusFor(url, {})).toBe(200);
  expect(await statusFor(url, { Host: "localhost:1" })).toBe(200);
  expect(await statusFor(url, { Host: "[::1]:1" })).toBe(200);
  expect(await statusFor(url, { Host: "Bridge.example" })).toBe(200);
  expect(await statusFor(url, { Host: "evil.example" })).toBe(421);
  expect(await statusFor(url, { Host: "127.0.0.1.evil.example" })).toBe(421);
  expect(await statusFor(url, { Origin: "http://evil.example" })).toBe(403);
  const own = url.replace("http:", "https:");
  expect([await statusFor(url, { Origin: url }), await statusFor(url, { Origin: own })]).toEqual([200, 403]);
  expect(await statusFor(url, { "Sec-Fetch-Site": "cross-site" })).toBe(403);
});

test.each([
  [true, [], 200, { ready: true, ok: true }],
  [true, [FULL], 200, { ready: true, ok: false }],
  [false, [FULL], 503, { ready: false, ok: false }],
])("readiness %j with the troubles %j is %d; only clients with the token get the reasons", async (...row) => {
  const [ready, troubles, status, brief] = row;
  const { socket, url } = await start("s3cret-token", { readiness: () => Promise.resolve({ ready, troubles }) });
  const whole = { ...brief, troubles };
  const headers = { Authorization: "Bearer s3cret-token" };
  const answers = [await fetch(`${url}/readyz`), await fetch(`${url}/readyz`, { headers })];
  expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  expect(await Promise.all(answers.map(async (answer): Promise<unknown> => await answer.json()))).toEqual([
    brief,
    whole,
  ]);
  expect(JSON.parse((await get(socket, "/readyz")).body)).toEqual(whole);
});

test("a log that does not answer is 503, and nothing else breaks", async () => {
  const fail = () => Promise.reject(new LogError("io", "the disk does not read"));
  const { socket } = await start(null, { explain: fail, say: fail });
  expect((await get(socket, "/api/v1/explain?q=x")).status).toBe(503);
  const said = await ask(socket, { method: "POST", path: "/api/v1/send", body: { gateway: "g", text: "x" } });
  expect([said.status, said.body]).toEqual([503, expect.stringContaining("the disk does not read")]);
  expect((await get(socket, "/api/v1/status")).status).toBe(200);
});

test("what may have been said is not said to have failed, and is to be looked for", async () => {
  const { socket } = await start(null, { say: () => Promise.reject(new LogError("unknown", "It is not known.")) });
  const said = await ask(socket, { method: "POST", path: "/api/v1/send", body: { gateway: "g", text: "x" } });
  expect([said.status, said.body]).toEqual([500, expect.stringContaining("It is not known. Look whether it was done")]);
});

test("the page says in HTML what the status says, and nothing from elsewhere can act in it", async () => {
  const evil = `<script>alert("1")</script>`;
  const why = { code: "auth", message: evil } as const;
  const [account] = aView().accounts;
  const view = aView({ accounts: account === undefined ? [] : [{ ...account, why, remedy: evil }] });
  const { url } = await start(null, { status: () => Promise.resolve(view) });
  const answer = await fetch(`${url}/`);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  const body = await answer.text();
  expect(body).toContain("&lt;script&gt;");
  expect(body).not.toContain("<script");
  expect(body).toContain("<th>For<");
});

test("the page shows the traffic of accounts, when they and their rooms were last heard, and what waits in lanes", async () => {
  const lane = aLane({ state: "waiting", waiting: 12, oldestMs: NOW - 90_000 });
  const room = aRoom({ heardMs: NOW - 65_000, lanes: [lane] });
  const account = aStatus({ accepted: 12, delivered: 345, heardMs: NOW - 5_000, channels: [room] });
  const { url } = await start(null, { status: () => Promise.resolve(aView({ accounts: [account] })) });
  const body = await (await fetch(`${url}/`)).text();
  const cells = (row: string): readonly string[] => row.split(/<t[dh]>/u).slice(1);
  const [titles = "", ...rows] = /<table>(.*?)<\/table>/su.exec(body)?.[1]?.trim().split("\n") ?? [];
  expect(cells(titles).slice(1)).toEqual(["State", "For", "In", "Out", "Heard", "Waiting", "Oldest", "Why"]);
  expect(rows.map(cells)).toEqual([
    ["net.home", "online", "2 min", "12", "345", "5 s", "", "", ""],
    ["#room", "joined", "1 min", "", "", "1 min", "", "", ""],
    ["← g", "waiting", "", "", "", "", "12", "1 min", ""],
  ]);
});

const entry = (seq: number) => {
  return { seq, subject: "net.a/#x", at: 5, label: "", payload: encode(aMessage({ text: `t${seq}` })) };
};

/** Resolves once so many follow. */
async function following(followers: Followers, count: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (followers.size !== count) {
    if (Date.now() > deadline) throw new Error(`${followers.size} follow, not ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("who follows gets lines until the server stops, which is no trouble", async () => {
  const { server, socket, followers } = await start();
  const seen = lines(socket, "/api/v1/tail?gateway=g", AbortSignal.timeout(60_000));
  const first = seen.next();
  await following(followers, 1);
  followers.show([entry(1), entry(2)]);
  expect(JSON.parse((await first).value as string)).toMatchObject({ seq: 1, text: "t1" });
  expect(JSON.parse((await seen.next()).value as string)).toMatchObject({ seq: 2 });
  await server.close();
  followers.show([entry(3)]);
  expect(await seen.next()).toEqual({ done: true, value: undefined });
});

test("who has left is forgotten; one too many is told so, and keeps nobody from asking", async () => {
  const { socket, url, followers } = await start();
  const leave = new AbortController();
  const all = Array.from({ length: 16 }, () => lines(socket, "/api/v1/tail", leave.signal).next());
  await following(followers, 16);
  const late = lines(socket, "/api/v1/tail", AbortSignal.timeout(60_000));
  await expect(late.next()).rejects.toThrow(/too many clients follow/);
  expect((await get(socket, "/healthz")).status).toBe(200);
  // Those who come by the address have room of their own.
  const other = await fetch(`${url}/api/v1/tail`, { signal: leave.signal });
  expect(other.status).toBe(200);
  await following(followers, 17);
  // Whoever leaves before the answer has begun was not answered.
  followers.show([entry(1)]);
  await Promise.all(all);
  leave.abort();
  await following(followers, 0);
});

test("whoever follows by the address keeps nobody from the socket", async () => {
  const { socket, url, followers } = await start();
  const leave = new AbortController();
  const follow = async (): Promise<number> => (await fetch(`${url}/api/v1/tail`, { signal: leave.signal })).status;
  const all = await Promise.all(Array.from({ length: 16 }, follow));
  expect(new Set(all)).toEqual(new Set([200]));
  expect(await follow()).toBe(503);
  const operator = lines(socket, "/api/v1/tail", leave.signal).next();
  await following(followers, 17);
  followers.show([entry(1)]);
  await operator;
  leave.abort();
  await following(followers, 0);
});

test("nobody there: says so", async () => {
  const { server, socket } = await start();
  await server.close();
  await expect(get(socket, "/healthz")).rejects.toThrow(/no Rialto runs with this configuration/);
});

test("an address that is taken is an error for people, and the socket is gone again", async () => {
  const { url } = await start();
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-admin-"));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  const address = { host: "127.0.0.1", port: Number(new URL(url).port) };
  const followers = new Followers(compileRoutes(aConfig([])), () => undefined);
  const options = {
    deps: {} as AdminDeps,
    followers,
    dataPath,
    share: { bodies: new BodyBudget(), descriptors: ampleDescriptors() },
    logger: { info: () => undefined } as unknown as Logger,
  };
  await expect(
    startAdmin({ ...options, listen: { address, token: null, names: NAMES, v1: noV1(), pages: null } }),
  ).rejects.toThrow(/another program listens/);
  await expect(get(socketPath(dataPath), "/healthz")).rejects.toThrow(/no Rialto runs/);
});

test("a socket that cannot be made is said in the log, and the rest works", async () => {
  const logged: string[] = [];
  const note = (_fields: unknown, text: string): void => void logged.push(text);
  const followers = new Followers(compileRoutes(aConfig([])), () => undefined);
  const deps = { status: () => Promise.resolve(aView()) } as unknown as AdminDeps;
  const logger = { info: note, error: note } as unknown as Logger;
  const server = await startAdmin({
    deps,
    followers,
    dataPath: "/nowhere/at/all",
    listen: { address: LOOPBACK, token: null, names: NAMES, v1: noV1(), pages: null },
    share: { bodies: new BodyBudget(), descriptors: ampleDescriptors() },
    logger,
  });
  onTestFinished(() => server.close());
  expect(logged[0]).toContain("the control socket cannot be created");
  expect((await fetch(`${server.url ?? ""}/healthz`)).status).toBe(200);
});
