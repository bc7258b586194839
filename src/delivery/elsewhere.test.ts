import { beforeEach, expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway } from "../gateway/samples.suite.ts";
import { Elsewhere } from "./elsewhere.ts";
import { encodeCheckpoint, marksOf } from "./lane/checkpoint.ts";
import { laneSpecs } from "./lane-specs.ts";
import { type Disk, emptyDisk, MemoryLog } from "./memory-log.suite.ts";
import { MemoryLogger } from "./scripted.suite.ts";

const config = aConfig([aGateway("g", ["in net.a #a", "out net.b #b", "out net.c #c"])]);
const specs = laneSpecs(config, compileRoutes(config));

let disk: Disk;
let clock: FakeClock;
let memory: MemoryLogger;

beforeEach(() => {
  disk = emptyDisk();
  clock = new FakeClock();
  memory = new MemoryLogger();
  for (const seq of [1, 2, 3]) disk.entries.push({ seq, subject: "net.a/#a", at: 0, label: "", payload: "" });
});

const stands = (lane: string, value: string): void => void disk.marks.set(marksOf(lane).checkpoint, value);

async function started(): Promise<Elsewhere> {
  const elsewhere = new Elsewhere(new MemoryLog(disk), {
    clock,
    logger: memory.logger,
    lanes: () => [...specs.values()].flat(),
  });
  elsewhere.start();
  await settled();
  return elsewhere;
}

test("what is waited for is what is behind the mark that is the furthest behind", async () => {
  stands("g/net.b/#b", encodeCheckpoint({ after: 2, next: null }));
  stands("g/net.c/#c", encodeCheckpoint({ after: 3, next: null }));
  expect((await started()).waitingAfter).toBe(2);
});

test.each(["}", "null", JSON.stringify({ version: 9 })])(
  "a lane with the mark %s may wait for everything: that is said once, and the next looks go on",
  async (mark) => {
    stands("g/net.b/#b", mark);
    stands("g/net.c/#c", encodeCheckpoint({ after: 3, next: null }));
    const elsewhere = await started();
    expect(elsewhere.waitingAfter).toBe(0);
    await clock.advance(180_000);
    expect(memory.shown("lane")).toEqual([
      "error where a bridge stands that another machine runs cannot be read from the log: all that may wait for it is kept until MaxAge g/net.b/#b",
    ]);
    stands("g/net.b/#b", encodeCheckpoint({ after: 3, next: null }));
    await clock.advance(60_000);
    expect(elsewhere.waitingAfter).toBe(3);
    elsewhere.stop();
  },
);
