import { describe, expect, test } from "vitest";
import type { Copies, IdNote, Ids, Known, NewEntry, Receipt, Seq, Subject } from "../log.ts";
import { appendOne, batchOf, type Bench, ROOM, said, seqsOf } from "./kit.suite.ts";

const OTHER = "net.libera/#venice";
const THERE = "net.home/rialto@rooms";
const LANE = `gateway/${THERE}`;

type Said = Extract<IdNote, { is: "said" }>;

function noteOf(more: Partial<Said> = {}): Said {
  return { is: "said", refs: ["m1"], author: '["a1",null]', name: "ann", excerpt: "hello", ...more };
}

function reaction(of: Seq, who: string, emoji: string, on = true): IdNote {
  return { is: "reacted", of, who, name: `${who} by name`, emoji, on };
}

/** Which remote messages are one, and what is known of them. */
export function describeIds(bench: Bench): void {
  const ids = (): Ids => bench.log.ids;
  const note = (note: IdNote, more: Partial<NewEntry> = {}): Promise<Seq> =>
    appendOne(bench.log, said("{}", { note, ...more }));
  const knownOf = (seq: Seq, more: Partial<Known> = {}): Known => {
    const { author, name, excerpt } = noteOf();
    return { seq, subject: ROOM, at: bench.now, author, name, excerpt, gone: false, ...more };
  };
  const copy = async (of: Seq, refs: readonly string[], more: Partial<Copies & { lane: string }> = {}) => {
    const { lane = LANE, place = THERE } = more;
    const receipt: Receipt = { lane, seq: of, state: "sent", detail: "{}", copies: { of, place, refs } };
    await bench.log.append({ ...batchOf(), receipts: [receipt] });
  };
  const emojis = async (seq: Seq): Promise<string[]> =>
    (await ids().reactions(seq)).map(({ who, emoji }) => `${who} ${emoji}`);
  const findsAt = async (place: Subject, ref: string): Promise<Seq | null> =>
    (await ids().find(place, [ref]))?.seq ?? null;

  describe("ids", () => {
    test("a message is found by each of its refs, at its place alone, with what is known of it", async () => {
      const seq = await note(noteOf({ refs: ["m1", "m2", "é 😀 \0"], name: "Änn\0", excerpt: "" }));
      const known = knownOf(seq, { name: "Änn\0", excerpt: "" });
      for (const ref of ["m1", "m2", "é 😀 \0"]) expect(await ids().find(ROOM, [ref])).toEqual(known);
      expect(await ids().get(seq)).toEqual(known);
      expect(await ids().refs(seq, null)).toEqual(["m1", "m2", "é 😀 \0"]);
      expect(await ids().refs(seq, LANE)).toEqual([]);
      expect(await ids().reactions(seq)).toEqual([]);
      expect(await ids().find(OTHER, ["m1"])).toBeNull();
      expect(await ids().find(ROOM, ["M1", ""])).toBeNull();
      expect(await ids().find(ROOM, [])).toBeNull();
    });

    test("of an entry without a note nothing is known, nor of no entry", async () => {
      const seq = await appendOne(bench.log, said("{}"));
      for (const unknown of [seq, seq + 1, 0]) {
        expect(await ids().get(unknown)).toBeNull();
        expect(await ids().refs(unknown, null)).toEqual([]);
        expect(await ids().reactions(unknown)).toEqual([]);
      }
    });

    test("the first of the refs that is known decides", async () => {
      const first = await note(noteOf({ refs: ["m1"] }));
      const second = await note(noteOf({ refs: ["m2"] }));
      expect((await ids().find(ROOM, ["m0", "m2", "m1"]))?.seq).toBe(second);
      expect((await ids().find(ROOM, ["m1", "m2"]))?.seq).toBe(first);
    });

    test("equal ids in two rooms are two messages", async () => {
      const here = await note(noteOf());
      const there = await note(noteOf({ author: "b" }), { subject: OTHER });
      expect(await ids().find(ROOM, ["m1"])).toEqual(knownOf(here));
      expect(await ids().find(OTHER, ["m1"])).toEqual(knownOf(there, { subject: OTHER, author: "b" }));
    });

    test("the first message that came with a ref keeps it", async () => {
      const first = await note(noteOf({ refs: ["m1"] }));
      const second = await note(noteOf({ refs: ["m1", "m2", "m2"], author: "thief" }));
      expect(await findsAt(ROOM, "m1")).toBe(first);
      expect(await findsAt(ROOM, "m2")).toBe(second);
      expect(await ids().refs(second, null)).toEqual(["m2"]);
    });

    test("notes of one batch, among entries without, are each of its own entry", async () => {
      const entries = Array.from({ length: 30 }, (_, index) =>
        said(
          "{}",
          index % 3 === 0 ? {} : { note: noteOf({ refs: [`r${index}`, `s${index}`], excerpt: `say ${index}` }) },
        ),
      );
      const batches = [entries.slice(0, 7), entries.slice(7)].map((some) => bench.log.append(batchOf(...some)));
      const seqs = (await Promise.all(batches)).flatMap(seqsOf);
      for (const [index, seq] of seqs.entries()) {
        const expected = index % 3 === 0 ? null : knownOf(seq!, { excerpt: `say ${index}` });
        expect(await ids().get(seq!)).toEqual(expected);
        expect(await ids().find(ROOM, [`s${index}`])).toEqual(expected);
      }
    });

    test("a duplicate leaves no note, and those beside it are not mixed up", async () => {
      const keyed = (key: string, ...refs: string[]): NewEntry => said("{}", { key, note: noteOf({ refs }) });
      const one = await appendOne(bench.log, keyed("k1", "m1"));
      const batch = batchOf(
        keyed("k1", "again"),
        keyed("k2", "m2"),
        said("{}", { key: "k1", note: { is: "gone", of: one } }),
        keyed("k3", "m3"),
      );
      const [, two, , three] = seqsOf(await bench.log.append(batch));
      expect(await findsAt(ROOM, "again")).toBeNull();
      expect(await findsAt(ROOM, "m2")).toBe(two);
      expect(await findsAt(ROOM, "m3")).toBe(three);
      expect(await ids().get(one)).toEqual(knownOf(one));
    });

    test("a batch that is a repeat leaves no note, and the next one in the commit has its own", async () => {
      const posting = { ...batchOf(said("{}", { note: noteOf() })), once: { key: "k", fingerprint: "f", answer: "a" } };
      await bench.log.append(posting);
      const again = bench.log.append({ ...posting, entries: [said("{}", { note: noteOf({ refs: ["m2"] }) })] });
      const next = note(noteOf({ refs: ["m3"], excerpt: "next" }));
      expect((await again).is).toBe("repeated");
      expect(await findsAt(ROOM, "m2")).toBeNull();
      expect(await ids().find(ROOM, ["m3"])).toEqual(knownOf(await next, { excerpt: "next" }));
    });

    test("too many refs of one note and too long ones are left out", async () => {
      const refs = ["x".repeat(1025), "y".repeat(1024), ...Array.from({ length: 100 }, (_, index) => `r${index}`)];
      const seq = await note(noteOf({ refs }));
      const kept = await ids().refs(seq, null);
      expect(kept).toEqual(refs.slice(1, 64));
    });

    test("a restart changes nothing", async () => {
      const seq = await note(noteOf());
      await copy(seq, ["c1", "c2"]);
      await note(reaction(seq, "bob", "👍"));
      await note({ is: "revised", of: seq, refs: ["m1.1"], excerpt: "hello there" });
      await bench.reopen();
      expect(await ids().find(THERE, ["c2"])).toEqual(knownOf(seq, { excerpt: "hello there" }));
      expect(await ids().refs(seq, null)).toEqual(["m1", "m1.1"]);
      expect(await ids().refs(seq, LANE)).toEqual(["c1", "c2"]);
      expect(await emojis(seq)).toEqual(["bob 👍"]);
      await note({ is: "gone", of: seq });
      expect(await ids().get(seq)).toEqual(knownOf(seq, { excerpt: "hello there", gone: true }));
    });

    test("after closing, asking rejects", async () => {
      const known = ids();
      await bench.log.close();
      const asked = [known.find(ROOM, ["m1"]), known.get(1), known.refs(1, null), known.reactions(1)];
      for (const answer of asked) await expect(answer).rejects.toMatchObject({ name: "LogError", code: "closed" });
    });
  });

  describe("ids of what changes", () => {
    test("a revised message has the new words, its old refs and the new ones, at the place of the change", async () => {
      const seq = await note(noteOf({ refs: ["m1", "m2"] }));
      await note({ is: "revised", of: seq, refs: ["m1", "e1"], excerpt: "hullo" });
      bench.now += 5000;
      await note({ is: "revised", of: seq, refs: ["e2"], excerpt: "hallo" }, { subject: OTHER });
      const known = knownOf(seq, { excerpt: "hallo", at: bench.now - 5000 });
      expect(await ids().find(ROOM, ["e1"])).toEqual(known);
      expect(await ids().find(OTHER, ["e2"])).toEqual(known);
      expect(await ids().find(ROOM, ["e2"])).toBeNull();
      expect(await ids().refs(seq, null)).toEqual(["m1", "m2", "e1", "e2"]);
    });

    test("a message that is gone is known as such, by all its refs", async () => {
      const seq = await note(noteOf());
      const stays = await note(noteOf({ refs: ["m2"] }));
      await note({ is: "gone", of: seq });
      await note({ is: "gone", of: seq });
      expect(await ids().find(ROOM, ["m1"])).toEqual(knownOf(seq, { gone: true }));
      expect((await ids().get(stays))?.gone).toBe(false);
    });

    test("reactions stand, oldest first, each person's and emoji's once, until they are taken back", async () => {
      const seq = await note(noteOf());
      const other = await note(noteOf({ refs: ["m2"] }));
      await note(reaction(seq, "bob", "👍"));
      await note(reaction(seq, "ann", "👍"));
      await note(reaction(other, "eve", "👍"));
      await note(reaction(seq, "bob", "🎉"));
      await note(reaction(seq, "bob", "👍"));
      expect(await ids().reactions(seq)).toEqual([
        { who: "bob", name: "bob by name", emoji: "👍" },
        { who: "ann", name: "ann by name", emoji: "👍" },
        { who: "bob", name: "bob by name", emoji: "🎉" },
      ]);
      await note(reaction(seq, "bob", "👍", false));
      await note(reaction(seq, "nobody", "👍", false));
      expect(await emojis(seq)).toEqual(["ann 👍", "bob 🎉"]);
      await note(reaction(seq, "bob", "👍"));
      expect(await emojis(seq)).toEqual(["ann 👍", "bob 🎉", "bob 👍"]);
    });

    test("of one message so many reactions stand and no more", async () => {
      const seq = await note(noteOf());
      const entries = Array.from({ length: 1100 }, (_, index) =>
        said("{}", { note: reaction(seq, `p${index}`, "👍") }),
      );
      await bench.log.append(batchOf(...entries));
      expect((await emojis(seq)).at(-1)).toBe("p1023 👍");
      await note(reaction(seq, "p5", "👍", false));
      await note(reaction(seq, "late", "👍"));
      expect((await emojis(seq)).slice(-2)).toEqual(["p1023 👍", "late 👍"]);
    });

    test("of one message so many refs are known and no more, however often it changes", async () => {
      const seq = await note(noteOf({ refs: [] }));
      const refsOf = (edit: number): string[] => Array.from({ length: 60 }, (_, index) => `${edit} ${index}`);
      for (let edit = 0; edit < 20; edit++) await note({ is: "revised", of: seq, refs: refsOf(edit), excerpt: "x" });
      expect(await ids().refs(seq, null)).toEqual(
        Array.from({ length: 20 }, (_, edit) => refsOf(edit))
          .flat()
          .slice(0, 1024),
      );
    });

    test("what is said of a message that nobody knows does nothing", async () => {
      const plain = await appendOne(bench.log, said("{}"));
      for (const of of [plain, plain + 100, 0]) {
        await note({ is: "revised", of, refs: ["e1"], excerpt: "x" });
        await note({ is: "gone", of });
        await note(reaction(of, "bob", "👍"));
        await copy(of, ["c1"]);
        expect(await ids().get(of)).toBeNull();
        expect(await ids().reactions(of)).toEqual([]);
        expect(await ids().refs(of, null)).toEqual([]);
        expect(await ids().refs(of, LANE)).toEqual([]);
      }
      expect(await ids().find(ROOM, ["e1"])).toBeNull();
      expect(await ids().find(THERE, ["c1"])).toBeNull();
    });
  });
}

