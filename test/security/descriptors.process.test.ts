import path from "node:path";
import { expect, test, vi } from "vitest";
import type { StatusView, Alert } from "../../src/admin/views.ts";
import { ask } from "../../src/cli/client.ts";
import { toml } from "../support/config.ts";
import { connectRaw } from "../support/raw.ts";
import { startRialto, type Rialto } from "../support/rialto.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

// Each starts the program, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const config = toml({ accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } });

async function troubles({ dataPath }: Rialto): Promise<readonly Alert[]> {
  const answer = await ask(path.join(dataPath, "rialto.sock"), { method: "GET", path: "/api/v1/status" });
  return (JSON.parse(answer.body) as StatusView).troubles;
}

test("more connections than there are descriptors: some are refused, and operators, the log and those that are there go on", async () => {
  const rialto = await launch({ config, descriptors: 200 });
  const stream = await rialto.client("right").stream();
  expect(await troubles(rialto)).toEqual([]);
  const flood = await Promise.all(Array.from({ length: 300 }, () => connectRaw(rialto.url("api.left"))));
  // They must be doing something: idle ones are closed first.
  for (const connection of flood) connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const found = await eventually(
    async () => await troubles(rialto),
    (all) => all.length > 0,
    () => "a trouble in the status",
  );
  expect(found.map(({ of, what }) => `${of} ${what}`).join("\n")).toMatch(
    /^file descriptors are running out: the limit is 200, /u,
  );
  expect(rialto.output().split("file descriptors are running out")).toHaveLength(2);
  for (const connection of flood) connection.destroy();
  await eventually(
    async () =>
      await rialto
        .client("left")
        .request("/api/health")
        .then(({ status }) => status, String),
    (status) => status === 200,
    () => "room for another connection",
  );
  await rialto.client("left").say({ text: "after all" });
  await eventually(
    async () => (await stream.next()).text,
    (text) => text === "after all",
    () => "the message on a stream that was there before",
  );
  await stream.close();
});

test("a start with too few says how many it needs", async () => {
  await expect(startRialto({ config, descriptors: 100 })).rejects.toThrow(
    /may open 100 files and connections at a time, and this configuration needs 162[\s\S]*LimitNOFILE/u,
  );
});
