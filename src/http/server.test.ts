import type { ServerResponse } from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createServer, type HttpApi } from "./server.ts";

const LARGE = "x".repeat(20_000_000);

/** Node 22 reports an answer as sent when it is only queued (docs/operating.md). */
const TELLS_SENT = !process.version.startsWith("v22.");

interface Running {
  readonly server: HttpApi;
  /** The answers of GET /large, as they were begun. */
  readonly begun: ServerResponse[];
  /** How many times GET /small was handled. */
  readonly small: () => number;
  readonly connect: () => Promise<Socket>;
}

async function start(): Promise<Running> {
  const server = await createServer({ token: null, names: null, maxBodySize: 1000, onError: () => undefined });
  const begun: ServerResponse[] = [];
  let small = 0;
  server.app.get("/large", (_request, reply) => {
    begun.push(reply.raw);
    return reply.send(LARGE);
  });
  server.app.get("/small", (_request, reply) => {
    small += 1;
    return reply.send("y".repeat(13_000));
  });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => await server.close());
  const { port } = server.app.server.address() as AddressInfo;
  const connect = async (): Promise<Socket> => {
    const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve) => socket.once("connect", resolve));
    return socket;
  };
  return { server, begun, small: () => small, connect };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const closed = (emitter: NodeJS.EventEmitter): Promise<void> =>
  new Promise((resolve) => emitter.once("close", () => resolve()));

/** All that comes until the server closes. */
function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
  return closed(socket).then(() => text);
}

/** Sends, and waits until the server has begun `count` large answers, of which nothing is read. */
async function sendUnread({ begun, connect, server }: Running, bytes: string, count: number): Promise<Socket> {
  const socket = await connect();
  socket.pause();
  const all = new Promise<void>((resolve) =>
    server.app.server.on("request", () => setImmediate(() => begun.length >= count && resolve())),
  );
  socket.write(bytes);
  await all;
  return socket;
}

/** Sends, reads nothing, and waits until the server has cut the connection. */
async function cutAfter({ connect, server }: Running, bytes: string): Promise<void> {
  const socket = await connect();
  socket.pause();
  const connection = new Promise<Socket>((resolve) => {
    server.app.server.once("request", (request) => resolve(request.socket));
  });
  socket.write(bytes);
  await closed(await connection);
}

describe("a client that does not read", () => {
  test.runIf(TELLS_SENT)("is cut when nothing has moved for long, and its answer is told", async () => {
    const running = await start();
    running.server.app.server.timeout = 200;
    await sendUnread(running, get("/large"), 1);
    const [answer] = running.begun;
    await closed(answer!);
    expect(answer!.writableFinished).toBe(false);
  });

  test.runIf(TELLS_SENT)(
    "may have one large answer waiting after another, and all are told when the connection breaks",
    async () => {
      const running = await start();
      const socket = await sendUnread(running, get("/large") + get("/large"), 2);
      const told = Promise.all(running.begun.map((answer) => closed(answer)));
      socket.destroy();
      await told;
      expect(running.begun.map((answer) => answer.writableFinished)).toEqual([false, false]);
    },
  );

  test("is cut when it asks for more than it leaves room for", async () => {
    const running = await start();
    await cutAfter(running, get("/large").repeat(3));
    expect(running.begun).toHaveLength(2);
  });

  test("costs a few megabytes however many requests it sends at once", async () => {
    const running = await start();
    await cutAfter(running, get("/small").repeat(1500));
    expect(running.small()).toBeLessThan(400);
  });
});

