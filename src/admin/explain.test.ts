import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { encodeCheckpoint, marksOf } from "../delivery/lane/checkpoint.ts";
import { laneName } from "../delivery/lanes.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { encode } from "../gateway/codec.ts";
import { operatorEntry } from "../gateway/operator.ts";
import { compileRoutes, type LaneRoute, type Routes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage } from "../gateway/samples.suite.ts";
import type { Dropped } from "../gateway/drops.ts";
import type { Message } from "../contract/message.ts";
import type { NewEntry, Receipt, Seq } from "../log/log.ts";
import { openSqliteLog } from "../log/sqlite/open.ts";
import { Destinations } from "./destinations.ts";
import { Drops } from "./drops.ts";
import { explain } from "./explain.ts";
import type { StoryFilter } from "./story-filter.ts";
import { aLane, aRoom, aStatus } from "./samples.suite.ts";
import type { Destination, Story } from "./views.ts";

const config = aConfig([aGateway("g", ["inout net.a #a", "inout net.b #b", "inout api.web api"])]);
const routes: Routes = compileRoutes(config);
const LANE = laneName(routes.lanes().find(({ account }) => account.key === "net.b") as LaneRoute);
const SETTINGS = { durability: "process", retentionDays: 7, retentionBytes: 2 ** 30, messageIdDays: 30 } as const;

let log: Awaited<ReturnType<typeof openSqliteLog>>;
let accounts: readonly AccountStatus[];
let drops: Drops;

beforeEach(async () => {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-explain-"));
  log = await openSqliteLog({ dataPath, ...SETTINGS });
  accounts = [];
  drops = new Drops();
  onTestFinished(async () => {
    await log.close();
    rmSync(dataPath, { recursive: true, force: true });
  });
});

async function append(entry: NewEntry): Promise<Seq> {
  const appended = await log.append({ account: "net.a", entries: [entry] });
  return (appended.is === "stored" ? appended.seqs[0] : null) ?? 0;
}

function said(fields: Partial<Message>, more: Partial<NewEntry> = {}): Promise<Seq> {
  const payload = encode(aMessage({ account: "net.a", channel: "#a", ...fields }));
  return append({ subject: "net.a/#a", key: null, label: fields.event ?? "", payload, ...more });
}

const note = (refs: readonly string[]) => ({ is: "said" as const, refs, author: "a", name: "ann", excerpt: "hello" });

const ask = async (question: string, limit = 10) =>
  await explain(question, {
    limit,
    subjects: routes.subjects,
    archive: log.archive,
    log,
    refs: (seq) => log.ids.refs(seq, null),
    destinations: () => Promise.resolve(new Destinations({ log, routes, accounts })),
    drops,
  });

async function storyOf(question: string): Promise<Story> {
  const { stories } = await ask(question);
  expect(stories).toHaveLength(1);
  return stories[0] as Story;
}

const at = async (seq: Seq, account = "net.b"): Promise<Destination> =>
  (await storyOf(String(seq))).destinations.find((each) => each.account === account) as Destination;

const stand = async (after: Seq, more: object = {}): Promise<void> =>
  await log.mark([{ name: marksOf(LANE).checkpoint, value: encodeCheckpoint({ after, next: null, ...more }) }]);

const end = async (receipt: Pick<Receipt, "seq" | "state" | "detail"> & Partial<Receipt>): Promise<void> => {
  await log.append({ account: "", entries: [], receipts: [{ lane: LANE, ...receipt }] });
};

test("a message is found by words of it or its sender's name, newest first", async () => {
  const one = await said({ text: 'She said "Hello\\n"', username: "ann" });
  const two = await said({ text: "hello again", username: "Bob" });
  await said({ text: "nothing", username: "zoe", userid: "hello" });
  const seqs = async (question: string): Promise<Seq[]> => (await ask(question)).stories.map(({ seq }) => seq);
  expect(await seqs("HELLO")).toEqual([two, one]);
  expect(await seqs('"Hello\\n"')).toEqual([one]);
  expect(await seqs("bob")).toEqual([two]);
  expect(await seqs("net.a")).toEqual([]);
});

test("capitals do not count, in whatever language; a word that is in every payload is only found where it was said", async () => {
  const school = await said({ text: "Vive l'École ŽIVOT", username: "ЁЖ" });
  for (let at = 0; at < 120; at += 1) await said({ text: "nothing" });
  for (const question of ["école", "ÉCOLE", "život", "ёж"]) expect((await storyOf(question)).seq).toBe(school);
  const odd = await said({ text: "a gateway" });
  for (let at = 0; at < 600; at += 1) await said({ text: "nothing" });
  expect((await storyOf("gateway")).seq).toBe(odd);
});

