import { type AddressInfo, connect, type Socket } from "node:net";
import { duplexPair } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { type HttpLimits, HttpServer } from "./http-server.ts";

const LIMITS: HttpLimits = {
  requestMs: 60_000,
  checkMs: 10_000,
  stallMs: 120_000,
  lingerMs: 5_000,
  connections: 20_000,
  keptMs: 3_600_000,
  kept: 1_000,
};

interface Client {
  readonly socket: Socket;
  /** Asks, and waits for the answer. */
  readonly ask: (request?: string) => Promise<void>;
  readonly isOpen: () => boolean;
  readonly closed: Promise<void>;
}

async function start(limits: Partial<HttpLimits> = {}) {
  const server = new HttpServer({ ...LIMITS, ...limits });
  server.serve((_request, response) => response.end("x"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = async (): Promise<Client> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    let open = true;
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => {
        open = false;
        resolve();
      });
    });
    await new Promise((resolve) => socket.once("connect", resolve));
    const ask = async (request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"): Promise<void> => {
      const answered = new Promise((resolve) => socket.once("data", resolve));
      socket.write(request);
      await answered;
    };
    return { socket, ask, isOpen: () => open, closed };
  };
  return { server, client };
}

test("a connection that has had an answer is kept beyond the time after which a stalled one is cut", async () => {
  const { client } = await start({ stallMs: 300 });
  const kept = await client();
  await kept.ask();
  const silent = await client();
  await silent.closed;
  expect(kept.isOpen()).toBe(true);
  await kept.ask();
});

test("one that is kept for too long is closed", async () => {
  const { client } = await start({ keptMs: 100 });
  const kept = await client();
  await kept.ask();
  await kept.closed;
});

test("when there are too many, the one goes on which nothing was asked for longest", async () => {
  const { client } = await start({ kept: 2 });
  const [one, two, three] = [await client(), await client(), await client()];
  await one.ask();
  await two.ask();
  await one.ask();
  await three.ask();
  await two.closed;
  await one.ask();
  await three.ask();
});

test("one that has become a WebSocket is none of them", async () => {
  const { server, client } = await start({ kept: 1 });
  server.on("upgrade", (_request, socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  const webSocket = await client();
  await webSocket.ask();
  await webSocket.ask("GET /api/websocket HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  const [one, two] = [await client(), await client()];
  await one.ask();
  await two.ask();
  await one.closed;
  expect(webSocket.isOpen()).toBe(true);
});

test("when there are no connections left, those on which nothing is asked make room", async () => {
  const { client } = await start({ connections: 2 });
  const kept = await client();
  await kept.ask();
  const other = await client();
  await other.ask();
  const refused = await client();
  await Promise.all([kept.closed, other.closed, refused.closed]);
  await (await client()).ask();
});

test("a stop closes them at once", async () => {
  const { server, client } = await start();
  const kept = await client();
  await kept.ask();
  server.close();
  await kept.closed;
});

test("a connection that came by another node is answered, while there is room for it and the server listens", async () => {
  const { server, client } = await start({ connections: 2 });
  const [near, far] = duplexPair();
  // What a server uses of a socket, and a stream does not have.
  expect(server.take(Object.assign(far, { setTimeout: () => far, destroySoon: () => far.end() }))).toBe(true);
  const answered = new Promise((resolve) => near.once("data", resolve));
  near.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(String(await answered)).toMatch(/^HTTP\/1\.1 200 /u);
  const asking = await client();
  asking.socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n");
  await asking.ask("x");
  expect(server.take(duplexPair()[1])).toBe(false);
  server.close();
  near.destroy();
  asking.socket.destroy();
  expect(server.take(duplexPair()[1])).toBe(false);
});
