import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { connectNats } from "./connect.ts";
import { servers } from "./nodes.suite.ts";
import { SharedFiles } from "./shared-files.ts";
import { Snapshots } from "./snapshots.ts";
import { openStream } from "./stream.ts";

needs(["nats-server"], () => {
  test("nodes that start at once make what they share together, where there is room for it once", async () => {
    const cluster = await servers(1);
    // Of the 2 GB that the servers have.
    const bytesMax = 1024 ** 3;
    const starts = Array.from({ length: 8 }, async (_, at) => {
      const nc = await connectNats({ servers: cluster.servers, node: `n${at}`, auth: null, tls: null });
      onTestFinished(() => nc.close());
      const stream = await openStream(nc, "0", 1);
      await Snapshots.open(stream, 1);
      await SharedFiles.open(stream, { replicas: 1, bytesMax, sweeps: () => false });
      return stream.identity;
    });
    expect(new Set(await Promise.all(starts)).size).toBe(1);
  });
});
