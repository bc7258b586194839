import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Stream } from "./stream.ts";

const HEADER =
  "<?xml version='1.0'?><stream:stream from='localhost' version='1.0' id='1' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";

/** A stream to a server that does this with the connection. */
async function streamTo(server: (socket: Socket) => void): Promise<Stream> {
  const listener = createServer((socket) => {
    socket.on("error", () => undefined);
    server(socket);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => void listener.close());
  const socket = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  const credentials = { user: "rialto", password: "x", anonymous: false, mechanism: "", noPlain: false } as const;
  return new Stream({ socket, secure: false, domain: "localhost", place: "here", credentials });
}

// What the library goes on waiting for must not end the program either: a rejection that nobody handles fails the test.
test.each([
  ["closes at once", (socket: Socket) => socket.destroy()],
  ["closes once it is spoken to", (socket: Socket) => socket.once("data", () => socket.destroy())],
  ["closes behind its header", (socket: Socket) => socket.once("data", () => socket.end(HEADER))],
] as const)("a server that %s", async (_, server) => {
  const stream = await streamTo(server);
  const failure = await stream.begin();
  expect(failure).toMatchObject({ cause: "lost", why: { code: "network" } });
  expect(await stream.ended).toEqual(failure);
  await new Promise((resolve) => setImmediate(resolve));
});
