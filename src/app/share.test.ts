import { describe, expect, onTestFinished, test } from "vitest";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { aConfig, aGateway } from "../gateway/samples.suite.ts";
import { changeConfig, type Running } from "./change.ts";
import { limitOf, openShare } from "./share.ts";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             127000               127000               processes
Max open files            LIMIT                 524288               files
`;

test.each([
  [LIMITS.replace("LIMIT", "1024 "), 1024],
  [LIMITS.replace("LIMIT", "unlimited"), Infinity],
  ["", Infinity],
])("%j", (limits, limit) => {
  expect(limitOf(limits)).toBe(limit);
});

describe("what the configuration needs", () => {
  // Two networks and one account of the API: 128, four for each network, and one address with sixteen clients.
  const config = aConfig([aGateway("g", ["inout net.a #x", "inout net.b #x", "inout api.c api"])]);

  test("one too few is said at the start, with the number that it takes", () => {
    const open = (): unknown => openShare(config, new MemoryLogger().logger, 152);
    expect(open).toThrow(/may open 152 files and connections at a time, and this configuration needs 153/u);
  });

  test("with just enough, so many clients come in, and one line a minute says that there are more", () => {
    const log = new MemoryLogger();
    const share = openShare(config, log.logger, 153);
    onTestFinished(share.close);
    const taken = Array.from({ length: 20 }, () => share.descriptors.take(1));
    expect(taken.filter(Boolean)).toHaveLength(16);
    expect(JSON.stringify(log)).toContain("file descriptors are running out");
  });

  test("another one needs something else from then on, and is not had without", async () => {
    const share = openShare(config, new MemoryLogger().logger, 158);
    onTestFinished(share.close);
    const larger = aConfig([aGateway("g", ["inout net.a #x", "inout net.b #x", "inout net.d #x", "inout api.c api"])]);
    const largest = aConfig([aGateway("g", ["inout net.a #x", "inout api.c api", "inout api.e api"])]);
    expect([share.lack(larger), share.lack(largest)]).toEqual([
      null,
      "this process may open 158 files and connections at a time, and this configuration needs 166",
    ]);
    const takeAll = (): number => Array.from({ length: 40 }, () => share.descriptors.take(1)).filter(Boolean).length;
    expect(takeAll()).toBe(21);
    share.descriptors.give(21);
    const step = { marks: () => [], swap: () => undefined, settle: () => Promise.resolve() };
    const moving = { change: () => Promise.resolve(step) };
    const exclusive = async (_ms: number, task: () => Promise<void>) => await task();
    const routes = { swap: () => undefined };
    const follow = (): void => undefined;
    const running = {
      config,
      share,
      routes,
      sharing: null,
      follow,
      delivery: moving,
      servers: moving,
      lock: { exclusive },
    };
    expect(await changeConfig(largest, running as unknown as Running)).toEqual({
      is: "impossible",
      passes: false,
      reasons: [share.lack(largest)],
    });
    expect(await changeConfig(larger, running as unknown as Running)).toMatchObject({ is: "applied" });
    expect(takeAll()).toBe(17);
  });
});
