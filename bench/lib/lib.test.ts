import { describe, expect, test } from "vitest";
import { markerIn, messageBody, readMarker, stamp } from "./marker.ts";
import { meets, table } from "./print.ts";
import { Durations, median, monotonic, slope } from "./stats.ts";

describe("figures", () => {
  test("median", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 10])).toBe(3);
    expect(median([])).toBeNaN();
  });

  test("slope", () => {
    expect(
      slope([
        [0, 5],
        [10, 25],
        [20, 45],
      ]),
    ).toBe(2);
    expect(
      slope([
        [0, 1],
        [1, 0],
        [2, 1],
        [3, 0],
      ]),
    ).toBeCloseTo(-0.2);
  });

  test("percentiles of 1 to 1000 ms", () => {
    const durations = new Durations();
    for (let ms = 1; ms <= 1000; ms += 1) durations.record(ms);
    const { count, p50, p99, max } = durations.percentiles();
    expect(count).toBe(1000);
    expect(p50).toBeCloseTo(500, -1);
    expect(p99).toBeCloseTo(990, -1);
    expect(max).toBeCloseTo(1000, -1);
  });

  test("durations outside the range count at its ends, none give no figure", () => {
    const durations = new Durations();
    expect(durations.percentiles().p99).toBeNaN();
    durations.record(-1);
    durations.record(1e12);
    expect(durations.percentiles().count).toBe(2);
  });
});

describe("marker", () => {
  test("what is stamped is read back, and the length stays", () => {
    const now = monotonic();
    const body = messageBody("bench", 200);
    const bytes = Buffer.from(body);
    stamp(bytes, markerIn(bytes), 123_456, now);
    expect(bytes).toHaveLength(200);
    const { text } = JSON.parse(bytes.toString()) as { text: string };
    const marker = readMarker(JSON.stringify({ text, channel: "api" }));
    expect(marker?.number).toBe(123_456);
    expect(marker?.ms).toBeCloseTo(now, 2);
  });

  test("other lines have none", () => {
    expect(readMarker('{"text":"","channel":"","event":"api_connected"}')).toBeNull();
    expect(() => markerIn(Buffer.from("{}"))).toThrow("no marker");
  });
});

describe("table", () => {
  const at = (value: number, op: "<=" | ">="): boolean =>
    meets({ what: "a", value, unit: "ms", goal: { op, value: 10 } });

  test("a goal is met at its bound, missed beyond it and when nothing was measured", () => {
    expect([at(10, "<="), at(10.1, "<="), at(10, ">="), at(9.9, ">=")]).toStrictEqual([true, false, true, false]);
    expect([at(Number.NaN, "<="), at(Number.NaN, ">=")]).toStrictEqual([false, false]);
  });

  test("shows value, goal and verdict; without goals only the value", () => {
    const results = [
      {
        name: "post",
        ok: true,
        figures: [{ what: "rate", value: 12_345.6, unit: "/s", goal: { op: ">=", value: 20_000 } }],
      },
      { name: "stream", ok: false, figures: [{ what: "delay", value: 0.12345, unit: "ms" }] },
    ] as const;
    expect(table(results, true).split("\n")).toStrictEqual([
      "post",
      "  rate                12 346 /s  >= 20 000  MISSED",
      "stream: did not work",
      "  delay                0.123 ms",
    ]);
    expect(table(results, false)).not.toContain("MISSED");
  });
});
