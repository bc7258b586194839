import { PassThrough } from "node:stream";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../../test/support/fake-clock.ts";
import { ANN } from "../samples.suite.ts";
import type { KeptUpload } from "../uploads.ts";
import type { GuestCall, WebCall } from "./calls.ts";
import { fileRoutes } from "./files.ts";
import { inPace, SILENCE_MS } from "./pace.ts";
import { readBody } from "./requests.ts";
import { Incoming } from "./shares.ts";

const KIB_64 = 64 * 1024;

/** Reads a body of at most so many bytes; `ends` is set when that is over. */
function reading(bytes: number) {
  const clock = new FakeClock();
  const source = new PassThrough();
  const state = { bytes: 0, ends: "" };
  const read = async (): Promise<void> => {
    for await (const part of inPace(source, bytes, clock)) state.bytes += part.length;
  };
  read().then(
    () => (state.ends = "whole"),
    (error: unknown) => (state.ends = String(error)),
  );
  return { clock, source, state };
}

test("a body is over when nothing comes for a minute", async () => {
  const { clock, source, state } = reading(10 * KIB_64);
  source.write("x");
  await settled();
  await clock.advance(SILENCE_MS - 1);
  source.write("y");
  await settled();
  await clock.advance(SILENCE_MS - 1);
  await settled();
  expect(state).toEqual({ bytes: 2, ends: "" });
  await clock.advance(1);
  await settled();
  expect(state.ends).toContain("too slowly");
  expect(source.destroyed).toBe(false);
});

test("a body that comes byte by byte is over after two minutes and a second for each 64 KiB", async () => {
  const { clock, source, state } = reading(60 * KIB_64);
  for (let second = 0; second < 210; second += 30) {
    expect(state.ends).toBe("");
    source.write("x");
    await settled();
    await clock.advance(30_000);
    await settled();
  }
  expect(state.ends).toContain("too slowly");
});

test("a body that comes in time is read whole", async () => {
  const { source, state } = reading(KIB_64);
  source.write("x");
  source.end("y");
  await settled();
  await settled();
  expect(state).toEqual({ bytes: 2, ends: "whole" });
});

/** A call with a body that stands still, of so many bytes. */
function standing(clock: FakeClock, incoming: Incoming, owner: string, length = "100000") {
  const headers = { "content-type": "application/json", "content-length": length };
  const request = Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage;
  return { chat: { host: { clock } }, request, incoming, owner } as unknown as WebCall;
}

test("bodies of JSON that stand still have a share of their address, and are over after a minute", async () => {
  const [clock, incoming] = [new FakeClock(), new Incoming()];
  const bodies = Array.from({ length: 83 }, async () => await readBody(standing(clock, incoming, "one")));
  const unavailable = { refused: "unavailable" };
  expect(await readBody(standing(clock, incoming, "one"))).toMatchObject(unavailable);
  const other = readBody(standing(clock, incoming, "other"));
  await clock.advance(SILENCE_MS);
  const pending = Promise.resolve("still reads");
  const answers = await Promise.all([...bodies, other].map(async (one) => await Promise.race([one, pending])));
  expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answers).not.toContain("still reads");
  expect(await other).toMatchObject({ refused: "bad_request", detail: expect.stringContaining("60 s") as unknown });
  const call = standing(clock, incoming, "one", "2");
  (call.request as unknown as PassThrough).end("{}");
  expect(await readBody(call)).toEqual({ body: {} });
});

test("a file that stands still is over after a minute, and makes room for another", async () => {
  const [clock, incoming] = [new FakeClock(), new Incoming()];
  const keep = async (_id: string, source: AsyncIterable<Uint8Array>): Promise<KeptUpload> => {
    try {
      for await (const part of source) expect(part.length).toBe(0);
      return { ok: true, bytes: 0, mime: "image/png" };
    } catch {
      return { ok: false, why: "failed" };
    }
  };
  const settings = { MaxFileSize: 200_000, MaxFiles: 10 ** 9 };
  const chat = { settings, records: { unused: () => [] }, uploads: { keep }, host: { clock } };
  const call = standing(clock, incoming, "one");
  const [upload] = fileRoutes;
  let answer: unknown = null;
  const uploading = { ...call, chat, guest: ANN, query: new URLSearchParams() } as unknown as GuestCall;
  void Promise.resolve(upload?.handle(uploading)).then((reply) => (answer = reply));
  for (let count = 0; count < 3; count += 1) expect(incoming.upload("one", ANN.id)).not.toBeNull();
  expect(incoming.upload("one", ANN.id)).toBeNull();
  await clock.advance(SILENCE_MS);
  await settled();
  expect(answer).toMatchObject({ refused: "bad_request", detail: expect.stringContaining("too slowly") as unknown });
  expect(incoming.upload("one", ANN.id)).not.toBeNull();
});

test("an address has 8 uploads at a time, a guest 4, and an account 32", () => {
  const incoming = new Incoming();
  const take = (owner: string, guest: string): boolean => incoming.upload(owner, guest) !== null;
  const times = (count: number, owner: string, guest: string): readonly boolean[] =>
    Array.from({ length: count }, () => take(owner, guest));
  expect(times(5, "a", "ann")).toEqual([true, true, true, true, false]);
  expect(times(5, "a", "bob")).toEqual([true, true, true, true, false]);
  expect([take("a", "eve"), take("b", "ann"), take("b", "eve")]).toEqual([false, false, true]);
  for (let at = 0; at < 23; at += 1) expect(take(`c${at}`, `guest ${at}`)).toBe(true);
  expect(take("d", "last")).toBe(false);
  expect(new Incoming().upload("d", "last")).not.toBeNull();
});
