import { describe, expect, test } from "vitest";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { aConfig, aGateway } from "../gateway/samples.suite.ts";
import { limitOf, openDescriptors } from "./share.ts";

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
    const open = (): unknown => openDescriptors(config, new MemoryLogger().logger, 152);
    expect(open).toThrow(/may open 152 files and connections at a time, and this configuration needs 153/u);
  });

  test("with just enough, so many clients come in, and one line a minute says that there are more", () => {
    const log = new MemoryLogger();
    const descriptors = openDescriptors(config, log.logger, 153);
    const taken = Array.from({ length: 20 }, () => descriptors.take(1));
    expect(taken.filter(Boolean)).toHaveLength(16);
    expect(JSON.stringify(log)).toContain("file descriptors are running out");
  });
});
