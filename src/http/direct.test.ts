import net, { type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ApiAccount } from "./api/account.ts";
import type { Ingest, Poster } from "./api/ingest.ts";
import type { Draft } from "./api/post-body.ts";
import { problem } from "./api/problem.ts";
import { addApiRoutes } from "./api/routes.ts";
import { createServer } from "./server.ts";

const LIMIT = 1000;

interface Told {
  readonly draft: Draft;
  readonly poster: Poster;
}

async function start({ token = null as string | null, addStream = (): unknown => undefined } = {}) {
  const bugs: string[] = [];
  /** Paths that Fastify was handed. */
  const handedOn: string[] = [];
  /** Posts with the text `wait`. */
  const waiting: Told[] = [];
  let streams = 0;
  const http = await createServer({
    token,
    names: () => ({ bound: "127.0.0.1", allowed: ["chat.example"], machine: "box" }),
    maxBodySize: LIMIT,
    onError: (error, path) => bugs.push(`${path} ${String(error)}`),
  });
  const postThen: Ingest["postThen"] = (draft, once, poster) => {
    if (draft.text === "wait") return void waiting.push({ draft, poster });
    if (draft.text === "bug") return poster.failed(new Error("a bug"));
    if (draft.text === "throw") throw new Error("thrown");
    if (draft.text === "full") {
      const refusal = { ...problem(503, "no room — try again"), retryAfterS: 10 };
      return poster.answered({ ok: false, problem: refusal });
    }
    poster.answered({ ok: true, line: JSON.stringify({ ...draft, once }), stored: true });
  };
  http.app.addHook("onRequest", (request, _reply, done) => {
    handedOn.push(request.url);
    done();
  });
  const certainty = { isSure: true };
  const readers = { certainty, addStream: () => [(streams += 1), addStream()] } as unknown as ApiAccount;
  addApiRoutes(http, { readers, ingest: { postThen } as unknown as Ingest, nowMs: () => 0, onError: () => undefined });
  await http.app.listen({ host: "127.0.0.1", port: 0 });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= http.close());
  onTestFinished(async () => await close());
  const { server } = http.app;
  const { port } = server.address() as AddressInfo;
  let requests = 0;
  let ended = 0;
  server.on("request", () => (requests += 1));
  server.on("connection", (socket: net.Socket) => socket.once("close", () => (ended += 1)));
  /** Waits for so many requests, or connections that have ended. */
  const asked = async (count: number): Promise<void> => await expect.poll(() => requests).toBe(count);
  const left = async (count: number): Promise<void> => await expect.poll(() => ended).toBe(count);
  return { port, bugs, handedOn, waiting, close, asked, left, streams: () => streams };
}

const MASKED = /^Date: .*$/gim;

/** The first answer to these bytes that is not a 100, or what has come when the server closes. */
function say(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"));
    let text = "";
    const end = (): void => {
      socket.destroy();
      resolve(text.replace(MASKED, "Date: -"));
    };
    socket.on("data", (part: Buffer) => {
      text += part.toString("latin1");
      if (isWhole(text)) end();
    });
    socket.on("close", end).on("error", () => undefined);
  });
}

/** Says it, and gathers all that comes until the server closes. */
function listen(port: number, bytes: string) {
  const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"));
  let text = "";
  socket.on("data", (part: Buffer) => (text += part.toString("latin1"))).on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  onTestFinished(() => void socket.destroy());
  return { socket, closed, text: () => text };
}

/** An answer without a length has no body, or is a stream. */
function isWhole(text: string): boolean {
  const answer = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/u, "");
  const head = answer.indexOf("\r\n\r\n");
  if (head === -1) return false;
  const length = Number(/^content-length: (\d+)/imu.exec(answer)?.[1] ?? 0);
  return answer.length >= head + 4 + length;
}

interface Asked {
  readonly head?: readonly string[];
  readonly body?: string;
  readonly method?: string;
  readonly version?: string;
}

function post(path: string, { head = [], body = "", method = "POST", version = "1.1" }: Asked): string {
  const length = head.some((line) => /^(?:content-length|transfer-encoding):/iu.test(line))
    ? []
    : [`Content-Length: ${Buffer.byteLength(body, "latin1")}`];
  const host = head.some((line) => line.startsWith("Host:")) ? [] : ["Host: 127.0.0.1"];
  return [`${method} ${path} HTTP/${version}`, ...host, ...head, ...length, "", body].join("\r\n");
}

