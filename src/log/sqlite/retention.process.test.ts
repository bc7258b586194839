import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import { LogError } from "../errors.ts";
import type { Log, Receipt } from "../log.ts";
import { appendOne, batchOf, said } from "../suite/kit.suite.ts";
import type { Carrier } from "./carrier.ts";
import { WorkerConnection } from "./connection.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";
import { SqliteLog } from "./sqlite-log.ts";

const DAY = 24 * 60 * 60 * 1000;
const MEBIBYTE = 1024 * 1024;
const START = 1_700_000_000_000;

async function payloads(log: Log, subject = said("").subject): Promise<string[]> {
  const entries = await log.read({ subjects: [subject], after: 0, limit: 1000 });
  return entries.map(({ payload }) => payload.slice(0, 10));
}

test("what is older than the days to keep goes, and nothing younger", async () => {
  let now = START;
  const log = await openAt(scratchFolder(), { tailBytes: 0, clock: () => now });
  for (let day = 0; day < 10; day++) {
    now = START + day * DAY;
    await log.append(batchOf(said(`day ${day}`)));
  }
  await log.sweep();
  expect(await payloads(log)).toEqual(["day 2", "day 3", "day 4", "day 5", "day 6", "day 7", "day 8", "day 9"]);
  now += 2 * DAY;
  await log.sweep();
  expect(await payloads(log)).toEqual(["day 4", "day 5", "day 6", "day 7", "day 8", "day 9"]);
});

/** A log that was closed for so long that its one entry is too old. */
async function openAged(test: { readonly maxPages?: number } = {}): ReturnType<typeof openAt> {
  const dataPath = scratchFolder();
  const first = await openAt(dataPath, { clock: () => START });
  await appendOne(first, said("old"));
  await first.close();
  return openAt(dataPath, { clock: () => START + 8 * DAY, test });
}

test("a sweep that another node takes over has ended; one that is refused for another reason says so", async () => {
  const dataPath = scratchFolder();
  const first = await openAt(dataPath, { clock: () => START });
  await appendOne(first, said("old"));
  await first.close();
  const refusals = [new LogError("fenced", "taken over"), new LogError("unreachable", "nobody answers")];
  const carrier: Carrier = {
    failed: new Promise(() => undefined),
    groupEntries: 512,
    sweeps: true,
    epochOf: () => 0,
    attach: () => undefined,
    send: (_commit, done) => done(refusals.shift() ?? new LogError("closed", "no more")),
    end: () => undefined,
    close: () => Promise.resolve(),
  };
  const policy = { retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 };
  const worker = await WorkerConnection.open({ dataPath, durability: "process", ...policy, test: {} });
  const options = { tailBytes: 0, pendingBytes: MEBIBYTE, clock: () => START + 8 * DAY };
  const log = new SqliteLog(worker, options, carrier);
  onTestFinished(() => log.close());
  await log.sweep();
  await expect(log.sweep()).rejects.toMatchObject({ code: "unreachable" });
});

test("a mark that finds no room does not begin it: whoever waits for entries first reads where it stands", async () => {
  const log = await openAged({ maxPages: 100 });
  const mark = { name: "lane", value: "x".repeat(500_000) };
  await expect(log.mark([mark])).rejects.toMatchObject({ code: "disk_full" });
  for (let turn = 0; turn < 5; turn++) expect(await payloads(log)).toEqual(["old"]);
  // A message that finds none does.
  await expect(log.append(batchOf(said(mark.value)))).rejects.toMatchObject({ code: "disk_full" });
  await eventually(
    () => payloads(log),
    ({ length }) => length === 0,
    () => "the sweep",
  );
});

test("it begins a minute after opening: until then somebody may come and hold", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const log = await openAged();
  vi.advanceTimersByTime(59_999);
  // Each read takes turns with a sweep that had begun: it would be far enough by the last of them.
  for (let turn = 0; turn < 5; turn++) expect(await payloads(log)).toEqual(["old"]);
  const end = log.hold({ after: () => 0, ageMs: 9 * DAY });
  await log.sweep();
  expect(await payloads(log)).toEqual(["old"]);
  end();
  vi.advanceTimersByTime(1);
  await eventually(
    () => payloads(log),
    ({ length }) => length === 0,
    () => "the sweep",
  );
});

test("a hold is all it waits for", async () => {
  const log = await openAged();
  log.hold({ after: () => log.head, ageMs: 9 * DAY });
  await eventually(
    () => payloads(log),
    ({ length }) => length === 0,
    () => "the sweep",
  );
});

