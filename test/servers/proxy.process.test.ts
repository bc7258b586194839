import { once } from "node:events";
import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { within } from "../support/wait.ts";
import { type Proxy, startProxy } from "./proxy.ts";

interface Wire {
  readonly proxy: Proxy;
  readonly client: net.Socket;
  /** The other end, once the client has come through. */
  readonly server: net.Socket;
}

/** A client, the proxy, and a server that does nothing by itself. */
async function lay(): Promise<Wire> {
  const far = net.createServer({ allowHalfOpen: true });
  const came = once(far, "connection") as Promise<[net.Socket]>;
  far.listen(0, "127.0.0.1");
  await once(far, "listening");
  const proxy = await startProxy((far.address() as net.AddressInfo).port);
  const client = net.connect({ host: "127.0.0.1", port: proxy.port, allowHalfOpen: true });
  const [server] = await within(came, () => "the connection behind the proxy");
  for (const socket of [client, server]) socket.on("error", () => {});
  onTestFinished(async () => {
    await proxy.stop();
    for (const socket of [client, server]) socket.destroy();
    far.close();
  });
  return { proxy, client, server };
}

/** So many bytes of what comes, as text. */
async function take(socket: net.Socket, bytes: number): Promise<string> {
  const all = Promise.withResolvers<string>();
  let had = "";
  socket.on("data", (part: Buffer) => {
    had += part.toString("latin1");
    if (had.length >= bytes) all.resolve(had);
  });
  return await within(all.promise, () => `${bytes} bytes; ${had.length} came`);
}

const LONG = Array.from({ length: 4_000 }, (_, at) => `${at} `).join("");

test.each(["swift", "trickle", "late"] as const)(
  "%s: all comes, in order, whatever the pace becomes meanwhile",
  async (pace) => {
    const { proxy, client, server } = await lay();
    proxy.pace(pace);
    const arrived = take(server, LONG.length);
    client.write(LONG.slice(0, LONG.length / 2));
    client.write(LONG.slice(LONG.length / 2));
    proxy.pace("swift");
    expect(await arrived).toBe(LONG);
  },
);

test("one byte at a time: what was said last comes before the end", async () => {
  const { proxy, client, server } = await lay();
  proxy.pace("trickle");
  const arrived = take(client, LONG.length);
  const ended = once(client, "end");
  server.end(LONG);
  expect(await arrived).toBe(LONG);
  await within(ended, () => "the end");
});

test("stalled, nothing comes until it flows again", async () => {
  const { proxy, client, server } = await lay();
  proxy.stall();
  const arrived = take(server, 5);
  client.write("hello");
  expect(server.bytesRead).toBe(0);
  proxy.flow();
  expect(await arrived).toBe("hello");
});

test("a reset is one on both sides", async () => {
  const { proxy, client, server } = await lay();
  const errors = [client, server].map(
    (socket) => new Promise((resolve) => socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code))),
  );
  proxy.reset();
  expect(await within(Promise.all(errors), () => "two resets")).toEqual(["ECONNRESET", "ECONNRESET"]);
});

test("half closed, the client hears the end, and is still heard", async () => {
  const { proxy, client, server } = await lay();
  client.resume();
  const ended = once(client, "end");
  proxy.halfClose();
  await within(ended, () => "the end");
  const arrived = take(server, 5);
  client.write("still");
  expect(await arrived).toBe("still");
});

test("whoever connects while there is an answer gets that, and nothing else", async () => {
  const { proxy } = await lay();
  proxy.answer("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  const client = net.connect({ host: "127.0.0.1", port: proxy.port });
  const ended = once(client, "end");
  const arrived = take(client, 28);
  client.write("GET / HTTP/1.1\r\n\r\n");
  expect(await arrived).toBe("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  await within(ended, () => "the end");
  expect(proxy.carried).toBe(1);
});
