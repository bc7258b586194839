import { describe, expect, test } from "vitest";
import { channelRef, opIdAgain, progressAt } from "./ids.ts";
import { KeptDoubts } from "./kept-doubts.ts";

const C1 = channelRef("C1");
const op = (name: string) => opIdAgain(name);
const at = (second: number) => `${1_700_000_000 + second}.000000`;
const doubt = (floor: number, mark = progressAt("1.end")) => ({
  channel: C1,
  floor: at(floor),
  until: at(floor + 600),
  mark,
  files: ["F1"],
});

describe("doubts in a cursor", () => {
  test("are read as they were written, with the earliest place of each", () => {
    const kept = new KeptDoubts();
    expect([kept.moved, kept.write()]).toEqual([false, {}]);
    kept.add(op("a"), doubt(10, progressAt("1.0.0.0")));
    kept.add(op("a"), doubt(20));
    kept.add(op("b"), doubt(30));
    expect(kept.moved).toBe(true);
    const again = new KeptDoubts(kept.write());
    expect([...again.all]).toEqual([
      ["a", { ...doubt(20), floor: at(10) }],
      ["b", doubt(30)],
    ]);
    expect(kept.moved).toBe(false);
  });

  test("go with the next one of their channel that has ended", () => {
    const kept = new KeptDoubts();
    kept.add(op("a"), doubt(10));
    kept.end(op("a"), C1);
    kept.end(op("b"), channelRef("C2"));
    expect([...kept.all.keys()]).toEqual(["a"]);
    kept.end(op("b"), C1);
    expect(kept.write()).toEqual({});
  });

  test("are bounded, and others' records are none", () => {
    const kept = new KeptDoubts();
    for (let nth = 0; nth < 1_000; nth += 1) kept.add(op(`op ${nth}`), doubt(nth));
    expect(kept.all.size).toBe(200);
    expect([...kept.all.keys()].at(-1)).toBe("op 999");
    for (const doubts of [null, 7, [null, {}, { op: "a", channel: "C1", floor: "x", until: at(1), mark: "1.end" }]])
      expect(new KeptDoubts({ doubts }).all.size).toBe(0);
  });
});
