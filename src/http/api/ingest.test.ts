import { describe, expect, test } from "vitest";
import type { Account } from "../../config/config.ts";
import { decode, decodeStored } from "../../gateway/codec.ts";
import type { Dropped } from "../../gateway/drops.ts";
import { compileInbound } from "../../gateway/inbound.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aFile, aGateway, anAccount } from "../../gateway/samples.suite.ts";
import { LogError } from "../../log/errors.ts";
import type { Appended, Batch, Known, Log, NewEntry } from "../../log/log.ts";
import { appendThen } from "../../log/suite/append-then.suite.ts";
import { IdsModel } from "../../log/suite/ids-model.suite.ts";
import type { Logger } from "../../logger.ts";
import type { FileDraft } from "./file-drafts.ts";
import { Ingest, type OnceKey } from "./ingest.ts";
import type { Draft } from "./post-body.ts";

const logger = { debug: () => undefined, warn: () => undefined } as unknown as Logger;
const API: Account = anAccount("api.own");
const FULL: Account = { ...API, settings: { FullEvents: true } };

interface Setup {
  readonly own?: Account;
  /** Another account in the gateway. */
  readonly other?: Account;
  readonly keepFile?: (content: Uint8Array, name: string) => Promise<string | null>;
  readonly addressOf?: () => Promise<string | null>;
  readonly get?: (seq: number) => Promise<Known | null>;
  /** Every commit takes a turn of the event loop. */
  readonly slow?: boolean;
}

/** What the entries so far make of the message that they are about. */
function lastOf(entries: readonly NewEntry[]): Partial<Known> {
  const note = entries.at(-1)?.note;
  return note?.is === "revised" ? { excerpt: note.excerpt } : note?.is === "gone" ? { gone: true } : {};
}

/** An account in the gateway `main` with another; what it appends is kept, with seqs from 1. */
function ingestOf({ own = API, other = anAccount("api.other"), keepFile, addressOf, get, slow = false }: Setup = {}) {
  const entries: NewEntry[] = [];
  const append = async (batch: Batch): Promise<Appended> => {
    if (slow) await new Promise(setImmediate);
    entries.push(...batch.entries);
    return { is: "stored", seqs: batch.entries.map(() => entries.length) };
  };
  const log = {
    append,
    appendThen: appendThen.bind(null, { append }),
    ids: { get: get ?? (() => Promise.resolve(null)) },
  } as unknown as Log;
  const bridges = [`inout ${own.key} api`, `inout ${other.key} ${other.protocol === "api" ? "api" : "#room"}`];
  const routes = compileRoutes(aConfig([aGateway("main", bridges)], [own, other]));
  const deps = { account: own, log, routes, inbound: compileInbound(own), logger, nowMs: () => 0 };
  const dropped: Dropped[] = [];
  const onDrop = (drop: Dropped): unknown => dropped.push(drop);
  const ingest = new Ingest({
    ...deps,
    onDrop,
    ...(addressOf !== undefined && { addressOf }),
    ...(keepFile !== undefined && { keepFile }),
  });
  return { entries, dropped, post: (draft: Partial<Draft>) => ingest.post({ ...DRAFT, ...draft }, null), ingest };
}

function aDraft(fields: Partial<FileDraft> = {}): FileDraft {
  const { Data, ...item } = aFile();
  return { ...item, content: Buffer.from(Data, "base64"), ...fields };
}

const DRAFT: Draft = {
  text: "hello",
  username: "ann",
  userid: "",
  avatar: "",
  gateway: "main",
  parent_id: "",
  id: "",
  event: "",
  files: [],
  hops: 0,
};

function known(more: Partial<Known> = {}): Known {
  const author = JSON.stringify(["ann", null]);
  return { seq: 7, subject: "api.own/main", at: 0, author, name: "ann", excerpt: "before", gone: false, ...more };
}

describe("what others can refer to", () => {
  test.each<[string, Setup, boolean]>([
    ["another account of the API", {}, false],
    ["a reader with FullEvents", { other: { ...anAccount("api.other"), settings: { FullEvents: true } } }, true],
    ["a network", { other: anAccount("net.there") }, true],
    ["its own FullEvents", { own: FULL }, true],
  ])("is noted, where somebody can: %s", async (_name, setup, noted) => {
    const { entries, post } = ingestOf(setup);
    await post({ text: "**hello** all" });
    const note = {
      is: "said",
      refs: [],
      author: '["ann",null]',
      name: "ann",
      excerpt: setup.own === FULL ? "hello all" : "**hello** all",
    };
    expect(entries[0]?.note).toEqual(noted ? expect.objectContaining(note) : undefined);
    await post({ userid: "u1", text: "", files: [aDraft()] });
    expect(entries[1]?.note).toEqual(
      noted ? expect.objectContaining({ author: '["u1",null]', excerpt: "[a.txt]" }) : undefined,
    );
  });
});

