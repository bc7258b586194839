import { expect, test } from "vitest";
import { MemoryLogger } from "../../delivery/scripted.suite.ts";
import { LogError } from "../../log/errors.ts";
import type { Mark } from "../../log/log.ts";
import { ReaderPositions } from "./positions.ts";

/** A log that takes marks unless it is told not to; what it took, in order. */
class Disk {
  readonly taken: string[] = [];
  refuses = 0;

  mark(marks: readonly Mark[]): Promise<void> {
    if (this.refuses > 0) {
      this.refuses -= 1;
      return Promise.reject(new LogError("disk_full", "the disk is full"));
    }
    for (const { name, value } of marks) this.taken.push(`${name}=${value}`);
    return Promise.resolve();
  }
}

test("a position that the log refused is written again, the newest of each reader", async () => {
  const disk = new Disk();
  const memory = new MemoryLogger();
  const positions = new ReaderPositions(disk, memory.logger);
  disk.refuses = 4;
  await positions.put("poll", "1");
  await positions.put("poll", "2");
  await positions.put("stream", "live");
  await positions.retry();
  expect(disk.taken).toEqual([]);
  await positions.retry();
  expect(disk.taken).toEqual(["poll=2", "stream=live"]);
  await positions.retry();
  expect(disk.taken).toHaveLength(2);
  expect(memory.shown()).toHaveLength(4);
});

test("one that was written later is not overwritten by an older one", async () => {
  const disk = new Disk();
  const positions = new ReaderPositions(disk, new MemoryLogger().logger);
  disk.refuses = 1;
  await positions.put("poll", "1");
  await positions.put("poll", "2");
  await positions.retry();
  expect(disk.taken).toEqual(["poll=2"]);
});

test("nothing is left to be written when they are settled", async () => {
  const disk = new Disk();
  const positions = new ReaderPositions(disk, new MemoryLogger().logger);
  disk.refuses = 1;
  void positions.put("poll", "1");
  void positions.put("stream", "2");
  await positions.settled();
  expect(disk.taken).toEqual(["stream=2", "poll=1"]);
});

test("one that was refused while an older one was on its way is written again", async () => {
  const answers = [Promise.resolve(), Promise.reject(new LogError("disk_full", "the disk is full")), Promise.resolve()];
  const taken: string[] = [];
  const mark = (marks: readonly Mark[]): Promise<void> => {
    taken.push(...marks.map(({ value }) => value));
    return answers.shift() ?? Promise.resolve();
  };
  const positions = new ReaderPositions({ mark }, new MemoryLogger().logger);
  await Promise.all([positions.put("poll", "1"), positions.put("poll", "2")]);
  await positions.retry();
  expect(taken).toEqual(["1", "2", "2"]);
});
