import * as fc from "../../../test/support/property.ts";
import { expect } from "vitest";
import type { Batch, Copies, IdNote, Ids, Known, NewEntry, Receipt, Seq, Subject } from "../log.ts";
import type { IdsModel } from "./ids-model.suite.ts";

const PLACES: readonly Subject[] = ["a/1", "a/2", "b/1"];
const REFS = ["r1", "r2", "r3", "r4", "r5", "r6"];

const refs = fc.array(fc.constantFrom(...REFS), { maxLength: 3 });
const of = fc.integer({ min: 1, max: 12 });
const text = fc.string({ unit: "grapheme", maxLength: 10 });

export const note: fc.Arbitrary<IdNote> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant("said" as const), refs, author: text, name: text, excerpt: text }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("revised" as const), of, refs, excerpt: text }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("gone" as const), of }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant("reacted" as const),
      of,
      who: fc.constantFrom("ann", "bob"),
      name: text,
      emoji: fc.constantFrom("👍", "🎉"),
      on: fc.boolean(),
    }),
  },
);

export function copies(place: fc.Arbitrary<Subject>): fc.Arbitrary<Copies> {
  return fc.record({ of, place, refs });
}

/** The same batch, with the seqs that it speaks of replaced. */
export function withSeqs(batch: Batch, seqOf: (of: Seq) => Seq): Batch {
  const entries: NewEntry[] = [];
  for (const entry of batch.entries) {
    const { note } = entry;
    const about = note !== undefined && note.is !== "said";
    entries.push(about ? { ...entry, note: { ...note, of: seqOf(note.of) } } : entry);
  }
  const receipts: Receipt[] = [];
  for (const receipt of batch.receipts ?? []) {
    const { copies } = receipt;
    receipts.push(copies === undefined ? receipt : { ...receipt, copies: { ...copies, of: seqOf(copies.of) } });
  }
  return { ...batch, entries, receipts };
}

/** All that can be asked is answered as the model answers. `real`: the log's seqs by those of the model. */
export async function checkIds(ids: Ids, model: IdsModel, real: readonly Seq[]): Promise<void> {
  const inReal = (known: Known | null): Known | null => known && { ...known, seq: real[known.seq] ?? NaN };
  const asked: Promise<unknown>[] = [];
  const expected: unknown[] = [];
  for (const place of PLACES) {
    for (const [index, ref] of REFS.entries()) {
      const pair = [ref, REFS[(index + 1) % REFS.length] ?? ""];
      asked.push(ids.find(place, pair));
      expected.push(inReal(model.find(place, pair)));
    }
  }
  for (const [seq, other] of real.entries()) {
    asked.push(ids.get(other), ids.reactions(other));
    expected.push(inReal(model.get(seq)), model.reactions(seq));
    for (const lane of [null, "g/one", "g/two"]) {
      asked.push(ids.refs(other, lane));
      expected.push(model.refs(seq, lane));
    }
  }
  expect(await Promise.all(asked)).toEqual(expected);
}
