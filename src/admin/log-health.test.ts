import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSqliteLog } from "../log/sqlite/open.ts";
import { LogHealth } from "./log-health.ts";

const NONE = { why: null, entries: [] };

const SETTINGS = { durability: "process", retentionDays: 7, retentionBytes: 2 ** 30, messageIdDays: 30 } as const;

async function open(floorBytes: number) {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-health-"));
  const log = await openSqliteLog({ dataPath, ...SETTINGS, test: { floorBytes } });
  onTestFinished(async () => {
    await log.close();
    rmSync(dataPath, { recursive: true, force: true });
  });
  return { log, dataPath };
}

test("a log that takes messages does so, however often it is asked, and nothing is stored by that", async () => {
  const { log, dataPath } = await open(0);
  const health = new LogHealth({ log, dataPath });
  for (let times = 0; times < 3; times += 1) {
    const view = await health.look();
    expect(view).toEqual({
      head: 0,
      total: 0,
      takes: true,
      why: null,
      freeBytes: expect.any(Number) as number,
      damage: NONE,
    });
  }
});

const ARCHIVE = { damage: () => NONE, total: async () => await Promise.resolve(3) };

test("below the floor of the disk it takes none, and says why", async () => {
  const { log, dataPath } = await open(Number.MAX_SAFE_INTEGER);
  const view = await new LogHealth({ log, dataPath }).look();
  expect(view.takes).toBe(false);
  expect(view.why).toMatch(/free/);
});

test("a log that does not answer counts as stuck, and a folder that is not there is no more than unknown", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const append = vi.fn(() => new Promise<never>(() => undefined));
  const health = new LogHealth({
    log: { head: 3, append, archive: { ...ARCHIVE, refusal: () => null } },
    dataPath: "/nowhere/at/all",
  });
  const views = [health.look(), health.look()];
  await vi.advanceTimersByTimeAsync(2_000);
  for (const view of await Promise.all(views)) {
    expect(view).toMatchObject({
      head: 3,
      takes: false,
      why: expect.stringContaining("stuck") as string,
      freeBytes: null,
      damage: NONE,
    });
  }
  expect(append).toHaveBeenCalledTimes(1);
});

test("a log that refuses messages for damage takes none, also when what is stored to ask it is stored", async () => {
  const { log, dataPath } = await open(0);
  const archive = { ...ARCHIVE, refusal: () => "page 7 is damaged" };
  const health = new LogHealth({
    log: { head: 0, append: async (batch) => await log.append(batch), archive },
    dataPath,
  });
  expect(await health.look()).toMatchObject({ takes: false, why: "page 7 is damaged" });
});