describe("files", () => {
  const network = anAccount("net.there");
  const files = [aDraft({ Name: "a" }), aDraft({ content: null, URL: "https://f.example/b" }), aDraft({ Name: "c" })];
  const keepFile = (content: Uint8Array, name: string): Promise<string | null> =>
    Promise.resolve(name === "a" ? Buffer.from(content).toString() : null);

  test("are kept for networks, and stay in the message", async () => {
    const { entries, post } = ingestOf({ other: network, keepFile });
    await post({ files });
    const stored = decodeStored(entries[0]?.payload ?? "");
    expect(stored.files).toEqual(['{"is":"stored","sha256":"hi"}', null, null]);
    expect(stored.message.Extra?.file.map(({ Data }) => Data)).toEqual(["aGk=", "", "aGk="]);
  });

  test("are kept for other accounts of the API, where they get addresses and a SHA", async () => {
    const addressOf = (): Promise<string> => Promise.resolve("https://f.example/a");
    const { entries, post } = ingestOf({ keepFile, addressOf });
    await post({ files });
    const { files: kept, message } = decodeStored(entries[0]?.payload ?? "");
    expect(kept).toEqual(['{"is":"stored","sha256":"hi"}', null, null]);
    const shown = message.Extra?.file.map(({ URL, SHA }) => [URL, SHA]);
    expect(shown).toEqual([
      ["https://f.example/a", "c22b5f91"],
      ["https://f.example/b", ""],
      ["", ""],
    ]);
  });

  test("keep the address and the SHA that their client has given", async () => {
    const given = [aDraft({ Name: "a", URL: "https://f.example/own", SHA: "s" })];
    const { entries, post } = ingestOf({ keepFile, addressOf: () => Promise.resolve(null) });
    await post({ files: given });
    const [file] = decodeStored(entries[0]?.payload ?? "").message.Extra?.file ?? [];
    expect(file).toMatchObject({ URL: "https://f.example/own", SHA: "s" });
  });

  test.each<[string, Setup]>([
    ["among accounts of the API", { keepFile }],
    ["where nothing keeps them", { other: network }],
  ])("are not kept %s", async (_name, setup) => {
    const { entries, post } = ingestOf(setup);
    await post({ files });
    expect(decodeStored(entries[0]?.payload ?? "").files).toEqual([]);
  });

  test("refuse their message where all machines are to have them and cannot, and hold up nothing", async () => {
    const away = (): Promise<never> => Promise.reject(new LogError("unreachable", "no servers"));
    const { entries, post } = ingestOf({ other: network, keepFile: away });
    const posts = [post({ text: "file", files }), post({ text: "after" })];
    expect(await posts[0]).toMatchObject({ ok: false, problem: { status: 503, retryAfterS: 1 } });
    expect(await posts[1]).toMatchObject({ ok: true });
    expect(entries.map(({ payload }) => decodeStored(payload).message.text)).toEqual(["after"]);
  });

  test("are kept as they were read", async () => {
    const kept: Uint8Array[] = [];
    const keep = (content: Uint8Array): Promise<null> => {
      kept.push(content);
      return Promise.resolve(null);
    };
    await ingestOf({ other: network, keepFile: keep }).post({ files });
    expect(kept).toHaveLength(2);
    expect(kept.every((content, at) => content === files[at * 2]?.content)).toBe(true);
  });

  test("hold up what is posted after them", async () => {
    const kept = Promise.withResolvers<string | null>();
    const { entries, post } = ingestOf({ other: network, keepFile: () => kept.promise });
    const posts = [post({ text: "file", files }), post({ text: "after" })];
    await Promise.resolve();
    expect(entries).toEqual([]);
    kept.resolve("x");
    await Promise.all(posts);
    expect(entries.map(({ payload }) => decodeStored(payload).message.text)).toEqual(["file", "after"]);
  });
});

