import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type {
  Appended,
  Batch,
  EntryHead,
  Mark,
  NewEntry,
  Receipt,
  Seq,
  SeqMark,
  StoredEntry,
  Subject,
} from "../log.ts";
import { IdsModel } from "./ids-model.suite.ts";
import { checkIds, copies, note, withSeqs } from "./model-ids.suite.ts";
import type { OpenLog } from "./kit.suite.ts";

type Step =
  /** Handed over together, without waiting in between. */
  | { readonly do: "append"; readonly batches: readonly Batch[] }
  | { readonly do: "mark"; readonly marks: readonly Mark[] }
  | { readonly do: "unmark"; readonly names: readonly string[] }
  | { readonly do: "ask"; readonly subjects: readonly Subject[]; readonly back: number; readonly limit: number }
  | { readonly do: "reopen" };

/** The log in the plainest way, without a disk. */
class Model {
  readonly entries: StoredEntry[] = [];
  readonly marks = new Map<string, string>();
  readonly ids = new IdsModel();
  /** Unix ms. */
  now = 1_700_000_000_000;
  readonly #receipts = new Map<string, Receipt>();
  readonly #keys = new Set<string>();
  readonly #once = new Map<string, { fingerprint: string; answer: string }>();

  /** What an append of this is answered, with seqs counted from 1. */
  append({ account, entries, marks = [], seqMarks = [], receipts = [], once }: Batch): Appended {
    const seen = once && this.#once.get(`${account} ${once.key}`);
    if (once !== undefined && seen !== undefined) {
      return seen.fingerprint === once.fingerprint ? { is: "repeated", answer: seen.answer } : { is: "conflict" };
    }
    if (once !== undefined && once.answer !== null) {
      this.#once.set(`${account} ${once.key}`, { ...once, answer: once.answer });
    }
    for (const { name, value } of marks) this.marks.set(name, value);
    const seqs = entries.map((entry) => this.#store(account, entry));
    for (const { name, entry, value } of seqMarks) {
      const seq = seqs[entry] ?? null;
      if (seq !== null) this.marks.set(name, value.join(String(seq)));
    }
    for (const { copies, ...receipt } of receipts) {
      this.#receipts.set(`${receipt.lane} ${receipt.seq}`, receipt);
      if (copies !== undefined) this.ids.copies(receipt.lane, copies);
    }
    return { is: "stored", seqs };
  }

  matching(subjects: readonly Subject[], after: Seq): StoredEntry[] {
    return this.entries.filter(({ seq, subject }) => seq > after && subjects.includes(subject));
  }

  receipts(lane: string, after: Seq): Receipt[] {
    const matching = [...this.#receipts.values()].filter((receipt) => receipt.lane === lane && receipt.seq > after);
    return matching.sort((a, b) => a.seq - b.seq);
  }

  #store(account: string, { subject, key, label, payload, note }: NewEntry): Seq | null {
    const name = `${account} ${key}`;
    if (key !== null && this.#keys.has(name)) return null;
    if (key !== null) this.#keys.add(name);
    const seq = (this.entries.at(-1)?.seq ?? 0) + 1;
    this.entries.push({ seq, subject, at: this.now, label, payload });
    if (note !== undefined) this.ids.note(seq, subject, this.now, note);
    return seq;
  }
}

const subject = fc.constantFrom("a/1", "a/2", "b/1");
const name = fc.constantFrom("lane/1", "lane/2", "source");
const mark = fc.record({ name, value: fc.string({ maxLength: 5 }) });
/** No other mark looks like it. */
const seqMark: fc.Arbitrary<SeqMark> = fc.record({
  name,
  entry: fc.nat(4),
  value: fc.constant(["of the entry ", "."] as const),
});
const entry: fc.Arbitrary<NewEntry> = fc.record(
  {
    subject,
    key: fc.option(fc.constantFrom("k1", "k2", "k3", "k4"), { freq: 1, nil: null }),
    label: fc.constantFrom("", "join"),
    payload: fc.string({ unit: "grapheme", maxLength: 300 }),
    note,
  },
  { requiredKeys: ["subject", "key", "label", "payload"] },
);
const receipt: fc.Arbitrary<Receipt> = fc.record(
  {
    lane: fc.constantFrom("g/one", "g/two"),
    seq: fc.integer({ min: 1, max: 6 }),
    state: fc.constantFrom("sent", "unconfirmed", "failed", "expired"),
    detail: fc.string({ maxLength: 5 }),
    copies: copies(subject),
  },
  { requiredKeys: ["lane", "seq", "state", "detail"] },
);
const batch: fc.Arbitrary<Batch> = fc.record(
  {
    account: fc.constantFrom("a", "b"),
    entries: fc.array(entry, { maxLength: 5 }),
    marks: fc.array(mark, { maxLength: 2 }),
    seqMarks: fc.array(seqMark, { maxLength: 2 }),
    receipts: fc.array(receipt, { maxLength: 2 }),
    once: fc.record({
      key: fc.constantFrom("o1", "o2", "o3"),
      fingerprint: fc.constantFrom("f", "g"),
      answer: fc.option(fc.string({ maxLength: 5 }), { freq: 3, nil: null }),
    }),
  },
  { requiredKeys: ["account", "entries"] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("append" as const), batches: fc.array(batch, { maxLength: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("mark" as const), marks: fc.array(mark, { maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unmark" as const), names: fc.array(name, { maxLength: 2 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      subjects: fc.uniqueArray(subject),
      back: fc.nat(40),
      limit: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);

/** Any mixture of calls must be answered as the model answers. Seqs are mapped: only their order is promised. */
export function describeModel(open: OpenLog): void {
  describe("any mixture of calls", () => {
    test("answers as the model does, whatever comes in whatever order", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) => follow(open, steps)),
        {
          numRuns: 30,
        },
      );
    });
  });
}

async function follow(open: OpenLog, steps: readonly Step[]): Promise<void> {
  // A tail of a few entries, so that reads are answered from memory and from the disk in turn.
  const model = new Model();
  let opened = await open({ tailBytes: 1000, clock: () => model.now });
  try {
    const real: Seq[] = [0];
    const heard: Seq[] = [];
    opened.log.tail((entries) => heard.push(...entries.map(({ seq }) => seq)));
    for (const step of steps) {
      const { log } = opened;
      model.now += 1000;
      if (step.do === "append") {
        const known = real.length;
        const batches = step.batches.map((batch) => withSeqs(batch, (of) => real[of] ?? 0));
        const answers = await Promise.all(batches.map((batch) => log.append(batch)));
        const expected = step.batches.map((batch) => model.append(withSeqs(batch, (of) => (of < known ? of : 0))));
        const given = answers.flatMap((answer) => (answer.is === "stored" ? answer.seqs : []));
        real.push(...given.filter((seq) => seq !== null));
        expect(answers).toEqual(expected.map((answer) => inReal(answer, real)));
      } else if (step.do === "mark") {
        await log.mark(step.marks);
        for (const { name, value } of step.marks) model.marks.set(name, value);
      } else if (step.do === "unmark") {
        await log.unmark(step.names);
        for (const name of step.names) model.marks.delete(name);
      } else if (step.do === "ask") {
        const last = model.entries.length;
        const after = Math.max(0, last - step.back);
        const query = { subjects: step.subjects, after: real[after] ?? NaN, limit: step.limit };
        const matching = model.matching(step.subjects, after).map(({ seq, subject, at, label, payload }) => {
          return { seq: real[seq], subject, at, label, payload };
        });
        expect(await log.read(query)).toEqual(matching.slice(0, step.limit));
        const newest = matching.slice(-step.limit).map(({ seq, subject, at, label }) => ({ seq, subject, at, label }));
        const skipped = matching.length - newest.length;
        expect(await log.newest(query)).toEqual({ entries: newest as EntryHead[], skipped });
        const receipts = await log.receipts({ lane: "g/one", after: step.back % 7, limit: step.limit });
        expect(receipts).toEqual(model.receipts("g/one", step.back % 7).slice(0, step.limit));
        await checkIds(log.ids, model.ids, real);
        const lanes = [...model.marks].filter(([name]) => name.startsWith("lane/"));
        const inReal = (value: string): string =>
          value.replace(/^of the entry (\d+)\.$/u, (_, seq) => `of the entry ${real[Number(seq)]}.`);
        expect(await log.marks("lane/")).toEqual(new Map(lanes.map(([name, value]) => [name, inReal(value)])));
      } else {
        opened = await opened.reopen();
        opened.log.tail((entries) => heard.push(...entries.map(({ seq }) => seq)));
      }
      expect(opened.log.head).toBe(real.at(-1));
    }
    expect(heard).toEqual(real.slice(1));
    expect(real).toEqual([...real].sort((a, b) => a - b));
  } finally {
    await opened.remove();
  }
}

function inReal(answer: Appended, real: readonly Seq[]): Appended {
  if (answer.is !== "stored") return answer;
  return { is: "stored", seqs: answer.seqs.map((seq) => (seq === null ? null : (real[seq] ?? NaN))) };
}
