import { describe, expect, test } from "vitest";
import { settleSources } from "./sources.ts";

describe("settleSources", () => {
  test("one number, as it was once written, stands for all subjects", () => {
    const { since } = settleSources("7", ["a/#x", "b/#y"], 20);
    expect([...since.values()]).toEqual([7, 7]);
  });

  test("a new reader hears everything from the head on", () => {
    expect(settleSources(undefined, ["a/#x", "b/#y"], 7)).toEqual({
      since: new Map([
        ["a/#x", 7],
        ["b/#y", 7],
      ]),
      value: '[["a/#x",7],["b/#y",7]]',
    });
  });

  test("what was there stays, what is new begins at the head, what left is forgotten", () => {
    const { value } = settleSources('[["a/#x",7],["b/#y",7]]', ["b/#y", "c/#z"], 20);
    expect(value).toBe('[["b/#y",7],["c/#z",20]]');
    expect(settleSources(value, ["b/#y", "c/#z"], 30).value).toBe(value);
    expect(settleSources(value, ["a/#x", "c/#z"], 30).value).toBe('[["a/#x",30],["c/#z",20]]');
  });
});
