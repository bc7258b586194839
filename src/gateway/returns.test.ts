import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { Returns } from "./returns.ts";
import { bare, both, type FakeBridge, named, FakeRooms } from "./returns.suite.ts";

const OURS: FakeBridge = { name: "rialto", frame: named, ways: both };

type Row = readonly [what: string, frame: FakeBridge["frame"], ways: FakeBridge["ways"], ours: FakeBridge["frame"]];

/** What other bridges do with the names of senders, and ours. */
const OTHERS: readonly Row[] = [
  ["both have frames", named, both, named],
  ["frames of another kind", (name) => `[irc] ${name}: `, both, named],
  ["the other has none", bare, both, named],
  ["ours has none", named, both, bare],
  ["none has one", bare, both, bare],
  ["the other carries one way only", named, { b: ["a"] }, named],
  ["the other carries one way only, without frames", bare, { b: ["a"] }, named],
  ["the other carries one way only, ours has no frames", named, { b: ["a"] }, bare],
];

function twoBridges([, frame, ways, ours]: Row, oursFirst = true): FakeRooms {
  const [mine, other] = [
    { ...OURS, frame: ours },
    { name: "other", frame, ways },
  ];
  return new FakeRooms(oursFirst ? [mine, other] : [other, mine], ["rialto"]);
}

describe("a loop through another bridge", () => {
  const rows = OTHERS.flatMap((row) => [true, false].map((first) => [row[0], first, row] as const));

  test.each(rows)("is broken: %s; we hear it first: %s", (_, first, row) => {
    const rooms = twoBridges(row, first);
    rooms.say("a", "anna", "hello");
    expect(rooms.withheld.length).toBeGreaterThan(0);
    expect(rooms.withheld.every(({ by }) => by === "other")).toBe(true);
    expect(rooms.said.length).toBeLessThan(60);
  });

  test.each(rows)("does not keep other messages from crossing: %s; we hear it first: %s", (_, first, row) => {
    const rooms = twoBridges(row, first);
    rooms.say("a", "anna", "hello");
    for (const text of ["hi", "hello there", "hello"]) {
      const { length } = rooms.said;
      rooms.say("b", "ben", text);
      const ours = rooms.said.slice(length).find(({ by }) => by === "rialto");
      expect(ours).toEqual({ room: "a", by: "rialto", text: `${row[3]("ben")}${text}` });
    }
  });

  test("is broken at the fifth link, and for 10 minutes at the first one", () => {
    const rooms = twoBridges(["", named, { b: ["a"] }, named]);
    const inA = (from: number): number => rooms.said.slice(from).filter(({ room }) => room === "a").length - 1;
    rooms.say("a", "anna", "hello");
    expect([inA(0), rooms.withheld.length]).toEqual([5, 1]);
    expect(rooms.returns.loops(rooms.nowMs)).toMatchObject([{ place: "a", name: "other", count: 1 }]);
    rooms.nowMs += 599_000;
    let { length } = rooms.said;
    rooms.say("a", "anna", "hello");
    expect([inA(length), rooms.withheld.length]).toEqual([1, 2]);
    rooms.nowMs += 2_000;
    expect(rooms.returns.loops(rooms.nowMs)).toEqual([]);
    ({ length } = rooms.said);
    rooms.say("a", "anna", "hello");
    expect([inA(length), rooms.withheld.length]).toEqual([5, 3]);
  });

  test("is one as well where a message has many lines, is long, or has invisible characters in it", () => {
    for (const text of ["one\ntwo", "long ".repeat(100), "a\u200bnna"]) {
      const rooms = twoBridges(["", named, both, named]);
      rooms.say("a", "anna", text);
      expect(rooms.withheld.length).toBeGreaterThan(0);
    }
  });
});

