import { once } from "node:events";
import net from "node:net";
import { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { ampleDescriptors } from "../lib/descriptors.suite.ts";
import { openForwarder } from "./forward.ts";

/** A way to another node, of which the test says what comes by it. */
class ScriptedWay extends Duplex {
  readonly takings: number[] = [];

  override _read(): void {
    // What comes is pushed.
  }

  override _write(_part: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  taken(bytes: number): void {
    this.takings.push(bytes);
  }
}

/** A client whose connection is passed on. */
async function passedOn() {
  const way = new ScriptedWay();
  const opened = Promise.withResolvers<void>();
  const forwarder = await openForwarder({
    address: { host: "127.0.0.1", port: 0 },
    take: () => false,
    open: () => {
      opened.resolve();
      return way;
    },
    descriptors: ampleDescriptors(),
  });
  onTestFinished(() => forwarder.close());
  const client = net.connect(forwarder.address.port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  await opened.promise;
  way.emit("connect");
  return { way, client };
}

test("what the client's system has taken is said to be taken, and so is the end", async () => {
  const { way, client } = await passedOn();
  way.push("answer");
  way.push(null);
  const [part] = (await once(client, "data")) as [Buffer];
  expect(part.toString()).toBe("answer");
  await once(client, "end");
  expect(way.takings).toEqual([6, 0]);
});

test("what comes for a client that has closed is not taken, also where its end is not known yet", async () => {
  const { way, client } = await passedOn();
  const [ended, closed] = [once(way, "finish"), once(way, "close")];
  client.destroy();
  way.push("answer");
  await ended;
  expect(way.takings).toEqual([]);
  await closed;
  expect(way.takings).toEqual([]);
});

test("a client that is slow gets all of an answer that the other node has ended, and then its end", async () => {
  const { way, client } = await passedOn();
  const [part, count] = [Buffer.alloc(64 * 1024, "x"), 256];
  for (let each = 0; each < count; each += 1) way.push(part);
  way.push(null);
  client.pause();
  await once(way, "end");
  let bytes = 0;
  client.on("data", ({ length }) => (bytes += length)).resume();
  await once(client, "end");
  expect(bytes).toBe(part.length * count);
  expect(way.takings.reduce((sum, taken) => sum + taken)).toBe(part.length * count);
  expect(way.takings.at(-1)).toBe(0);
});
