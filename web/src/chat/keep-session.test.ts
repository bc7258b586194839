import { expect, onTestFinished, test, vi } from "vitest";
import { keepSession } from "./keep-session.ts";

test("an open page asks for its rooms, often enough for a session of an hour, until it is out", () => {
  vi.useFakeTimers();
  const asked: unknown[] = [];
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("fetch", async (path: unknown) => {
    asked.push(path);
    return await Promise.resolve(Response.json({ rooms: [] }));
  });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const stop = keepSession();
  vi.advanceTimersByTime(30 * 60_000);
  expect(asked).toEqual(["/v1/rooms", "/v1/rooms", "/v1/rooms"]);
  stop();
  vi.advanceTimersByTime(60 * 60_000);
  expect(asked).toHaveLength(3);
});
