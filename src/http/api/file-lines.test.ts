import { expect, test } from "vitest";
import type { FileId } from "../../contract/ids.ts";
import type { ReadyFile, WantedFile } from "../../files/files.ts";
import { decode, encodeStored } from "../../gateway/codec.ts";
import { aFile, aMessage, anAccount } from "../../gateway/samples.suite.ts";
import { compileView } from "../../gateway/view.ts";
import type { Log } from "../../log/log.ts";
import { GatewayFeed } from "./feed.ts";
import { FileLines, type FilesForLines } from "./file-lines.ts";

const MIB = 1024 ** 2;

/** A store of files that are as large as their names say. */
class Store implements FilesForLines {
  readonly asked: FileId[] = [];
  readonly opened: FileId[] = [];
  readonly answers = new Map<string, ReadyFile | Promise<ReadyFile>>();

  async ready({ id }: WantedFile): Promise<ReadyFile> {
    this.asked.push(id);
    return await (this.answers.get(id) ?? { ok: true, bytes: Number(id), mime: "x/y", sha256: "00", link: null });
  }

  async open(id: FileId) {
    this.opened.push(id);
    const { body } = new Response(new Uint8Array(Number(id)).fill(120));
    return await Promise.resolve({
      ok: true,
      bytes: Number(id),
      mime: "x/y",
      stream: body ?? new ReadableStream(),
    } as const);
  }
}

/** A feed in which each message has the files with these ids; `linkFor`: as of a media endpoint. */
function feedOf(messages: readonly (readonly string[])[], link: string | null = null) {
  const store = new Store();
  const entries = messages.map((ids, at) => {
    const file = ids.map((id) => aFile({ Name: id, Data: "", URL: "", Comment: "", Size: 0 }));
    const message = aMessage({ account: "net.a", protocol: "net", text: "", Extra: file.length > 0 ? { file } : null });
    const payload = encodeStored({
      message,
      source: null,
      about: null,
      files: ids as readonly FileId[],
      avatar: null,
      topic: null,
    });
    return { seq: at + 1, subject: "net.a/x", at: 1, label: "", payload };
  });
  const log = { read: async () => await Promise.resolve(entries) } as unknown as Log;
  const fileLines = new FileLines(store, () => link);
  const feed = new GatewayFeed({
    log,
    view: compileView(anAccount("api.a"), new Map()),
    capacity: 100,
    after: 0,
    onBad: () => undefined,
    fileLines,
  });
  for (const entry of entries) feed.push({ entry, gateway: "g" });
  const push = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      const entry = { seq: feed.end + 1, subject: "net.a/x", at: 1, label: "", payload: "{}" };
      feed.push({ entry, gateway: "g" });
    }
  };
  const load = async (from = 0, to = feed.end, chars?: number) => {
    const { lines, next } = await feed.load(from, to, chars);
    return {
      next,
      files: lines.map((line) => decode(line).Extra?.file.map(({ Data }) => Buffer.from(Data, "base64").length)),
      texts: lines.map((line) => decode(line).text),
    };
  };
  return { store, feed, load, push };
}

test("a message with files is not to be had at once; what comes before it is", async () => {
  const { feed, load } = feedOf([[], ["3"], []]);
  expect(feed.lines(0, 3)?.lines).toHaveLength(1);
  expect(feed.lines(1, 3)).toBeNull();
  expect(await load()).toEqual({ next: 3, files: [undefined, [3], undefined], texts: ["", "3", ""] });
});

test("many readers cost one read, and get the same line", async () => {
  const { feed, load, store } = feedOf([["3"]]);
  await load();
  const [line] = feed.lines(0, 1)?.lines ?? [];
  expect(decode(line ?? "").Extra?.file).toMatchObject([{ Data: "eHh4", Size: 3 }]);
  await load();
  expect(store.opened).toEqual(["3"]);
});

test("what a read brings is bounded by its characters, one message at least", async () => {
  const { load } = feedOf([["3000"], ["3000"], ["3000"]]);
  expect((await load(0, 3, 9000)).next).toBe(2);
  expect((await load(1, 3, 10)).next).toBe(2);
});

test("files of all messages come at the same time, and none waits for another's content", async () => {
  const { load, store } = feedOf([["1"], ["2"], ["3"]]);
  const slow = Promise.withResolvers<ReadyFile>();
  store.answers.set("1", slow.promise);
  const loading = load();
  await expect.poll(() => store.asked).toEqual(["1", "2", "3"]);
  expect(store.opened).toEqual([]);
  slow.resolve({ ok: false, why: { code: "timeout", message: "its server does not answer" }, retry: true });
  const { files, texts } = await loading;
  expect(files).toEqual([undefined, [2], [3]]);
  expect(texts[0]).toBe("1 was shared, but cannot be shown here: its server does not answer");
});

test("who waits for a file misses nothing that comes meanwhile, whatever the Buffer", async () => {
  const { feed, load, store, push } = feedOf([["1"]]);
  const slow = Promise.withResolvers<ReadyFile>();
  store.answers.set("1", slow.promise);
  const loading = load();
  await expect.poll(() => store.asked).toEqual(["1"]);
  push(1000);
  feed.trim();
  expect(feed.start).toBe(0);
  push(20_000);
  feed.trim();
  expect(feed.start).toBe(feed.end - 10_000);
  slow.resolve({ ok: true, bytes: 1, mime: "x/y", sha256: "00", link: null });
  expect((await loading).next).toBe(1);
  expect(feed.start).toBe(feed.end - 100);
  push(1);
  feed.trim();
  expect(feed.kept).toBe(feed.end - 100);
});

test("one read asks for 32 messages with files", async () => {
  const { load, store } = feedOf(Array.from({ length: 40 }, () => ["1"]));
  expect((await load()).next).toBe(32);
  expect(store.asked).toHaveLength(32);
  expect((await load(32)).next).toBe(40);
});

test.each([null, "https://media.example/x"])(
  "a message holds 8 MiB of files; the rest are the address %j, or words",
  async (link) => {
    const { load } = feedOf([[String(5 * MIB), String(4 * MIB), String(2 * MIB)]], link);
    const { files, texts } = await load();
    expect(files).toEqual([link === null ? [5 * MIB, 2 * MIB] : [5 * MIB, 0, 2 * MIB]]);
    if (link === null)
      expect(texts[0]).toContain(
        `${4 * MIB} (4.0 MiB) was shared, but cannot be shown here: messages hold up to 8.0 MiB; set MediaBindAddress`,
      );
  },
);

test("too large for the store: the setting is named, and no link promises it", async () => {
  const { load, store } = feedOf([["9"]], "https://media.example/x");
  const why = { code: "too_large", message: "it is larger than MediaDownloadSize (8 bytes)" } as const;
  store.answers.set("9", { ok: false, why, retry: false });
  expect((await load()).texts).toEqual([
    "9 was shared, but cannot be shown here: it is larger than MediaDownloadSize (8 bytes); a larger MediaDownloadSize would let it through",
  ]);
});
