import { expect, test } from "vitest";
import { Reader } from "./reader.ts";

/** A poll that is answered with these before anything else happens; what must not have come again. */
function poll(reader: Reader, life: number, ...keys: readonly string[]): readonly string[] {
  reader.ask(life);
  reader.answered();
  return [...reader.take(keys)];
}

test("a kill brings back the last answer, once, and none before it", () => {
  const reader = new Reader();
  expect([poll(reader, 1, "a"), poll(reader, 1, "b")]).toEqual([[], []]);
  expect(poll(reader, 2, "a", "b")).toEqual(["a"]);
  expect(poll(reader, 2, "b")).toEqual(["b"]);
  expect(poll(reader, 3, "b")).toEqual([]);
});

test("answers that overlapped come back together, in whatever order they were given", () => {
  const reader = new Reader();
  poll(reader, 1, "before");
  reader.ask(1);
  expect(poll(reader, 1, "second")).toEqual([]);
  reader.answered();
  expect([...reader.take(["first"])]).toEqual([]);
  reader.ask(2);
  expect(poll(reader, 2, "second")).toEqual([]);
  reader.answered();
  expect([...reader.take(["first"])]).toEqual([]);
  expect(poll(reader, 2, "before")).toEqual(["before"]);
});

test("a poll that nobody lived to answer changes nothing", () => {
  const reader = new Reader();
  poll(reader, 1, "a");
  reader.ask(1);
  expect(poll(reader, 2, "a")).toEqual([]);
});

test("behind an answer that broke, and while the log takes no position, more comes back", () => {
  const reader = new Reader();
  reader.ask(1);
  poll(reader, 1, "b");
  reader.answered();
  reader.broke();
  poll(reader, 1, "a");
  expect(poll(reader, 2, "a", "b")).toEqual([]);
  reader.marked(false);
  poll(reader, 2, "c");
  reader.marked(true);
  expect(poll(reader, 3, "a", "b", "c")).toEqual([]);
});
