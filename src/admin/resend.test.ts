import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { EventLabel } from "../contract/message.ts";
import { encodeCheckpoint, marksOf } from "../delivery/lane/checkpoint.ts";
import { laneName } from "../delivery/lanes.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { againEntry, againSubject } from "../gateway/again.ts";
import { decodeStored, encode, encodeStored } from "../gateway/codec.ts";
import { compileRoutes, type LaneRoute } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage } from "../gateway/samples.suite.ts";
import { LogError } from "../log/errors.ts";
import type { Appended, Receipt, Seq, StoredEntry } from "../log/log.ts";
import { openSqliteLog } from "../log/sqlite/open.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import { Destinations } from "./destinations.ts";
import { explain, explainOne } from "./explain.ts";
import { Resender, type ResendRequest, type ResendResult } from "./resend.ts";
import { aStatus } from "./samples.suite.ts";

const config = aConfig([aGateway("g", ["inout net.a #a", "inout net.b #b", "inout api.web api"])]);
const routes = compileRoutes(config);
const ROUTE = routes.lanes().find(({ account }) => account.key === "net.b") as LaneRoute;
const LANE = laneName(ROUTE);
const SETTINGS = { durability: "process", retentionDays: 7, retentionBytes: 2 ** 30, messageIdDays: 30 } as const;

let log: Awaited<ReturnType<typeof openSqliteLog>>;
let accounts: readonly AccountStatus[];
let resender: Resender;
const destinations = (): Promise<Destinations> => Promise.resolve(new Destinations({ log, routes, accounts }));

beforeEach(async () => {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-resend-"));
  log = await openSqliteLog({ dataPath, ...SETTINGS });
  accounts = [];
  resender = new Resender({ log, archive: log.archive, routes, accounts: async () => accounts, destinations });
  onTestFinished(async () => {
    await log.close();
    rmSync(dataPath, { recursive: true, force: true });
  });
});

/** A message that the lane is behind, with a receipt of that end. */
async function ended(state: Receipt["state"], detail: object = {}, more: Partial<Receipt> = {}): Promise<Seq> {
  const seq = await said();
  await receipt(seq, state, detail, more);
  await stand(seq);
  return seq;
}

async function said(label = "", text = "hello"): Promise<Seq> {
  const payload = encode(aMessage({ account: "net.a", channel: "#a", text, event: label }));
  const note = { is: "said" as const, refs: ["m1"], author: "a", name: "ann", excerpt: text };
  const entry = { subject: "net.a/#a", key: null, label, payload, note };
  const appended = await log.append({ account: "net.a", entries: [entry] });
  return (appended.is === "stored" ? appended.seqs[0] : null) ?? 0;
}

async function edited(of: Seq): Promise<Seq> {
  const about = {
    is: "edit",
    seq: of,
    name: "ann",
    excerpt: "",
    thread: null,
    author: null,
    emoji: "",
    on: true,
  } as const;
  const message = aMessage({ account: "net.a", channel: "#a", text: "hullo", event: EventLabel.edit });
  const payload = encodeStored({ message, source: null, about, files: [], avatar: null, topic: null });
  const note = { is: "revised" as const, of, refs: [], excerpt: "hullo" };
  const entry = { subject: "net.a/#a", key: null, label: EventLabel.edit, payload, note };
  const appended = await log.append({ account: "net.a", entries: [entry] });
  return (appended.is === "stored" ? appended.seqs[0] : null) ?? 0;
}

async function receipt(seq: Seq, state: Receipt["state"], detail: object, more: Partial<Receipt> = {}): Promise<void> {
  const all = [{ lane: LANE, seq, state, detail: JSON.stringify(detail), ...more }];
  await log.append({ account: "", entries: [], receipts: all });
}

const stand = async (after: Seq): Promise<void> =>
  await log.mark([{ name: marksOf(LANE).checkpoint, value: encodeCheckpoint({ after, next: null }) }]);

const PLACE = { gateway: "g", account: "NET.b", channel: "#b" };
const send = async (seq: Seq, more: Partial<ResendRequest> = {}): Promise<ResendResult> =>
  await resender.send({ seq, ...PLACE, mayDouble: false, once: null, ...more });

