import { expect, test } from "vitest";
import type { Access } from "../../access/access.ts";
import { ProblemError } from "./problems.ts";
import { HistoryTurns } from "./history-turns.ts";

const own = { token: null } as Access;
const ofToken = { token: "t" } as Access;
const never = new AbortController().signal;

test("one piece of work at a time, in the order of the requests", async () => {
  const turns = new HistoryTurns();
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const work = async (at: number): Promise<number> => {
    began.push(at);
    await new Promise<void>((resolve) => ends.push(resolve));
    return at;
  };
  const done = [0, 1, 2].map(async (at) => await turns.take({ access: own, signal: never }, () => work(at)));
  for (const at of done.keys()) {
    await expect.poll(() => began).toEqual([0, 1, 2].slice(0, at + 1));
    ends[at]?.();
  }
  expect(await Promise.all(done)).toEqual([0, 1, 2]);
});

test("work that fails does not keep others from their turn", async () => {
  const turns = new HistoryTurns();
  const failing = turns.take({ access: own, signal: never }, () => Promise.reject(new Error("no")));
  const next = turns.take({ access: own, signal: never }, () => Promise.resolve("next"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("a request whose client has gone is not worked on", async () => {
  const turns = new HistoryTurns();
  const client = new AbortController();
  const held = Promise.withResolvers<string>();
  const first = turns.take({ access: own, signal: never }, () => held.promise);
  const gone = turns.take({ access: own, signal: client.signal }, () => Promise.reject(new Error("worked")));
  client.abort();
  held.resolve("first");
  expect(await first).toBe("first");
  await expect(gone).rejects.toMatchObject({ code: "unavailable" });
});

test("a token may have 32 requests that wait, and leaves room for others", async () => {
  const turns = new HistoryTurns();
  const held = Promise.withResolvers<string>();
  const take = async (access: Access): Promise<unknown> =>
    await turns.take({ access, signal: never }, () => held.promise).catch((error: unknown) => error);
  const waiting = Array.from({ length: 32 }, () => take(ofToken));
  expect(await take(ofToken)).toBeInstanceOf(ProblemError);
  expect(await take(ofToken)).toMatchObject({ code: "rate_limited", headers: { "Retry-After": "1" } });
  const other = take(own);
  held.resolve("done");
  expect(new Set(await Promise.all([...waiting, other]))).toEqual(new Set(["done"]));
  expect(await take(ofToken)).toBe("done");
});
