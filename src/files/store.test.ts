import { createHash } from "node:crypto";
import { mint } from "../contract/ids.ts";
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { OpenedFile } from "../contract/session.ts";
import { fileId } from "./file-id.ts";
import {
  codeOf,
  DAY_MS,
  gone,
  had,
  never,
  opened,
  remote,
  source,
  stage,
  textOf,
  tree,
  wanted,
} from "./stage.suite.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a file of a network is fetched once, kept by its hash, and opened from the disk", async () => {
  const sources = source(() => opened("hello", { mime: "text/plain" }));
  const { files, dataPath } = await stage({ sources });
  const file = had(await files.ready(wanted(remote("r"), "a.txt"), never));
  expect(file).toMatchObject({ bytes: 5, mime: "text/plain", sha256: sha256("hello") });
  expect(sources.open).toHaveBeenCalledWith("net.one", "r", expect.any(AbortSignal));
  const answer = await files.open(remote("r"), never);
  expect(answer).toMatchObject({ bytes: 5, mime: "text/plain" });
  expect(await textOf(answer)).toBe("hello");
  expect(await textOf(await files.open(remote("r"), never))).toBe("hello");
  expect(sources.open).toHaveBeenCalledTimes(1);
  const hash = sha256("hello");
  expect(tree(join(dataPath, "files", "content"))).toEqual([join(hash.slice(0, 2), hash.slice(2))]);
  expect(tree(join(dataPath, "files", "tmp"))).toEqual([]);
});

test("nobody else on the machine reads the store", async () => {
  const { files, dataPath } = await stage({ sources: source(() => opened("x")) });
  had(await files.ready(wanted(remote("r")), never));
  const folder = join(dataPath, "files");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of tree(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("asks at the same time are one fetch, and equal contents are kept once", async () => {
  const started = Promise.withResolvers<OpenedFile>();
  const sources = source((ref) => (ref === "slow" ? started.promise : opened("same")));
  const { files, dataPath } = await stage({ sources });
  const asks = Array.from({ length: 5 }, () => files.ready(wanted(remote("slow")), never));
  await expect.poll(() => sources.open).toHaveBeenCalled();
  started.resolve(opened("same"));
  for (const ask of asks) had(await ask);
  expect(sources.open).toHaveBeenCalledTimes(1);
  had(await files.ready(wanted(remote("other")), never));
  expect(tree(join(dataPath, "files", "content"))).toHaveLength(1);
});

test("who gives up does not take the others along; the last one ends the fetch", async () => {
  let seen: AbortSignal | null = null;
  const started = Promise.withResolvers<OpenedFile>();
  const open = vi.fn<(account: string, ref: string, signal: AbortSignal) => Promise<OpenedFile>>((_a, _r, signal) => {
    seen = signal;
    return started.promise;
  });
  const { files } = await stage({ sources: { open } });
  const [one, two] = [new AbortController(), new AbortController()];
  const asks = [one, two].map(({ signal }) => files.ready(wanted(remote("r")), signal));
  await expect.poll(() => open).toHaveBeenCalled();
  one.abort();
  expect(await asks[0]).toMatchObject({ ok: false, retry: true });
  expect(seen).toMatchObject({ aborted: false });
  two.abort();
  expect(await asks[1]).toMatchObject({ ok: false, retry: true });
  expect(seen).toMatchObject({ aborted: true });
});

test("a source that fails is asked again", async () => {
  let answer: OpenedFile = { ok: false, why: { code: "network", message: "no session" } };
  const { files } = await stage({ sources: source(() => answer) });
  expect(await files.ready(wanted(remote("r")), never)).toMatchObject({
    ok: false,
    why: { code: "network" },
    retry: true,
  });
  answer = opened("there");
  expect(had(await files.ready(wanted(remote("r")), never)).bytes).toBe(5);
});

test("what is not there is not asked for with every message, and is after a while", async () => {
  const sources = source(() => gone);
  const { files, clock } = await stage({ sources });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await files.ready(wanted(remote("r")), never)).toMatchObject({
      ok: false,
      why: { code: "not_found" },
      retry: false,
    });
  }
  expect(sources.open).toHaveBeenCalledTimes(1);
  await clock.advance(11 * 60_000);
  await files.ready(wanted(remote("r")), never);
  expect(sources.open).toHaveBeenCalledTimes(2);
});

test("a stream that breaks off leaves nothing behind", async () => {
  const broken = (): OpenedFile => ({
    ok: true,
    bytes: 100,
    mime: null,
    stream: new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from("half")),
      pull: (controller) => controller.error(new Error("gone")),
    }),
  });
  const { files, dataPath } = await stage({ sources: source(broken) });
  expect(await files.ready(wanted(remote("r")), never)).toMatchObject({ ok: false, retry: true });
  expect(tree(join(dataPath, "files")).filter((name) => name !== "secret")).toEqual([]);
});