const wishes = async (): Promise<readonly StoredEntry[]> =>
  await log.read({ subjects: [againSubject(ROUTE)], after: 0, limit: 10 });

const row = async (seq: Seq): Promise<unknown> => {
  const refs = (of: Seq) => log.ids.refs(of, null);
  const drops = { withRef: () => [], about: () => [] };
  const asked = { subjects: routes.subjects, archive: log.archive, log, refs, destinations, drops };
  const { stories } = await explain(String(seq), asked);
  expect(stories.map((story) => story.seq)).toEqual([stories[0]?.seq]);
  return [stories[0]?.seq, stories[0]?.destinations.find(({ account }) => account === "net.b")?.state];
};

test("a message that failed is sent again as it reads now, and is waiting until its lane is behind it", async () => {
  const seq = await ended("failed", { why: { code: "bad_content", message: "too odd" } });
  const edit = await edited(seq);
  await receipt(edit, "omitted", {});
  await stand(edit);
  expect(await send(seq)).toEqual({ is: "taken" });
  const [wish] = await wishes();
  expect(wish?.label).toBe(EventLabel.again);
  expect(decodeStored(wish?.payload ?? "")).toMatchObject({
    message: { text: "hullo", event: "" },
    about: null,
    again: { of: seq, from: null, messages: [] },
  });
  expect(await row(seq)).toEqual([seq, "waiting"]);
  // Its number leads to the message.
  expect(await row(wish?.seq ?? 0)).toEqual([seq, "waiting"]);
  const refs = (of: Seq) => log.ids.refs(of, null);
  expect(await explainOne(wish?.seq ?? 0, { archive: log.archive, log, refs, destinations })).toMatchObject({ seq });
  expect(await send(seq)).toEqual({ is: "refused", message: "it is being sent again already" });
  await receipt(seq, "sent", {});
  await stand(log.head);
  expect(await row(seq)).toEqual([seq, "sent"]);
  expect(await send(seq)).toMatchObject({ is: "refused", message: expect.stringContaining("but sent") as string });
});

test("where it cannot be read where the lane stands, nothing is sent again, and that is said", async () => {
  const seq = await ended("failed");
  await log.mark([{ name: marksOf(LANE).checkpoint, value: JSON.stringify({ version: 9 }) }]);
  const message = "where this bridge stands cannot be read from the log";
  expect(await send(seq)).toEqual({ is: "refused", message });
  expect(await wishes()).toEqual([]);
});

test("of two presses at once, and of a request that comes again by its key, one counts", async () => {
  const seq = await ended("expired");
  const other = await ended("expired");
  const once = { key: "k", fingerprint: "f" };
  const both = await Promise.all([send(seq, { once }), send(seq, { once: { ...once, key: "other" } })]);
  expect(both.map(({ is }) => is)).toEqual(["taken", "refused"]);
  await receipt(seq, "failed", {});
  await stand(log.head);
  expect(await send(seq, { once })).toEqual({ is: "taken" });
  expect(await send(other, { once: { ...once, fingerprint: "g" } })).toEqual({ is: "mismatch" });
  expect(await wishes()).toHaveLength(1);
});

test("it goes on behind the parts that are there; one that is unconfirmed is sent if the operator knows what that means", async () => {
  const copies = (of: Seq) => ({ copies: { of, place: "net.b/#b", refs: ["c1"] } });
  const of = log.head + 1;
  const seq = await ended("unconfirmed", { messages: ["c1"], from: "1" }, copies(of));
  expect(await send(seq)).toMatchObject({ is: "refused", message: expect.stringContaining("may be there") as string });
  expect(await send(seq, { mayDouble: true })).toEqual({ is: "taken" });
  expect(decodeStored((await wishes())[0]?.payload ?? "").again).toEqual({ of: seq, from: "1", messages: ["c1"] });
});

