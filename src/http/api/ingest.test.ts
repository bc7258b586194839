import { describe, expect, test } from "vitest";
import type { Account } from "../../config/config.ts";
import { decodeStored } from "../../gateway/codec.ts";
import type { Dropped } from "../../gateway/drops.ts";
import { compileInbound } from "../../gateway/inbound.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aFile, aGateway, anAccount } from "../../gateway/samples.suite.ts";
import { LogError } from "../../log/errors.ts";
import type { Batch, Known, Log, NewEntry } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";
import { Ingest } from "./ingest.ts";
import type { Draft } from "./post-body.ts";

const logger = { debug: () => undefined, warn: () => undefined } as unknown as Logger;
const API: Account = anAccount("api.own");
const FULL: Account = { ...API, settings: { FullEvents: true } };

interface Setup {
  readonly own?: Account;
  /** Another account in the gateway. */
  readonly other?: Account;
  readonly keepFile?: (content: Uint8Array, name: string) => Promise<string | null>;
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
function ingestOf({ own = API, other = anAccount("api.other"), keepFile, get, slow = false }: Setup = {}) {
  const entries: NewEntry[] = [];
  const log = {
    append: async (batch: Batch) => {
      if (slow) await new Promise(setImmediate);
      entries.push(...batch.entries);
      return { is: "stored", seqs: batch.entries.map(() => entries.length) };
    },
    ids: { get: get ?? (() => Promise.resolve(null)) },
  } as unknown as Log;
  const bridges = [`inout ${own.key} api`, `inout ${other.key} ${other.protocol === "api" ? "api" : "#room"}`];
  const routes = compileRoutes(aConfig([aGateway("main", bridges)], [own, other]));
  const deps = { account: own, log, routes, inbound: compileInbound(own), logger, nowMs: () => 0 };
  const dropped: Dropped[] = [];
  const onDrop = (drop: Dropped): unknown => dropped.push(drop);
  const ingest = new Ingest({ ...deps, onDrop, ...(keepFile !== undefined && { keepFile }) });
  return { entries, dropped, post: (draft: Partial<Draft>) => ingest.post({ ...DRAFT, ...draft }, null), ingest };
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
    await post({ userid: "u1", text: "", files: [aFile()] });
    expect(entries[1]?.note).toEqual(
      noted ? expect.objectContaining({ author: '["u1",null]', excerpt: "[a.txt]" }) : undefined,
    );
  });
});

describe("files", () => {
  const network = anAccount("net.there");
  const files = [aFile({ Name: "a" }), aFile({ Data: "", URL: "https://f.example/b" }), aFile({ Name: "c" })];
  const keepFile = (content: Uint8Array, name: string): Promise<string | null> =>
    Promise.resolve(name === "a" ? Buffer.from(content).toString() : null);

  test("are kept for networks, and stay in the message", async () => {
    const { entries, post } = ingestOf({ other: network, keepFile });
    await post({ files });
    const stored = decodeStored(entries[0]?.payload ?? "");
    expect(stored.files).toEqual(['{"is":"stored","sha256":"hi"}', null, null]);
    expect(stored.message.Extra?.file.map(({ Data }) => Data)).toEqual(["aGk=", "", "aGk="]);
  });

  test.each<[string, Setup]>([
    ["among accounts of the API", { keepFile }],
    ["where nothing keeps them", { other: network }],
  ])("are not kept %s", async (_name, setup) => {
    const { entries, post } = ingestOf(setup);
    await post({ files });
    expect(decodeStored(entries[0]?.payload ?? "").files).toEqual([]);
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