test("a file without end is cut off at the limit, whatever it claims", async () => {
  let sent = 0;
  let left = false;
  const endless = (): OpenedFile => ({
    ok: true,
    bytes: 1000,
    mime: null,
    stream: new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => void (left = true),
    }),
  });
  const { files, dataPath } = await stage({ sources: source(endless) });
  const answer = await files.ready(wanted(remote("r"), "a.bin", { bytes: 1000 }), never);
  expect(answer).toMatchObject({ ok: false, why: { code: "too_large" }, retry: false });
  expect(sent).toBeLessThan(1_400_000);
  expect(left).toBe(true);
  expect(tree(join(dataPath, "files")).filter((name) => name !== "secret")).toEqual([]);
});

test("what says itself that it is too large, or has a forbidden name, is not fetched", async () => {
  const sources = source(() => opened("x"));
  const { files } = await stage({ sources, blacklisted: (name) => name.endsWith(".exe") });
  expect(codeOf(await files.ready(wanted(remote("a"), "a", { bytes: 1_000_001 }), never))).toBe("too_large");
  for (const name of ["b.exe", "b.exe\u200b", "b.exe.", "x/b.exe\n"]) {
    expect([name, codeOf(await files.ready(wanted(remote("b"), name), never))]).toEqual([name, "forbidden"]);
    expect(await files.keep(Buffer.from("x"), name)).toBeNull();
    expect(files.linkFor(remote("b"), name)).toBeNull();
  }
  expect(await files.keep(Buffer.from("x"), "b.exe")).toBeNull();
  expect(sources.open).not.toHaveBeenCalled();
});

test("after a restart it is known what was fetched, and what a crash left half-written is gone", async () => {
  const sources = source(() => opened("hello"));
  const { files, dataPath } = await stage({ sources });
  const before = had(await files.ready(wanted(remote("r"), "a.txt"), never));
  await files.close();
  writeFileSync(join(dataPath, "files", "tmp", "half"), "x");
  const later = await stage({ sources, dataPath });
  expect(had(await later.files.ready(wanted(remote("r"), "a.txt"), never))).toEqual(before);
  expect(sources.open).toHaveBeenCalledTimes(1);
  expect(tree(join(dataPath, "files", "tmp"))).toEqual([]);
});

test("what the disk has lost, or half of, is fetched again", async () => {
  const sources = source(() => opened("hello"));
  const { files, dataPath } = await stage({ sources });
  had(await files.ready(wanted(remote("r")), never));
  const [name = ""] = tree(join(dataPath, "files", "content"));
  writeFileSync(join(dataPath, "files", "content", name), "hel");
  expect(await textOf(await files.open(remote("r"), never))).toBe("hello");
  expect(sources.open).toHaveBeenCalledTimes(2);
});

