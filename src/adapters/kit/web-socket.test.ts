import type http from "node:http";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { CountingClock } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Inbox, within } from "../../../test/support/wait.ts";
import { never, served } from "./served.suite.ts";
import { PUBLIC } from "./trust.ts";
import { type HandshakeRefusal, type ClientSocket, openWebSocket } from "./web-socket.ts";

const open: ClientSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.end("the test is over");
});

/** What a socket of ours hears. */
class Ear {
  readonly texts = new Inbox<string>();
  readonly bytes = new Inbox<string>();
  heard = 0;

  async connect(url: URL, given: Partial<Parameters<typeof openWebSocket>[0]> = {}) {
    const opened = await openWebSocket({
      url: new URL("/ws", url.href.replace("http", "ws")),
      headers: { Authorization: "Bearer secret" },
      trust: PUBLIC,
      clock: new CountingClock(),
      signal: never,
      handshakeMs: 20_000,
      maxPayload: 1000,
      onText: (text) => this.texts.push(text),
      onBinary: (bytes) => this.bytes.push(Buffer.from(bytes).toString()),
      onHeard: () => (this.heard += 1),
      ...given,
    });
    if (opened.ok) open.push(opened.socket);
    return opened;
  }

  async socket(url: URL, given: Partial<Parameters<typeof openWebSocket>[0]> = {}): Promise<ClientSocket> {
    const opened = await this.connect(url, given);
    if (!opened.ok) throw new Error(opened.refusal.message);
    return opened.socket;
  }

  async refusal(url: URL, given: Partial<Parameters<typeof openWebSocket>[0]> = {}): Promise<HandshakeRefusal> {
    const opened = await this.connect(url, given);
    if (opened.ok) throw new Error("it opened");
    return opened.refusal;
  }
}

const over = new Promise<string>(() => undefined);

/** A server, and its side of the socket that opens next. */
async function listening(): Promise<{ readonly url: URL; readonly next: () => Promise<WebSocket> }> {
  const server = new WebSocketServer({ noServer: true });
  const accepted = new Inbox<WebSocket>();
  const url = await served(refuse(404), (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (one) => {
      if (request.headers.authorization === "Bearer secret") accepted.push(one);
    });
  });
  return { url, next: async () => await accepted.next(() => "a socket", over) };
}

const refuse =
  (status: number): http.RequestListener =>
  (_, response) =>
    void response.writeHead(status).end();

/** A server that answers any upgrade with these bytes. */
async function saying(bytes: string | Buffer, then: (socket: Duplex) => void = () => undefined): Promise<URL> {
  return await served(refuse(404), (_, socket) => {
    socket.on("error", () => undefined);
    socket.write(bytes);
    then(socket);
  });
}

