import { describe, expect, test } from "vitest";
import { shareOf } from "./beats.ts";
import { fits } from "./filter.ts";
import { layoutOf } from "./graph.ts";

describe("the picture", () => {
  const crossings = (left: readonly string[], right: readonly string[], edges: readonly string[]): number => {
    const at = edges.map((edge) => [left.indexOf(edge[0] ?? ""), right.indexOf(edge[1] ?? "")] as const);
    return at.flatMap(([a, x], index) => at.slice(index + 1).filter(([b, y]) => (a - b) * (x - y) < 0)).length;
  };

  test.each([
    [["a", "b", "c"], ["x", "y", "z"], ["az", "by", "cx"], 0],
    [["a", "b", "c", "d"], ["x", "y"], ["ay", "bx", "cy", "dx"], 0],
    [["a", "b"], ["x", "y"], ["ax", "ay", "bx", "by"], 1],
  ])("%s and %s linked by %s: %i crossings", (left, right, edges, most) => {
    const graph = { left, right, edges: edges.map(([l = "", r = ""]) => ({ left: l, right: r })) };
    const layout = layoutOf(graph);
    expect(crossings(layout.left, layout.right, edges)).toBe(most);
  });

  test("every node has a place of its own, also one without edges, and the shorter column stands in the middle", () => {
    const { at, rows, left } = layoutOf({ left: ["a", "b", "c"], right: ["x"], edges: [{ left: "b", right: "x" }] });
    expect(rows).toBe(3);
    expect(left[0]).toBe("b");
    expect(at.get("Rx")).toBe(1.5);
    expect(new Set(left.map((key) => at.get(`L${key}`))).size).toBe(3);
  });

  test("none at all", () => {
    expect(layoutOf({ left: [], right: [], edges: [] })).toMatchObject({ rows: 0, left: [], right: [] });
  });
});

test("a share is never rounded up to all", () => {
  const day = 86_400_000;
  expect(shareOf({ upMs: 0, downMs: 0 })).toBeNull();
  expect(shareOf({ upMs: 7, downMs: 0 })).toBe("100 %");
  expect(shareOf({ upMs: 90 * day, downMs: 1 })).toBe("99.99 %");
  expect(shareOf({ upMs: day, downMs: 60_000 })).toBe("99.93 %");
  expect(shareOf({ upMs: 3, downMs: 1 })).toBe("75.0 %");
  expect(shareOf({ upMs: 0, downMs: 5 })).toBe("0.0 %");
});

test.each([
  ["irc.libera #town", "town LIBERA", true],
  ["irc.libera #town", "", true],
  ["irc.libera #town", "  ", true],
  ["irc.libera #town", "town matrix", false],
])("%s has the words of %s: %s", (text, filter, wanted) => {
  expect(fits(text, filter)).toBe(wanted);
});
