import { describe, expect, test, vi } from "vitest";
import { encodeStored } from "../../../gateway/codec.ts";
import { aMessage } from "../../../gateway/samples.suite.ts";
import type { IdNote, Seq } from "../../../log/log.ts";
import { isObject, listOf } from "../../../lib/shapes.ts";
import { type V1Stage, v1Stage } from "../stage.suite.ts";

const LOBBY = "/v1/gateways/lobby/history";
const ROOM = "net.a/#x";

interface Act {
  readonly is: "edit" | "delete";
  readonly of: Seq;
  readonly text?: string;
}

/** As networks tell it, with a note, so that it can be edited. */
async function say(stage: V1Stage, text: string, name = "ann"): Promise<Seq> {
  return await put(stage, text, { is: "said", refs: [], author: name, name, excerpt: text }, { name });
}

async function act(stage: V1Stage, { is, of, text = "" }: Act): Promise<Seq> {
  const note: IdNote = is === "edit" ? { is: "revised", of, refs: [], excerpt: text } : { is: "gone", of };
  return await put(stage, text, note, { act: is, of });
}

async function put(
  { log }: V1Stage,
  text: string,
  note: IdNote,
  { name = "ann", act: is = null, of = 0 }: { name?: string; act?: "edit" | "delete" | null; of?: Seq },
): Promise<Seq> {
  const label = is === null ? "" : `msg_${is}`;
  const message = aMessage({ account: "net.a", protocol: "net", gateway: "", text, username: name, event: label });
  const nobody = { name, excerpt: "", thread: null, author: null, emoji: "", on: false };
  const about = is === null ? null : { is, seq: of, ...nobody };
  const stored = { message, source: null, about, files: [], avatar: null, topic: null, bot: false };
  const entry = { subject: ROOM, key: null, label, payload: encodeStored(stored), note };
  const appended = await log.append({ account: "net.a", entries: [entry] });
  return appended.is === "stored" ? (appended.seqs[0] ?? 0) : 0;
}

interface Page {
  readonly texts: readonly unknown[];
  readonly next: string | undefined;
}

async function page(stage: V1Stage, query = ""): Promise<Page> {
  const { status, body } = await stage.ask("GET", `${LOBBY}${query}`);
  expect(status).toBe(200);
  const { messages, next } = isObject(body) ? body : {};
  const texts = listOf(messages).map((event) =>
    isObject(event) && isObject(event["message"]) ? event["message"]["text"] : null,
  );
  return { texts, next: typeof next === "string" ? next : undefined };
}

/** All pages in one direction. */
async function all(stage: V1Stage, direction: "before" | "after", query: string): Promise<readonly unknown[]> {
  let found: unknown[] = [];
  let position = direction === "after" ? "&after=0" : "";
  for (let pages = 0; pages < 100; pages += 1) {
    const { texts, next } = await page(stage, `?${query}${position}`);
    found = direction === "after" ? [...found, ...texts] : [...texts, ...found];
    if (next === undefined) return found;
    position = `&${direction}=${next}`;
  }
  throw new Error("there is no end");
}