test("content that came inside a message is kept; its id leads to it, and to nothing when it is gone", async () => {
  const { files } = await stage();
  const hash = await files.keep(Buffer.from("inside"), "a.txt");
  expect(hash).toBe(sha256("inside"));
  const id = fileId({ is: "stored", sha256: sha256("inside") });
  expect(had(await files.ready(wanted(id, "a.txt"), never))).toMatchObject({ bytes: 6, mime: "text/plain" });
  expect(await textOf(await files.open(id, never))).toBe("inside");
  expect(await files.keep(Buffer.alloc(1_000_001), "b")).toBeNull();
  const other = fileId({ is: "stored", sha256: sha256("never seen") });
  expect(await files.ready(wanted(other), never)).toMatchObject({
    ok: false,
    why: { code: "not_found" },
    retry: false,
  });
});

test("an empty file is a file", async () => {
  const { files } = await stage({ sources: source(() => opened("")) });
  expect(had(await files.ready(wanted(remote("r")), never)).bytes).toBe(0);
  expect(await textOf(await files.open(remote("r"), never))).toBe("");
});

test("what is stuck is given up, and its place is free again", async () => {
  const sources = source((ref) =>
    ref === "stuck" ? { ok: true, bytes: null, mime: null, stream: new ReadableStream<Uint8Array>() } : opened("x"),
  );
  const { files, clock } = await stage({ sources, test: { singleFlight: { runningMax: 1, waitingMax: 1 } } });
  const stuck = files.ready(wanted(remote("stuck")), never);
  await expect.poll(() => sources.open).toHaveBeenCalled();
  // Whichever comes first waits, and there is no room for the other.
  const asked = ["one", "two"].map(async (ref) => await files.open(remote(ref), never));
  expect(codeOf(await Promise.race(asked))).toBe("rate_limited");
  await clock.advance(21_000);
  expect(await stuck).toMatchObject({ ok: false, why: { code: "timeout" }, retry: true });
  const answers = await Promise.all(asked);
  expect(answers.filter(({ ok }) => ok)).toMatchObject([{ bytes: 1 }]);
});

test("what is slow keeps nobody else waiting", async () => {
  const sources = source((ref) =>
    ref === "slow" ? { ok: true, bytes: null, mime: null, stream: new ReadableStream<Uint8Array>() } : opened("x"),
  );
  const { files } = await stage({ sources, test: { singleFlight: { runningMax: 3, groupMax: 1 } } });
  const slow = (name: string) => fileId({ is: "remote", account: "net.slow", ref: mint("FileRef", `slow${name}`) });
  const open = sources.open.getMockImplementation();
  sources.open.mockImplementation(async (account, ref, signal) => await open!(account, ref.slice(0, 4), signal));
  const leaving = new AbortController();
  const stuck = ["1", "2", "3"].map((name) => files.ready(wanted(slow(name)), leaving.signal));
  await expect.poll(() => sources.open).toHaveBeenCalled();
  expect(had(await files.ready(wanted(remote("r")), never)).bytes).toBe(1);
  expect(sources.open).toHaveBeenCalledTimes(2);
  leaving.abort();
  for (const each of stuck) expect(codeOf(await each)).toBe("stopping");
  expect(
    had(await files.ready(wanted(fileId({ is: "remote", account: "net.slow", ref: mint("FileRef", "fast") })), never))
      .bytes,
  ).toBe(1);
});

test("a drip that never ends is given up as well", async () => {
  const drips: (() => void)[] = [];
  const stream = new ReadableStream<Uint8Array>(
    { pull: (controller) => new Promise((resolve) => drips.push(() => resolve(controller.enqueue(Buffer.from("."))))) },
    { highWaterMark: 0 },
  );
  const sources = source(() => ({ ok: true, bytes: null, mime: null, stream }));
  const { files, clock } = await stage({ sources, test: { singleFlight: { totalMs: 60_000 } } });
  const answer = files.open(remote("r"), never);
  for (let turn = 0; turn < 6; turn += 1) {
    // The next one is asked for when the last one has counted as progress.
    await expect.poll(() => drips).toHaveLength(turn + 1);
    drips[turn]?.();
    await expect.poll(() => drips).toHaveLength(turn + 2);
    await clock.advance(10_000);
  }
  expect(await answer).toMatchObject({
    ok: false,
    why: { code: "timeout", message: "the transfer did not finish within 60 s" },
  });
});

