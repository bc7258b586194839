import { describe, expect, test } from "vitest";
import { joinSources, settleSources } from "./sources.ts";

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

describe("joinSources", () => {
  const change = { before: ["a/#x", "b/#y"], after: ["b/#y", "c/#z"] };

  test("what is new begins at the head, and what goes stays until it has gone", () => {
    const value = joinSources('[["a/#x",3],["b/#y",7]]', change, 20);
    expect(value).toBe('[["b/#y",7],["c/#z",20],["a/#x",3]]');
    expect(settleSources(value, change.before, 30).value).toBe('[["a/#x",3],["b/#y",7]]');
    expect(settleSources(value, change.after, 30).value).toBe('[["b/#y",7],["c/#z",20]]');
  });

  test("what a change has left there that was refused counts for nothing", () => {
    const left = joinSources('[["a/#x",3],["b/#y",7]]', change, 20);
    expect(settleSources(joinSources(left, change, 30), change.after, 40).value).toBe('[["b/#y",7],["c/#z",30]]');
  });

  test("one machine alone takes away at once what goes", () => {
    const value = joinSources('[["a/#x",3],["b/#y",7]]', { ...change, isAlone: true }, 20);
    expect(value).toBe('[["b/#y",7],["c/#z",20]]');
  });

  test("one that changes nothing leaves the mark as it is", () => {
    const value = '[["a/#x",3],["b/#y",7]]';
    expect(joinSources(value, { before: change.before, after: change.before }, 20)).toBe(value);
    expect(joinSources(undefined, { before: [], after: ["a/#x"] }, 20)).toBe('[["a/#x",20]]');
  });
});