test("a message is found by its number and by every id that it or a copy of it has", async () => {
  const seq = await said({ text: "hello" }, { note: note(["m1"]) });
  await end({ seq, state: "sent", detail: "{}", copies: { of: seq, place: "net.b/#b", refs: ["c1"] } });
  for (const question of [String(seq), "m1", "c1"]) expect((await storyOf(question)).seq).toBe(seq);
  const story = await storyOf("c1");
  expect(story).toMatchObject({
    account: "net.a",
    channel: "#a",
    by: "bob",
    words: "hello",
    refs: ["m1"],
    gone: false,
  });
  expect(story.destinations.map(({ account, channel, gateway }) => [account, channel, gateway])).toEqual([
    ["net.b", "#b", "g"],
    ["api.web", "api", "g"],
  ]);
});

test("more than ten finds are ten, and it says that there are more", async () => {
  for (let index = 0; index < 12; index += 1) await said({ text: `hello ${index}` });
  const { stories, more } = await ask("hello");
  expect([stories.length, stories[0]?.words, more]).toEqual([10, "hello 11", true]);
});

test("without a word it is the newest, as many as are asked for", async () => {
  for (let index = 0; index < 5; index += 1) await said({ text: `hello ${index}` });
  const { stories, more } = await ask("", 3);
  expect([stories.map(({ words }) => words), more]).toEqual([["hello 4", "hello 3", "hello 2"], true]);
  expect(await ask("", 5)).toMatchObject({ more: false });
});

test("long texts are cut", async () => {
  const seq = await said({ text: "x".repeat(1000) });
  expect((await storyOf(String(seq))).words).toBe(`${"x".repeat(79)}…`);
});

test("where it is: behind the lane, before it, in it, and after a message that waits", async () => {
  const [one, two, three] = [await said({}), await said({}), await said({})];
  expect((await at(one)).state).toBe("unknown");
  await stand(one, { done: [three] });
  expect([(await at(one)).state, (await at(two)).state, (await at(three)).state]).toEqual(["sent", "waiting", "sent"]);
  await stand(one, { next: { seq: two, progress: "5", messages: [], unconfirmed: null } });
  expect((await at(two)).state).toBe("sending");
});

test("why it waits is what the lane says, or its room, or its account", async () => {
  const seq = await said({});
  await stand(0);
  const why = { code: "network", message: "no connection" } as const;
  const lane = aLane({
    channel: "#b",
    state: "waiting",
    why: { code: "rate_limited", message: "too fast" },
    retryMs: 5,
    oldest: { seq, tries: 3 },
  });
  const room = aRoom({ channel: "#b", lanes: [lane] });
  accounts = [aStatus({ key: "net.b", channels: [room], why, remedy: "Look at it." })];
  expect(await at(seq)).toMatchObject({ state: "waiting", why: "too fast", retryMs: 5, tries: 3 });
  accounts = [aStatus({ key: "net.b", channels: [aRoom({ channel: "#b" })], why, remedy: "Look at it." })];
  expect(await at(seq)).toMatchObject({ state: "waiting", why: "no connection", remedy: "Look at it." });
});

test("what a receipt says is said: the end, the reason, what was lost, the copies", async () => {
  const seq = await said({});
  await stand(seq);
  const losses = [{ what: "format", note: "no bold" }];
  const why = { code: "forbidden", message: "we may not speak" };
  await end({ seq, state: "failed", detail: JSON.stringify({ why, losses, messages: ["x1"] }) });
  expect(await at(seq)).toMatchObject({ state: "failed", why: "we may not speak", losses, refs: ["x1"] });
});

test("a destination that is no longer in the configuration is still named", async () => {
  const seq = await said({});
  await end({ seq, state: "sent", detail: "{}", lane: "old%2Fg/net.z/#z/y" });
  expect(await at(seq, "net.z")).toMatchObject({ gateway: "old/g", channel: "#z/y", state: "sent" });
});

test("an event that leaves no receipt was sent, or is not shown there", async () => {
  const seq = await said({ event: "join" });
  await stand(seq);
  expect((await at(seq)).state).toBe("settled");
});

test("what was said before the bridge existed is not for it", async () => {
  const seq = await said({});
  await stand(seq + 5);
  await log.mark([
    { name: marksOf(LANE).sources, value: JSON.stringify([["net.a/#a", seq]]) },
    { name: "api/api.web/since/g", value: JSON.stringify([["net.a/#a", seq]]) },
  ]);
  expect([(await at(seq)).state, (await at(seq, "api.web")).state]).toEqual(["before", "before"]);
});

test.each([
  ["0", "0", "", "unread"],
  ["1", "0", "", "read"],
  ["0", "1", "", "read"],
  ["0", "0", "1", "read"],
])("readers at %s, %s and %s have it %s", async (poll, stream, websocket, state) => {
  const seq = await said({});
  await log.mark([
    { name: "api/api.web/poll", value: poll },
    { name: "api/api.web/stream", value: stream },
    { name: "api/api.web/websocket", value: websocket },
  ]);
  expect((await at(seq, "api.web")).state).toBe(state);
});

