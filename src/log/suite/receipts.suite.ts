import { describe, expect, test } from "vitest";
import type { Receipt, Seq } from "../log.ts";
import { batchOf, type Bench, said, seqsOf } from "./kit.suite.ts";

const LANE = "gateway/net.libera/#rialto";
const OTHER = "gateway/net.libera/#venice";

function receiptOf(seq: Seq, more: Partial<Receipt> = {}): Receipt {
  return { lane: LANE, seq, state: "sent", detail: `{"messages":["m${seq}"]}`, ...more };
}

/** How messages ended, lane by lane. */
export function describeReceipts(bench: Bench): void {
  const say = async (count: number): Promise<Seq[]> => {
    const entries = Array.from({ length: count }, (_, index) => said(String(index)));
    return seqsOf(await bench.log.append(batchOf(...entries))) as Seq[];
  };
  const put = async (...receipts: readonly Receipt[]): Promise<void> => {
    await bench.log.append({ ...batchOf(), receipts });
  };
  const all = (lane = LANE): Promise<readonly Receipt[]> => bench.log.receipts({ lane, after: 0, limit: 100 });

  describe("receipts", () => {
    test("come back as they were, oldest first, each lane's alone", async () => {
      const [one = 0, two = 0, three = 0] = await say(3);
      const states = ["sent", "unconfirmed", "failed", "expired"] as const;
      const others = states.map((state, index) => receiptOf(one + index, { lane: OTHER, state, detail: "é 😀 \0" }));
      await put(receiptOf(three), receiptOf(one), ...others, receiptOf(two));
      expect(await all()).toEqual([receiptOf(one), receiptOf(two), receiptOf(three)]);
      expect(await all(OTHER)).toEqual(others);
      expect(await all("nobody")).toEqual([]);
    });

    test("are given after a position, and no more than asked for", async () => {
      const seqs = await say(9);
      await put(...seqs.map((seq) => receiptOf(seq)));
      const found = await bench.log.receipts({ lane: LANE, after: seqs[2]!, limit: 3 });
      expect(found.map(({ seq }) => seq)).toEqual(seqs.slice(3, 6));
      expect(await bench.log.receipts({ lane: LANE, after: seqs[8]!, limit: 3 })).toEqual([]);
      expect(await bench.log.receipts({ lane: LANE, after: 0, limit: 0 })).toEqual([]);
    });

    test("are found to the last by going on after the last one, however many and large", async () => {
      const seqs = await say(3000);
      const detail = (seq: Seq): string => "x".repeat(seq % 2 === 0 ? 2000 : 10);
      await put(...seqs.map((seq) => receiptOf(seq, { detail: detail(seq) })));
      const found: Seq[] = [];
      for (let after = 0; ;) {
        const receipts = await bench.log.receipts({ lane: LANE, after, limit: 10_000 });
        if (receipts.length === 0) break;
        found.push(...receipts.map(({ seq }) => seq));
        after = receipts.at(-1)?.seq ?? after;
      }
      expect(found).toEqual(seqs);
    });

    test("the later of a lane and seq wins: in a batch, in a commit, later", async () => {
      const [seq = 0] = await say(1);
      const as = (state: Receipt["state"]): Receipt => receiptOf(seq, { state, detail: state });
      await put(as("sent"), as("unconfirmed"));
      expect(await all()).toEqual([as("unconfirmed")]);
      await Promise.all([put(as("unconfirmed")), put(receiptOf(seq, { lane: OTHER })), put(as("failed"))]);
      expect(await all()).toEqual([as("failed")]);
      expect(await all(OTHER)).toEqual([receiptOf(seq, { lane: OTHER })]);
      await put(as("sent"));
      expect(await all()).toEqual([as("sent")]);
    });

    test("come with their batch's marks and entries, and a restart keeps them", async () => {
      const [seq = 0] = await say(1);
      await bench.log.append({
        ...batchOf(said("more")),
        marks: [{ name: "lane", value: String(seq) }],
        receipts: [receiptOf(seq)],
      });
      await bench.reopen();
      expect(await all()).toEqual([receiptOf(seq)]);
      expect(await bench.log.marks("lane")).toEqual(new Map([["lane", String(seq)]]));
      await put(receiptOf(seq, { state: "failed" }));
      await bench.reopen();
      expect(await all()).toEqual([receiptOf(seq, { state: "failed" })]);
    });

    test("of a batch that is a repeat are not stored, like all else of it", async () => {
      const [seq = 0] = await say(1);
      const batch = { ...batchOf(), once: { key: "k", fingerprint: "f", answer: "a" } };
      await bench.log.append(batch);
      expect((await bench.log.append({ ...batch, receipts: [receiptOf(seq)] })).is).toBe("repeated");
      expect(await all()).toEqual([]);
    });

    test("weigh in the limit of what may wait", async () => {
      await bench.use({ pendingBytes: 1000 });
      const large = receiptOf(1, { detail: "x".repeat(900) });
      const outcomes = await Promise.allSettled([put(large), put(large)]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    });
  });
}