const JSON_HEAD = "Content-Type: application/json";
const HELLO = '{"text":"hello","gateway":"g"}';
const chunked = (...parts: readonly string[]): string =>
  [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
const CHUNKED = "Transfer-Encoding: chunked";

/** Fastify need not see them. */
const DIRECT: readonly (readonly [what: string, asked: Asked])[] = [
  ["a message", { head: [JSON_HEAD], body: HELLO }],
  ["a message with a charset", { head: [`${JSON_HEAD}; charset=utf-8`], body: HELLO }],
  ["a form", { head: ["Content-Type: application/x-www-form-urlencoded"], body: "text=a&gateway=g" }],
  ["an empty body", { head: [JSON_HEAD] }],
  ["a chunked body", { head: [JSON_HEAD, CHUNKED], body: chunked('{"text":', '"a"}') }],
  ["a client that says Connection: close", { head: [JSON_HEAD, "Connection: close"], body: HELLO }],
  ["HTTP/1.0", { head: [JSON_HEAD], body: HELLO, version: "1.0" }],
  ["Expect: 100-continue", { head: [JSON_HEAD, "Expect: 100-continue"], body: HELLO }],
  ["an Idempotency-Key", { head: [JSON_HEAD, "Idempotency-Key: k"], body: HELLO }],
  ["two Idempotency-Keys", { head: [JSON_HEAD, "Idempotency-Key: k", "Idempotency-Key: l"], body: HELLO }],
  ["an Idempotency-Key that is too long", { head: [JSON_HEAD, `Idempotency-Key: ${"k".repeat(256)}`], body: HELLO }],
  ["broken JSON", { head: [JSON_HEAD], body: '{"text":\n "a' }],
  ["JSON of another shape", { head: [JSON_HEAD], body: '{"text":7}' }],
  ["another kind of JSON", { head: [JSON_HEAD], body: "[1]" }],
  ["a body that is too large", { head: [JSON_HEAD], body: "x".repeat(LIMIT + 1) }],
  ["a chunked body that is too large", { head: [JSON_HEAD, CHUNKED], body: chunked("x".repeat(LIMIT), "x") }],
  ["a refusal of the log", { head: [JSON_HEAD], body: '{"text":"full"}' }],
  ["a bug", { head: [JSON_HEAD], body: '{"text":"bug"}' }],
  ["a bug before anything was done", { head: [JSON_HEAD], body: '{"text":"throw"}' }],
  ["a page of its own origin", { head: [JSON_HEAD, "Origin: http://127.0.0.1"], body: HELLO }],
  ["another name that is allowed", { head: [JSON_HEAD, "Host: chat.example:80"], body: HELLO }],
  ["an API version", { head: [JSON_HEAD, "Accept-Version: 2"], body: HELLO }],
];

const HANDED_ON: readonly (readonly [what: string, asked: Asked])[] = [
  ["no media type and no body", {}],
  ["no media type", { body: HELLO }],
  ["another media type", { head: ["Content-Type: text/plain"], body: HELLO }],
  ["a media type in capitals", { head: ["Content-Type: Application/JSON"], body: HELLO }],
  ["a media type that is none", { head: ["Content-Type: json"], body: HELLO }],
  ["a page of another origin", { head: [JSON_HEAD, "Origin: http://evil.example"], body: HELLO }],
  ["a page of another site", { head: [JSON_HEAD, "Sec-Fetch-Site: cross-site"], body: HELLO }],
  ["a name that is not ours", { head: [JSON_HEAD, "Host: evil.example"], body: HELLO }],
  ["two hosts", { head: [JSON_HEAD, "Host: 127.0.0.1", "Host: 127.0.0.1"], body: HELLO }],
  ["a compressed body", { head: [JSON_HEAD, "Content-Encoding: gzip"], body: HELLO }],
  ["a transfer coding", { head: [JSON_HEAD, "Transfer-Encoding: gzip, chunked"], body: chunked(HELLO) }],
];

describe("a post is answered byte by byte as by Fastify", () => {
  test.each(DIRECT)("which need not see it: %s", async (_what, asked) => {
    const { port, handedOn, bugs } = await start();
    const direct = await say(port, post("/api/message?a=%zz", asked));
    expect(handedOn).toEqual([]);
    expect(direct).toMatch(/^HTTP\/1\.1 \d/u);
    expect(direct).toBe(await say(port, post("/api/%6dessage?a=%zz", asked)));
    expect(handedOn).toHaveLength(1);
    expect(bugs).toHaveLength(direct.startsWith("HTTP/1.1 500") ? 2 : 0);
  });

  test("an upgrade that nobody makes; Node 22 asks Fastify", async () => {
    const { port, handedOn } = await start();
    const asked = { head: [JSON_HEAD, "Connection: Upgrade", "Upgrade: h2c"], body: HELLO };
    const answer = await say(port, post("/api/message", asked));
    expect(handedOn).toHaveLength(process.version.startsWith("v22.") ? 1 : 0);
    expect(answer).toBe(await say(port, post("/api/%6dessage", asked)));
  });

  test.each(HANDED_ON)("which is asked: %s", async (_what, asked) => {
    const { port, handedOn } = await start();
    const answer = await say(port, post("/api/message", asked));
    expect(handedOn.length).toBeLessThanOrEqual(1);
    expect(answer).toBe(await say(port, post("/api/%6dessage", asked)));
  });

  test.each([
    ["without a token", []],
    ["with a wrong one", ["Authorization: Bearer other"]],
    ["with the right one", ["Authorization: bearer secret"]],
  ])("%s", async (_what, head) => {
    const { port } = await start({ token: "secret" });
    const asked = { head: [JSON_HEAD, ...head], body: HELLO };
    expect(await say(port, post("/api/message", asked))).toBe(await say(port, post("/api/%6dessage", asked)));
  });
});

test.each([
  ["GET", "405 Method Not Allowed", "Allow: OPTIONS, POST"],
  ["HEAD", "405 Method Not Allowed", "Allow: OPTIONS, POST"],
  ["OPTIONS", "204 No Content", "Allow: OPTIONS, POST"],
])("another method of the path of posts is for Fastify: %s", async (method, status, allow) => {
  const { port, handedOn } = await start();
  const answer = await say(port, post("/api/message", { method, head: ["Connection: close"] }));
  expect(answer).toContain(`HTTP/1.1 ${status}`);
  expect(answer.toLowerCase()).toContain(allow.toLowerCase());
  expect(handedOn).toHaveLength(1);
});

test.each(["/api/messages2", "/api/message/", "/api/messag", "/API/message", "/api/message#x"])(
  "another path is for Fastify: %s",
  async (path) => {
    const { port, handedOn } = await start();
    await say(port, post(path, { head: [JSON_HEAD], body: HELLO }));
    expect(handedOn).toHaveLength(1);
  },
);

test("posts on one connection are answered in their order, whichever is ready first", async () => {
  const { port, waiting, asked } = await start();
  const first = post("/api/message", { head: [JSON_HEAD], body: '{"text":"wait"}' });
  const second = post("/api/message", { head: [JSON_HEAD, "Connection: close"], body: '{"text":"second"}' });
  const { text, closed } = listen(port, first + second);
  await asked(2);
  waiting[0]?.poster.answered({ ok: true, line: "first", stored: true });
  await closed;
  expect(text().match(/first|second/gu)).toEqual(["first", "second"]);
});

test("a post whose client has gone harms nothing", async () => {
  const { port, waiting, bugs, left } = await start();
  const { socket } = listen(port, post("/api/message", { head: [JSON_HEAD], body: '{"text":"wait"}' }));
  await expect.poll(() => waiting.length).toBe(1);
  socket.resetAndDestroy();
  await left(1);
  waiting[0]?.poster.answered({ ok: true, line: "late", stored: true });
  expect(await say(port, post("/api/message", { head: [JSON_HEAD], body: HELLO }))).toContain("200 OK");
  expect(bugs).toEqual([]);
});

test("a body that ends too early is no post and no bug", async () => {
  const { port, waiting, bugs, handedOn, asked, left } = await start();
  const asks = { head: [JSON_HEAD, "Content-Length: 15"], body: '{"text":"wait"' };
  const { socket } = listen(port, post("/api/message", asks));
  await asked(1);
  socket.resetAndDestroy();
  await left(1);
  expect([waiting, bugs, handedOn]).toEqual([[], [], []]);
});

test("while the server closes, Fastify refuses what still comes", async () => {
  const { port, waiting, close, asked } = await start();
  const { socket, text } = listen(port, post("/api/message", { head: [JSON_HEAD], body: '{"text":"wait"}' }));
  await expect.poll(() => waiting.length).toBe(1);
  const closed = close();
  socket.write(post("/api/message", { head: [JSON_HEAD], body: HELLO }));
  await asked(2);
  waiting[0]?.poster.answered({ ok: true, line: "first", stored: true });
  await closed;
  expect(text().match(/^HTTP.*$/gmu)).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 503 Service Unavailable"]);
});

test.each([
  ["plain", "/api/stream", 0],
  ["with a query", "/api/stream?x=1", 0],
  ["in another spelling", "/api/%73tream", 1],
])("a stream begins, %s", async (_what, path, seen) => {
  const { port, handedOn, streams } = await start();
  const answer = await say(port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\nCache-Control: no-store\r\n/u);
  expect(streams()).toBe(1);
  expect(handedOn).toHaveLength(seen);
});

test("an upgrade to a WebSocket where there is none is refused by Fastify", async () => {
  const { port, streams } = await start();
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x";
  const answer = await say(port, `GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade}\r\n\r\n`);
  expect(answer).toContain("400 Bad Request");
  expect(streams()).toBe(0);
});

test("a bug where a stream begins ends that stream, and nothing else", async () => {
  const addStream = (): never => {
    throw new Error("no reader");
  };
  const { port, bugs } = await start({ addStream });
  const answer = await say(port, "GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  expect(answer).not.toContain("200 OK\r\n\r\n{");
  expect(bugs).toEqual(["/api/stream Error: no reader"]);
  expect(await say(port, post("/api/message", { head: [JSON_HEAD], body: HELLO }))).toContain("200 OK");
});