/** Copies that lanes make of messages. */
export function describeCopies(bench: Bench): void {
  const ids = (): Ids => bench.log.ids;
  const say = (...refs: string[]): Promise<Seq> => appendOne(bench.log, said("{}", { note: noteOf({ refs }) }));
  const receiptOf = (of: Seq, refs: readonly string[], lane = LANE, place = THERE): Receipt => {
    return { lane, seq: of, state: "sent", detail: "{}", copies: { of, place, refs } };
  };
  const put = async (...receipts: readonly Receipt[]): Promise<void> => {
    await bench.log.append({ ...batchOf(), receipts });
  };
  const findsAt = async (place: Subject, ref: string): Promise<Seq | null> =>
    (await ids().find(place, [ref]))?.seq ?? null;

  describe("copies", () => {
    test("are found at their place, lead to the original, and are listed lane by lane, in order", async () => {
      const seq = await say("m1");
      await put(receiptOf(seq, ["c3", "c1", "c2"]));
      await put(receiptOf(seq, ["c1"], "gateway/far", "far.home/!x"));
      for (const ref of ["c1", "c2", "c3"]) expect(await ids().find(THERE, [ref])).toEqual(await ids().get(seq));
      expect((await ids().find(THERE, ["c1"]))?.subject).toBe(ROOM);
      expect(await findsAt(ROOM, "c1")).toBeNull();
      expect(await ids().refs(seq, LANE)).toEqual(["c3", "c1", "c2"]);
      expect(await ids().refs(seq, "gateway/far")).toEqual(["c1"]);
      expect(await ids().refs(seq, null)).toEqual(["m1"]);
    });

    test("are not part of the receipt that is given back", async () => {
      const seq = await say("m1");
      await put(receiptOf(seq, ["c1"]));
      const [receipt] = await bench.log.receipts({ lane: LANE, after: 0, limit: 10 });
      expect(receipt).toEqual({ lane: LANE, seq, state: "sent", detail: "{}" });
    });

    test("the later ones of a lane replace its earlier ones, and a receipt without leaves them", async () => {
      const seq = await say("m1");
      await put(receiptOf(seq, ["c1", "c2", "c3"]));
      const edit = await appendOne(bench.log, said("{}"));
      await put({ ...receiptOf(seq, ["c2", "c4"]), seq: edit });
      expect(await ids().refs(seq, LANE)).toEqual(["c2", "c4"]);
      expect(await findsAt(THERE, "c1")).toBeNull();
      expect(await findsAt(THERE, "c4")).toBe(seq);
      expect(await ids().get(edit)).toBeNull();
      await put({ lane: LANE, seq, state: "sent", detail: "again" });
      expect(await ids().refs(seq, LANE)).toEqual(["c2", "c4"]);
      await put(receiptOf(seq, []));
      expect(await ids().refs(seq, LANE)).toEqual([]);
      expect(await findsAt(THERE, "c2")).toBeNull();
    });

    test("two lanes to one place have each their own", async () => {
      const seq = await say("m1");
      await put(receiptOf(seq, ["c1"]), receiptOf(seq, ["c2", "c3"], "second/lane"));
      expect(await ids().refs(seq, LANE)).toEqual(["c1"]);
      expect(await ids().refs(seq, "second/lane")).toEqual(["c2", "c3"]);
      await put(receiptOf(seq, ["c4"], "second/lane"));
      expect(await ids().refs(seq, LANE)).toEqual(["c1"]);
      expect([await findsAt(THERE, "c1"), await findsAt(THERE, "c3"), await findsAt(THERE, "c4")]).toEqual([
        seq,
        null,
        seq,
      ]);
    });

    test("a ref that is known there stays with its first owner: an original's, another message's, another lane's", async () => {
      const seq = await say("m1");
      const other = await say("m2");
      const there = await appendOne(bench.log, said("{}", { subject: THERE, note: noteOf({ refs: ["o1"] }) }));
      await put(receiptOf(other, ["c2"]), receiptOf(seq, ["c3"], "second/lane"));
      await put(receiptOf(seq, ["o1", "c2", "c3", "c4"]));
      expect([await findsAt(THERE, "o1"), await findsAt(THERE, "c2"), await findsAt(THERE, "c4")]).toEqual([
        there,
        other,
        seq,
      ]);
      expect(await ids().refs(seq, LANE)).toEqual(["c4"]);
      expect(await ids().refs(seq, "second/lane")).toEqual(["c3"]);
      const echo = await appendOne(bench.log, said("{}", { subject: THERE, note: noteOf({ refs: ["c4"] }) }));
      expect(await findsAt(THERE, "c4")).toBe(seq);
      expect(await ids().refs(echo, null)).toEqual([]);
    });

    test("come with all else of their batch: a message, marks, receipts without", async () => {
      const seq = await say("m1");
      await bench.log.append({
        ...batchOf(said("{}", { note: noteOf({ refs: ["m2"] }) })),
        marks: [{ name: "lane", value: "1" }],
        receipts: [{ lane: LANE, seq: seq - 1, state: "failed", detail: "{}" }, receiptOf(seq, ["c1"])],
      });
      await bench.reopen();
      expect(await findsAt(THERE, "c1")).toBe(seq);
      expect(await findsAt(ROOM, "m2")).toBe(bench.log.head);
      expect(await bench.log.marks("")).toEqual(new Map([["lane", "1"]]));
    });
  });
}
