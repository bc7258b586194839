import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock, settled } from "../../../../test/support/fake-clock.ts";
import { expectTurns } from "../../kit/turns.suite.ts";
import { type IrcConnection, connect } from "./connection.ts";

const MIB = 1024 * 1024;

/** A connection to a server that says nothing. */
async function connected(): Promise<IrcConnection> {
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const endpoint = { host: "127.0.0.1", port, bind: "", tls: null };
  const result = await connect({ endpoint, clock: new FakeClock(), signal: new AbortController().signal });
  if (!result.ok) throw new Error(result.ended.why.message);
  const { connection } = result;
  onTestFinished(async () => {
    connection.end({ cause: "asked", why: { code: "stopping", message: "the test is over" } });
    await new Promise((resolve) => server.close(resolve));
  });
  return connection;
}

test("a server may leave 1 MiB unread; with more it is as good as dead", async () => {
  const connection = await connected();
  const ends: string[] = [];
  void connection.ended.then(({ cause, why }) => ends.push(`${cause}: ${why.message}`));
  // What is corked stays with us: how much the kernel would take is not the same everywhere.
  connection.cork();
  for (let written = 0; written < MIB; written += MIB / 16) connection.write(Buffer.alloc(MIB / 16, "x"));
  await settled();
  expect(ends).toEqual([]);
  connection.write(Buffer.from("x"));
  await settled();
  expect(ends).toEqual(["lost: the server does not read what Rialto sends"]);
});

test("what a server says is handled when a turn has time for it", async () => {
  await expectTurns(async (port, heard) => {
    const endpoint = { host: "127.0.0.1", port, bind: "", tls: null };
    const result = await connect({ endpoint, clock: new FakeClock(), signal: new AbortController().signal });
    if (!result.ok) throw new Error(result.ended.why.message);
    result.connection.listen((bytes) => heard(Buffer.from(bytes).toString()));
    return () => result.connection.end({ cause: "asked", why: { code: "stopping", message: "the test is over" } });
  });
});
