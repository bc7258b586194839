import { createHash, randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { fileId } from "../../src/files/file-id.ts";
import type { FileStore } from "../../src/files/files.ts";
import {
  gone,
  had,
  never,
  opened,
  partsOf,
  remote,
  source,
  stage,
  textOf,
  tree,
  wanted,
} from "../../src/files/stage.suite.ts";
import { LOG_ACCOUNT } from "../../src/log/fence.ts";
import { connectNats } from "../../src/log/nats/connect.ts";
import { knowsHolder, node, ownServers, raises, servers } from "../../src/log/nats/nodes.suite.ts";
import { Objects } from "../../src/log/nats/objects.ts";
import { openStream } from "../../src/log/nats/stream.ts";
import { needs } from "../servers/installed.ts";
import type { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/wait.ts";

const MEBIBYTE = 1024 * 1024;
const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
const stored = (hash: string) => fileId({ is: "stored", sha256: hash });

/** Stores of two nodes, each in a folder of its own; the second has no session of any network. */
async function two(count = 1, start = servers) {
  const cluster = await start(count);
  const shard = randomUUID();
  const [log, otherLog] = [await node(cluster, "n1", { shard }), await node(cluster, "n2", { shard })];
  const [one, other] = [await log.files(64 * MEBIBYTE), await otherLog.files(64 * MEBIBYTE)];
  const media = { downloadSize: 4 * MEBIBYTE };
  const sources = source((ref) => opened(`of ${ref}`, { mime: "text/plain" }));
  const asked = source(() => gone);
  const first = await stage({ shared: one, media, sources });
  const second = await stage({ shared: other, media, sources: asked });
  const nc = await connectNats({ servers: cluster.servers, node: "test", auth: null, tls: null });
  onTestFinished(() => nc.close());
  const stream = await openStream(nc, shard, count);
  return { cluster, shard, stream, first, second, asked, one, other, log, otherLog };
}

const parts = async function* (content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 50_000) yield await Promise.resolve(content.subarray(at, at + 50_000));
};

async function take(files: FileStore, content: Uint8Array) {
  return await files.take(parts(content), { name: "a.bin", mime: null });
}

async function served(files: FileStore, link: string | null): Promise<string> {
  const found = await files.published(...partsOf(link));
  if (found.is !== "file") return found.is;
  const chunks = [];
  for await (const chunk of found.file.read(0, found.file.bytes - 1)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Lets time pass until it is done. */
async function passes(clock: FakeClock, done: Promise<unknown>): Promise<void> {
  const state = { isDone: false };
  const noted = done.then(() => (state.isDone = true));
  while (!state.isDone) {
    await clock.advance(500);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await noted;
}

const contents = (dataPath: string): string[] => tree(join(dataPath, "files", "content"));

needs(["nats-server"], () => {
  test.each([1, 3])("what one node has taken in, another has, with %i servers", async (count) => {
    const { first, second, asked } = await two(count);
    const large = randomBytes(3 * MEBIBYTE + 17);
    expect(await take(first.files, large)).toMatchObject({ ok: true, sha256: sha256(large) });
    expect(await first.files.keep(Buffer.from("inside"), "in.txt")).toBe(sha256("inside"));
    expect(await first.files.keep(Buffer.alloc(0), "empty")).toBe(sha256(""));
    const { link } = had(await first.files.ready(wanted(remote("r"), "r.csv"), never));
    const sealed = first.files.linkFor(remote("r"), "r.csv");
    const text = await first.files.publish("long words");

    expect(contents(second.dataPath)).toEqual([]);
    const answer = await second.files.open(stored(sha256(large)), never);
    if (!answer.ok) throw new Error(answer.why.message);
    expect(sha256(Buffer.from(await new Response(answer.stream).arrayBuffer()))).toBe(sha256(large));
    expect(await second.files.held(sha256("inside"), "in.txt")).toMatchObject({ is: "file", file: { bytes: 6 } });
    expect(await second.files.held(sha256(""), "empty")).toMatchObject({ is: "file", file: { bytes: 0 } });
    // By the link alone, before anybody has asked for the file.
    expect(await served(second.files, link)).toBe("of r");
    expect(await served(second.files, text)).toBe("long words");
    expect(await served(second.files, sealed)).toBe("of r");
    const ready = had(await second.files.ready(wanted(remote("r"), "r.csv"), never));
    expect(ready).toMatchObject({ sha256: sha256("of r"), mime: "text/csv" });
    expect(asked.open).not.toHaveBeenCalled();
    expect(contents(second.dataPath)).toHaveLength(5);
  });

  test("a file of a network that nobody has fetched is fetched, and what nobody has is gone", async () => {
    const { second, asked } = await two();
    expect(await second.files.ready(wanted(remote("new")), never)).toMatchObject({ why: { code: "not_found" } });
    expect(asked.open).toHaveBeenCalledTimes(1);
    expect(await second.files.ready(wanted(stored(sha256("never"))), never)).toMatchObject({ retry: false });
    expect(await second.files.held(sha256("never"), "a")).toEqual({ is: "gone" });
  });

  test("who asks for a content at the same time has it come once", async () => {
    const { first, second, other } = await two();
    const hash = sha256("once");
    await first.files.keep(Buffer.from("once"), "a.txt");
    const get = vi.spyOn(other, "get");
    const answers = await Promise.all(Array.from({ length: 5 }, () => second.files.open(stored(hash), never)));
    expect(await Promise.all(answers.map(textOf))).toEqual(Array.from({ length: 5 }, () => "once"));
    expect(get).toHaveBeenCalledTimes(1);
  });

  test("a content that is not what was put is not served, and nothing of it stays", async () => {
    const { first, second, stream, shard } = await two();
    const large = randomBytes(300_000);
    await take(first.files, large);
    const { jsm, js } = stream;
    const bucket = `OBJ_RIALTO_${shard}_FILES`;
    const filter = `$O.RIALTO_${shard}_FILES.C.>`;
    const [subject = ""] = Object.keys(
      (await jsm.streams.info(bucket, { subjects_filter: filter })).state.subjects ?? {},
    );
    const last = await jsm.streams.getMessage(bucket, { last_by_subj: subject });
    const bytes = Buffer.from(last?.data ?? "");
    bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
    await jsm.streams.deleteMessage(bucket, last?.seq ?? 0);
    // With a part missing, and then as many as before with another byte.
    for (const broken of ["missing", "other"]) {
      if (broken === "other") await js.publish(subject, bytes);
      expect(await second.files.ready(wanted(stored(sha256(large))), never)).toMatchObject({ ok: false, retry: true });
      expect(await second.files.held(sha256(large), "a")).toEqual({ is: "missing", retry: true });
    }
    expect(contents(second.dataPath)).toEqual([]);
  });

  test("with the servers away, what came inside a message is refused, and what is here goes on", async () => {
    const { first, second, cluster } = await two(1, ownServers);
    await first.files.keep(Buffer.from("before"), "a.txt");
    for (const server of cluster.nodes) server.signal("SIGSTOP");
    onTestFinished(() => {
      for (const server of cluster.nodes) server.signal("SIGCONT");
    });
    const taken = take(first.files, Buffer.from("upload"));
    const kept = first.files.keep(Buffer.from("inside"), "b.txt");
    const ready = first.files.ready(wanted(remote("r")), never);
    const held = second.files.held(sha256("before"), "a.txt");
    await passes(first.clock, Promise.all([taken, kept, ready]));
    expect(await taken).toMatchObject({
      ok: false,
      retry: true,
      why: { message: expect.stringContaining("servers") as unknown },
    });
    expect(await kept).toMatchObject({ why: { message: expect.stringContaining("servers") as unknown } });
    expect(had(await ready).bytes).toBe(4);
    await passes(second.clock, held);
    expect(await held).toEqual({ is: "missing", retry: true });
    expect(await textOf(await first.files.open(stored(sha256("before")), never))).toBe("before");
    for (const server of cluster.nodes) server.signal("SIGCONT");
    await eventually(
      () => first.files.keep(Buffer.from("inside"), "b.txt"),
      (word) => word === sha256("inside"),
      () => "the servers to take it",
    );
    expect(await second.files.held(sha256("inside"), "b.txt")).toMatchObject({ is: "file" });
  });

  test("what was not used for long goes, with what is known of it; what is over the limit goes, the oldest first", async () => {
    const { one, other, log, otherLog } = await two();
    const put = async (name: string): Promise<void> => {
      const content = Buffer.alloc(200_000, name);
      await one.put(sha256(content), parts(content), never);
      await one.note(sha256(name), { sha256: sha256(content), facts: "{}" }, never);
    };
    for (const name of ["a", "b", "c"]) await put(name);
    const left = async (): Promise<string> => {
      const there = await Promise.all(
        ["a", "b", "c"].map(async (name) => {
          const isThere = await one.use(sha256(Buffer.alloc(200_000, name)));
          expect((await one.noted(sha256(name))) !== null).toBe(isThere);
          return isThere ? name : "";
        }),
      );
      return there.join("");
    };
    expect(await one.sweep({ keepMs: 3_600_000, bytesMax: MEBIBYTE, room: 0 }, never)).toMatchObject({ removed: 0 });
    expect(await left()).toBe("abc");
    // Nobody holds the log yet: all may. Once another node does, it is for that one to say what is too old.
    expect(await raises(log, 1, LOG_ACCOUNT)).toBe(true);
    await knowsHolder(otherLog, log);
    expect(await other.sweep({ keepMs: -1, bytesMax: MEBIBYTE, room: 0 }, never)).toMatchObject({ removed: 0 });
    expect(await left()).toBe("abc");
    expect(await one.sweep({ keepMs: 3_600_000, bytesMax: 500_000, room: 0 }, never)).toMatchObject({ removed: 2 });
    expect(await left()).toBe("bc");
    expect(await one.sweep({ keepMs: -1, bytesMax: MEBIBYTE, room: 0 }, never)).toEqual({ bytes: 0, removed: 4 });
    expect(await left()).toBe("");
  });

  test("what is over the limit goes by its rank, and of equal ranks the oldest first", async () => {
    const { one } = await two();
    const contents = ["a", "b", "c"].map((name) => Buffer.alloc(200_000, name));
    for (const content of contents) await one.put(sha256(content), parts(content), never);
    const [kept, ...others] = contents.map(sha256);
    const ranking = (): Promise<(name: string) => number> => Promise.resolve((name) => (name === kept ? 1 : 0));
    const limits = { keepMs: 3_600_000, bytesMax: 500_000, room: 0, ranking };
    expect(await one.sweep(limits, never)).toMatchObject({ removed: 1 });
    expect(await Promise.all([kept, ...others].map(async (name = "") => await one.use(name)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("who finds no room for a file makes some, also where another sweeps, and nothing is left of what was refused", async () => {
    const { one, other, log, otherLog, stream, shard } = await two();
    expect(await raises(log, 1, LOG_ACCOUNT)).toBe(true);
    await knowsHolder(otherLog, log);
    await stream.jsm.streams.update(`OBJ_RIALTO_${shard}_FILES`, { max_bytes: 2 * MEBIBYTE });
    const [oldest, newer, last] = ["a", "b", "c"].map((name) => Buffer.alloc(900_000, name)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const put = async (content: Buffer): Promise<boolean> => await other.put(sha256(content), parts(content), never);
    expect([await put(oldest), await put(newer), await put(last)]).toEqual([true, true, false]);
    const limits = { keepMs: 3_600_000, bytesMax: 2 * MEBIBYTE };
    expect(await other.sweep({ ...limits, room: 0 }, never)).toMatchObject({ removed: 0 });
    expect(await other.sweep({ ...limits, room: 1_000_000 }, never)).toMatchObject({ removed: 1 });
    expect(await put(last)).toBe(true);
    expect([await one.use(sha256(oldest)), await one.use(sha256(newer)), await one.use(sha256(last))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("a sweep leaves alone what is on its way, and what was used after it had looked", async () => {
    const { one, other, stream, shard } = await two();
    const large = randomBytes(500_000);
    const begun = Promise.withResolvers<undefined>();
    const swept = Promise.withResolvers<undefined>();
    const slow = async function* (): AsyncGenerator<Uint8Array> {
      yield large.subarray(0, 400_000);
      begun.resolve(undefined);
      await swept.promise;
      yield large.subarray(400_000);
    };
    const putting = other.put(sha256(large), slow(), never);
    await begun.promise;
    await one.sweep({ keepMs: -1, bytesMax: 1, room: 0 }, never);
    swept.resolve(undefined);
    await putting;
    expect(await one.use(sha256(large))).toBe(true);
    const objects = await Objects.open(stream, `RIALTO_${shard}_FILES`, { replicas: 1, subjects: [] });
    const [before] = await objects.listed();
    if (before === undefined) throw new Error("nothing is listed");
    expect(await objects.touch(before)).toBe(true);
    expect(await objects.touch(before)).toBe(false);
    expect(await objects.removeListed(before)).toBe(false);
    expect(await one.use(sha256(large))).toBe(true);
  });

  test("a content of which a part was lost is put again", async () => {
    const { first, one, stream, shard } = await two();
    const hash = sha256("whole");
    await one.put(hash, parts(Buffer.from("whole")), never);
    await stream.jsm.streams.purge(`OBJ_RIALTO_${shard}_FILES`, { filter: `$O.RIALTO_${shard}_FILES.C.>` });
    expect(await one.use(hash)).toBe(false);
    expect(await first.files.keep(Buffer.from("whole"), "a")).toBe(hash);
    expect(await one.use(hash)).toBe(true);
  });

  test("the secret is the same for all, also for two that begin at once, and the bucket has a limit", async () => {
    const { one, other, stream, shard, cluster } = await two();
    await stream.jsm.streams.purge(`OBJ_RIALTO_${shard}_FILES`, { filter: `r.k.${shard}` });
    const secrets = await Promise.all([one.secret(), other.secret(), one.secret()]);
    expect(secrets.map((secret) => Buffer.from(secret).toString("hex"))).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^[0-9a-f]{64}$/) as unknown),
    );
    expect(new Set(secrets.map((secret) => Buffer.from(secret).toString("hex"))).size).toBe(1);
    const limit = async () => (await stream.jsm.streams.info(`OBJ_RIALTO_${shard}_FILES`)).config.max_bytes;
    expect(await limit()).toBe(144 * MEBIBYTE);
    const log = await node(cluster, "n3", { shard });
    await log.files(8 * MEBIBYTE);
    expect(await limit()).toBe(74 * MEBIBYTE);
    await expect(log.files(1e12)).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("MediaBytes") as unknown,
    });
  });
});
