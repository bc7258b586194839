import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/wait.ts";
import { ask, WebGuest } from "./guest.ts";
import { type WebStage, webStage } from "./stage.ts";

/** As src/adapters/web/server has them. */
const STREAMS = 400;
const OF_A_GUEST = 8;
const CONNECTIONS = 1_000;

let stage: WebStage;
beforeAll(async () => {
  stage = await webStage('TrustProxy = ["127.0.0.1"]\nJoinRate = 1\n');
});
afterAll(async () => await stage.stop());

test("one address has so many streams, by the name that the proxy gives it; others have theirs", async () => {
  const link = await stage.invite("--uses", "100");
  const guests: WebGuest[] = [];
  for (let at = 0; at <= STREAMS / OF_A_GUEST; at += 1) {
    const guest = new WebGuest(stage.base, `guest ${at}`);
    expect((await guest.join(link)).status).toBe(201);
    guests.push(guest);
  }
  // Kept: a stream that nobody holds any more is cut by the collector.
  const answers: Response[] = [];
  const streams: AbortController[] = [];
  onTestFinished(() => {
    for (const one of streams) one.abort();
  });
  const open = async ({ cookie }: WebGuest, address: string): Promise<number> => {
    const stream = new AbortController();
    streams.push(stream);
    const headers = { Cookie: cookie, "X-Forwarded-For": address };
    const answer = await fetch(`${stage.base}/v1/events`, { headers, signal: stream.signal });
    answers.push(answer);
    return answer.status;
  };
  // More than JoinRate came by one invite; without one, JoinRate counts.
  const guess = async (): Promise<number> => (await new WebGuest(stage.base, "mallory").join("guessed")).status;
  expect([await guess(), await guess()]).toEqual([410, 429]);
  const [last, ...others] = guests.toReversed();
  if (last === undefined) throw new Error("there are no guests");
  for (const guest of others) {
    const opened = await Promise.all(Array.from({ length: OF_A_GUEST }, async () => await open(guest, "192.0.2.1")));
    expect(new Set(opened)).toEqual(new Set([200]));
  }
  expect(await open(last, "192.0.2.1")).toBe(429);
  expect(await open(last, "192.0.2.2")).toBe(200);
  streams[0]?.abort();
  await eventually(
    async () => await open(last, "192.0.2.1"),
    (status) => status === 200,
    () => "a stream in the place of one that ended",
  );
});

test("uploads that stand still leave room for guests of other addresses", async () => {
  const link = await stage.invite("--uses", "100");
  const guests: WebGuest[] = [];
  for (let at = 0; at < 5; at += 1) {
    const guest = new WebGuest(stage.base, `sender ${at}`);
    expect((await guest.join(link)).status).toBe(201);
    guests.push(guest);
  }
  const { port } = new URL(stage.base);
  const sockets: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const stall = async ({ cookie }: WebGuest): Promise<net.Socket> => {
    const socket = net.connect(Number(port), "127.0.0.1");
    sockets.push(socket.on("error", () => undefined));
    await once(socket, "connect");
    const head = `POST /v1/files?name=a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\nX-Rialto: 1`;
    socket.write(`${head}\r\nX-Forwarded-For: 192.0.2.9\r\nContent-Length: 1000000\r\n\r\nx`);
    return socket;
  };
  const send = async ({ cookie }: WebGuest, address: string): Promise<number> => {
    const headers = { Cookie: cookie, "X-Forwarded-For": address };
    return (await ask(stage.base, { method: "POST", path: "/v1/files?name=b", body: Buffer.from("b"), headers }))
      .status;
  };
  const [last, ...others] = guests;
  if (last === undefined) throw new Error("there are no guests");
  for (const guest of others) for (let at = 0; at < 4; at += 1) await stall(guest);
  await eventually(
    async () => await send(last, "192.0.2.9"),
    (status) => status === 503,
    () => "the uploads to be under way",
  );
  expect(await send(last, "192.0.2.10")).toBe(201);
});

test("one address has so many connections; a proxy has those of all", async () => {
  const { port } = new URL(stage.base);
  const sockets: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const connect = async (localAddress: string): Promise<net.Socket> => {
    const socket = net.connect({ host: "127.0.0.1", port: Number(port), localAddress });
    sockets.push(socket.on("error", () => undefined));
    await once(socket, "connect");
    return socket;
  };
  /** Whether a connection is answered, or cut. */
  const isServed = async (socket: net.Socket): Promise<boolean> => {
    socket.write(`GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString()));
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    return text.startsWith("HTTP/1.1 404");
  };
  const held: net.Socket[] = [];
  for (let at = 0; at < CONNECTIONS; at += 1) held.push(await connect("127.0.0.2"));
  expect(await isServed(await connect("127.0.0.2"))).toBe(false);
  expect(await isServed(await connect("127.0.0.3"))).toBe(true);
  expect((await ask(stage.base, { path: "/nothing" })).status).toBe(404);
  const [first] = held;
  expect(first !== undefined && (await isServed(first))).toBe(true);
  await eventually(
    async () => await isServed(await connect("127.0.0.2")),
    (is) => is,
    () => "a connection in the place of one that ended",
  );
});