describe("what acts on messages", () => {
  const target = (): Promise<Known> => Promise.resolve(known());
  test("has a label of its own, and says what it was about", async () => {
    const { entries, post } = ingestOf({ own: FULL, get: target });
    await post({ event: "msg_edit", id: "7", text: "_after_" });
    await post({ event: "msg_reaction_removed", id: "7", text: ":+1:" });
    await post({ event: "msg_delete", id: "7" });
    await post({ parent_id: "7" });
    expect(entries.map(({ label, note }) => [label, note])).toMatchObject([
      ["msg_edit", { is: "revised", of: 7, excerpt: "after" }],
      ["msg_reaction", { is: "reacted", of: 7, who: 'api.own/main ["ann",null]', emoji: "👍", on: false }],
      ["msg_delete", { is: "gone", of: 7 }],
      ["", { is: "said" }],
    ]);
    expect(entries.map(({ payload }) => decodeStored(payload).about)).toMatchObject([
      { is: "edit", seq: 7, excerpt: "before" },
      { is: "reaction", seq: 7, emoji: "👍", on: false },
      { is: "delete", seq: 7, author: { id: "ann", account: "api.own" } },
      { is: "reply", seq: 7, name: "ann", excerpt: "before" },
    ]);
  });

  test.each(["msg_edit", "msg_reaction", "msg_reaction_removed"])(
    "a client without FullEvents has %s as a label, which acts on nothing",
    async (event) => {
      const { entries, post } = ingestOf({ get: target });
      await post({ event, id: "7" });
      expect(entries[0]).toMatchObject({ label: "" });
      expect(decodeStored(entries[0]?.payload ?? "")).toMatchObject({ message: { event }, about: null });
    },
  );

  test("is stored before the next one looks for its target", async () => {
    const { entries, post } = ingestOf({ own: FULL, get: () => Promise.resolve(known(lastOf(entries))), slow: true });
    const deletion = { event: "msg_delete", id: "7" };
    const edits = ["one", "two"].map((text) => post({ event: "msg_edit", id: "7", text }));
    const later = [post(deletion), post({ event: "msg_edit", id: "7", text: "late" }), post({ text: "plain" })];
    const answers = await Promise.all([...edits, ...later]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, false, true]);
    expect(entries.map(({ payload }) => decodeStored(payload).about?.excerpt)).toEqual([
      "before",
      "one",
      "two",
      undefined,
    ]);
  });

  test("a reaction of a nick that is ignored goes no further", async () => {
    const { presentation } = anAccount("api.own", { ignoreNicks: ["^ann$"] });
    const { entries, post, ingest, dropped } = ingestOf({ own: { ...FULL, presentation }, get: target });
    expect(await post({ event: "msg_reaction", id: "7", text: "👍" })).toMatchObject({ ok: true, stored: false });
    expect(entries).toEqual([]);
    expect(ingest.dropped).toEqual({ ignored_nick: 1 });
    const said = { by: "ann", text: "👍", event: "msg_reaction", refs: ["7"], atMs: 0 };
    const why = { reason: "ignored_nick", rule: "^ann$" };
    expect(dropped).toEqual([{ account: "api.own", channel: "api", ...said, ...why }]);
  });

  test("an endless id of a client is kept in part", async () => {
    const { entries, post } = ingestOf({ own: FULL });
    await post({ userid: "u".repeat(1_000_000) });
    expect(JSON.stringify(entries[0]?.note).length).toBeLessThan(2000);
  });

  test.each(["msg_edit", "msg_delete", "msg_reaction"])("%s that runs in a circle ends", async (event) => {
    const { entries, post, ingest } = ingestOf({ own: FULL, get: target });
    expect(await post({ event, id: "7", hops: 9 })).toMatchObject({ ok: true, stored: false });
    expect(entries).toEqual([]);
    expect(ingest.dropped).toEqual({ loop: 1 });
  });

  test("a log that does not answer is 503, and nothing is relayed", async () => {
    const get = (): Promise<never> => Promise.reject(new LogError("io", "the disk is gone"));
    const { entries, post } = ingestOf({ own: FULL, get });
    const refusal = { ok: false, problem: { status: 503, retryAfterS: 1 } };
    expect(await post({ event: "msg_edit", id: "7" })).toMatchObject(refusal);
    expect(await post({ parent_id: "7" })).toMatchObject(refusal);
    expect(entries).toEqual([]);
  });
});

