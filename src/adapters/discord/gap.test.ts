import { describe, expect, test } from "vitest";
import { deletionsIn, editsIn, GapSource, oldestOf, threadsIn } from "./gap.ts";
import { aMessage } from "./message.suite.ts";
import { type DiscordMessage, isLaterId } from "./model.ts";
import type { DiscordFailure } from "./rest-result.ts";

const never = new AbortController().signal;

const ids = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

const messages = (all: readonly string[]): readonly DiscordMessage[] => all.map((id) => aMessage({ id }));

/** A channel with these messages, which answers as the network does: the newest first. */
function channelOf(all: readonly string[]) {
  const asked: object[] = [];
  const api: ConstructorParameters<typeof GapSource>[0] = {
    page: async (_, query) => {
      asked.push(query);
      const { after = "", limit } = query;
      const later = all.filter((id) => after === "" || isLaterId(id, after));
      const page = after === "" ? later.slice(-limit) : later.slice(0, limit);
      const value = { messages: messages(page), isFull: page.length >= limit };
      return await Promise.resolve({ ok: true, value });
    },
  };
  return { api, asked };
}

async function readAll(source: GapSource): Promise<readonly string[]> {
  const read: string[] = [];
  for (;;) {
    expect(await source.load(never)).toBeNull();
    if (source.next === null) return read;
    read.push(source.next.id);
    source.shift();
  }
}

describe("what is missing of a channel", () => {
  test.each([
    ["all of it is in the newest page", 1000, 1050, "1020", 1],
    ["nothing is missing", 1000, 1050, "1050", 1],
    ["the channel is empty", 1000, 999, "", 1],
    ["the newest page just reaches back", 1000, 1199, "1100", 1],
    ["more than a page is missing", 1000, 1199, "1050", 3],
    ["from the beginning on", 1000, 1249, "", 4],
    ["ids get longer", 990, 1010, "995", 1],
  ])("%s", async (_, from, to, after, requests) => {
    const { api, asked } = channelOf(ids(from, to));
    const read = await readAll(new GapSource(api, { channel: "5", after, since: after }));
    expect(read).toEqual(ids(from, to).filter((id) => isLaterId(id, after)));
    expect(asked).toHaveLength(requests);
  });

  test("more than is read for one gap is not whole", async () => {
    const { api } = channelOf(ids(10_000, 20_500));
    const source = new GapSource(api, { channel: "5", after: "", since: "" });
    expect(await readAll(source)).toEqual(ids(10_000, 19_999));
    expect(source.isWhole).toBe(false);
    // What was told before, and is only read once more, leaves as much room for what was missed.
    const again = new GapSource(api, { channel: "5", after: "10099", since: "10499" });
    expect(await readAll(again)).toEqual(ids(10_100, 20_499));
  });

  test("a row that nobody can read is no end", async () => {
    const { api } = channelOf(ids(1000, 1249));
    const unreadable = new Set(["1010", "1120", "1200"]);
    const all = api.page;
    api.page = async (...asked) => {
      const answer = await all(...asked);
      if (!answer.ok) return answer;
      const { messages, isFull } = answer.value;
      return { ok: true, value: { messages: messages.filter(({ id }) => !unreadable.has(id)), isFull } };
    };
    const source = new GapSource(api, { channel: "5", after: "1005", since: "1005" });
    expect(await readAll(source)).toEqual(ids(1006, 1249).filter((id) => !unreadable.has(id)));
    expect([source.isWhole, source.hasAll]).toEqual([true, false]);
  });

  test("a failure is a value, and loading can be tried again", async () => {
    const { api } = channelOf(ids(1, 3));
    const failure: DiscordFailure = {
      why: "refused",
      status: 503,
      code: 0,
      message: "HTTP 503",
      certain: true,
      retryAfterMs: null,
      scope: null,
    };
    const works = api.page;
    api.page = async () => await Promise.resolve({ ok: false, failure });
    const source = new GapSource(api, { channel: "5", after: "1", since: "1" });
    expect(await source.load(never)).toBe(failure);
    api.page = works;
    expect(await readAll(source)).toEqual(["2", "3"]);
  });
});

test("several channels are read in one order", async () => {
  const sources = [ids(11, 12), ["10", "13"]].map(
    (all) => new GapSource(channelOf(all).api, { channel: "", after: "", since: "" }),
  );
  const read: string[] = [];
  for (const source of sources) await source.load(never);
  for (let source = oldestOf(sources); source !== null; source = oldestOf(sources)) {
    read.push(source.next?.id ?? "");
    source.shift();
  }
  expect(read).toEqual(ids(10, 13));
});

test("edits are those since then, in the order in which they were made", () => {
  const at = (minute: string): string => `2024-05-01T12:${minute}:00.000000+00:00`;
  const all = [
    aMessage({ id: "1", edited_timestamp: at("30") }),
    aMessage({ id: "2", edited_timestamp: at("20") }),
    aMessage({ id: "3", edited_timestamp: at("05") }),
    aMessage({ id: "4" }),
  ];
  expect(editsIn(all, Date.UTC(2024, 4, 1, 12, 10)).map(({ id }) => id)).toEqual(["2", "1"]);
});

test.each([
  ["what is not there", ids(1, 3), ["1", "2", "9"], true, ["9"]],
  ["nothing, where nothing can be read", [], ["1"], true, []],
  ["only as far as the newest reach back", ids(100, 199), ["99", "150"], false, []],
  ["what is missing among the newest", ids(100, 200).filter((id) => id !== "150"), ["99", "150"], false, ["150"]],
])("deletions: %s", (_, recent, told, hasAll, gone) => {
  expect(deletionsIn(messages(recent), told, hasAll)).toEqual(gone);
});

test("threads are found by the message that they begin with, and by what the network says", () => {
  const announced = { type: 18, message_reference: { type: 0, channel_id: "60", guild_id: "1" } };
  expect(threadsIn(aMessage({ flags: 32 }))).toEqual([]);
  expect(threadsIn(aMessage(announced))).toEqual(["60"]);
});