describe("a handshake", () => {
  test("that is refused tells status, headers and the beginning of the body", async () => {
    const url = await saying(
      `HTTP/1.1 401 Unauthorized\r\nRetry-After: 3\r\nContent-Length: 100000\r\n\r\n${"x".repeat(100_000)}`,
    );
    const refusal = await new Ear().refusal(url);
    expect(refusal).toMatchObject({ why: "refused", status: 401, headers: { "retry-after": "3" } });
    expect(refusal.body).toBe("x".repeat(16 * 1024));
  });

  test("that leads elsewhere is not followed", async () => {
    const url = await saying("HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
    expect(await new Ear().refusal(url)).toMatchObject({ why: "refused", status: 302, body: "" });
  });

  test.each([
    ["garbage", "\u0000\u0001\r\n\r\n"],
    ["no key", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
    ["an end", ""],
  ])("answered by %s is a value", async (_, bytes) => {
    const url = await saying(bytes, (socket) => void socket.end());
    expect(await new Ear().refusal(url)).toMatchObject({ why: "network", status: 0 });
  });

  test("with nobody there, or headers that cannot be", async () => {
    expect(await new Ear().refusal(new URL("http://127.0.0.1:1"))).toMatchObject({ why: "network", status: 0 });
    const refusal = await new Ear().refusal(new URL("http://127.0.0.1:1"), { headers: { Authorization: "a\nsecret" } });
    expect(refusal.message).not.toContain("secret");
  });

  test("that is not answered ends in time, and with the signal", async () => {
    const url = await served(refuse(404), (_, socket) => void socket.on("error", () => undefined));
    const clock = new FakeClock();
    const late = new Ear().refusal(url, { clock, handshakeMs: 1000 });
    await clock.advance(1000);
    expect(await late).toMatchObject({ why: "timeout" });
    const aborted = new AbortController();
    const given = new Ear().refusal(url, { signal: aborted.signal });
    aborted.abort();
    expect(await given).toMatchObject({ why: "aborted" });
    expect(await new Ear().refusal(url, { signal: AbortSignal.abort() })).toMatchObject({ why: "aborted" });
    expect(clock.waiting).toBe(0);
  });
});

describe("a socket", () => {
  test("says and hears texts, bytes and pings, in order", async () => {
    const { url, next } = await listening();
    const ear = new Ear();
    const socket = await ear.socket(url);
    const server = await next();
    const said = new Inbox<string>();
    server.on("message", (data: Buffer) => said.push(data.toString()));
    expect(socket.send("one")).toBe(true);
    expect(await said.next(() => "a text", over)).toBe("one");
    server.send("é");
    server.send(Buffer.from("bytes"));
    expect(await ear.texts.next(() => "a text", over)).toBe("é");
    expect(await ear.bytes.next(() => "bytes", over)).toBe("bytes");
    const before = ear.heard;
    const pinged = new Promise((resolve) => server.once("ping", resolve));
    socket.ping();
    await within(pinged, () => "a ping");
    server.send("after");
    await ear.texts.next(() => "a text", over);
    expect(ear.heard).toBe(before + 2);
  });

  test("ends with the server's words, and sends nothing then", async () => {
    const { url, next } = await listening();
    const socket = await new Ear().socket(url);
    (await next()).close(4004, "who are you\n?");
    expect(await within(socket.ended, () => "the end")).toEqual({ code: 4004, reason: "who are you ?", error: null });
    expect(socket.send("x")).toBe(false);
    socket.ping();
    socket.close(1000);
    socket.end("again");
    expect(await socket.ended).toMatchObject({ code: 4004 });
  });

  test("that is cut says so", async () => {
    const { url, next } = await listening();
    const socket = await new Ear().socket(url);
    (await next()).terminate();
    expect(await within(socket.ended, () => "the end")).toMatchObject({
      code: 1006,
      error: expect.any(String) as string,
    });
  });

  test("that hears too much at once, or what is no WebSocket, ends", async () => {
    const { url, next } = await listening();
    const ear = new Ear();
    const socket = await ear.socket(url);
    (await next()).send("x".repeat(1001));
    expect(await within(socket.ended, () => "the end")).toMatchObject({
      code: 1006,
      error: expect.any(String) as string,
    });
    expect(ear.texts.waiting).toEqual([]);
    const other = await ear.socket(url);
    const server = await next();
    (server as unknown as { _socket: Duplex })._socket.write("HTTP/1.1 200 OK\r\n\r\n");
    expect(await within(other.ended, () => "the end")).toMatchObject({ code: 1006 });
  });

  test("hands nothing over while it is paused", async () => {
    const { url, next } = await listening();
    const ear = new Ear();
    const socket = await ear.socket(url);
    const server = await next();
    socket.pause();
    const answered = { is: false };
    server.once("pong", () => (answered.is = true));
    server.ping();
    server.send("later");
    // What the server reads has passed what it wrote before.
    socket.send("here");
    await within(new Promise((resolve) => server.once("message", resolve)), () => "a text");
    expect([ear.texts.waiting, answered.is]).toEqual([[], false]);
    socket.resume();
    expect(await ear.texts.next(() => "a text", over)).toBe("later");
  });

  test("that says goodbye hears no more, and waits for the answer for some seconds only", async () => {
    const { url, next } = await listening();
    const ear = new Ear();
    const clock = new FakeClock();
    const socket = await ear.socket(url, { clock });
    const server = await next();
    server.pause();
    server.send("late");
    socket.close(1000);
    await clock.advance(5_000);
    expect(await within(socket.ended, () => "the end")).toMatchObject({ code: 1006 });
    expect(ear.texts.waiting).toEqual([]);
    const polite = await ear.socket(url, { clock });
    await next();
    polite.close(1000);
    expect(await within(polite.ended, () => "the end")).toMatchObject({ code: 1000, error: null });
    expect(clock.waiting).toBe(0);
  });

  test("to a server that reads nothing ends", async () => {
    const { url, next } = await listening();
    const socket = await new Ear().socket(url);
    (await next()).pause();
    let sent = 0;
    while (socket.send("x".repeat(1 << 20))) sent += 1;
    expect(sent).toBeLessThan(20);
    expect(await socket.ended).toMatchObject({ error: "the server does not read what Rialto sends" });
  });
});

test("of many messages that came at once, each is heard in a turn of its own", async () => {
  const { url, next } = await listening();
  const ear = new Ear();
  let turn = 0;
  const turnOf: number[] = [];
  const count = (): void => {
    turn += 1;
    if (turnOf.length < 5) setImmediate(count);
  };
  await ear.socket(url, {
    onText: (text) => {
      turnOf.push(turn);
      ear.texts.push(text);
    },
  });
  const theirs = await next();
  count();
  for (let message = 0; message < 5; message += 1) theirs.send(String(message));
  for (let message = 0; message < 5; message += 1)
    expect(await ear.texts.next(() => "a text", over)).toBe(String(message));
  expect(new Set(turnOf).size).toBe(5);
});