/** An account whose log remembers keys, and what it was asked for. */
function onceOf(own: Account, ignored: readonly string[] = []) {
  const entries: NewEntry[] = [];
  const ids = new IdsModel();
  const answers = new Map<string, OnceKey & { readonly answer: string }>();
  const asked: (readonly string[])[] = [];
  const clock = { nowMs: 0 };
  const append = ({ entries: added, once }: Batch): Promise<Appended> => {
    const first = once === undefined ? undefined : answers.get(once.key);
    if (first !== undefined)
      return Promise.resolve(
        first.fingerprint === once?.fingerprint ? { is: "repeated", answer: first.answer } : { is: "conflict" },
      );
    if (once !== undefined && once.answer !== null) answers.set(once.key, { ...once, answer: once.answer });
    const seqs = added.map((entry) => entries.push(entry));
    for (const [index, { subject, note }] of added.entries()) {
      if (note !== undefined) ids.note(seqs[index] ?? 0, subject, 0, note);
    }
    return Promise.resolve({ is: "stored", seqs });
  };
  const log = {
    append,
    appendThen: appendThen.bind(null, { append }),
    ids: {
      ...ids.answers(),
      find: (subject: string, refs: readonly string[]) => {
        asked.push(refs);
        return Promise.resolve(ids.find(subject, refs));
      },
    },
  } as unknown as Log;
  const account: Account = { ...own, presentation: { ...own.presentation, ignoreNicks: ignored } };
  const routes = compileRoutes(
    aConfig([aGateway("main", [`inout ${own.key} api`, "inout api.full api"])], [account, OTHER]),
  );
  const ingest = new Ingest({
    account,
    log,
    routes,
    inbound: compileInbound(account),
    logger,
    nowMs: () => clock.nowMs,
  });
  const post = async (key: string, text: string, more: Partial<Draft> = {}) => {
    const posted = await ingest.post({ ...DRAFT, text, ...more }, { key, fingerprint: `${text} ${more.event ?? ""}` });
    return posted.ok ? { ...posted, id: decode(posted.line).id } : posted;
  };
  return { entries, answers, asked, clock, post };
}

const OTHER: Account = { ...anAccount("api.full"), settings: { FullEvents: true } };

describe("a repeated post", () => {
  test("is answered with the id of its own message, whatever else was said at that time", async () => {
    const { entries, post } = onceOf(FULL);
    const first = [await post("k1", "one"), await post("k2", "two"), await post("k3", "three")];
    expect(first).toMatchObject(["1", "2", "3"].map((id) => ({ ok: true, stored: true, id })));
    for (const [key, text, answer] of [
      ["k2", "two", first[1]],
      ["k1", "one", first[0]],
      ["k3", "three", first[2]],
    ] as const)
      expect(await post(key, text)).toEqual({ ...answer, stored: false });
    expect(entries).toHaveLength(3);
  });

  test("has the id of the newer message, when the key was used again after a day", async () => {
    const { answers, clock, post } = onceOf(FULL);
    await post("key", "today");
    clock.nowMs = 25 * 60 * 60_000;
    answers.clear();
    const second = await post("key", "tomorrow");
    expect(second).toMatchObject({ stored: true, id: "2" });
    expect(await post("key", "tomorrow")).toEqual({ ...second, stored: false });
  });

  test("with another message under its key is refused", async () => {
    const { entries, post } = onceOf(FULL);
    await post("key", "one");
    expect(await post("key", "two")).toMatchObject({ ok: false, problem: { status: 422 } });
    expect(entries).toHaveLength(1);
  });

  test("of an edit has the id of what it edits", async () => {
    const { asked, post } = onceOf(FULL);
    await post("k1", "one");
    const edit = { event: "msg_edit", id: "1" };
    const first = await post("k2", "two", edit);
    expect(first).toMatchObject({ stored: true, id: "1" });
    expect(await post("k2", "two", edit)).toEqual({ ...first, stored: false });
    expect(asked).toEqual([]);
  });

  test("of what a filter dropped has no id", async () => {
    const { entries, post } = onceOf(FULL, ["^ann$"]);
    const first = await post("key", "one");
    expect(first).toMatchObject({ ok: true, stored: false, id: "" });
    expect(await post("key", "one")).toEqual(first);
    expect(entries).toEqual([]);
  });

  test("without FullEvents has no id, and the log is not asked for one", async () => {
    const { entries, asked, post } = onceOf(API);
    const first = await post("key", "one");
    expect(first).toMatchObject({ stored: true, id: "" });
    expect(await post("key", "one")).toEqual({ ...first, stored: false });
    expect(entries[0]?.note).toMatchObject({ is: "said", refs: [] });
    expect(asked).toEqual([]);
  });
});
