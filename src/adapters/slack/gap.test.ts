import { describe, expect, test } from "vitest";
import type { HistoryQuery } from "./api.ts";
import { changesIn, fetchChannel, type FetchedMessages, fetchThread, type SlackChanges, threadsIn } from "./gap.ts";
import type { KeptMessage } from "./kept-messages.ts";
import { slackMessage, tsAfter } from "./message.suite.ts";
import { isLaterTs, type SlackMessage } from "./model.ts";

const never = new AbortController().signal;

const at = (seconds: number, raw: Readonly<Record<string, unknown>> = {}): SlackMessage =>
  slackMessage({ ts: tsAfter(seconds), ...raw });

const kept = (seconds: number, more: Partial<KeptMessage> = {}): KeptMessage => ({
  ts: tsAfter(seconds),
  root: "",
  editedTs: "",
  digest: "",
  changedTs: "",
  reactions: new Set(),
  ...more,
});

/** A channel with a message each second, the newest first, in pages of so many. */
function channelOf(count: number, most: number, limited = false) {
  const all = Array.from({ length: count }, (_, index) => at(index)).toReversed();
  const asked: string[] = [];
  const history = async ({ cursor, count: wanted }: HistoryQuery) => {
    asked.push(cursor);
    const begin = Number(cursor || "0");
    const end = begin + Math.min(most, wanted);
    const next = end < all.length ? String(end) : "";
    return await Promise.resolve({ ok: true as const, value: { messages: all.slice(begin, end), next, limited } });
  };
  return { asked, api: { history } };
}

describe("what a channel has", () => {
  test.each([
    // The newest page has it all, and older ones in which changes are looked for.
    [1_000, 200, 950, 200, 1, false],
    // One page more where it ends within one.
    [1_000, 200, 550, 800, 4, false],
    // Small pages are dear.
    [1_000, 15, 980, 30, 2, false],
    [100, 200, 0, 100, 1, true],
  ])("%i messages in pages of %i, from %i on", async (count, most, from, found, pages, hasAll) => {
    const { api, asked } = channelOf(count, most);
    const answer = await fetchChannel(api, { channel: "C1", from: tsAfter(from), before: "" }, never);
    if (!answer.ok) throw new Error(answer.failure.message);
    const { messages, ...more } = answer.value;
    expect([messages.length, asked.length, more]).toEqual([found, pages, { hasAll, isWhole: true }]);
    expect(messages.every(({ ts }, index) => index === 0 || isLaterTs(ts, messages[index - 1]?.ts ?? ""))).toBe(true);
  });

  test("what the plan hides is not gone", async () => {
    const answer = await fetchChannel(
      channelOf(10, 200, true).api,
      { channel: "C1", from: tsAfter(5), before: "" },
      never,
    );
    expect(answer).toMatchObject({ ok: true, value: { hasAll: false } });
  });

  test("more than can be read for one gap is said to be missing", async () => {
    const answer = await fetchChannel(
      channelOf(12_000, 200).api,
      { channel: "C1", from: tsAfter(0), before: "" },
      never,
    );
    expect(answer).toMatchObject({ ok: true, value: { isWhole: false } });
  });

  test("a thread that is no more has no messages", async () => {
    const failure = { error: "thread_not_found" } as never;
    const replies = async () => await Promise.resolve({ ok: false as const, failure });
    const answer = await fetchThread({ replies }, { channel: "C1", root: tsAfter(0), oldest: tsAfter(0) }, never);
    expect(answer).toEqual({ ok: true, value: { messages: [], hasAll: true, isWhole: true } });
  });
});

test("threads with something new, or of which something was told", () => {
  const messages = [
    at(1, { thread_ts: tsAfter(1), latest_reply: tsAfter(5), reply_count: 1 }),
    at(2, { thread_ts: tsAfter(2), latest_reply: tsAfter(60), reply_count: 1 }),
    at(70, { thread_ts: tsAfter(0), subtype: "thread_broadcast" }),
  ];
  const told = [kept(3), kept(4, { root: tsAfter(1) }), kept(40, { root: tsAfter(-100) })];
  const oldest = (seconds: number): string => `${1_700_000_000 + seconds}.000099`;
  const recent = new Map([
    [tsAfter(1), tsAfter(7)],
    [tsAfter(-200), tsAfter(8)],
  ]);
  expect(threadsIn(messages, { kept: told, recent }, tsAfter(50))).toEqual([
    { root: tsAfter(0), oldest: oldest(50) },
    { root: tsAfter(2), oldest: oldest(50) },
    { root: tsAfter(-100), oldest: oldest(40) },
    { root: tsAfter(-200), oldest: oldest(50) },
    { root: tsAfter(1), oldest: oldest(4) },
  ]);
});