test.each([true, false])("while nobody knows whether the log has it, no other counts; stored: %s", async (isStored) => {
  const seq = await ended("failed");
  const known = Promise.withResolvers<Appended | LogError>();
  const append = async (): Promise<Appended> => await Promise.reject(new UnknownOutcome("not known", known.promise));
  const stored = vi.spyOn(log, "append").mockImplementationOnce(append);
  await expect(send(seq)).rejects.toMatchObject({ code: "unknown" });
  stored.mockRestore();
  const second = send(seq);
  // The log answers in order, so it would have come to its end meanwhile.
  for (let times = 0; times < 50; times += 1) await log.ids.get(seq);
  expect(await wishes()).toEqual([]);
  const wish = againEntry(ROUTE, decodeStored((await log.archive.entry(seq))?.payload ?? ""), {
    of: seq,
    from: null,
    messages: [],
  });
  if (isStored) known.resolve(await log.append({ account: "", entries: [wish] }));
  else known.resolve(new LogError("io", "not stored"));
  expect((await second).is).toBe(isStored ? "refused" : "taken");
  expect(await wishes()).toHaveLength(1);
});

interface Refusal {
  readonly what: string;
  readonly says: RegExp;
  /** The message. */
  readonly given: () => Promise<Seq>;
  readonly more?: Partial<ResendRequest>;
}

const REFUSALS: readonly Refusal[] = [
  { what: "that arrived", says: /but sent/u, given: async () => await ended("sent") },
  { what: "that was withheld", says: /but withheld/u, given: async () => await ended("withheld") },
  {
    what: "that is being sent, and had a part in doubt",
    says: /but waiting/u,
    given: async () => {
      const seq = await ended("unconfirmed", { gap: true });
      await stand(seq - 1);
      return seq;
    },
  },
  {
    what: "with a part missing in its middle",
    says: /in its middle/u,
    given: async () => await ended("failed", { gap: true }),
  },
  {
    what: "of an earlier version, in part",
    says: /nobody knows/u,
    given: async () => await ended("failed", { messages: ["c"] }),
  },
  {
    what: "that was deleted",
    says: /deleted/u,
    given: async () => {
      const seq = await ended("failed");
      const note = { is: "gone" as const, of: seq };
      const entry = { subject: "net.a/#a", key: null, label: EventLabel.delete, payload: "{}", note };
      await log.append({ account: "net.a", entries: [entry] });
      return seq;
    },
  },
  {
    what: "of which an edit is there",
    says: /later edit of it is there already/u,
    given: async () => {
      const seq = await ended("failed");
      const edit = await edited(seq);
      await receipt(edit, "sent", {}, { copies: { of: seq, place: "net.b/#b", refs: ["c9"] } });
      await stand(edit);
      return seq;
    },
  },
  {
    what: "of which an edit waits",
    says: /on its way there/u,
    given: async () => {
      const seq = await ended("failed");
      await edited(seq);
      return seq;
    },
  },
  {
    what: "that is there in part, and was edited",
    says: /edited since/u,
    given: async () => {
      const seq = await ended("failed", { from: "1" });
      await stand(await edited(seq));
      return seq;
    },
  },
  { what: "that is a topic", says: /only messages/u, given: async () => await said(EventLabel.topic) },
  {
    what: "to a paused account",
    says: /net\.b is paused/u,
    given: async () => {
      accounts = [aStatus({ account: "net.b", key: "net.b", state: "paused" })];
      return await ended("failed");
    },
  },
  {
    what: "to a bridge that is gone",
    says: /no such destination/u,
    given: async () => await ended("failed"),
    more: { channel: "#gone" },
  },
  {
    what: "to a reader of the API",
    says: /readers of the API/u,
    given: async () => await ended("failed"),
    more: { account: "api.web", channel: "api" },
  },
];

test.each(REFUSALS)("a message $what is not sent again", async ({ says, given, more = {} }) => {
  const seq = await given();
  expect(await send(seq, more)).toEqual({ is: "refused", message: expect.stringMatching(says) as string });
  expect(await wishes()).toEqual([]);
});

test("a message that nobody knows is none", async () => {
  expect(await send(9)).toMatchObject({ is: "unknown" });
});
