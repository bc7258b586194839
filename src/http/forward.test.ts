import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Duplex, duplexPair } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { ampleDescriptors } from "../lib/descriptors.suite.ts";
import { openForwarder } from "./forward.ts";
import { HttpServer } from "./http-server.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A way to a node that answers each part that comes with the name of the node. */
function wayTo(name: string, isThere = true): Duplex & { taken: () => void } {
  const [near, far] = duplexPair();
  far.on("data", () => far.write(name));
  const way = Object.assign(near, { taken: () => undefined });
  process.nextTick(() => (isThere ? way.emit("connect") : way.destroy()));
  return way;
}

interface Given {
  /** The server of this node, if it runs the account. */
  readonly server?: HttpServer;
  readonly connections?: number;
}

/** An address, and what it does next with who comes; `look`: its timer. */
async function start({ server, ...limits }: Given = {}) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const state = { open: (): ReturnType<typeof wayTo> | null => null, asked: 0 };
  const forwarder = await openForwarder({
    ...limits,
    address: { host: "127.0.0.1", port: 0 },
    take: (socket) => server?.take(socket) ?? false,
    open: () => {
      state.asked += 1;
      return state.open();
    },
    descriptors: ampleDescriptors(),
  });
  onTestFinished(() => forwarder.close());
  const asked = (times: number): Promise<unknown> =>
    eventually(
      () => Promise.resolve(state.asked),
      (count) => count >= times,
      () => `${times} questions for a way`,
    );
  /** Connects and asks at once, as a client does that knows nothing of nodes. */
  const client = (): Socket => {
    const socket = connect(forwarder.address.port, "127.0.0.1", () => socket.write(REQUEST));
    onTestFinished(() => void socket.destroy());
    return socket.on("error", () => undefined);
  };
  return { forwarder, state, asked, client, look: (ms = 100) => vi.advanceTimersByTimeAsync(ms) };
}

const said = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0]);

test("who comes while nobody runs the account waits until somebody does", async () => {
  const { forwarder, state, asked, client } = await start();
  const waits = client();
  await asked(1);
  state.open = () => wayTo("n2");
  forwarder.again();
  expect(await said(waits)).toBe("n2");
});

test("where a node does not take it on, it is asked again", async () => {
  const { state, asked, client, look } = await start();
  state.open = () => wayTo("n2", false);
  const waits = client();
  await asked(1);
  await new Promise(setImmediate);
  state.open = () => wayTo("n2");
  await look();
  expect(await said(waits)).toBe("n2");
});

test("a node that does not answer is left when another runs the account", async () => {
  const { forwarder, state, asked, client } = await start();
  const still = Object.assign(new Duplex({ read: () => undefined }), { taken: () => undefined });
  state.open = () => still;
  const waits = client();
  await asked(1);
  state.open = () => wayTo("n3");
  forwarder.again();
  expect(await said(waits)).toBe("n3");
  expect(still.destroyed).toBe(true);
});

test("of many that wait, some ask for all: what gets through for one gets through for the others", async () => {
  const { state, asked, client, look } = await start();
  const many = Array.from({ length: 50 }, client);
  await asked(50);
  await look();
  expect(state.asked).toBe(66);
  state.open = () => wayTo("n2");
  await look();
  expect(new Set(await Promise.all(many.map(said)))).toEqual(new Set(["n2"]));
  expect(state.asked).toBe(66 + 50);
});

test("after 4 s without anybody the request is read, and answered 503", async () => {
  const { asked, client, look } = await start();
  const waits = client();
  await asked(1);
  await look(3900);
  expect(waits.bytesRead).toBe(0);
  await look();
  expect(await said(waits)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 2\r\n/u);
});

test("the server of this node takes those that wait, and keeps them when the address is closed", async () => {
  const server = new HttpServer();
  server.serve((_request, response) => response.end("here"));
  const { forwarder, asked, client, look } = await start({ server });
  onTestFinished(() => void server.close());
  const [waits, other] = [client(), client()];
  await asked(2);
  server.open();
  await look();
  expect(await Promise.all([waits, other].map(said))).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 200 /u),
    expect.stringMatching(/^HTTP\/1\.1 200 /u),
  ]);
  forwarder.close();
  waits.write(REQUEST);
  expect(await said(waits)).toMatch(/^HTTP\/1\.1 200 /u);
  server.close();
  await Promise.all([waits, other].map((socket) => once(socket, "close")));
});

test("of more connections than there may be, none waits", async () => {
  const { asked, client } = await start({ connections: 2 });
  const waiting = [client(), client()];
  await asked(2);
  await once(client(), "close");
  expect(waiting.map(({ closed }) => closed)).toEqual([false, false]);
});
