import { expect, test } from "vitest";
import { StreamReader } from "./reader.ts";
import type { CommitStream } from "./stream.ts";

const NEVER = new Promise<never>(() => undefined);

async function* silent() {
  yield await NEVER;
}

/** A stream whose consumer gives these places, although by then it begins elsewhere. */
function streamOf(places: readonly number[], firsts: readonly number[]): CommitStream {
  let asked = 0;
  const info = () => {
    const first = firsts[Math.min(asked, firsts.length - 1)] ?? 1;
    asked += 1;
    return Promise.resolve({ created: "then", state: { first_seq: first, last_seq: 100 } });
  };
  const messages = {
    stop: () => undefined,
    status: silent,
    async *[Symbol.asyncIterator]() {
      for (const streamSequence of places) yield await Promise.resolve({ info: { streamSequence } });
      await NEVER;
    },
  };
  const consumer = { consume: () => Promise.resolve(messages), delete: () => Promise.resolve(true) };
  const jetstreamManager = () => Promise.resolve({ streams: { info } });
  const js = { consumers: { get: () => Promise.resolve(consumer) }, jetstreamManager };
  const stream = { js, name: "S", subject: "s", identity: "S of then" };
  return stream as unknown as CommitStream;
}

test("commits that the servers have deleted before this node had them are not passed over", async () => {
  const taken: number[] = [];
  const stream = streamOf([5, 6, 40], [1, 40]);
  const reader = new StreamReader({
    stream,
    from: () => 5,
    take: ({ info }) => void taken.push(info.streamSequence),
    isShortened: () => Promise.resolve(true),
  });
  expect(await reader.ended).toMatchObject({
    code: "stream",
    message: expect.stringContaining("missing the commits from 7 on, and the stream S begins at 40") as unknown,
  });
  expect(taken).toEqual([5, 6]);
});

test.each([
  ["in the middle of the stream", [1]],
  ["at its beginning, which nothing but a deletion can have removed", [1, 7]],
])("the reader goes on behind a gap %s", async (_where, firsts) => {
  const taken: number[] = [];
  const done = Promise.withResolvers<void>();
  const stream = streamOf([5, 7], firsts);
  const reader = new StreamReader({
    stream,
    from: () => 5,
    take: ({ info }) => {
      taken.push(info.streamSequence);
      if (taken.length === 2) done.resolve();
    },
    isShortened: () => Promise.resolve(false),
  });
  const first = await Promise.race([done.promise.then(() => "taken"), reader.ended]);
  expect(first).toBe("taken");
  expect(taken).toEqual([5, 7]);
});

test("a consumer that is silent, because its server has ended, is left for a new one, which goes on behind what came", async () => {
  const taken: number[] = [];
  const done = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const lost = {
    stop: stopped.resolve,
    async *status() {
      yield await Promise.resolve({ type: "heartbeats_missed", count: 2 });
    },
    async *[Symbol.asyncIterator]() {
      yield await Promise.resolve({ info: { streamSequence: 5 } });
      await stopped.promise;
    },
  };
  const fresh = {
    stop: () => undefined,
    status: silent,
    async *[Symbol.asyncIterator]() {
      yield await Promise.resolve({ info: { streamSequence: 6 } });
      await NEVER;
    },
  };
  const asked: unknown[] = [];
  const get = (_name: string, { opt_start_seq }: { readonly opt_start_seq: number }) => {
    asked.push(opt_start_seq);
    const messages = asked.length === 1 ? lost : fresh;
    return Promise.resolve({ consume: () => Promise.resolve(messages), delete: () => Promise.resolve(true) });
  };
  const info = () => Promise.resolve({ created: "then", state: { first_seq: 1, last_seq: 6 } });
  const jetstreamManager = () => Promise.resolve({ streams: { info } });
  const stream = { js: { consumers: { get }, jetstreamManager }, name: "S", identity: "S of then" };
  const reader = new StreamReader({
    stream: stream as unknown as CommitStream,
    from: () => (taken.at(-1) ?? 4) + 1,
    take: ({ info: { streamSequence } }) => {
      taken.push(streamSequence);
      if (streamSequence === 6) done.resolve();
    },
    isShortened: () => Promise.resolve(true),
  });
  const first = await Promise.race([done.promise.then(() => "taken"), reader.ended]);
  expect(first).toBe("taken");
  expect(taken).toEqual([5, 6]);
  expect(asked).toEqual([5, 6]);
});
