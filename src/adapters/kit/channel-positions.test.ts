import { describe, expect, test } from "vitest";
import { ChannelPositions, type PositionScale } from "./channel-positions.ts";
import { type Json, NOTHING, isObject } from "./json.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const START_MS = Date.UTC(2024, 0, 1);

const TIMES: PositionScale<number> = {
  none: 0,
  read: (raw) => (typeof raw === "number" ? raw : null),
  isLater: (one, than) => one > than,
  msOf: (atMs) => atMs,
};

/** Seconds with six digits behind the point; empty: none. */
const TEXTS: PositionScale<string> = {
  none: "",
  read: (raw) => (raw === "" || (typeof raw === "string" && /^\d+\.\d{6}$/.test(raw)) ? raw : null),
  isLater: (one, than) => (one.length === than.length ? one > than : one.length > than.length),
  msOf: (text) => Number(text) * 1000,
};

/** As the disk has it. */
function written(positions: { write(): Json }): Json {
  const json: unknown = JSON.parse(JSON.stringify(positions.write()));
  if (!isObject(json)) throw new Error("it is no object");
  return json;
}

function describeScale<P>(name: string, scale: PositionScale<P>, at: (ms: number) => P): void {
  const open = (cursor: Json = NOTHING): ChannelPositions<P> => new ChannelPositions(cursor, scale);

  describe(`positions that are ${name}`, () => {
    test("nothing was read", () => {
      const positions = open();
      expect([positions.at, positions.ids, positions.of("a"), positions.moved]).toEqual([scale.none, [], null, false]);
    });

    test("what is written is read again, and has not moved then", () => {
      const positions = open();
      positions.begin("a", at(0));
      positions.begin("b", scale.none);
      positions.seen(at(1000));
      positions.fallBack("b");
      positions.seen(at(2000));
      positions.seen(at(500));
      positions.told("message", START_MS);
      expect(positions.moved).toBe(true);
      const again = open(written(positions));
      expect([positions.moved, again.moved]).toEqual([false, false]);
      expect([again.at, again.ids]).toEqual([at(2000), ["a", "b"]]);
      expect([again.of("a"), again.of("b")]).toEqual([
        { floor: at(0), behind: null },
        { floor: scale.none, behind: at(1000) },
      ]);
      expect(["a", "b", "c"].map((id) => again.sinceOf(id))).toEqual([at(2000), at(1000), at(2000)]);
      expect([again.wasTold("message", START_MS), again.wasTold("message", START_MS + 1)]).toEqual([true, false]);
    });

    test("a channel that is behind stays where it is until it has caught up", () => {
      const positions = open();
      positions.seen(at(1000));
      positions.begin("a", at(0));
      positions.joined("a");
      positions.left("a");
      positions.seen(at(2000));
      positions.fallBack("a");
      expect(positions.of("a")?.behind).toEqual(at(1000));
      positions.caughtUp("a");
      expect(positions.of("a")).toEqual({ floor: at(0), behind: null });
      positions.forget("a");
      expect(positions.of("a")).toBeNull();
    });

    test("what a channel is told that was never read changes nothing", () => {
      const positions = open();
      positions.joined("a");
      positions.fallBack("a");
      positions.caughtUp("a");
      positions.left("a");
      positions.forget("a");
      expect([positions.ids, positions.moved]).toEqual([[], false]);
    });

    test("what a message was told with is forgotten a minute later", () => {
      const positions = open();
      positions.told("message", START_MS);
      positions.seen(at(MINUTE_MS));
      expect(positions.wasTold("message", START_MS)).toBe(true);
      positions.seen(at(MINUTE_MS + 1));
      expect(positions.wasTold("message", START_MS)).toBe(false);
    });

    test("no more is kept than there is room for", () => {
      const positions = open();
      for (let count = 0; count <= 200; count += 1) positions.told(`message${count}`, START_MS);
      expect(["message0", "message1"].map((id) => positions.wasTold(id, START_MS))).toEqual([false, true]);
      for (let count = 0; count <= 2_000; count += 1) positions.begin(`channel${count}`, at(0));
      expect(positions.ids).toHaveLength(2_000);
    });

    test("a channel that no session has joined for a week is forgotten, none that was joined, or could not be yet", () => {
      /** Half an hour with these; answers with the next session. */
      const life = (positions: ChannelPositions<P>, fromMs: number, joined: readonly string[]): ChannelPositions<P> => {
        for (const id of joined) positions.joined(id);
        for (let minute = 0; minute <= 30; minute += 5) positions.seen(at(fromMs + minute * MINUTE_MS));
        return open(written(positions));
      };
      let positions = open();
      positions.seen(at(DAY_MS));
      for (const id of ["gone", "lost", "kept"]) positions.begin(id, at(DAY_MS));
      positions = open(written(positions));
      // Nobody was there for a month, and what is not joined counts from then on.
      positions = life(positions, 31 * DAY_MS, ["kept", "lost"]);
      positions = life(positions, 36 * DAY_MS, ["kept"]);
      expect(positions.ids).toEqual(["gone", "lost", "kept"]);
      positions = life(positions, 39 * DAY_MS, ["kept"]);
      expect(positions.ids).toEqual(["lost", "kept"]);
      // The next session does not last.
      positions.seen(at(60 * DAY_MS));
      positions = open(written(positions));
      expect(positions.ids).toEqual(["lost", "kept"]);
      positions = life(positions, 60 * DAY_MS, ["lost", "kept"]);
      positions = life(positions, 66 * DAY_MS, ["lost", "kept"]);
      expect(positions.ids).toEqual(["lost", "kept"]);
    });

    test.each<[Json]>([
      [{ at: {}, channels: { a: 7, b: [{}], c: [] }, absent: { a: 5 }, told: 5 }],
      [{ at: null, channels: [[1]], absent: "x", told: { a: "x" } }],
    ])("%j says nothing", (cursor) => {
      const positions = open(cursor);
      expect([positions.ids, positions.write()]).toEqual([[], { at: scale.none, channels: {} }]);
    });
  });
}

describeScale("times", TIMES, (ms) => START_MS + ms);
describeScale("texts", TEXTS, (ms) => ((START_MS + ms) / 1000).toFixed(6));
