import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { BodyBudget, type BodyLimits } from "../../src/http/body-budget.ts";
import { WEBSOCKET_PATH } from "../../src/http/http-server.ts";
import { createServer } from "../../src/http/server.ts";
import { connectRaw, type RawConnection } from "../support/raw.ts";
import { openSocket } from "../support/socket.ts";
import { eventually } from "../support/wait.ts";

const LIMITS: BodyLimits = {
  bytes: 64_000,
  reservedBytes: 16_000,
  smallBytes: 1_000,
  paceBytes: 1_000,
  paceMs: 10_000,
};

/** More than the kernel takes for who does not read. */
const FLOOD = 32 * 1024 * 1024;

interface Stage {
  readonly clock: { ms: number };
  readonly budget: BodyBudget;
  readonly url: string;
  /** Messages of WebSockets that the servers have heard, and those that are over for them. */
  readonly sockets: { heard: number; closed: number };
  /** Opens a connection to the one or the other of two servers, and sends the beginning of a body. */
  readonly post: (server: 0 | 1, length: number | null, begin: string) => Promise<RawConnection>;
}

async function start(): Promise<Stage> {
  const clock = { ms: 0 };
  const sockets = { heard: 0, closed: 0 };
  const bodies = new BodyBudget(LIMITS, () => clock.ms);
  const open = async (): Promise<number> => {
    const options = { token: null, names: null, maxBodySize: 40_000, onError: () => undefined };
    const server = await createServer({ ...options, share: { bodies } });
    server.onBody("text/plain", (body) => body.length);
    server.app.route({
      method: "GET",
      url: WEBSOCKET_PATH,
      handler: (_request, reply) => reply.send(""),
      wsHandler: (socket) => {
        socket.on("close", () => (sockets.closed += 1));
        socket.on("message", (data: Buffer) => {
          sockets.heard += 1;
          socket.send(String(data) === "much" ? Buffer.alloc(FLOOD) : String(data.length));
        });
      },
    });
    server.app.post("/length", (request, reply) => reply.send(String(request.body)));
    await server.app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(async () => await server.close());
    return (server.app.server.address() as AddressInfo).port;
  };
  const ports = [await open(), await open()] as const;
  return {
    clock,
    budget: bodies,
    sockets,
    url: `http://127.0.0.1:${ports[0]}${WEBSOCKET_PATH}`,
    post: async (server, length, begin) => {
      const connection = await connectRaw(`http://127.0.0.1:${ports[server]}`);
      onTestFinished(() => connection.destroy());
      const field = length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
      const head = `POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\n${field}\r\n\r\n`;
      const body = length === null ? `${begin.length.toString(16)}\r\n${begin}\r\n` : begin;
      connection.send(head + body);
      return connection;
    },
  };
}

const x = (count: number): string => "x".repeat(count);

async function holds(budget: BodyBudget, bytes: number): Promise<void> {
  await eventually(
    () => Promise.resolve(budget.bytes),
    (held) => held === bytes,
    () => `${bytes} bytes of bodies; there are ${budget.bytes}`,
  );
}

/** Fills what large bodies may have, on both servers. */
async function filled({ budget, post }: Stage): Promise<readonly [RawConnection, RawConnection]> {
  const first = await post(0, 30_000, x(24_000));
  await holds(budget, 24_000);
  const second = await post(1, 30_000, x(23_999));
  await holds(budget, 47_999);
  return [first, second];
}

describe("bodies that do not come to their end", () => {
  test("leave no room for another large one, which is told when to come again; small ones are served", async () => {
    const stage = await start();
    const [first, second] = await filled(stage);
    const late = await stage.post(0, 2_000, x(2_000));
    const refused = await late.answer();
    expect(refused.statusLine).toContain(" 503 ");
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/u);
    expect(refused.body.toString()).toContain("too many bodies are coming in at once");
    for (const server of [0, 1] as const) {
      const small = await stage.post(server, 500, x(500));
      expect((await small.answer()).body.toString()).toBe("500");
    }
    // Those that go on are served as well.
    second.destroy();
    await holds(stage.budget, 24_000);
    first.send(x(6_000));
    expect((await first.answer()).body.toString()).toBe("30000");
    await holds(stage.budget, 0);
  });

  test("make room when they are slow, in the order in which they stopped, and are told why", async () => {
    const stage = await start();
    const [first, second] = await filled(stage);
    stage.clock.ms = 10_000;
    const late = await stage.post(1, 20_000, x(20_000));
    expect((await late.answer()).body.toString()).toBe("20000");
    expect(stage.budget.bytes).toBe(23_999);
    first.send(x(6_000));
    const dropped = await first.answer();
    expect(dropped.statusLine).toContain(" 408 ");
    expect(dropped.body.toString()).toContain("too slowly");
    second.send(x(6_001));
    expect((await second.answer()).body.toString()).toBe("30000");
  });

  test("count as large once they are, whatever they said of their length", async () => {
    const stage = await start();
    await filled(stage);
    const late = await stage.post(0, null, x(999));
    await holds(stage.budget, 48_998);
    late.send("2\r\nxx\r\n0\r\n\r\n");
    expect((await late.answer()).statusLine).toContain(" 503 ");
  });

  test("are forgotten when the connection breaks", async () => {
    const stage = await start();
    for (const connection of await filled(stage)) connection.destroy();
    await holds(stage.budget, 0);
  });

  test("of WebSockets count as well, until the message is whole", async () => {
    const stage = await start();
    const socket = await openSocket(stage.url);
    socket.send(x(20_000));
    expect((await socket.nextFrame()).data).toBe("20000");
    await socket.ping("are you there?");
    expect(stage.budget.bytes).toBe(0);
    socket.begin(x(20_000));
    await eventually(
      () => Promise.resolve(stage.budget.bytes),
      (held) => held >= 20_000,
      () => `the beginning of a message; there are ${stage.budget.bytes}`,
    );
    await socket.ping("and now?");
    expect(stage.budget.bytes).toBeGreaterThanOrEqual(20_000);
    stage.clock.ms = 10_000;
    const first = await stage.post(0, 30_000, x(30_000));
    expect((await first.answer()).body.toString()).toBe("30000");
    expect(await socket.closed).toBe("1013 too many messages are coming in at once");
    await holds(stage.budget, 0);
  });

  test("of WebSockets are let go of at once when there is no room, also when the client takes nothing", async () => {
    const stage = await start();
    const socket = await openSocket(stage.url);
    socket.pause();
    socket.send("much");
    await eventually(
      () => Promise.resolve(stage.sockets.heard),
      (heard) => heard === 1,
      () => "the message",
    );
    socket.begin(x(20_000));
    await eventually(
      () => Promise.resolve(stage.budget.bytes),
      (held) => held >= 20_000,
      () => `the beginning of a message; there are ${stage.budget.bytes}`,
    );
    stage.clock.ms = 10_000;
    const first = await stage.post(0, 30_000, x(30_000));
    expect((await first.answer()).body.toString()).toBe("30000");
    await eventually(
      () => Promise.resolve(stage.sockets.closed),
      (closed) => closed === 1,
      () => "the end of the WebSocket",
    );
  });
});