test("a client that reads may send many requests at once", async () => {
  const { connect, small } = await start();
  const socket = await connect();
  const all = received(socket);
  socket.write(get("/small").repeat(199) + "GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect((await all).split("HTTP/1.1 200 OK")).toHaveLength(201);
  expect(small()).toBe(200);
});

describe("bytes that are not a request", () => {
  test.for([
    ["garbage", "\u0016\u0003\r\n\r\n", "400 Bad Request", /not valid HTTP/],
    [
      "a huge header",
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(20_000)}\r\n\r\n`,
      "431 Request Header",
      /too large/,
    ],
  ] as const)("%s", async ([, bytes, status, message]) => {
    const { connect } = await start();
    const socket = await connect();
    const all = received(socket);
    socket.write(bytes);
    const [head = "", body = ""] = (await all).split("\r\n\r\n");
    expect(head).toContain(`HTTP/1.1 ${status}`);
    expect((JSON.parse(body) as { message: string }).message).toMatch(message);
  });

  test("half a request, when its time is over, is 408", async () => {
    const { connect, server } = await start();
    const socket = await connect();
    const all = received(socket);
    const taken = new Promise<Socket>((resolve) => {
      server.app.server.once("request", (request) => resolve(request.socket));
    });
    socket.write(`${get("/small")}GET /sm`);
    const error = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    const connection = await taken;
    await new Promise((resolve) => socket.once("data", resolve));
    await new Promise((resolve) => setImmediate(resolve));
    server.app.server.emit("clientError", error, connection);
    expect(await all).toContain("HTTP/1.1 408 Request Timeout");
  });

  test("after a request, they are answered after its answer", async () => {
    const running = await start();
    const socket = await sendUnread(running, get("/large"), 1);
    const all = received(socket);
    socket.write("\u0016\u0003\r\n\r\n");
    socket.resume();
    const [first = "", ...rest] = (await all).split(/(?=HTTP\/1\.1 )/u);
    expect(first.endsWith(LARGE)).toBe(true);
    expect(rest.map((answer) => answer.split("\r\n", 1)[0])).toEqual(["HTTP/1.1 400 Bad Request"]);
  });

  test("a body that cannot be read is refused once, after the answers before it", async () => {
    const { connect } = await start();
    const socket = await connect();
    const all = received(socket);
    const chunked = "POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    socket.write(`${get("/small")}${chunked}no length\r\n\r\n`);
    const answers = (await all).split(/(?=HTTP\/1\.1 )/u).map((answer) => answer.split("\r\n", 1)[0]);
    expect(answers[0]).toBe("HTTP/1.1 200 OK");
    expect(answers.slice(1).every((line) => line?.startsWith("HTTP/1.1 4") === true)).toBe(true);
  });

  test("a client that resets its connection after a CONNECT ends nothing but that", async () => {
    const { connect } = await start();
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = await connect();
      socket.write(get("/large").repeat(2) + "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n");
      await new Promise((resolve) => socket.once("data", resolve));
      socket.resetAndDestroy();
    }
    // An error that nobody hears fails the test.
    const socket = await connect();
    const all = received(socket);
    socket.write("GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(await all).toContain("HTTP/1.1 200 OK");
  });

  test.each([
    ["CONNECT", "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", "405 Method Not Allowed"],
    ["garbage that goes on", "\u0016\u0003\r\n\r\n".repeat(20_000), "400 Bad Request"],
  ])("%s after requests takes no answer from them", async (_, bytes, status) => {
    const { connect } = await start();
    const socket = await connect();
    const all = received(socket);
    socket.write(get("/small").repeat(3) + bytes);
    const answers = (await all).split(/(?=HTTP\/1\.1 )/u).map((answer) => answer.split("\r\n", 1)[0]);
    expect(answers).toEqual([...Array.from({ length: 3 }, () => "HTTP/1.1 200 OK"), `HTTP/1.1 ${status}`]);
  });
});

test("a method that nobody knows is refused, and is no failure of the server", async () => {
  const { connect } = await start();
  const socket = await connect();
  const all = received(socket);
  // With a path like this, without a version and with something after it, Node takes it for a request.
  socket.write("PRI /a<TTP/1.1)\r\nHost: x\r\n\r\nth HTTP/1.1\r\nHost: x\r\n\r\n");
  const answer = await all;
  expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
});

describe("a request that comes while the server closes", () => {
  test("is answered 503 with Retry-After", async () => {
    const running = await start();
    const socket = await sendUnread(running, get("/large"), 1);
    const closing = running.server.close();
    const all = received(socket);
    socket.write(get("/small"));
    socket.resume();
    await closing;
    const text = await all;
    const last = text.slice(text.lastIndexOf("HTTP/1.1 "));
    expect(last).toMatch(/^HTTP\/1\.1 503 /u);
    expect(last).toMatch(/\r\nRetry-After: \d+\r\n/u);
  });

  test("is answered on a connection that was made shortly before", async () => {
    const running = await start();
    const accepted = new Promise((resolve) => running.server.app.server.once("connection", resolve));
    const socket = await running.connect();
    await accepted;
    const all = received(socket);
    const closing = running.server.close();
    socket.write(get("/small"));
    expect(await all).toMatch(/^HTTP\/1\.1 503 /u);
    await closing;
  });
});
