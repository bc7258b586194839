import { existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Seq } from "../log.ts";
import type { WordMode } from "../words.ts";
import { damagePage, filledLog } from "./damage.suite.ts";
import { repairLog } from "./repair.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

type OpenLog = Awaited<ReturnType<typeof openAt>>;

const ROOM = "net.home/#room";
const OTHER = "net.home/#other";

const payloadOf = (text: string, more: object = {}): string => JSON.stringify({ text, Extra: null, ...more });

async function say(log: OpenLog, text: string, subject = ROOM): Promise<Seq> {
  return append(log, { subject, key: null, label: "", payload: payloadOf(text), note: note(text) });
}

const note = (excerpt: string) => ({ is: "said", refs: [], author: "a", name: "ann", excerpt }) as const;

async function append(log: OpenLog, entry: Parameters<OpenLog["append"]>[0]["entries"][number]): Promise<Seq> {
  const appended = await log.append({ account: "net.home", entries: [entry] });
  return appended.is === "stored" ? (appended.seqs[0] ?? 0) : 0;
}

const edit = (log: OpenLog, of: Seq, text: string): Promise<Seq> =>
  append(log, {
    subject: ROOM,
    key: null,
    label: "msg_edit",
    payload: payloadOf(text, { about: { is: "edit", seq: of }, internal: true }),
    note: { is: "revised", of, refs: [], excerpt: text },
  });

const remove = (log: OpenLog, of: Seq): Promise<Seq> =>
  append(log, {
    subject: ROOM,
    key: null,
    label: "msg_delete",
    payload: payloadOf("", { about: { is: "delete", seq: of }, internal: true }),
    note: { is: "gone", of },
  });

const ALL = { subjects: [ROOM], after: 0, before: Number.MAX_SAFE_INTEGER, limit: 100, oldestFirst: true };

async function found(
  log: OpenLog,
  text: string,
  more: Partial<typeof ALL & { readonly from: string }> = {},
): Promise<readonly Seq[]> {
  const matches = await log.archive.find({ text, ...ALL, ...more });
  return matches?.seqs ?? [-1];
}

const search = (dataPath: string, mode: WordMode | null = "words", more: object = {}): Promise<OpenLog> =>
  openAt(dataPath, { search: mode, ...more });

