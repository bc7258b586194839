import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { LoopTurns } from "./loop-turns.ts";

/** Work that ends when the test says so, and writes down when it begins. */
function workOf(name: string, began: string[]): { readonly work: () => Promise<string>; readonly end: () => void } {
  const ended = Promise.withResolvers<void>();
  const work = async (): Promise<string> => {
    began.push(name);
    await ended.promise;
    return name;
  };
  return { work, end: () => ended.resolve() };
}

test("one piece of work runs at a time, in the order of arrival", async () => {
  const turns = new LoopTurns();
  const began: string[] = [];
  const [a, b, c] = [workOf("a", began), workOf("b", began), workOf("c", began)];
  const all = [a, b, c].map(({ work }) => turns.run(work));
  for (const { end } of [c, b]) end();
  await turn();
  await turn();
  expect(began).toEqual(["a"]);
  a.end();
  expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
  expect(began).toEqual(["a", "b", "c"]);
});

test("what the event loop has to do meanwhile comes before the next piece of work", async () => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const piece = (): void => {
    order.push("work");
    setImmediate(() => order.push("other"));
  };
  await Promise.all([turns.run(piece), turns.run(piece), turns.run(piece)]);
  expect(order).toEqual(["work", "other", "work", "other", "work"]);
});

test("work that fails, or throws, leaves the turn to the next", async () => {
  const turns = new LoopTurns();
  const fails = turns.run(async () => await Promise.reject(new Error("rejected")));
  const throws = turns.run(() => {
    throw new Error("thrown");
  });
  const works = turns.run(() => "done");
  await expect(fails).rejects.toThrow("rejected");
  await expect(throws).rejects.toThrow("thrown");
  expect(await works).toBe("done");
});