test("a full disk is said, and heals", async () => {
  let free = 0;
  const { files } = await stage({
    sources: source(() => opened("x")),
    test: { freeBytes: () => Promise.resolve(free) },
  });
  expect(await files.ready(wanted(remote("r")), never)).toMatchObject({
    ok: false,
    why: { code: "config" },
    retry: true,
  });
  free = 1024 ** 3;
  had(await files.ready(wanted(remote("r")), never));
});

test("content of a message that the disk does not take is given up, whatever the disk says", async () => {
  const { files } = await stage({ test: { freeBytes: () => Promise.reject(new Error("EIO")) } });
  expect(await files.keep(Buffer.from("x"), "a")).toBeNull();
  expect(await files.publish("x")).toBeNull();
});

test("a stop ends what is under way", async () => {
  const sources = source(() => ({ ok: true, bytes: null, mime: null, stream: new ReadableStream<Uint8Array>() }));
  const { files } = await stage({ sources });
  const ask = files.ready(wanted(remote("r")), never);
  await expect.poll(() => sources.open).toHaveBeenCalled();
  await files.close();
  expect(await ask).toMatchObject({ ok: false, retry: true });
  expect(codeOf(await files.ready(wanted(remote("s")), never))).toBe("stopping");
});

test("an abort ends a stream that somebody reads", async () => {
  const { files } = await stage({ sources: source(() => opened(new Uint8Array(500_000))) });
  had(await files.ready(wanted(remote("r")), never));
  const reading = new AbortController();
  const answer = await files.open(remote("r"), reading.signal);
  if (!answer.ok) throw new Error(answer.why.message);
  const reader = answer.stream.getReader();
  expect((await reader.read()).value?.length).toBe(16_384);
  reading.abort();
  await expect(reader.read()).rejects.toThrow(/abort/u);
});

test("the longest unused goes when the store is full, and all of it when it is old", async () => {
  const { files, clock, dataPath } = await stage({
    sources: source((ref) => opened(ref.repeat(500_000))),
    media: { storeBytes: 1_200_000, endpoint: null },
  });
  for (const ref of ["a", "b"]) had(await files.ready(wanted(remote(ref)), never));
  const content = join(dataPath, "files", "content");
  const ofA = sha256("a".repeat(500_000));
  const old = new Date(clock.nowMs() - DAY_MS);
  utimesSync(join(content, ofA.slice(0, 2), ofA.slice(2)), old, old);
  had(await files.ready(wanted(remote("c")), never));
  await expect.poll(() => tree(content)).toHaveLength(2);
  const left = tree(content).map((name) => readFileSync(join(content, name), "utf8")[0]);
  expect(new Set(left)).toEqual(new Set(["b", "c"]));
  await expect
    .poll(async () => {
      await clock.advance(DAY_MS);
      return tree(content);
    })
    .toEqual([]);
});

test("an index that is torn is made again", async () => {
  const sources = source(() => opened("hello"));
  const { files, dataPath } = await stage({ sources });
  had(await files.ready(wanted(remote("r")), never));
  await files.close();
  const index = join(dataPath, "files", "index");
  for (const torn of ["", "{", "{}", "null", '{"sha256":"../../secret","bytes":32}']) {
    for (const name of tree(index)) writeFileSync(join(index, name), torn);
    const later = await stage({ sources, dataPath });
    expect(await textOf(await later.files.open(remote("r"), never))).toBe("hello");
    await later.files.close();
  }
});

test("an id that nobody made is a failure, not a crash", async () => {
  const { files } = await stage();
  expect(codeOf(await files.ready(wanted("x" as ReturnType<typeof remote>), never))).not.toBe("ok");
  expect(codeOf(await files.open("{}" as ReturnType<typeof remote>, never))).not.toBe("ok");
});
