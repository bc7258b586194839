import { describe, expect, test } from "vitest";
import type { TailLine } from "../../../src/admin/views.ts";
import { bytes, count, latency, moment, rate, utc } from "./format.ts";
import { NO_LINES, withLines } from "./lines.ts";
import { linkTo, placeOf } from "./place.ts";
import { plural, textsOf } from "./texts.ts";

describe("places", () => {
  test.each([
    ["", "", [], ""],
    ["#", "", [], ""],
    ["#/", "", [], ""],
    ["#/messages", "messages", [], ""],
    ["#/messages/812?q=a%20b&x=1", "messages", ["812"], "a b"],
    ["#/a/b%2Fc/%zz", "a", ["b/c", "%zz"], ""],
  ])("%s", (fragment, page, parts, q) => {
    const place = placeOf(fragment);
    expect([place.page, place.parts, place.query.get("q") ?? ""]).toEqual([page, parts, q]);
  });

  test("a link leads to the place that it was made of, whatever its parts are", () => {
    const href = linkTo(["messages", "a/b?c#d", 7], { q: "x&y=z", none: "" });
    const { page, parts, query } = placeOf(href);
    expect([page, parts, [...query]]).toEqual(["messages", ["a/b?c#d", "7"], [["q", "x&y=z"]]]);
  });
});

describe("lines", () => {
  const line = (seq: number): TailLine => {
    return { seq, atMs: seq, account: "a", channel: "c", gateways: ["g"], by: "b", event: "", text: "t" };
  };
  const seqs = (lines: typeof NO_LINES): readonly number[] =>
    lines.blocks.flatMap((block) => block.lines.map(({ seq }) => seq));
  const range = (from: number, to: number): TailLine[] => Array.from({ length: to - from }, (_, at) => line(from + at));

  test("stay in order, however many come at once, and whole blocks stay the same objects", () => {
    const first = withLines(NO_LINES, range(0, 120), 1000);
    const second = withLines(first, range(120, 123), 1000);
    expect(seqs(second)).toEqual(range(0, 123).map(({ seq }) => seq));
    expect(second.count).toBe(123);
    expect(second.blocks[0]).toBe(first.blocks[0]);
    expect(second.blocks[1]).toBe(first.blocks[1]);
    expect(new Set(second.blocks.map(({ key }) => key)).size).toBe(second.blocks.length);
  });

  test("the oldest blocks go when there are too many", () => {
    let lines = NO_LINES;
    for (let at = 0; at < 5000; at += 7) lines = withLines(lines, range(at, Math.min(5000, at + 7)), 200);
    expect(lines.count).toBeLessThanOrEqual(200);
    expect(lines.count).toBeGreaterThan(100);
    expect(seqs(lines).at(-1)).toBe(4999);
    expect(seqs(withLines(NO_LINES, range(0, 5000), 200)).length).toBe(200);
  });
});

test.each([
  [latency(0.84), "0.8 ms"],
  [latency(23.4), "23 ms"],
  [latency(1432), "1.4 s"],
  [latency(180_000), "3 min"],
  [rate(0), "0"],
  [rate(0.02), "<0.1"],
  [rate(0.24), "0.2"],
  [rate(14.2), "14"],
  [bytes(512), "512 B"],
  [bytes(1_500_000), "1.4 MiB"],
  [bytes(250 * 1024 ** 3), "250 GiB"],
  [utc(Date.UTC(2026, 4, 3, 14, 3, 22)), "2026-05-03 14:03:22 UTC"],
  [count(0), "0"],
])("%s", (said, wanted) => {
  expect(said).toBe(wanted);
});

test("a moment of another day says which day it was", () => {
  const nowMs = new Date(2026, 4, 3, 14, 3).getTime();
  expect(moment(nowMs, nowMs)).not.toContain(",");
  expect(moment(nowMs - 86_400_000, nowMs).length).toBeGreaterThan(moment(nowMs, nowMs).length);
});

test("texts are in the first language of the browser that there is a table for, or English", () => {
  const english = { hello: "Hello", of: (name: string) => `of ${name}` };
  const french = { hello: "Bonjour", of: (name: string) => `de ${name}` };
  expect(textsOf(english, { fr: french }, ["pt-BR", "fr-CA", "en"]).of("Rialto")).toBe("de Rialto");
  expect(textsOf(english, { fr: french }, ["en-GB", "fr"]).hello).toBe("Hello");
  expect(textsOf(english, { fr: french }, ["pt"]).hello).toBe("Hello");
  // @ts-expect-error -- a key is missing
  textsOf(english, { de: { hello: "Hallo" } });
  expect([plural(1, "room"), plural(2, "room"), plural(0, "entry", "entries")]).toEqual([
    "1 room",
    "2 rooms",
    "0 entries",
  ]);
});
