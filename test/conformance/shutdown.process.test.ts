import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { connectRaw, parseAnswer } from "../support/raw.ts";
import type { Rialto } from "../support/rialto.ts";
import { launch } from "../support/suite.ts";
import { eventually, within } from "../support/wait.ts";

const config = toml({
  accounts: { sender: {}, reader: { Buffer: 1000 } },
  gateways: { g: { inout: ["sender", "reader"] } },
});

/** Waits until the account takes no more connections. */
async function refuses(rialto: Rialto, account: string): Promise<void> {
  await eventually(
    async () =>
      await connectRaw(rialto.url(account)).then(
        (connection) => connection.destroy(),
        () => "refused",
      ),
    (outcome) => outcome === "refused",
    () => `${account} to stop listening`,
  );
}

describe.for(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test("ends streams with a proper last chunk, closes WebSockets with 1001, and exits 0", async () => {
    const rialto = await launch({ config });
    const raw = await connectRaw(rialto.url("api.reader"));
    raw.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await raw.until((bytes) => bytes.includes("api_connected"), "the greeting");
    const stream = await rialto.client("reader").stream();
    const socket = await rialto.client("reader").socket();
    await rialto.client("sender").say({ text: "last words" });
    expect((await stream.next()).text).toBe("last words");
    rialto.signal(signal);
    expect(await within(stream.ended, () => "the end of the stream")).toBe("complete");
    expect(await within(socket.closed, () => "the close of the WebSocket")).toMatch(/^1001/);
    const answer = parseAnswer(await raw.untilClosed());
    expect(answer?.complete).toBe(true);
    expect(answer?.body.toString()).toMatch(/"last words".*\n$/);
    expect(answer?.rest).toHaveLength(0);
    expect(await rialto.exited).toEqual({ code: 0, signal: null });
  });
});

test("a request that has begun is finished and kept; new connections are refused", async () => {
  const first = await launch({ config });
  const body = JSON.stringify({ text: "half way" });
  const connection = await connectRaw(first.url("api.sender"));
  connection.send(
    `POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  connection.send(body.slice(0, 5));
  // An answer on a later connection shows that the half request has been taken up.
  await first.client("sender").say({ text: "before" });
  first.signal("SIGTERM");
  await refuses(first, "api.sender");
  connection.send(body.slice(5));
  expect((await connection.answer()).statusLine).toBe("HTTP/1.1 200 OK");
  expect(await first.exited).toEqual({ code: 0, signal: null });
  const second = await launch({ config, dataPath: first.dataPath });
  expect(await second.client("reader").texts()).toEqual(["before", "half way"]);
});

test("idle keep-alive connections, and a client that takes nothing, do not hold it up", async () => {
  const rialto = await launch({ config });
  const idle = await connectRaw(rialto.url("api.reader"));
  idle.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await idle.answer();
  const silent = await connectRaw(rialto.url("api.reader"));
  const stuck = await rialto.client("reader").stream();
  stuck.pause();
  for (let n = 0; n < 20; n += 1) await rialto.client("sender").say({ text: "x".repeat(1_000_000) });
  expect(await rialto.stop()).toEqual({ code: 0, signal: null });
  idle.destroy();
  silent.destroy();
  await stuck.close();
});

test("a client that is still taking its poll answer gets it whole", async () => {
  const first = await launch({ config });
  const text = "x".repeat(15_000_000);
  await first.client("sender").say({ text });
  const slow = await connectRaw(first.url("api.reader"));
  slow.send("GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await slow.until((bytes) => bytes.length > 0, "the beginning of the answer");
  slow.pause();
  first.signal("SIGTERM");
  await refuses(first, "api.reader");
  slow.resume();
  const answer = parseAnswer(await slow.untilClosed());
  expect(answer?.complete).toBe(true);
  expect((JSON.parse(answer!.body.toString()) as { text: string }[])[0]?.text).toHaveLength(text.length);
  expect(await first.exited).toEqual({ code: 0, signal: null });
  const second = await launch({ config, dataPath: first.dataPath });
  expect(await second.client("reader").poll()).toEqual([]);
});

const handshake = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** Clients that end nothing, all at one program: each by itself would hold it up. */
const STUBBORN = {
  "a WebSocket that does not answer the close": handshake("/api/websocket"),
  "a WebSocket refused elsewhere": handshake("/api/messages"),
  "half a header": "GET / HT",
  "bytes that are not HTTP": "\u0016\u0003\r\n\r\n",
  "a body that never comes": "POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
  "an answer that is not taken": "GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n",
};

test(`it ends and stores every position in spite of ${Object.keys(STUBBORN).join(", ")}`, async () => {
  const first = await launch({ config });
  await first.client("sender").say({ text: "x".repeat(15_000_000) });
  const connections = [];
  for (const bytes of Object.values(STUBBORN)) {
    const connection = await connectRaw(first.url("api.reader"));
    connection.pause();
    connection.send(bytes);
    connections.push(connection);
    await first.client("reader").request("/api/health");
  }
  const stream = await first.client("reader").stream();
  expect((await stream.next()).text).toHaveLength(15_000_000);
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  expect(first.output()).toContain("the HTTP API has stopped");
  for (const connection of connections) connection.destroy();
  const second = await launch({ config, dataPath: first.dataPath });
  const next = await second.client("reader").stream();
  await second.client("sender").say({ text: "new" });
  expect((await next.next()).text).toBe("new");
  await next.close();
});

test("posts under way at the signal are answered 200 and kept, or not answered 200", async () => {
  const first = await launch({ config });
  const accepted: string[] = [];
  let going = true;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let n = 0; going; n += 1) {
      const text = `${writer}-${n}`;
      const status = await first
        .client("sender")
        .post({ text })
        .then(
          (answer) => answer.status,
          () => 0,
        );
      if (status === 200) accepted.push(text);
      else going = false;
    }
  });
  await eventually(
    async () => accepted.length,
    (count) => count > 50,
    () => "some posts",
  );
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  await Promise.all(writers);
  const second = await launch({ config, dataPath: first.dataPath });
  const kept = new Set(await second.client("reader").texts());
  const newest = accepted.slice(-500);
  expect(newest.filter((text) => !kept.has(text))).toEqual([]);
});

test("with nothing to do it ends at once", async () => {
  const rialto = await launch({ config });
  rialto.signal("SIGTERM");
  expect(await within(rialto.exited, () => "the exit")).toEqual({ code: 0, signal: null });
});

test("a second signal does not cut it short, and every position is stored", async () => {
  const rialto = await launch({ config });
  const stream = await rialto.client("reader").stream();
  await rialto.client("sender").say({ text: "seen" });
  expect((await stream.next()).text).toBe("seen");
  rialto.signal("SIGTERM");
  rialto.signal("SIGINT");
  rialto.signal("SIGTERM");
  expect(await rialto.exited).toEqual({ code: 0, signal: null });
  expect(rialto.output()).not.toMatch(/"level":"(warn|error|fatal)"/);
  const again = await launch({ config, dataPath: rialto.dataPath });
  const next = await again.client("reader").stream();
  await again.client("sender").say({ text: "new" });
  expect((await next.next()).text).toBe("new");
  await next.close();
});
