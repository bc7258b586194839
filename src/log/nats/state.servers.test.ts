import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import type { Batch } from "../log.ts";
import { caughtUp, entriesOf, node, ROOM, said, servers, stateOf } from "./nodes.suite.ts";

const DAY = 24 * 60 * 60 * 1000;

/** With something of everything that retention deletes; every third is about the one before. */
function batch(by: number, index: number, last: number): Batch {
  const note = { is: "said" as const, refs: [`m${by}.${index}`], author: `a${by}`, name: "ann", excerpt: "x" };
  const about = { is: "reacted" as const, of: last, who: "bob", name: "bob", emoji: "+", on: true };
  return {
    account: "net.libera",
    entries: [{ ...said(`${by} ${index}`, `k${index}`), note: index % 3 === 2 ? about : note }],
    receipts: last === 0 ? [] : [{ lane: "g/net.b/#x", seq: last, state: "sent", detail: "{}" }],
    once: { key: `${by}.${index}`, fingerprint: "f", answer: `${by}` },
  };
}

needs(["nats-server"], () => {
  test("what retention deletes is the same on all nodes, whatever their clocks, and decided by the one that holds the epoch", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    let age = 0;
    const times = { retentionDays: 1, messageIdDays: 3, tailBytes: 0, stamp: (ms: number) => ms - age };
    const holder = await node(cluster, "n1", { shard, ...times, clock: Date.now });
    const ahead = await node(cluster, "n2", { shard, ...times, clock: () => Date.now() + 1000 * DAY });
    for (const days of [5, 2, 0]) {
      age = days * DAY;
      const logs = [holder, ahead];
      const append = async (by: number): Promise<void> => {
        for (let index = 0, last = 0; index < 30; index += 1) {
          const done = await logs[by]?.append(batch(by, 100 * days + index, last));
          last = (done?.is === "stored" ? done.seqs[0] : null) ?? last;
        }
      };
      await Promise.all([append(0), append(1)]);
      await caughtUp(ahead, holder);
      await caughtUp(holder, ahead);
    }
    expect(await holder.fence.raise(1)).toBe(true);
    await ahead.sweep();
    expect(await entriesOf(ahead)).toHaveLength(90);
    const first = (await entriesOf(holder))[40]?.seq ?? 0;
    holder.hold({ after: () => first - 1, ageMs: 10 * DAY });
    await holder.sweep();
    expect((await entriesOf(holder))[0]?.seq).toBe(first);
    holder.hold({ after: () => holder.head, ageMs: 10 * DAY });
    await holder.sweep();
    await holder.append({ account: "a", entries: [said("last")] });
    await caughtUp(ahead, holder);
    const state = await stateOf(holder);
    expect(await stateOf(ahead)).toEqual(state);
    const counts = Object.entries(state).map(([table, rows]) => [table, rows.length]);
    expect(Object.fromEntries(counts)).toMatchObject({ entry: 31, once: 60 });
    expect(await ahead.ids.find(ROOM, ["m0.500", "m1.500"])).toBeNull();
  });
});
