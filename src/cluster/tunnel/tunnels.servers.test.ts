import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { eventually } from "../../../test/support/wait.ts";
import { oneServer, tunnelNode, type TunnelNode } from "./stage.suite.ts";
import type { Tunnel } from "./tunnel.ts";

const REMOTE = { address: "192.0.2.7", port: 4711 };

interface Pair {
  readonly from: TunnelNode;
  readonly to: TunnelNode;
  /** Opens a tunnel, and gives both ends of it. */
  readonly open: () => Promise<{ readonly near: Tunnel; readonly far: Tunnel }>;
}

async function pair(): Promise<Pair> {
  const cluster = await oneServer();
  const [from, to] = [await tunnelNode(cluster), await tunnelNode(cluster)];
  const came: Tunnel[] = [];
  to.tunnels.serve((account, socket, remote) => {
    expect([account, remote]).toEqual(["api.left", REMOTE]);
    came.push(socket as Tunnel);
    return true;
  });
  const open = async () => {
    const near = from.tunnels.open({ run: to.run, account: "api.left", remote: REMOTE });
    onTestFinished(() => void near.destroy());
    await once(near, "connect");
    const far = came.shift();
    if (far === undefined) throw new Error("it is taken on, and nothing came");
    return { near, far };
  };
  return { from, to, open };
}

/** Resolves with whether it broke. */
const closed = (socket: Duplex): Promise<unknown> => new Promise((resolve) => socket.once("close", resolve));

/** Reads as a node that hands on to a client who takes everything. */
const taking = (near: Tunnel): Tunnel =>
  near.on("data", (part: Buffer) => near.taken(part.length)).on("end", () => near.taken(0));

needs(["nats-server"], () => {
  test("bytes cross both ways, in order, and each end is told of the end of the other", async () => {
    const { open } = await pair();
    const { near, far } = await open();
    const [there, back] = [randomBytes(3_000_000), randomBytes(20_000_000)];
    expect(far).toMatchObject({ remoteAddress: REMOTE.address, remotePort: REMOTE.port });
    const heard = buffer(far);
    near.write(there.subarray(0, 1));
    near.end(there.subarray(1));
    expect((await heard).equals(there)).toBe(true);
    const answered = buffer(taking(near));
    const ends = Promise.all([closed(near), closed(far)]);
    far.end(back);
    expect((await answered).equals(back)).toBe(true);
    expect(await ends).toEqual([false, false]);
  });

  test("what the client has not taken is not done, and no more of it is sent than the window", async () => {
    const { open } = await pair();
    const { near, far } = await open();
    let came = 0;
    near.on("data", (part: Buffer) => (came += part.length));
    let isDone = false;
    far.write(Buffer.alloc(1_000_000), () => (isDone = true));
    await eventually(
      () => Promise.resolve(came),
      (bytes) => bytes === 256 * 1024,
      () => `the window to be full; ${came} bytes came`,
    );
    expect(far.bytesWritten - far.writableLength).toBe(0);
    near.taken(100_000);
    await eventually(
      () => Promise.resolve(came),
      (bytes) => bytes === 256 * 1024 + 100_000,
      () => `as much more as was taken; ${came} bytes came`,
    );
    expect([isDone, far.bytesWritten - far.writableLength, far.writableLength]).toEqual([false, 100_000, 1_000_000]);
    taking(near);
    near.taken(came - 100_000);
    await eventually(
      () => Promise.resolve(isDone),
      (done) => done,
      () => "the write to be done",
    );
    expect(far.bytesWritten).toBe(1_000_000);
  });

  test("a reader who pauses stops the other end, and loses nothing", async () => {
    const { open } = await pair();
    const { near, far } = await open();
    const sent = randomBytes(4_000_000);
    far.pause();
    near.end(sent);
    await eventually(
      () => Promise.resolve(far.readableLength),
      (bytes) => bytes === 256 * 1024,
      () => `the window to be full; ${far.readableLength} bytes came`,
    );
    const heard = buffer(far);
    expect((await heard).equals(sent)).toBe(true);
  });

  test("an end that is destroyed ends the other, broken if it broke", async () => {
    const { open } = await pair();
    const one = await open();
    const nearClosed = closed(one.near);
    one.far.destroy();
    expect(await nearClosed).toBe(false);
    const other = await open();
    const farClosed = closed(other.far);
    other.near.destroy(new Error("the client broke off"));
    expect(await farClosed).toBe(true);
    // A write that was under way has not been taken.
    const third = await open();
    const failed = new Promise((resolve) => third.far.write("x", resolve));
    third.near.destroy();
    expect(await failed).toBeInstanceOf(Error);
  });

  test("who does not take it on, is not there, or says nothing is named in the error", async () => {
    const cluster = await oneServer();
    const [from, to] = [await tunnelNode(cluster), await tunnelNode(cluster)];
    const why = async (run: string): Promise<string> => {
      const socket = from.tunnels.open({ run, account: "api.left", remote: REMOTE });
      const [error] = (await once(socket, "error")) as [Error];
      return error.message;
    };
    expect(await why(to.run)).toMatch(/not taken on/u);
    expect(await why("nobody")).toMatch(/not there/u);
    expect(await why(from.run)).toMatch(/this process itself/u);
    to.proxy.stall();
    expect(await why(to.run)).toMatch(/does not answer/u);
  });

  test("no more tunnels stand than the limit says, at either end", async () => {
    const cluster = await oneServer();
    const [from, to] = [await tunnelNode(cluster, { connections: 3 }), await tunnelNode(cluster, { connections: 2 })];
    to.tunnels.serve(() => true);
    const open = (): Tunnel => from.tunnels.open({ run: to.run, account: "api.left", remote: REMOTE });
    const [first, second, third] = [open(), open(), open()];
    await expect(once(open(), "connect")).rejects.toThrow(/too many/u);
    await Promise.all([once(first, "connect"), once(second, "connect")]);
    await expect(once(third, "connect")).rejects.toThrow(/not taken on/u);
    const isClosed = closed(first);
    first.destroy();
    await isClosed;
    await once(open(), "connect");
  });

  test.each(["stall", "cut"] as const)(
    "a node that the servers do not reach any more (%s) ends it at both ends",
    async (what) => {
      const { to, open } = await pair();
      const { near, far } = await open();
      const ends = Promise.all([closed(near), closed(far)]);
      to.proxy.shut();
      to.proxy[what]();
      expect(await ends).toEqual([true, true]);
    },
  );

  test("a connection to the servers that was lost for a moment leaves no tunnel with a hole", async () => {
    const { from, to, open } = await pair();
    const { near, far } = await open();
    const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at % 251));
    let heard = 0;
    far.on("data", (part: Buffer) => {
      expect(part.equals(sent.subarray(heard, heard + part.length))).toBe(true);
      heard += part.length;
      if (heard > 300_000) from.proxy.cut();
    });
    const ends = Promise.all([closed(near), closed(far)]);
    near.write(sent);
    expect(await ends).toEqual([true, true]);
    await eventually(
      () =>
        open().then(
          () => true,
          () => false,
        ),
      (isOpen) => isOpen,
      () => `tunnels to ${to.run} again`,
    );
  });

  test("a tunnel on which nothing is said stays", async () => {
    const { open } = await pair();
    const { near, far } = await open();
    await new Promise((resolve) => setTimeout(resolve, 7000));
    far.write("x");
    expect(String(await once(taking(near), "data"))).toBe("x");
  });
});