test("more receipts than one step deletes go with their entries, and those of a kept one stay", async () => {
  let now = START;
  const log = await openAt(scratchFolder(), { tailBytes: 0, clock: () => now });
  const lanes = Array.from({ length: 60 }, (_, index) => `lane ${index}`);
  const receiptsOf = (seq: number): Receipt[] => lanes.map((lane) => ({ lane, seq, state: "failed", detail: "{}" }));
  await log.append(batchOf(...Array.from({ length: 200 }, (_, index) => said(String(index)))));
  now += 8 * DAY;
  const young = await appendOne(log, said("young"));
  for (let seq = 1; seq <= young; seq++) await log.append({ ...batchOf(), receipts: receiptsOf(seq) });
  await log.sweep();
  expect(await payloads(log)).toEqual(["young"]);
  for (const lane of lanes) {
    expect((await log.receipts({ lane, after: 0, limit: 500 })).map(({ seq }) => seq)).toEqual([young]);
  }
});

test("over the bytes to keep the oldest go, without being asked", async () => {
  const retentionBytes = 2 * MEBIBYTE;
  const dataPath = scratchFolder();
  const log = await openAt(dataPath, { tailBytes: 0, retentionBytes });
  for (let index = 0; index < 600; index++) await log.append(batchOf(said(`${index} `.padEnd(20_000, "x"))));
  const file = join(dataPath, "log.sqlite");
  // 12 MB were written. The file may run ahead by what comes between two looks, never by all of it.
  await log.sweep();
  await log.close();
  expect(statSync(file).size).toBeLessThan(2 * retentionBytes);
  const kept = await payloads(await openAt(dataPath, { tailBytes: 0, retentionBytes }));
  expect(kept.length).toBeGreaterThan(50);
  expect(kept.length).toBeLessThan(110);
  expect(kept.at(-1)).toMatch(/^599 /);
  expect(Number(kept[0]?.split(" ")[0])).toBe(600 - kept.length);
});

test("a seq is never given twice, also when all entries went", async () => {
  let now = START;
  const dataPath = scratchFolder();
  const first = await openAt(dataPath, { clock: () => now });
  await first.append(batchOf(said("1"), said("2"), said("3")));
  now += 8 * DAY;
  await first.sweep();
  expect(first.head).toBe(3);
  await first.close();
  const second = await openAt(dataPath, { clock: () => now });
  expect(second.head).toBe(3);
  expect(await payloads(second)).toEqual([]);
  expect(await appendOne(second, said("4"))).toBe(4);
});

test("keys go with their entries, answers after a day", async () => {
  let now = START;
  const dataPath = scratchFolder();
  const log = await openAt(dataPath, { clock: () => now });
  const batch = { ...batchOf(said("1", { key: "k" })), once: { key: "o", fingerprint: "f", answer: "x".repeat(2000) } };
  await log.append(batch);
  now += 8 * DAY;
  await log.sweep();
  expect(await log.append(batch)).toEqual({ is: "stored", seqs: [2] });
});

test("large entries give their room back to the disk", async () => {
  let now = START;
  const dataPath = scratchFolder();
  const log = await openAt(dataPath, { tailBytes: 0, clock: () => now });
  for (let index = 0; index < 40; index++) await log.append(batchOf(said("x".repeat(MEBIBYTE))));
  now += 8 * DAY;
  await log.sweep();
  await log.close();
  // 16 MiB of free pages are kept for what comes next.
  expect(statSync(join(dataPath, "log.sqlite")).size).toBeLessThan(18 * MEBIBYTE);
});

test("answers make room when there is nothing else, and marks stay", async () => {
  const dataPath = scratchFolder();
  const retentionBytes = MEBIBYTE;
  const log = await openAt(dataPath, { retentionBytes });
  await log.mark([{ name: "a", value: "1" }]);
  for (let index = 0; index < 40; index++) {
    await log.append({ ...batchOf(), once: { key: String(index), fingerprint: "f", answer: "x".repeat(100_000) } });
  }
  await log.sweep();
  const answer = await log.append({ ...batchOf(), once: { key: "0", fingerprint: "f", answer: "new" } });
  expect(answer.is).toBe("stored");
  expect(await log.marks("")).toEqual(new Map([["a", "1"]]));
});

test("appends and reads go on while much is deleted", async () => {
  let now = START;
  const log = await openAt(scratchFolder(), { tailBytes: 0, clock: () => now });
  const many = Array.from({ length: 5000 }, (_, index) => said(String(index)));
  await log.append(batchOf(...many));
  now += 8 * DAY;
  const done: string[] = [];
  const sweep = log.sweep().then(() => done.push("sweep"));
  await log.append(batchOf(said("new", { subject: "net.libera/#new" }))).then(() => done.push("append"));
  expect(await payloads(log, "net.libera/#new")).toEqual(["new"]);
  await sweep;
  // 5000 rows are some twenty steps: the append came in between.
  expect(done).toEqual(["append", "sweep"]);
  expect(await payloads(log)).toEqual([]);
});
