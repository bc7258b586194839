import { expect, test } from "vitest";
import { never } from "./served.suite.ts";
import { Turns } from "./turns.ts";

test("so many at a time, in the order in which they came", async () => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const take = async (name: string) => {
    const end = await turns.take(never);
    begun.push(name);
    return end;
  };
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => take(name));
  const endA = await a;
  await b;
  expect(begun).toEqual(["a", "b"]);
  endA?.();
  endA?.();
  const endC = await c;
  expect(begun).toEqual(["a", "b", "c"]);
  endC?.();
  await d;
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("whoever gives up takes no turn, not even one that comes at that moment", async () => {
  const turns = new Turns(1);
  const end = await turns.take(never);
  const [early, late] = [new AbortController(), new AbortController()];
  const [one, other] = [turns.take(early.signal), turns.take(late.signal)];
  early.abort();
  expect(await one).toBeNull();
  end?.();
  late.abort();
  expect(await other).toBeNull();
  expect(await turns.take(AbortSignal.abort())).toBeNull();
  expect(await turns.take(never)).not.toBeNull();
});
