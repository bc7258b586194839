import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { SlackChannelNames } from "./channel-names.ts";
import type { SlackChannel } from "./model.ts";

const channelOf = (id: string): SlackChannel => ({
  id,
  name: `name-${id}`,
  isPrivate: false,
  isMember: false,
  isArchived: false,
});

const idsOf = (from: number, until: number): readonly string[] =>
  Array.from({ length: until - from }, (_, at) => `C${from + at}`);

/** A workspace with so many channels; those of `C900` on are private. What is asked stands in `asked`. */
function stage(count: number, answers: () => Promise<void> = () => Promise.resolve()) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const all = idsOf(0, count);
  const names = new SlackChannelNames({
    api: {
      channel: async (id) => {
        asked.push(id);
        await answers();
        return { ok: true, value: all.includes(id) || /^C9\d\d$/u.test(id) ? channelOf(id) : null };
      },
      channelsPage: async ({ cursor }) => {
        const begin = Number(cursor || "0");
        asked.push(`page ${begin}`);
        await answers();
        const next = begin + 200 < count ? String(begin + 200) : "";
        return { ok: true, value: { channels: all.slice(begin, begin + 200).map(channelOf), next } };
      },
    },
    clock,
    joined: (id) => (id === "C0" ? "joined" : null),
  });
  return { clock, asked, names };
}

test("a few are asked for, each once; what has no name for a while not again", async () => {
  const { names, asked, clock } = stage(10);
  await names.learn(["C0", "C1", "C1", "C50"], 1_000);
  await names.learn(["C1", "C50"], 1_000);
  expect(asked).toEqual(["C1", "C50"]);
  expect(["C0", "C1", "C2", "C50"].map((id) => names.nameOf(id))).toEqual(["joined", "name-C1", null, null]);
  names.renamed({ id: "C1", name: "other" });
  names.renamed({ id: "C2", name: "not asked for" });
  names.renamed(null);
  expect([names.nameOf("C1"), names.nameOf("C2")]).toEqual(["other", null]);
  await clock.advance(3_600_000);
  expect(names.toAsk(["C0", "C1", "C50"])).toEqual(["C50"]);
});

test("many are found in the list, as far as it takes, and of the others ten are asked for", async () => {
  const { names, asked } = stage(1_000);
  await names.learn([...idsOf(1, 50), "C210"], 1_000);
  expect(asked).toEqual(["page 0", "page 200"]);
  expect(names.toAsk([...idsOf(0, 50), "C210", "C211"])).toEqual(["C211"]);
  // It is not read again soon.
  await names.learn(idsOf(900, 930), 1_000);
  expect(asked.slice(2)).toEqual(idsOf(900, 910));
});

test("a very long list is not read to its end", async () => {
  const { names, asked } = stage(100_000);
  await names.learn(idsOf(50_000, 50_006), 1_000);
  expect(asked.filter((one) => one.startsWith("page"))).toHaveLength(10);
  expect(names.nameOf("C50000")).toBe("name-C50000");
});

test("what takes too long is waited for once", async () => {
  const gate = Promise.withResolvers<void>();
  const { names, clock, asked } = stage(10, async () => await gate.promise);
  const learned = names.learn(["C1"], 1_000);
  await clock.advance(1_000);
  await learned;
  expect([names.toAsk(["C1"]), names.nameOf("C1")]).toEqual([[], null]);
  gate.resolve();
  await settled();
  expect([asked, names.toAsk(["C1"]), names.nameOf("C1")]).toEqual([["C1"], [], "name-C1"]);
});

test("of very many look-ups while nothing is answered, a hundred wait", async () => {
  const gate = Promise.withResolvers<void>();
  const { names, clock, asked } = stage(1_000, async () => await gate.promise);
  const learned = idsOf(1, 151).map(async (id) => await names.learn([id], 1_000));
  await clock.advance(1_000);
  await Promise.all(learned);
  expect(names.toAsk(["C500"])).toEqual([]);
  gate.resolve();
  await settled();
  await names.learn(["C500"], 1_000);
  expect(asked).toEqual([...idsOf(1, 101), "C500"]);
});