describe("the index of words", () => {
  test("finds messages by their words, of the rooms asked for, from either end", async () => {
    const log = await search(scratchFolder());
    const one = await say(log, "The quick brown fox");
    const two = await say(log, "a slow brown bear");
    await say(log, "brown elsewhere", OTHER);
    const three = await say(log, "Brown, again");
    expect(await found(log, "brown")).toEqual([one, two, three]);
    expect(await found(log, "brown", { oldestFirst: false, limit: 2 })).toEqual([three, two]);
    expect(await found(log, "brown", { after: one, before: three })).toEqual([two]);
    expect(await found(log, "fox brown")).toEqual([one]);
    expect(await found(log, "bro*")).toEqual([one, two, three]);
    expect(await found(log, '"slow brown"')).toEqual([two]);
    expect(await found(log, "row")).toEqual([]);
    expect(await found(log, "!!!")).toEqual([]);
  });

  test("finds messages of one author by the whole name or id, with words or without", async () => {
    const log = await search(scratchFolder());
    const by = async (username: string, userid: string, text: string): Promise<Seq> => {
      const payload = payloadOf(text, { username, userid });
      return await append(log, { subject: ROOM, key: null, label: "", payload, note: note(text) });
    };
    const one = await by("Ann", "U1", "brown fox");
    await by("Annabel", "U2", "brown bear");
    const three = await by("ann", "U3", "grey fox");
    await by("bob", "U4", "ann ann ann");
    expect(await found(log, "", { from: "ANN" })).toEqual([one, three]);
    expect(await found(log, "fox", { from: "ann" })).toEqual([one, three]);
    expect(await found(log, "gre* ", { from: "ann" })).toEqual([three]);
    expect(await found(log, "", { from: "u1" })).toEqual([one]);
    expect(await found(log, "brown", { from: "an" })).toEqual([]);
    expect(await found(log, "")).toEqual([]);
    await edit(log, one, "red panda");
    expect(await found(log, "panda", { from: "ann" })).toEqual([one]);
    expect(await found(log, "fox", { from: "ann" })).toEqual([three]);
  });

  test("says where to go on, and that nothing is left", async () => {
    const log = await search(scratchFolder());
    const seqs: Seq[] = [];
    for (let index = 0; index < 5; index += 1) seqs.push(await say(log, `word ${index}`));
    const page = await log.archive.find({ text: "word", ...ALL, limit: 3 });
    expect(page).toMatchObject({ seqs: seqs.slice(0, 3), next: seqs[2], indexed: log.head });
    expect(await log.archive.find({ text: "word", ...ALL, limit: 3, after: page?.next ?? 0 })).toMatchObject({
      seqs: seqs.slice(3),
      next: null,
    });
  });

  test("follows edits and deletions, and what is no message is not found", async () => {
    const log = await search(scratchFolder());
    const one = await say(log, "first wording");
    const two = await say(log, "second wording");
    expect(await found(log, "wording")).toEqual([one, two]);
    await edit(log, one, "now otherwise");
    await remove(log, two);
    await append(log, { subject: ROOM, key: null, label: "join", payload: payloadOf("wording joined") });
    expect(await found(log, "wording")).toEqual([]);
    expect(await found(log, "otherwise")).toEqual([one]);
    expect(await found(log, '"now otherwise"')).toEqual([one]);
    const revised = await edit(log, one, "at last");
    expect(await found(log, "otherwise")).toEqual([]);
    expect(await log.archive.standing([one, two, 99])).toEqual([
      { seq: one, gone: false, revised },
      { seq: two, gone: true, revised: null },
      { seq: 99, gone: false, revised: null },
    ]);
  });

  test("an edit of what was deleted brings nothing back, also when the index is made anew", async () => {
    const dataPath = scratchFolder();
    const log = await search(dataPath);
    const gone = await say(log, "secret");
    await remove(log, gone);
    await edit(log, gone, "secret again");
    expect([await found(log, "secret"), await found(log, "again")]).toEqual([[], []]);
    await log.close();
    for (const end of ["", "-wal"]) rmSync(join(dataPath, `search.sqlite${end}`), { force: true });
    expect(await found(await search(dataPath), "secret")).toEqual([]);
  });

  test("of very many messages the same is found, whatever way they are looked through", async () => {
    const log = await search(scratchFolder());
    const count = 17_000;
    const text = (index: number): string => `wide${index} ${index % 2 === 0 ? "even" : "odd"}`;
    const entries = Array.from({ length: count }, (_, index) => ({
      subject: index % 3 === 0 ? OTHER : ROOM,
      key: null,
      label: "",
      payload: payloadOf(index === 1 ? "even odd" : text(index)),
      note: note(""),
    }));
    const appended = await log.append({ account: "net.home", entries });
    const first = appended.is === "stored" ? (appended.seqs[0] ?? 0) : 0;
    await edit(log, first + count - 1, "narrow");
    await remove(log, first + count - 3);
    await edit(log, first + 1, "wide even odd");
    await edit(log, first + count - 3, "wide once more");
    while (((await log.archive.indexed()) ?? 0) < log.head) await new Promise((done) => setTimeout(done, 20));
    // Far too many words begin so for the index; and two words that are in every other message are never together.
    const newest = { oldestFirst: false, limit: 3, before: log.head + 1 };
    const at = [count - 4, count - 6, count - 7].map((index) => first + index);
    expect(await found(log, "wide*", newest)).toEqual(at);
    expect(await found(log, "wide*", { limit: 3 })).toEqual([1, 2, 4].map((index) => first + index));
    expect(await found(log, "wide* narrow*", newest)).toEqual([]);
    expect(await found(log, "narrow*", { ...newest, subjects: [ROOM, OTHER] })).toEqual([first + count - 1]);
    for (const oldestFirst of [true, false]) expect(await found(log, "even odd", { oldestFirst })).toEqual([first + 1]);
    // What takes too long for one question goes on with the next one.
    const rare = `wide* wide${count - 5}*`;
    const pages: Seq[] = [];
    let after = 0;
    for (let page = 0; page < 5; page += 1) {
      const matches = await log.archive.find({ ...ALL, text: "wid* wide*", after, limit: 100_000 });
      pages.push(...(matches?.seqs ?? []));
      if (matches === null || matches.next === null) break;
      after = matches.next;
    }
    expect(pages).toHaveLength(entries.filter(({ subject }) => subject === ROOM).length - 2);
    expect(await found(log, rare, newest)).toEqual([]);
  });

  test("finds by parts of words with trigrams", async () => {
    const log = await search(scratchFolder(), "trigrams");
    const one = await say(log, "overlapping 日本語");
    await say(log, "apping overl");
    expect(await found(log, "verlapp")).toEqual([one]);
    expect(await found(log, "本語")).toEqual([one]);
    expect(await found(log, "ng")).toHaveLength(2);
  });

  test("takes in what was there, goes on after a restart, and gives its space back when it is switched off", async () => {
    const dataPath = scratchFolder();
    const file = join(dataPath, "search.sqlite");
    let log = await openAt(dataPath);
    const one = await say(log, "before the index");
    expect(await log.archive.find({ text: "index", ...ALL })).toBeNull();
    expect(await log.archive.indexed()).toBeNull();
    await log.close();
    expect(existsSync(file)).toBe(false);
    log = await search(dataPath);
    expect(await found(log, "index")).toEqual([one]);
    expect(statSync(file).mode % 0o1000).toBe(0o600);
    const two = await say(log, "another index");
    await log.close();
    log = await search(dataPath);
    expect(await found(log, "index")).toEqual([one, two]);
    await log.close();
    log = await search(dataPath, "trigrams");
    expect(await found(log, "nothe")).toEqual([two]);
    await log.close();
    await openAt(dataPath);
    expect(existsSync(file)).toBe(false);
  });

  test("follows by itself, without a question", async () => {
    const log = await search(scratchFolder());
    await say(log, "unasked");
    await expect.poll(() => log.archive.indexed(), { timeout: 20_000 }).toBe(log.head);
  });

  test("is made anew where it is damaged, or of another log", async () => {
    const dataPath = scratchFolder();
    let log = await search(dataPath);
    await say(log, "some words");
    await log.archive.find({ text: "some", ...ALL });
    await log.close();
    writeFileSync(join(dataPath, "search.sqlite"), "this is no database at all, whatever its name says\n".repeat(200));
    log = await search(dataPath);
    expect(await found(log, "some")).toEqual([1]);
    await log.close();
    const other = scratchFolder();
    const elsewhere = await openAt(other);
    await say(elsewhere, "other words");
    await elsewhere.archive.backup(join(other, "copy"));
    renameSync(join(other, "copy"), join(dataPath, "log.sqlite"));
    log = await search(dataPath);
    expect(await found(log, "some")).toEqual([]);
    expect(await found(log, "other")).toEqual([1]);
  });

  test("is made anew where it turns out to be damaged, and the log is not called damaged", async () => {
    const dataPath = scratchFolder();
    const file = join(dataPath, "search.sqlite");
    let log = await search(dataPath);
    for (let index = 0; index < 50; index += 1) await say(log, `some words ${index}`);
    expect(await found(log, "some")).toHaveLength(50);
    await log.close();
    // Where the words are: not what is read when it is opened.
    const db = new BetterSqlite3(file).unsafeMode();
    db.exec("UPDATE words_data SET block = x'5a5a' WHERE id > 10");
    db.close();
    log = await search(dataPath);
    const failure = { code: "io", message: expect.stringContaining("is made anew") as string };
    await expect(log.archive.find({ text: "some", ...ALL })).rejects.toMatchObject(failure);
    expect(log.archive.damage().why).toBeNull();
    expect(await found(log, "some")).toHaveLength(50);
  });

  test("is kept where the log itself is damaged", async () => {
    const { dataPath, file } = await filledLog();
    const db = new BetterSqlite3(file);
    const leaves = db.prepare("SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf'").pluck().all();
    db.close();
    damagePage(file, Number(leaves[Math.floor(leaves.length / 2)]));
    const log = await search(dataPath);
    const index = join(dataPath, "search.sqlite");
    await expect.poll(() => existsSync(index), { timeout: 20_000 }).toBe(true);
    // A name of its own, so that one that is made anew has one name less.
    linkSync(index, `${index}.same`);
    const failure = async () => await log.archive.find({ text: "news", ...ALL }).catch((error: unknown) => error);
    // The words come a part at a time, up to the damage.
    await expect.poll(failure, { timeout: 20_000 }).toMatchObject({ code: "damaged" });
    for (let turn = 0; turn < 3; turn += 1) expect(await failure()).toMatchObject({ code: "damaged" });
    expect(statSync(index).nlink).toBe(2);
  });

  test("loses what retention takes", async () => {
    let now = 1_700_000_000_000;
    const log = await search(scratchFolder(), "words", { clock: () => now, retentionDays: 1 });
    await say(log, "old words");
    now += 2 * 24 * 60 * 60 * 1000;
    const two = await say(log, "new words");
    expect(await found(log, "words")).toHaveLength(2);
    await log.sweep();
    expect(await found(log, "words")).toEqual([two]);
  });

  test("is made anew after a repair", async () => {
    const dataPath = scratchFolder();
    let log = await search(dataPath);
    const one = await say(log, "kept words");
    expect(await found(log, "kept")).toEqual([one]);
    await log.close();
    repairLog({ dataPath, isSound: () => true, progress: () => undefined, nowMs: 0 });
    expect(existsSync(join(dataPath, "search.sqlite"))).toBe(false);
    log = await search(dataPath);
    expect(await found(log, "kept")).toEqual([one]);
  });

  test("takes whatever people type for words", async () => {
    const log = await search(scratchFolder());
    await say(log, "a b");
    for (const query of [
      '"',
      "'",
      '"a" OR "b"',
      "a AND",
      "NOT b",
      "text:a",
      "a NEAR b",
      "^a",
      "-a",
      "{text}:a",
      "a*b*",
      "\u0000",
      "😀",
      "ᾈ𐐀",
    ]) {
      expect(Array.isArray(await found(log, query))).toBe(true);
    }
  });
});
