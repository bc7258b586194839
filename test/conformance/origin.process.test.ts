import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { expectError, expectGreeting } from "../support/shape.ts";
import { openSocket } from "../support/socket.ts";
import { useRialto } from "../support/suite.ts";

const accounts = { open: {}, closed: { Token: "t" } };
const rialto = useRialto({ config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }) });
const foreign = { Origin: "https://evil.example" };

describe("without a Token, a web page of another host", () => {
  test.for(["/api/messages", "/api/stream", "/api/websocket", "/api/nothing"])("may not GET %s", async (path) => {
    expectError(await rialto().client("open").request(path, { headers: foreign }), 403, /Token.*Origin/);
  });

  test("may not post, as a form or as JSON", async () => {
    const open = rialto().client("open");
    await rialto().client("closed", "t").poll();
    const form = { ...foreign, "Content-Type": "application/x-www-form-urlencoded" };
    expectError(await open.request("/api/message", { method: "POST", headers: form, body: "text=evil" }), 403, /Token/);
    expectError(await open.post({ text: "evil" }, { Origin: "null" }), 403, /Token/);
    expect(await rialto().client("closed", "t").poll()).toEqual([]);
  });

  test("may not open a WebSocket", async () => {
    await expect(openSocket(`${rialto().client("open").url}/api/websocket`, foreign)).rejects.toThrow(/refused: 403/);
  });

  test("may read what is open to everybody", async () => {
    expect((await rialto().client("open").request("/api/health", { headers: foreign })).status).toBe(200);
  });
});

test("without a Token, a web page of the same host is served", async () => {
  const open = rialto().client("open");
  expect((await open.post({ text: "x" }, { Origin: open.url })).status).toBe(200);
  const socket = await openSocket(`${open.url}/api/websocket`, { Origin: open.url });
  expectGreeting(await socket.next());
  await socket.close();
});

test("with a Token, a client from any origin is served", async () => {
  const headers = { ...foreign, Authorization: "Bearer t" };
  const { url } = rialto().client("closed");
  expect((await rialto().client("closed", "t").post({ text: "x" }, foreign)).status).toBe(200);
  const socket = await openSocket(`${url}/api/websocket`, headers);
  expectGreeting(await socket.next());
  await socket.close();
});
