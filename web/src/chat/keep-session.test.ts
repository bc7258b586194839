import { expect, onTestFinished, test, vi } from "vitest";
import { keepSession } from "./keep-session.ts";

test("a page that is open asks who it is, often enough for a session of an hour, until it is out", () => {
  vi.useFakeTimers();
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", async (path: unknown) => {
    asked.push(path);
    return await Promise.resolve(new Response("{}"));
  });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const stop = keepSession();
  vi.advanceTimersByTime(30 * 60_000);
  expect(asked).toEqual(["/v1/me", "/v1/me", "/v1/me"]);
  stop();
  vi.advanceTimersByTime(60 * 60_000);
  expect(asked).toHaveLength(3);
});
