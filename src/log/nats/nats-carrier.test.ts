import { expect, onTestFinished, test, vi } from "vitest";
import { LogError } from "../errors.ts";
import { NO_COMMIT } from "./messages.ts";
import { NatsCarrier } from "./nats-carrier.ts";
import type { CommitStream } from "./stream.ts";

const NEVER = new Promise<never>(() => undefined);
const STORED = 7;

/** Servers that acknowledge what they are given, and bring so much of it. */
function carrierOf(brings: boolean, { keeps = true }: { readonly keeps?: boolean } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ids: string[] = [];
  const published = Promise.withResolvers<void>();
  const bodies: Uint8Array[] = [];
  const status = async function* () {
    yield await NEVER;
  };
  const consume = () => {
    const stopped = Promise.withResolvers<void>();
    const messages = {
      stop: stopped.resolve,
      status,
      async *[Symbol.asyncIterator]() {
        if (brings) {
          await published.promise;
          const info = { streamSequence: STORED, timestampNanos: 0 };
          yield { info, headers: { get: () => ids[0] }, data: bodies[0] };
        }
        await stopped.promise;
      },
    };
    return Promise.resolve(messages);
  };
  const get = vi.fn(() => Promise.resolve({ consume, delete: () => Promise.resolve(true) }));
  const publish = (_subject: string, body: Uint8Array, { msgID }: { readonly msgID: string }) => {
    ids.push(msgID);
    bodies.push(body);
    published.resolve();
    return Promise.resolve({ seq: STORED });
  };
  const state = { first_seq: 1, last_seq: STORED };
  const info = () => Promise.resolve({ created: "then", state });
  const jetstreamManager = () => Promise.resolve({ streams: { info } });
  const getMessage = () => Promise.resolve(keeps ? {} : null);
  const stream = {
    jsm: { streams: { getMessage } },
    nc: { status, close: () => Promise.resolve(), closed: () => NEVER },
    js: { consumers: { get }, publish, jetstreamManager },
    name: "S",
    identity: "S of then",
    subject: "s",
  } as unknown as CommitStream;
  const carrier = new NatsCarrier({
    stream,
    node: "n1",
    state: { applied: STORED - 1, resume: STORED, held: [], commits: [] },
    stamp: (ms) => ms,
    warn: () => undefined,
    isShortened: () => Promise.resolve(false),
  });
  const apply = vi.fn();
  carrier.attach({ apply, abandon: vi.fn(), refuse: vi.fn(), publish: vi.fn() });
  const done = vi.fn();
  carrier.send(NO_COMMIT, done);
  return { carrier, get, apply, done };
}

test("what the servers have acknowledged and do not bring is asked for anew, before the client misses anything", async () => {
  const { get, apply } = carrierOf(false);
  await vi.advanceTimersByTimeAsync(900);
  expect(get).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(get).toHaveBeenCalledTimes(2);
  expect(apply).not.toHaveBeenCalled();
});

test("what has come and takes long to be applied is not asked for anew", async () => {
  const { get, apply } = carrierOf(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(apply).toHaveBeenCalledTimes(1);
  expect(get).toHaveBeenCalledTimes(1);
});

test("it is stuck when what has come could not be applied for some time, until it is", async () => {
  const { carrier, apply } = carrierOf(true);
  apply.mockImplementation((_commit, done: (reply: LogError) => void) => done(new LogError("disk_full", "no room")));
  await vi.advanceTimersByTimeAsync(900);
  expect(carrier.isStuck).toBe(false);
  await vi.advanceTimersByTimeAsync(1500);
  expect(carrier.isStuck).toBe(true);
  apply.mockImplementation((_commit, done: (reply: unknown) => void) => done({ fate: "taken" }));
  await vi.advanceTimersByTimeAsync(2000);
  expect(carrier.isStuck).toBe(false);
});

test("a commit that was deleted from the stream before it came back gets an answer, and is reported", async () => {
  const { carrier, done } = carrierOf(false, { keeps: false });
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "unknown" }));
  expect(carrier.faults).toEqual({ skipped: 0, gaps: 1 });
});

test("a log that closes does not wait for ever for what the servers have and is not applied", async () => {
  const { carrier, done } = carrierOf(true);
  await vi.advanceTimersByTimeAsync(20_000);
  carrier.end();
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "unknown" }));
});
