import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { appendOne, batchOf, said } from "../suite/kit.suite.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("the folder is made for this user alone, and so are the files", async () => {
  const dataPath = join(scratchFolder(), "made", "here");
  const log = await openAt(dataPath);
  await appendOne(log, said("1"));
  expect(modeOf(dataPath)).toBe("700");
  expect(modeOf(join(dataPath, "log.sqlite"))).toBe("600");
  expect(modeOf(join(dataPath, "log.sqlite-wal"))).toBe("600");
});

test("a file that others could read is closed to them", async () => {
  const dataPath = scratchFolder();
  await (await openAt(dataPath)).close();
  chmodSync(join(dataPath, "log.sqlite"), 0o644);
  const log = await openAt(dataPath);
  await appendOne(log, said("1"));
  expect(modeOf(join(dataPath, "log.sqlite"))).toBe("600");
  expect(modeOf(join(dataPath, "log.sqlite-wal"))).toBe("600");
});

test("a second one is refused while the first holds the log, which goes on", async () => {
  const dataPath = scratchFolder();
  const log = await openAt(dataPath);
  await expect(openAt(dataPath)).rejects.toMatchObject({
    name: "LogError",
    code: "locked",
    message: expect.stringContaining(`Another process holds the log in ${dataPath}`) as string,
  });
  expect(await appendOne(log, said("1"))).toBe(1);
  // Nor can another program write behind its back.
  const other = new BetterSqlite3(join(dataPath, "log.sqlite"), { timeout: 0 });
  expect(() => other.prepare("SELECT count(*) FROM entry").get()).toThrow(/locked/);
  other.close();
  await log.close();
  expect((await openAt(dataPath)).head).toBe(1);
});

test("a folder that cannot be is named with the reason", async () => {
  const file = join(scratchFolder(), "file");
  writeFileSync(file, "");
  for (const dataPath of [join(file, "data"), file]) {
    await expect(openAt(dataPath)).rejects.toMatchObject({
      code: "unwritable",
      message: expect.stringMatching(
        `${dataPath} cannot be written: ${file} is a file, not a folder.*DataPath`,
      ) as string,
    });
  }
});

test("a log of a newer version is left alone", async () => {
  const dataPath = scratchFolder();
  await (await openAt(dataPath)).close();
  const file = join(dataPath, "log.sqlite");
  const db = new BetterSqlite3(file);
  db.pragma("user_version = 99");
  db.close();
  const before = readFileSync(file);
  await expect(openAt(dataPath)).rejects.toMatchObject({
    code: "format",
    message: expect.stringContaining("written by a newer Rialto (format 99, this one knows up to 8)") as string,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a log from before there were receipts and ids is brought up to date with all that is in it", async () => {
  const dataPath = scratchFolder();
  const old = await openAt(dataPath);
  await old.append({ ...batchOf(said("1", { key: "k" })), marks: [{ name: "a", value: "1" }] });
  await old.close();
  const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
  for (const table of ["receipt", "said", "remote", "reaction", "subject_index", "subject_indexed"])
    db.exec(`DROP TABLE ${table}`);
  db.exec(
    "CREATE INDEX entry_subject ON entry (subject); DROP TABLE stream; DROP TABLE stream_node; DROP TABLE stream_epoch; DROP TABLE removed; PRAGMA user_version = 1",
  );
  db.close();
  const log = await openAt(dataPath);
  expect((await log.read({ subjects: [said("").subject], after: 0, limit: 5 })).map(({ payload }) => payload)).toEqual([
    "1",
  ]);
  expect(await log.marks("")).toEqual(new Map([["a", "1"]]));
  // Of what was said before nothing is known.
  expect(await log.ids.get(1)).toBeNull();
  const receipt = { lane: "lane", seq: 1, state: "sent", detail: "{}" } as const;
  await log.append({ ...batchOf(said("again", { key: "k" })), receipts: [receipt] });
  expect(log.head).toBe(1);
  expect(await log.receipts({ lane: "lane", after: 0, limit: 5 })).toEqual([receipt]);
  const note = { is: "said", refs: ["m1"], author: "a", name: "ann", excerpt: "hello" } as const;
  await log.append(batchOf(said("2", { note })));
  expect((await log.ids.find(said("").subject, ["m1"]))?.seq).toBe(2);
});

test("a log from before removed entries were counted knows how many it has removed", async () => {
  const dataPath = scratchFolder();
  let now = Date.parse("2026-01-01T00:00:00Z");
  const first = await openAt(dataPath, { clock: () => now, retentionDays: 1, tailBytes: 0 });
  for (let count = 0; count < 5; count++) await first.append(batchOf(said(String(count))));
  now += 2 * 24 * 60 * 60 * 1000;
  await first.append(batchOf(said("young")));
  await first.sweep();
  await first.close();
  const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
  db.exec("DROP TABLE removed; PRAGMA user_version = 7");
  db.close();
  const log = await openAt(dataPath, { clock: () => now, tailBytes: 0 });
  expect(await log.removed({ after: 2, upTo: 5 })).toBe(3);
  expect(await log.archive.total()).toBe(6);
});

test("what is not a log is left alone", async () => {
  const dataPath = scratchFolder();
  const file = join(dataPath, "log.sqlite");
  writeFileSync(file, "Dear diary, today I kept a log. ".repeat(500));
  const before = readFileSync(file);
  await expect(openAt(dataPath)).rejects.toMatchObject({
    code: "damaged",
    message: expect.stringContaining(file) as string,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("another program's database is left alone", async () => {
  const dataPath = scratchFolder();
  const file = join(dataPath, "log.sqlite");
  const db = new BetterSqlite3(file);
  db.exec("CREATE TABLE recipes (name TEXT)");
  db.close();
  const before = readFileSync(file);
  await expect(openAt(dataPath)).rejects.toMatchObject({
    code: "format",
    message: expect.stringContaining("a database, but not a log of Rialto") as string,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});