describe("what has happened", () => {
  interface Given {
    readonly rows: readonly SlackMessage[];
    readonly told?: readonly KeptMessage[];
    readonly threads?: ReadonlyMap<string, FetchedMessages & { readonly oldest: string }>;
    readonly hasAll?: boolean;
    readonly until?: string;
    readonly settled?: string;
    readonly toldEdited?: boolean;
    readonly before?: string;
  }

  const found = ({ rows, told = [], threads = new Map(), hasAll = false, ...given }: Given) =>
    changesIn(
      { channel: { messages: rows, hasAll, isWhole: true }, threads, kept: told, before: given.before ?? "" },
      { channel: "C1", from: tsAfter(10), floor: tsAfter(5), until: given.until ?? "", settled: given.settled ?? "" },
      () => given.toldEdited ?? false,
    );

  /** In short. */
  const inWords = ({ messages, changes, doubtful }: SlackChanges): readonly string[] => [
    ...doubtful.map(({ ts }) => `gone? ${ts}`),
    ...messages.map(({ ts }) => `new ${ts}`),
    ...changes.map((change) => {
      if (change.is === "edited") return `edited ${change.message.ts}`;
      if (change.is === "gone") return `gone ${change.ts}`;
      return `${change.on ? "+" : "-"}${change.name} ${change.user} ${change.ts}`;
    }),
  ];

  const edit = (seconds: number) => ({ edited: { user: "U1", ts: tsAfter(seconds) } });
  const reactions = (users: readonly string[], count = users.length) => ({
    reactions: [{ name: "x", users: [...users], count }],
  });

  test.each<[string, Given, readonly string[]]>([
    ["what is older is no news", { rows: [at(1), at(10)] }, []],
    ["what was not told is new", { rows: [at(9), at(11), at(12)], told: [kept(11)] }, [`new ${tsAfter(12)}`]],
    ["what is too young may still come", { rows: [at(11), at(30)], until: tsAfter(20) }, [`new ${tsAfter(11)}`]],
    ["an edit of what was told", { rows: [at(1, edit(20))], told: [kept(1)] }, [`edited ${tsAfter(1)}`]],
    ["the edit it was told with", { rows: [at(1, edit(20))], told: [kept(1, { editedTs: tsAfter(20) })] }, []],
    [
      "another one of the same second",
      { rows: [at(1, edit(20))], told: [kept(1, { editedTs: tsAfter(20), digest: "other" })] },
      [`edited ${tsAfter(1)}`],
    ],
    ["an edit of long ago", { rows: [at(1, edit(3))] }, []],
    ["an edit of something older", { rows: [at(1, edit(20))] }, [`edited ${tsAfter(1)}`]],
    ["an edit that was part of it", { rows: [at(1, edit(20))], toldEdited: true }, []],
    ["what is no more", { rows: [at(1), at(3)], told: [kept(1), kept(2), kept(3)] }, [`gone ${tsAfter(2)}`]],
    [
      "what may not be there yet",
      { rows: [at(1)], told: [kept(1), kept(2), kept(12)], settled: tsAfter(11) },
      [`gone? ${tsAfter(12)}`, `gone ${tsAfter(2)}`],
    ],
    ["what may be older than all that is seen", { rows: [at(3)], told: [kept(2)] }, []],
    [
      "what was not asked for",
      { rows: [at(1), at(3)], told: [kept(2), kept(4), kept(6)], hasAll: true, before: tsAfter(5) },
      [`gone ${tsAfter(2)}`, `gone ${tsAfter(4)}`],
    ],
    ["but not where that is all", { rows: [at(3)], told: [kept(2)], hasAll: true }, [`gone ${tsAfter(2)}`]],
    ["a channel of which nothing can be seen", { rows: [], told: [kept(2)], hasAll: true }, []],
    ["a stone", { rows: [at(1, { subtype: "tombstone" })], told: [kept(1)] }, [`gone ${tsAfter(1)}`]],
    ["a stone of something unknown", { rows: [at(1, { subtype: "tombstone" })] }, []],
    [
      "reactions that came and went",
      { rows: [at(1, reactions(["U1", "U2"]))], told: [kept(1, { reactions: new Set(["x U2", "x U3", "y U2"]) })] },
      [`+x U1 ${tsAfter(1)}`, `-x U3 ${tsAfter(1)}`, `-y U2 ${tsAfter(1)}`],
    ],
    [
      "of many, not all are named",
      { rows: [at(1, reactions(["U1"], 50))], told: [kept(1, { reactions: new Set(["x U3"]) })] },
      [`+x U1 ${tsAfter(1)}`],
    ],
    ["too many to be compared", { rows: [at(1, reactions(["U1"]))], told: [kept(1, { reactions: null })] }, []],
    [
      "replies in the order of all",
      {
        rows: [at(1), at(14)],
        threads: new Map([
          [tsAfter(1), { messages: [at(1), at(12), at(13)], hasAll: true, isWhole: true, oldest: tsAfter(10) }],
        ]),
        told: [kept(12, { root: tsAfter(1) }), kept(11, { root: tsAfter(1) }), kept(9, { root: tsAfter(1) })],
      },
      [`new ${tsAfter(13)}`, `new ${tsAfter(14)}`, `gone ${tsAfter(11)}`],
    ],
    ["a thread that was not read", { rows: [at(1)], told: [kept(2, { root: tsAfter(1) })], hasAll: true }, []],
  ])("%s", (_, given, words) => {
    expect(inWords(found(given))).toEqual(words);
  });
});