test("what no lane or reader has written is said to be so, and what a receipt says counts all the same", async () => {
  const [one, two, three] = [await said({}), await said({}), await said({})];
  const why = "where this bridge stands cannot be read from the log";
  const marks = marksOf(LANE);
  await end({ seq: two, state: "sent", detail: "{}" });
  const failed = JSON.stringify({ why: { code: "network", message: "no" } });
  await end({ seq: three, state: "failed", detail: failed });
  for (const [checkpoint, sources] of [
    ["}", "[]"],
    [JSON.stringify({ version: 9 }), "[]"],
    [JSON.stringify({ after: 0, next: null, done: 7 }), "[]"],
    [encodeCheckpoint({ after: 0, next: null }), "}"],
  ] as const) {
    await log.mark([
      { name: marks.checkpoint, value: checkpoint },
      { name: marks.sources, value: sources },
      { name: "api/api.web/since/g", value: "}" },
    ]);
    expect(await at(one)).toMatchObject({ state: "unknown", why });
    expect(await at(one, "api.web")).toMatchObject({ state: "unknown", why });
    expect(await at(two)).toMatchObject({ state: "sent", why: null });
    expect(await at(three)).toMatchObject({ state: "failed", why: "no" });
  }
});

test("what the operator said has its way as well", async () => {
  const seq = await append(operatorEntry({ gateway: "g", text: "hi", username: "op", atMs: 0 }));
  const story = await storyOf(String(seq));
  expect(story).toMatchObject({ account: "rialto.operator", by: "op", words: "hi" });
  expect(story.destinations.map(({ account }) => account)).toEqual(["net.a", "net.b", "api.web"]);
});

const aDrop = (fields: Partial<Dropped> = {}): Dropped => {
  const place = { account: "net.a", channel: "#a", atMs: 5, by: "bob", event: "", refs: [] };
  return { ...place, text: "buy this", reason: "ignored_text", rule: "^buy", ...fields };
};

test("what was not relayed is found by words, by its sender and by its id, with the reason, newest first", async () => {
  drops.add(aDrop({ text: "buy THIS", refs: ["m7"] }));
  drops.add(aDrop({ atMs: 6, text: "other", by: "Thistle", reason: "foreign" }));
  drops.add(aDrop({ text: "nothing", by: "ann" }));
  const { stories, drops: found } = await ask("this");
  expect([stories, found.map(({ atMs }) => atMs)]).toEqual([[], [6, 5]]);
  expect(found[1]).toEqual({ ...aDrop({ text: "buy THIS", refs: ["m7"] }), why: "IgnoreMessages matches its text" });
  expect((await ask("m7")).drops).toHaveLength(1);
});

test("a number that names a message finds nothing else that has it in its words", async () => {
  const seq = await said({ text: "hello" });
  drops.add(aDrop({ text: `no. ${seq}` }));
  expect((await ask(String(seq))).drops).toEqual([]);
});

test("more than ten that were not relayed are ten, and it says that there are more", async () => {
  for (let index = 0; index < 12; index += 1) drops.add(aDrop());
  const { drops: found, more } = await ask("buy");
  expect([found.length, more]).toEqual([10, true]);
});

test("a question can be about one gateway, account or state, and leaves out joins, leaves and deletions", async () => {
  const arrived = await said({ text: "one" });
  await end({ seq: arrived, state: "sent", detail: "{}" });
  const refused = await said({ text: "two" });
  await end({ seq: refused, state: "failed", detail: "{}" });
  const join = await said({ text: "ann joins", event: "join" });
  await said({ text: "", event: "msg_delete" });
  const all = { gateway: null, account: null, state: null, events: false } as const;
  const seqs = async (only: Partial<StoryFilter>): Promise<Seq[]> => {
    const options = { subjects: routes.subjects, archive: log.archive, log, drops, only: { ...all, ...only } };
    const refs = async (seq: Seq) => await log.ids.refs(seq, null);
    const destinations = async () => new Destinations({ log, routes, accounts: await Promise.resolve(accounts) });
    return (await explain("", { ...options, refs, destinations })).stories.map(({ seq }) => seq);
  };
  expect(await seqs({})).toEqual([refused, arrived]);
  expect(await seqs({ events: true })).toContain(join);
  expect(await seqs({ state: "refused" })).toEqual([refused]);
  expect(await seqs({ gateway: "g", account: "net.b" })).toEqual([refused, arrived]);
  expect(await seqs({ gateway: "other" })).toEqual([]);
  expect(await seqs({ account: "net.c" })).toEqual([]);
});
