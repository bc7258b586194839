import { expect, onTestFinished, test, vi } from "vitest";
import { patiently } from "./stream.ts";

/** What the servers refuse, as often as that; then they give it. */
function given(refused: number): Promise<string> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let left = refused;
  return patiently("S", () => {
    if (left === 0) return Promise.resolve("given");
    left -= 1;
    return Promise.reject(Object.assign(new Error("insufficient storage resources available"), { code: 10047 }));
  });
}

test("a stream for which the servers have no room at first is waited for", async () => {
  const stream = given(3);
  const [outcome] = await Promise.all([stream, vi.advanceTimersByTimeAsync(5000)]);
  expect(outcome).toBe("given");
});

test("one for which they never have room is given up, and it is said why", async () => {
  const refused = given(Infinity).catch((error: unknown) => error);
  const [error] = await Promise.all([refused, vi.advanceTimersByTimeAsync(20_000)]);
  expect(error).toMatchObject({
    code: "unreachable",
    message: "The servers of the log do not give the stream S: insufficient storage resources available.",
  });
});