describe("the history", () => {
  test("has the newest, oldest first, and goes on in either direction", async () => {
    const stage = await v1Stage();
    const seqs: Seq[] = [];
    for (let index = 0; index < 7; index += 1) {
      seqs.push(await say(stage, `m${index}`));
      await stage.say("net.b/#y", { text: "elsewhere" });
    }
    expect(await page(stage, "?limit=2")).toEqual({ texts: ["m5", "m6"], next: String(seqs[5]) });
    expect(await page(stage, `?limit=2&before=${seqs[5]}`)).toEqual({ texts: ["m3", "m4"], next: String(seqs[3]) });
    expect(await page(stage, `?limit=2&after=${seqs[0]}`)).toEqual({ texts: ["m1", "m2"], next: String(seqs[2]) });
    expect(await page(stage, `?after=${seqs[1]}&before=${seqs[4]}`)).toEqual({ texts: ["m2", "m3"], next: undefined });
    expect(await page(stage, `?after=${seqs[6]}`)).toEqual({ texts: [], next: undefined });
    const texts = seqs.map((_, index) => `m${index}`);
    for (const limit of [1, 2, 3, 7, 200]) {
      expect(await all(stage, "before", `limit=${limit}`)).toEqual(texts);
      expect(await all(stage, "after", `limit=${limit}`)).toEqual(texts);
    }
  });

  test("finds the few of a gateway among the many of others, and stops at a crowd", async () => {
    const stage = await v1Stage();
    await say(stage, "first");
    const batch = (account: string, subject: string, text: string, count: number) =>
      stage.log.append({
        account,
        entries: Array.from({ length: count }, (_, index) => {
          const message = aMessage({ account, protocol: "net", gateway: "", text: `${text}${index}` });
          const stored = { message, source: null, about: null, files: [], avatar: null, topic: null, bot: false };
          return { subject, key: null, label: "", payload: encodeStored(stored) };
        }),
      });
    await batch("net.b", "net.b/#y", "other", 5000);
    await batch("net.a", ROOM, "crowd", 1200);
    await batch("net.b", "net.b/#y", "other", 5000);
    await say(stage, "last");
    expect((await page(stage, "?limit=3")).texts).toEqual(["crowd1198", "crowd1199", "last"]);
    expect(await all(stage, "before", "limit=200")).toHaveLength(1202);
    expect(await all(stage, "after", "limit=200")).toHaveLength(1202);
  });

  test("has messages as they read now", async () => {
    const stage = await v1Stage();
    const one = await say(stage, "one");
    const two = await say(stage, "two");
    await say(stage, "three");
    await act(stage, { is: "edit", of: one, text: "first wording" });
    await act(stage, { is: "edit", of: one, text: "last wording" });
    await act(stage, { is: "delete", of: two });
    expect(await page(stage)).toEqual({ texts: ["last wording", "three"], next: undefined });
    const { body } = await stage.ask("GET", LOBBY);
    expect(body).toMatchObject({
      messages: [
        {
          seq: String(one),
          type: "message.posted",
          gateways: ["lobby"],
          edited: expect.stringMatching(/Z$/u) as unknown,
        },
        { edited: null },
      ],
    });
  });

  test("of one author", async () => {
    const stage = await v1Stage({ log: { search: "words" } });
    await say(stage, "word of ann");
    await say(stage, "word of bob", "Bob");
    expect((await page(stage, "?from=bob")).texts).toEqual(["word of bob"]);
    expect((await page(stage, "?from=bo")).texts).toEqual([]);
    expect((await page(stage, "?from=ANN&q=word")).texts).toEqual(["word of ann"]);
  });

  test("of one author reads only the messages of that author from the log", async () => {
    const stage = await v1Stage({ log: { search: "words" } });
    await say(stage, "word of bob", "Bob");
    for (let index = 0; index < 100; index += 1) await say(stage, `word ${index}`);
    for (const query of ["?from=bob", "?from=bob&q=word", "?from=bob&q=wor*"]) {
      const read = vi.spyOn(stage.log, "read");
      expect(await page(stage, query)).toEqual({ texts: ["word of bob"], next: undefined });
      expect(read).toHaveBeenCalledTimes(1);
      read.mockRestore();
    }
  });

  test("of one author is read from the log where there is no index", async () => {
    const stage = await v1Stage();
    await say(stage, "word of ann");
    await say(stage, "word of bob", "Bob");
    expect((await page(stage, "?from=bob")).texts).toEqual(["word of bob"]);
  });

  test("reads few messages at the same time, and one request of an account after the other", async () => {
    const stage = await v1Stage({ log: { search: "words" } });
    for (let index = 0; index < 50; index += 1) await say(stage, `word ${index}`);
    const read = stage.log.read.bind(stage.log);
    let [reading, most] = [0, 0];
    vi.spyOn(stage.log, "read").mockImplementation(async (query) => {
      reading += 1;
      most = Math.max(most, reading);
      try {
        return await read(query);
      } finally {
        reading -= 1;
      }
    });
    const asked = ["?q=word", "?q=word&from=ann", "?q=word&limit=200", "?from=ann"];
    const pages = await Promise.all(asked.map(async (query) => await page(stage, query)));
    expect(pages.map(({ texts }) => texts.length)).toEqual([50, 50, 50, 50]);
    expect(most).toBe(1);
  });

  test("is searched by words, as the messages read now", async () => {
    const stage = await v1Stage({ log: { search: "words" } });
    const seqs: Seq[] = [];
    for (let index = 0; index < 5; index += 1) seqs.push(await say(stage, `needle ${index}`));
    await stage.say("net.b/#y", { text: "needle elsewhere" });
    await act(stage, { is: "edit", of: seqs[1] ?? 0, text: "hay" });
    await act(stage, { is: "delete", of: seqs[2] ?? 0 });
    const texts = ["needle 0", "needle 3", "needle 4"];
    expect(await page(stage, "?q=Needle")).toEqual({ texts, next: undefined });
    expect((await page(stage, "?q=hay")).texts).toEqual(["hay"]);
    expect((await page(stage, `?q=${encodeURIComponent('"needle 3"')}`)).texts).toEqual(["needle 3"]);
    expect((await page(stage, "?q=nee*")).texts).toEqual(texts);
    expect((await page(stage, "?q=elsewhere")).texts).toEqual([]);
    for (const limit of [1, 2, 3]) {
      expect(await all(stage, "before", `q=needle&limit=${limit}`)).toEqual(texts);
      expect(await all(stage, "after", `q=needle&limit=${limit}`)).toEqual(texts);
    }
  });

  test("asks the index no more once that has looked at as much as it does for one question", async () => {
    const stage = await v1Stage({ log: { search: "words" } });
    await say(stage, "first");
    await say(stage, "needle");
    const find = vi.spyOn(stage.log.archive, "find").mockResolvedValue({ seqs: [], next: 2, indexed: stage.log.head });
    expect(await page(stage, "?q=needle")).toEqual({ texts: [], next: "2" });
    expect(find).toHaveBeenCalledTimes(1);
  });

  test("without an index says how to have one", async () => {
    const stage = await v1Stage();
    const { status, body } = await stage.ask("GET", `${LOBBY}?q=word`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "unprocessable", detail: expect.stringContaining("Search = true") as unknown });
  });

  test.each([
    ["before=x", 400, "/before"],
    ["after=01", 400, "/after"],
    ["after=-1", 400, "/after"],
    ["limit=none", 400, "/limit"],
    ["limit=0", 400, "/limit"],
    ["limit=201", 400, "/limit"],
    ["q=", 400, "/q"],
    ["q=!!!", 400, "/q"],
    [`q=${"w".repeat(201)}`, 400, "/q"],
  ])("refuses ?%s", async (query, expected, pointer) => {
    const stage = await v1Stage();
    const { status, body } = await stage.ask("GET", `${LOBBY}?${query}`);
    expect(status).toBe(expected);
    expect(body).toMatchObject({ errors: [{ pointer }] });
  });

  test("of a gateway that is not seen is none, and a position of another log is told", async () => {
    const stage = await v1Stage({ token: "secret" });
    const token = await stage.token({ gateways: ["den"] });
    expect((await stage.ask("GET", LOBBY, { token })).status).toBe(404);
    expect((await stage.ask("GET", "/v1/gateways/none/history")).status).toBe(404);
    expect((await stage.ask("GET", `${LOBBY}?after=99`)).body).toMatchObject({ status: 410, code: "position_unknown" });
  });
});
