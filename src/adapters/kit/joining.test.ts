import { expect, test } from "vitest";
import type { ChannelRef } from "../../contract/ids.ts";
import { Joining, notJoined } from "./joining.ts";

const never = new AbortController().signal;
const inside = { ok: true, ref: "#a" as ChannelRef, without: [] } as const;

test("the first result counts, and may come before or after what was tried", async () => {
  const joining = new Joining();
  expect(joining.settled).toBe(false);
  const joined = joining.run("#a", never, async () => {
    joining.settle(inside);
    joining.settle(notJoined("timeout", "too late"));
    await Promise.resolve();
  });
  expect([await joined, joining.settled]).toEqual([inside, true]);
});

test("the signal gives it up, also before it began", async () => {
  const aborted = new AbortController();
  const joining = new Joining();
  const joined = joining.run("#a\n", aborted.signal, async () => await Promise.resolve());
  aborted.abort();
  const why = { code: "stopping", message: "joining #a was cancelled" };
  expect(await joined).toEqual({ ok: false, why, retryInMs: null });
  const late = new Joining().run("#a", AbortSignal.abort(), async () => await Promise.resolve());
  expect(await late).toMatchObject({ ok: false, why });
});
