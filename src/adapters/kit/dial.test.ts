import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Inbox, within } from "../../../test/support/wait.ts";
import { dial } from "./dial.ts";
import { lost } from "./ends.ts";
import { never } from "./served.suite.ts";

const over = new Promise<string>(() => undefined);

async function listening(): Promise<{ readonly port: number; readonly next: () => Promise<Socket> }> {
  const clients = new Inbox<Socket>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    clients.push(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, next: async () => await clients.next(() => "a client", over) };
}

const failed = (error: unknown) => lost("network", error instanceof Error ? error.message : "odd");
const common = { timeoutMs: 1000, failed, late: () => lost("timeout", "late") };

test("a socket that is open is the caller's", async () => {
  const { port, next } = await listening();
  const clock = new FakeClock();
  const open = {
    open: async (line: Parameters<Parameters<typeof dial>[0]["open"]>[0]) =>
      await line.tcp({ host: "127.0.0.1", port }),
  };
  const dialled = await dial({ clock, signal: never, ...common, ...open });
  if (!dialled.ok) throw new Error(dialled.ended.why.message);
  const closed = once(await next(), "close");
  dialled.socket.destroy();
  await within(closed, () => "the end");
  expect(clock.waiting).toBe(0);
});

test.each([
  ["the time", async (clock: FakeClock) => await clock.advance(1000), "late"],
  [
    "the signal",
    async (_: FakeClock, stop: AbortController) => await Promise.resolve(stop.abort()),
    "connecting was cancelled",
  ],
] as const)("%s ends it, and closes what was opened", async (_, end, message) => {
  const { port, next } = await listening();
  const clock = new FakeClock();
  const stop = new AbortController();
  // It takes the connection, and TLS does not begin.
  const dialled = dial({
    clock,
    signal: stop.signal,
    ...common,
    open: async (line) => await line.tls(await line.tcp({ host: "127.0.0.1", port }), "127.0.0.1", {}),
  });
  const client = (await next()).resume();
  const closed = once(client, "close");
  await end(clock, stop);
  expect(await dialled).toMatchObject({ ok: false, ended: { why: { message } } });
  await within(closed, () => "the end");
  expect(clock.waiting).toBe(0);
});

test("why there is none is a value", async () => {
  const { port, next } = await listening();
  const clock = new FakeClock();
  const place = { host: "127.0.0.1", port };
  const refusal = lost("remote_error", "it does not want us");
  const refused = await dial({
    clock,
    signal: never,
    ...common,
    open: async (line) => {
      await line.tcp(place);
      return refusal;
    },
  });
  expect(refused).toEqual({ ok: false, ended: refusal });
  const closed = once((await next()).resume(), "close");
  await within(closed, () => "the end");
  const nobody = await dial({
    clock,
    signal: never,
    ...common,
    open: async (line) => await line.tcp({ host: "127.0.0.1", port: 1 }),
  });
  expect(nobody).toMatchObject({
    ok: false,
    ended: { why: { message: expect.stringContaining("ECONNREFUSED") as string } },
  });
  const badOptions = await dial({
    clock,
    signal: never,
    ...common,
    open: async (line) => await line.tls(await line.tcp(place), "a.example", { cert: "nothing" }),
  });
  expect(badOptions.ok).toBe(false);
  expect(
    await dial({ clock, signal: AbortSignal.abort(), ...common, open: async () => await Promise.resolve(refusal) }),
  ).toMatchObject({
    ok: false,
    ended: { why: { code: "stopping" } },
  });
});
