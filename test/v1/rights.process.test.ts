import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { request } from "../support/http.ts";
import { openSocket } from "../support/socket.ts";
import { useRialto } from "../support/suite.ts";
import { within } from "../support/wait.ts";
import { bodyOf, expectProblem, nextSse, V1, expectTaken } from "./client.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");
const SECRET = "the-long-token-of-the-configuration";
const accounts = { open: {}, closed: { Token: SECRET }, twin: {} };
const gateways = { lobby: { inout: ["open", "closed", "twin"] }, side: { inout: ["open", "closed", "twin"] } };
const rialto = useRialto({ config: toml({ accounts, gateways }) });
const url = (): string => rialto().url("api.closed");
const configured = (): V1 => new V1(url(), SECRET);

/** What `rialto token …` prints on stdout. Rejects with what it says when it fails. */
async function tokenCommand(...args: readonly string[]): Promise<string> {
  const socket = path.join(rialto().dataPath, "rialto.sock");
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "token", ...args, "--socket", socket], {
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: rialto().dataPath,
  });
  return stdout;
}

const create = async (scopes: string, ...more: readonly string[]): Promise<string> =>
  (
    await tokenCommand("create", "--account", "api.closed", "--scopes", scopes, "--name", "bot", "--quiet", ...more)
  ).trim();
const idOf = (token: string): string => token.split("_")[1] ?? "";
/** There may be `_` in it, also as its first character. */
const randomPartOf = (token: string): string => token.slice("rlt_12345678_".length);

