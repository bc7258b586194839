import { expect, test } from "vitest";
import { StreamReader } from "./reader.ts";
import type { CommitStream } from "./stream.ts";

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
    async *[Symbol.asyncIterator]() {
      for (const streamSequence of places) yield await Promise.resolve({ info: { streamSequence } });
      await new Promise(() => undefined);
    },
  };
  const consumer = { consume: () => Promise.resolve(messages), delete: () => Promise.resolve(true) };
  const js = { consumers: { get: () => Promise.resolve(consumer) } };
  const stream = { js, jsm: { streams: { info } }, name: "S", subject: "s", identity: "S of then" };
  return stream as unknown as CommitStream;
}

test("commits that the servers have deleted before this node had them are not passed over", async () => {
  const taken: number[] = [];
  const stream = streamOf([5, 6, 40], [1, 40]);
  const reader = new StreamReader(
    stream,
    () => 5,
    ({ info }) => void taken.push(info.streamSequence),
  );
  expect(await reader.ended).toMatchObject({
    code: "format",
    message: expect.stringContaining("missing the commits from 7 on, and the stream S begins at 40") as unknown,
  });
  expect(taken).toEqual([5, 6]);
});

test("a place that the stream never had is none that is missing", async () => {
  const taken: number[] = [];
  const done = Promise.withResolvers<void>();
  const stream = streamOf([5, 7], [1]);
  const reader = new StreamReader(
    stream,
    () => 5,
    ({ info }) => {
      taken.push(info.streamSequence);
      if (taken.length === 2) done.resolve();
    },
  );
  const first = await Promise.race([done.promise.then(() => "taken"), reader.ended]);
  expect(first).toBe("taken");
  expect(taken).toEqual([5, 7]);
});
