import { readFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { decodeStored, encodeStored, isStored } from "../gateway/codec.ts";
import { aMessage } from "../gateway/samples.suite.ts";
import type { FileId } from "../contract/ids.ts";
import { damagePage } from "../log/sqlite/damage.suite.ts";
import { logOfFormat3 } from "../log/sqlite/format-3.suite.ts";
import { repairLog } from "../log/sqlite/repair.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { backupLog, checkLog } from "../log/sqlite/upkeep.ts";

const ROOM = "net.libera/#room";
const OTHER = "net.libera/#other";
/** Within the retention of what the log holds. */
const clock = (): number => 1_700_000_001_000;
const progress = (): void => undefined;

/** Entries by seq, as they stand in the file. */
function rowsOf(dataPath: string): ReadonlyMap<number, string> {
  const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
  const rows = db.prepare<[], [number, string]>("SELECT seq, payload FROM entry ORDER BY seq").raw().all();
  db.close();
  return new Map(rows);
}

/** What destinations need of each entry comes back, by whichever keys it is stored. */
async function expectOldEntries(dataPath: string): Promise<void> {
  const log = await openAt(dataPath, { clock, isSound: isStored, tailBytes: 0 });
  const entries = await log.read({ subjects: [ROOM, OTHER], after: 0, limit: 4 });
  expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  const stored = entries.map(({ payload }) => decodeStored(payload));
  expect(stored.map(({ message }) => message.text)).toEqual(["hello", "loud", "look", "an answer"]);
  for (const { message } of stored) expect(message).toEqual(aMessage({ ...message }));
  expect(stored.map(({ source }) => source)).toEqual([null, { format: "some", text: "*loud*" }, null, null]);
  expect(stored[2]).toMatchObject({ files: ["file-1"], avatar: "avatar-1" });
  expect(stored[3]?.about).toMatchObject({ is: "reply", seq: 1 });
  expect((await log.read({ subjects: [OTHER], after: 0, limit: 9 })).map(({ seq }) => seq)).toEqual([4]);
  expect((await log.newest({ subjects: [ROOM], after: 0, limit: 1 })).skipped).toBeGreaterThanOrEqual(2);
  expect(await log.marks("")).toEqual(
    new Map([
      ["lane/one/net.other/#b", '{"after":2,"next":null}'],
      ["source/net.libera", "cursor-4"],
    ]),
  );
  expect(await log.ids.find(ROOM, ["m1"])).toMatchObject({ seq: 1, excerpt: "hello" });
  expect(await log.ids.refs(1, "one/net.other/#b")).toEqual(["c1"]);
  expect(await log.receipts({ lane: "one/net.other/#b", after: 0, limit: 9 })).toHaveLength(1);
  await log.close();
}

test("a log of format 3 is read and gone on with, its rows stay as they are, and new ones have the new keys", async () => {
  const dataPath = logOfFormat3();
  const old = rowsOf(dataPath);
  await expectOldEntries(dataPath);
  const log = await openAt(dataPath, { clock, isSound: isStored });
  const more = { source: null, about: null, files: [], avatar: "avatar-2" as FileId, topic: null };
  const payload = encodeStored({ ...more, message: aMessage({ text: "new" }) });
  const entry = { subject: ROOM, label: "", payload };
  // What the source repeats after its cursor is a duplicate, and answers are given again.
  const batch = {
    account: "net.libera",
    entries: [
      { ...entry, key: "k4" },
      { ...entry, key: "k5" },
    ],
  };
  expect(await log.append(batch)).toEqual({ is: "stored", seqs: [null, 5] });
  const once = { key: "once-1", fingerprint: "f", answer: "another" };
  expect(await log.append({ account: "api.web", entries: [], once })).toEqual({ is: "repeated", answer: "an answer" });
  await log.close();
  await expectOldEntries(dataPath);
  const now = rowsOf(dataPath);
  expect([...now].slice(0, 4)).toEqual([...old]);
  expect(now.get(5)).toContain('"avatarFile":"avatar-2","internal":true}');
  expect(decodeStored(now.get(5) ?? "").avatar).toBe("avatar-2");
  const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
  expect(db.pragma("user_version", { simple: true })).toBe(8);
  db.close();
});

test("a log of format 3 is checked, copied and repaired", async () => {
  const dataPath = logOfFormat3();
  const before = readFileSync(join(dataPath, "log.sqlite"));
  const sound = { entries: 4, marks: 2, findings: [] };
  expect(checkLog({ dataPath, isSound: isStored, progress })).toEqual(sound);
  const copy = scratchFolder();
  await backupLog(dataPath, join(copy, "log.sqlite"), progress);
  expect(rowsOf(copy)).toEqual(rowsOf(dataPath));
  expect(readFileSync(join(dataPath, "log.sqlite")).equals(before)).toBe(true);
  const repaired = repairLog({ dataPath: copy, isSound: isStored, nowMs: 0, progress });
  expect(repaired).toMatchObject({ entries: 4, lost: [], unsound: [], marks: 2, others: [] });
  expect(checkLog({ dataPath: copy, isSound: isStored, progress })).toEqual(sound);
  await expectOldEntries(copy);
  const headless = logOfFormat3();
  damagePage(join(headless, "log.sqlite"), 1);
  expect(repairLog({ dataPath: headless, isSound: isStored, nowMs: 0, progress })).toMatchObject({
    entries: 4,
    lost: [],
    marks: 2,
  });
  await expectOldEntries(headless);
});