describe("without a token", () => {
  test("an account with Token refuses: 401", async () => {
    for (const path of ["/v1/me", "/v1/gateways", "/v1/events", "/v1/consumers", "/v1/socket"]) {
      expectProblem(await new V1(url()).ask("GET", path), 401, "unauthorized");
    }
    for (const wrong of ["x", `rlt_12345678_${"a".repeat(43)}_000000`, `${SECRET}x`]) {
      expectProblem(await new V1(url(), wrong).ask("GET", "/v1/me"), 401, "unauthorized");
    }
  });

  test("the description and the problems are for everybody", async () => {
    const description = bodyOf(await new V1(url()).ask("GET", "/v1/openapi.json"), 200);
    expect(description["openapi"]).toMatch(/^3\.1\./u);
    expect(Object.keys(description["paths"] as object)).toEqual(
      expect.arrayContaining(["/v1/consumers/{name}/pull", "/v1/gateways/{gateway}/messages", "/v1/events"]),
    );
    const page = await new V1(url()).ask("GET", "/v1/problems/consumer_gone");
    expect(page.status).toBe(200);
    expect(page.text).toContain("consumer_gone");
  });

  test("an account without Token lets programs read, write and have consumers", async () => {
    const open = new V1(rialto().url("api.open"));
    await open.say("lobby", "hello");
    await open.consumer({ start: "new" });
    await open.get("/v1/gateways");
  });

  test("but has no webhooks, no tickets and no administration", async () => {
    const open = new V1(rialto().url("api.open"));
    const body = { url: "https://example.org/", start: "new" };
    for (const answer of [
      await open.ask("PUT", "/v1/webhooks/hook", { body }),
      await open.ask("GET", "/v1/webhooks"),
      await open.ask("POST", "/v1/tickets"),
      await open.ask("GET", "/v1/admin/tokens"),
    ]) {
      expect([401, 403]).toContain(answer.status);
      expectProblem(answer, answer.status);
    }
  });

  test.for([
    ["a page of elsewhere", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["a page of another origin", { Origin: "http://evil.example" }, 403],
    ["a page whose name was made to lead here", { Host: "evil.example" }, 421],
  ] as const)("and refuses %s", async ([, headers, status]) => {
    const open = new V1(rialto().url("api.open"));
    expectProblem(await open.ask("GET", "/v1/me", { headers }), status);
    expectProblem(await open.ask("POST", "/v1/gateways/lobby/messages", { body: { text: "x" }, headers }), status);
  });
});

describe("every answer", () => {
  test("is neither kept, nor guessed at, nor for other origins", async () => {
    for (const path of ["/v1/me", "/v1/nothing", "/v1/openapi.json"]) {
      const { headers } = await configured().ask("GET", path, { headers: { Origin: "http://other.example" } });
      // The description is for everybody, and is asked for with its ETag.
      expect(headers["cache-control"]).toMatch(path === "/v1/openapi.json" ? /no-cache/u : /no-store/u);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("what there is not is a problem, also other methods", async () => {
    expectProblem(await configured().ask("GET", "/v1/nothing"), 404, "not_found");
    const answer = await configured().ask("DELETE", "/v1/me");
    expectProblem(answer, 405, "method_not_allowed");
    expect(answer.headers.allow).toMatch(/GET/u);
  });

  test("of a post has the limit and what is left of it", async () => {
    const answer = await configured().ask("POST", "/v1/gateways/lobby/messages", { body: { text: "x" } });
    expect(answer.headers["ratelimit-policy"]).toMatch(/^"[\w-]+";q=\d+;w=\d+/u);
    expect(answer.headers["ratelimit"]).toMatch(/^"[\w-]+";r=\d+;t=\d+/u);
  });

  test("refuses a body that is too large: 413", async () => {
    const body = `{"text":"${"x".repeat(40_000_000)}"}`;
    const answer = await configured().ask("POST", "/v1/gateways/lobby/messages", { body });
    expectProblem(answer, 413, "too_large");
  });
});

describe("a token of `rialto token create`", () => {
  test("has the form that scanners know, and reads", async () => {
    const token = await create("read,write", "--gateways", "lobby", "--expires", "90d");
    expect(token).toMatch(/^rlt_[A-Za-z0-9]{8}_[\w-]{43}_[A-Za-z0-9]{6}$/u);
    await new V1(url(), token).get("/v1/me");
  });

  test("as JSON with --json", async () => {
    const printed = await tokenCommand(
      "create",
      "--account",
      "api.closed",
      "--scopes",
      "read",
      "--name",
      "j",
      "--json",
    );
    const { token } = JSON.parse(printed) as { token: string };
    await new V1(url(), token).get("/v1/me");
  });

  test("scopes do not include each other", async () => {
    const reader = new V1(url(), await create("read"));
    const writer = new V1(url(), await create("write"));
    await reader.get("/v1/gateways");
    const post = { body: { text: "x" } };
    expectProblem(await reader.ask("POST", "/v1/gateways/lobby/messages", post), 403, "forbidden");
    expect((await writer.ask("POST", "/v1/gateways/lobby/messages", post)).status).toBe(201);
    expectProblem(await writer.ask("GET", "/v1/events"), 403, "forbidden");
    expectProblem(await writer.ask("GET", "/v1/gateways/lobby/history"), 403, "forbidden");
    expectProblem(await reader.ask("GET", "/v1/admin/tokens"), 403, "forbidden");
    expectProblem(await configured().ask("GET", "/v1/admin/tokens"), 403, "forbidden");
    expect((await new V1(url(), await create("admin")).ask("GET", "/v1/admin/tokens")).status).toBe(200);
  });

  test("sees its gateways only", async () => {
    const one = new V1(url(), await create("read,write", "--gateways", "lobby"));
    const { gateways: seen } = await one.get<{ gateways: { name: string }[] }>("/v1/gateways");
    expect(seen.map(({ name }) => name)).toEqual(["lobby"]);
    for (const path of ["/v1/gateways/side", "/v1/gateways/side/history", "/v1/gateways/side/members"]) {
      expectProblem(await one.ask("GET", path), 404, "not_found");
    }
    const refused = await one.ask("POST", "/v1/gateways/side/messages", { body: { text: "x" } });
    expect(expectProblem(refused, 404, "not_found")["detail"]).not.toMatch(/side.*side/u);
    const stream = await one.stream("/v1/events");
    const twin = new V1(rialto().url("api.twin"));
    const hidden = await twin.say("side", "hidden");
    const shown = await twin.say("lobby", "shown");
    expect((await nextSse(stream)).data).toMatchObject({ seq: shown, gateways: ["lobby"] });
    await stream.close();
    expectProblem(await one.ask("GET", `/v1/messages/${hidden}/receipts`), 404, "not_found");
    expectProblem(await one.ask("PATCH", `/v1/messages/${hidden}`, { body: { text: "x" } }), 404, "not_found");
    const mine = await one.consumer({ start: "all", filter: { mine: true } });
    const { events } = await one.pull(mine, { max: 1000, wait: "1s" });
    expect(new Set(events.flatMap(({ event }) => event.gateways))).toEqual(new Set(["lobby"]));
    const all = await configured().consumer({ start: "new" });
    expectProblem(await one.ask("GET", `/v1/consumers/${all}`), 404, "not_found");
    expectProblem(await one.ask("POST", `/v1/consumers/${all}/pull`, { body: {} }), 404, "not_found");
    const { consumers } = await one.get<{ consumers: { name: string }[] }>("/v1/consumers");
    expect(consumers.map(({ name }) => name)).not.toContain(all);
  });

  test("is for one account: no other address takes it", async () => {
    const token = await create("read");
    expectProblem(await new V1(rialto().url("api.open"), token).ask("GET", "/v1/me"), 401, "unauthorized");
  });

  test("is listed without its secret", async () => {
    const token = await create("read", "--name", "listed");
    const listed = await tokenCommand("list");
    expect(listed).toContain(idOf(token));
    expect(listed).not.toContain(randomPartOf(token));
    expect(JSON.stringify(JSON.parse(await tokenCommand("list", "--json")))).toContain(idOf(token));
  });

  test("revoked: 401, and its streams and sockets end within 5 s", async () => {
    const token = await create("read,write");
    const client = new V1(url(), token);
    const stream = await client.stream("/v1/events");
    const socket = await client.socket();
    await tokenCommand("revoke", idOf(token));
    expectProblem(await client.ask("GET", "/v1/me"), 401, "unauthorized");
    await within(Promise.all([stream.ended, socket.closed]), () => "the end of stream and socket", 6_000);
  });

  test("expired: 401, and its streams end within 5 s", async () => {
    const token = await create("read", "--expires", "2s");
    const client = new V1(url(), token);
    const stream = await client.stream("/v1/events");
    await within(stream.ended, () => "the end of the stream", 9_000);
    expectProblem(await client.ask("GET", "/v1/me"), 401, "unauthorized");
  });

  test("rotated: the old one and the new one count", async () => {
    const old = await create("read");
    const fresh = (await tokenCommand("rotate", idOf(old), "--quiet")).trim();
    expect(fresh).toMatch(/^rlt_/u);
    expect(fresh).not.toBe(old);
    for (const token of [old, fresh]) await new V1(url(), token).get("/v1/me");
  });
});

describe("tickets", () => {
  const ticket = async (client: V1): Promise<string> => {
    const answer = await client.ask("POST", "/v1/tickets");
    expectTaken(answer);
    return (answer.json() as { ticket: string }).ticket;
  };

  test("open one stream, once", async () => {
    const query = `?ticket=${await ticket(configured())}`;
    const stream = await new V1(url()).stream(`/v1/events${query}`);
    expect(stream.status).toBe(200);
    await stream.close();
    expectProblem(await new V1(url()).ask("GET", `/v1/events${query}`), 401, "unauthorized");
  });

  test("open one WebSocket, once", async () => {
    const query = `?ticket=${await ticket(configured())}`;
    const socket = await openSocket(`${url()}/v1/socket${query}`);
    expect(JSON.parse((await socket.nextFrame()).data)).toMatchObject({ op: "hello" });
    await socket.close();
    await expect(openSocket(`${url()}/v1/socket${query}`)).rejects.toThrow(/refused: 401/u);
  });

  test("have the rights of what they were made with, and no more", async () => {
    const one = new V1(url(), await create("admin,read", "--gateways", "side"));
    const stream = await new V1(url()).stream(`/v1/events?ticket=${await ticket(one)}`);
    const twin = new V1(rialto().url("api.twin"));
    await twin.say("lobby", "hidden");
    const shown = await twin.say("side", "shown");
    expect((await nextSse(stream)).id).toBe(shown);
    await stream.close();
  });
});

test("no token counts in an address", async () => {
  const token = await create("read");
  for (const secret of [token, SECRET]) {
    for (const name of ["token", "access_token", "ticket", "authorization"]) {
      const answer = await request(`${url()}/v1/events?${name}=${encodeURIComponent(secret)}`);
      expectProblem(answer, 401, "unauthorized");
    }
  }
});

test("no token is in what the program printed", async () => {
  const token = await create("read");
  await new V1(url(), token).get("/v1/me");
  await new V1(url(), `${token}x`).ask("GET", "/v1/me");
  expect(rialto().output()).not.toContain(randomPartOf(token));
  expect(rialto().output()).not.toContain(SECRET);
});

test("`/api` answers as it did", async () => {
  const open = rialto().client("open");
  expect((await open.request("/api/health")).text).toBe("OK");
  const refused = await open.request("/api/nothing");
  expect(refused.status).toBe(404);
  expect(Object.keys(refused.json() as object)).toEqual(["message"]);
  expect(refused.headers["ratelimit"]).toBeUndefined();
  expect((await rialto().client("closed").request("/api/messages")).json()).toHaveProperty("message");
  const said = await open.say({ text: "old way", gateway: "lobby" });
  expect(said).toMatchObject({ text: "old way", id: "" });
});
