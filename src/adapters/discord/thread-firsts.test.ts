import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { aMessage } from "./message.suite.ts";
import { ThreadFirsts } from "./thread-firsts.ts";

test("a thread that has just begun is known by what is said first in it, however many began before", () => {
  const nothing = async (): Promise<never> => await Promise.reject(new Error("nobody has to be asked"));
  const api = { message: nothing, messages: nothing };
  const firsts = new ThreadFirsts({ api, clock: new FakeClock(), parentOf: () => "5" });
  for (let count = 0; count <= 2_000; count += 1) firsts.begun(String(10_000 + count));
  firsts.note(aMessage({ id: "77777" }), "12000");
  expect(firsts.known("12000")).toBe("12000/77777");
});
