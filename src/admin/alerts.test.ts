import { expect, test } from "vitest";
import { aLane, aRoom, aStatus, aView, NOW } from "./samples.suite.ts";
import { type Circumstances, alertsOf, readinessOf } from "./alerts.ts";

const NONE = { why: null, entries: [] };
const FINE = { readMs: NOW, trouble: null };
const REFUSED = {
  readMs: NOW - 60_000,
  trouble: { of: "the configuration", what: "has 1 error", remedy: "Correct it.", sinceMs: NOW - 5000 },
};
const why = { code: "auth", message: "the password is wrong" } as const;
const waiting = aLane({ waiting: 3, oldestMs: NOW - 400_000, why: { code: "rate_limited", message: "too fast" } });

function found(fields: Partial<Circumstances>): readonly string[] {
  const { nowMs, log, loop, loops, accounts, readers } = aView();
  const settled = { newestMs: NOW - 5, waitingMs: 300_000, shortage: null, gateways: ["g"], errors: [], file: FINE };
  const seen = { nowMs, log, loop, loops, accounts, readers, ...settled, ...fields };
  return alertsOf(seen).map(({ of, what, remedy, sinceMs }) => `${of}: ${what} [${remedy ?? ""}] ${sinceMs ?? ""}`);
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
    { log: { head: 1, total: 1, takes: false, why: "the disk is full", freeBytes: 0, damage: NONE } },
    [/^the log: accepts no messages: the disk is full \[Check the disk/],
  ],
  [
    "file descriptors that ran short",
    { shortage: { limit: 300, sinceMs: NOW - 5000, refused: 7 } },
    [/^file descriptors: are running out: the limit is 300, .*\(7 times\) \[.*LimitNOFILE.*\] \d+$/],
  ],
  [
    "a log with entries that cannot be read",
    { log: { head: 9, total: 9, takes: true, why: null, freeBytes: 0, damage: { why: null, entries: [3, 4] } } },
    [
      /^the log: holds 2 entries that cannot be read and were skipped: no\. 3, 4 \[Check the disk for errors\. Stop Rialto, run `rialto log check`/,
    ],
  ],
  [
    "a log that is damaged, which is said once",
    { log: { head: 9, total: 9, takes: false, why: "page 7", freeBytes: 0, damage: { why: "page 7", entries: [] } } },
    [/^the log: cannot be read completely: page 7 \[.*rialto log repair.*[Oo]f several machines, move `log.sqlite`/],
  ],
  ["a configuration that is refused", { file: REFUSED }, [/^the configuration: has 1 error \[Correct it\.\] \d+$/]],
  ["a clock that was set back", { newestMs: NOW + 90_000 }, [/^the clock: was set back: it is 90 s behind/]],
  [
    "a loop through another bridge",
    {
      loops: [
        {
          place: "irc.libera/#a",
          through: "other",
          withheld: 2,
          remedy: "Remove one",
          sinceMs: NOW,
          untilMs: NOW + 1,
        },
      ],
    },
    [/^irc.libera #a: a loop: "other" repeats what Rialto writes.* 2 messages are withheld \[Remove one/],
  ],
  ["an event loop that was late", { loop: { p50: 0, p99: 0, max: 1500 } }, [/^the event loop: was late by 1500 ms/]],
  [
    "a reader that the configuration keeps down",
    {
      readers: [
        {
          account: "api.web",
          key: "api.web",
          down: { reason: "Token of api.web must be text", remedy: "Correct it." },
          url: null,
          accepted: 0,
          dropped: {},
          skipped: 0,
        },
      ],
    },
    [/^api\.web: stays down: Token of api\.web must be text \[Correct it\.\] $/],
  ],
  [
    "settings that could not be read",
    { errors: [{ place: "rialto.toml:3:7", message: "Buffer is no number (the default is used)", remedy: "" }] },
    [/^rialto\.toml:3:7: Buffer is no number \(the default is used\) \[Correct it, then run "rialto reload"\.\] $/],
  ],
  [
    "an account that needs somebody to act, and not its rooms as well",
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
    "an account that has never been connected, and not its rooms as well",
    {
      accounts: [
        aStatus({
          state: "connecting",
          sinceMs: NOW - 1_000,
          downSinceMs: NOW - 15_000,
          channels: [aRoom({ state: "offline", downSinceMs: NOW - 15_000 })],
        }),
      ],
    },
    [new RegExp(`^net\\.home: not connected: the server has not let Rialto in yet \\[\\] ${NOW - 15_000}$`)],
  ],
  [
    "an account that connects for a short time",
    { accounts: [aStatus({ state: "connecting", downSinceMs: NOW - 14_999 })] },
    [],
  ],
  [
    "one that is tried again and again, since the first try",
    { accounts: [aStatus({ state: "waiting", why, sinceMs: NOW - 5, downSinceMs: NOW - 400_000 })] },
    [new RegExp(`waiting: the password is wrong \\[\\] ${NOW - 400_000}$`)],
  ],
  [
    "a room that has not let Rialto in",
    { accounts: [aStatus({ channels: [aRoom({ state: "joining", downSinceMs: NOW - 20_000 })] })] },
    [/^net\.home #room: not joined: the reason is unknown/],
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

test("a refused configuration is a trouble of a program that is ready; a log that takes nothing is not ready", () => {
  const { log } = aView();
  expect(readinessOf(log, FINE)).toEqual({ ready: true, troubles: [] });
  expect(readinessOf(log, REFUSED)).toEqual({ ready: true, troubles: [REFUSED.trouble] });
  const full = readinessOf({ ...log, takes: false, why: "the disk is full" }, REFUSED);
  expect(full).toMatchObject({ ready: false, troubles: [{ of: "the log" }, REFUSED.trouble] });
});