/** Bots of ours that hear each other in one room. */
function ownBots(names: readonly string[]): { readonly lines: number; readonly withheld: number } {
  const returns = new Returns();
  const queue = [{ by: "anna", text: "hello" }];
  let [lines, seq] = [0, 0];
  for (let next = queue.shift(); next !== undefined && lines < 20_000; next = queue.shift()) {
    lines += 1;
    const { by, text } = next;
    for (const bot of names.filter((name) => name !== by)) {
      seq += 1;
      returns.heard({ seq, place: `${bot}/x`, author: by, name: by, words: text, atMs: lines });
      if (returns.verdict(seq, lines) !== null) continue;
      for (const other of names.filter((name) => name !== bot)) {
        returns.written({ seq, place: `${other}/x`, frame: named(by), words: text, atMs: lines });
        queue.push({ by: other, text: named(by) + text });
      }
    }
  }
  return { lines, withheld: returns.withheld };
}

test.each([2, 3])("%i bots of ours that hear each other are stopped", (count) => {
  const { lines, withheld } = ownBots(["one", "two", "three"].slice(0, count));
  expect(withheld).toBeGreaterThan(0);
  expect(lines).toBeLessThan(5_000);
});

describe("what people say", () => {
  const line = fc.record({
    room: fc.constantFrom("a", "b"),
    who: fc.nat(15),
    text: fc.constantFrom("gg", "+1", "lol", "<anna> gg", "bob: gg", "gg gg", "👍"),
    afterMs: fc.nat(12_000),
  });

  /** Nobody says the same more than twice. */
  const independent = fc.array(line, { maxLength: 60 }).map((lines) => {
    const times = new Map<string, number>();
    return lines.filter(({ who, text }) => {
      const key = `${who} ${text}`;
      times.set(key, (times.get(key) ?? 0) + 1);
      return (times.get(key) ?? 0) <= 2;
    });
  });

  test.each([
    ["with frames", named],
    ["without frames", bare],
  ])("is never withheld because many say the same: %s", (_, frame) => {
    fc.assert(
      fc.property(independent, (lines) => {
        const rooms = new FakeRooms([{ ...OURS, frame }]);
        for (const { room, who, text, afterMs } of lines) {
          rooms.nowMs += afterMs;
          rooms.say(room, `${room}${who}`, text);
        }
        expect(rooms.withheld).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  test("is never withheld because one says the same again and again", () => {
    const rooms = new FakeRooms([OURS]);
    for (let time = 0; time < 50; time += 1) rooms.say("a", "anna", "hit");
    expect(rooms.withheld).toEqual([]);
  });

  test("is never withheld because many say it in turn on both sides", () => {
    const rooms = new FakeRooms([{ ...OURS, frame: bare }]);
    for (let time = 0; time < 50; time += 1) rooms.say(time % 2 === 0 ? "a" : "b", `person ${time}`, "gg");
    expect(rooms.withheld).toEqual([]);
  });

  test("no longer counts 10 s later", () => {
    const rooms = twoBridges(["", named, { b: ["a"] }, named]);
    const said = { a: 0, b: 0 };
    for (let text = "hello", hop = 0; hop < 20; hop += 1, text = `<rialto> <other> ${text}`) {
      const room = hop % 2 === 0 ? "a" : "b";
      said[room] += 1;
      rooms.nowMs += 10_001;
      rooms.returns.heard({ seq: 1_000 + hop, place: room, author: "x", name: "x", words: text, atMs: rooms.nowMs });
      expect(rooms.returns.verdict(1_000 + hop, rooms.nowMs)).toBeNull();
      rooms.returns.written({ seq: 1_000 + hop, place: "b", frame: "<x> ", words: text, atMs: rooms.nowMs });
    }
  });
});

test("a flood leaves no more behind than the bounds allow", () => {
  const returns = new Returns();
  for (let seq = 1; seq <= 200_000; seq += 1) {
    const atMs = seq / 100;
    returns.heard({ seq, place: "a", author: "x", name: "x", words: `message ${seq}`, atMs });
    returns.written({ seq, place: "b", frame: "<x> ", words: `message ${seq}`, atMs });
  }
  expect(returns.size).toBeLessThanOrEqual(100_100);
});
