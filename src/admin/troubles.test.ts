import { expect, test } from "vitest";
import { aLane, aRoom, aStatus, aView, NOW } from "./samples.suite.ts";
import { type Circumstances, troublesOf } from "./troubles.ts";

const why = { code: "auth", message: "the password is wrong" } as const;
const waiting = aLane({ waiting: 3, oldestMs: NOW - 400_000, why: { code: "rate_limited", message: "too fast" } });

function found(fields: Partial<Circumstances>): readonly string[] {
  const { nowMs, log, loop, accounts } = aView();
  const seen = { nowMs, log, loop, accounts, newestMs: NOW - 5, waitingMs: 300_000, ...fields };
  return troublesOf(seen).map(({ of, what, remedy, sinceMs }) => `${of}: ${what} [${remedy ?? ""}] ${sinceMs ?? ""}`);
}

test("all is well", () => {
  expect(found({})).toEqual([]);
  expect(found({ newestMs: null, accounts: [] })).toEqual([]);
  expect(found({ accounts: [aStatus({ state: "connecting" })] })).toEqual([]);
  expect(found({ accounts: [aStatus({ channels: [aRoom({ state: "joining" })] })] })).toEqual([]);
});

test.each<[string, Partial<Circumstances>, readonly RegExp[]]>([
  [
    "a log that takes nothing",
    { log: { head: 1, takes: false, why: "the disk is full", freeBytes: 0 } },
    [/^the log: takes no messages: the disk is full \[See to the disk/],
  ],
  ["a clock that was set back", { newestMs: NOW + 90_000 }, [/^the clock: was set back: it is 90 s behind/]],
  ["an event loop that was late", { loop: { p50: 0, p99: 0, max: 1500 } }, [/^the event loop: was late by 1500 ms/]],
  [
    "an account that needs a person, and not its rooms as well",
    {
      accounts: [aStatus({ state: "action-needed", why, remedy: "Set it.", channels: [aRoom({ state: "waiting" })] })],
    },
    [/^net\.home: action-needed: the password is wrong \[Set it\.\] \d+$/],
  ],
  [
    "a room that cannot be joined, and not its lane as well",
    { accounts: [aStatus({ channels: [aRoom({ state: "waiting", why, lanes: [waiting] })] })] },
    [/^net\.home #room: not joined: the password is wrong/],
  ],
  [
    "a lane in which messages wait for long",
    { accounts: [aStatus({ channels: [aRoom({ lanes: [waiting] })] })] },
    [/^net\.home #room: 3 messages wait in gateway g: too fast/],
  ],
  [
    "a lane that waits a little",
    { accounts: [aStatus({ channels: [aRoom({ lanes: [aLane({ ...waiting, oldestMs: NOW - 1000 })] })] })] },
    [],
  ],
])("%s", (_, fields, expected) => {
  const troubles = found(fields);
  expect(troubles).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(troubles[at]).toMatch(pattern);
});
