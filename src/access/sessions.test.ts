import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { LogError } from "../log/errors.ts";
import { MarkDisk } from "./mark-disk.suite.ts";
import { SESSION_MS, Sessions } from "./sessions.ts";

const HOUR_MS = 3_600_000;

async function open(disk = new MarkDisk(), clock = new FakeClock()) {
  const logger = new MemoryLogger();
  const sessions = await Sessions.open({ log: disk.log, clock, bytes: randomBytes, logger: logger.logger });
  return { sessions, disk, clock, logger };
}

test("a session is an operator, and what is kept and said of it does not tell its secret", async () => {
  const { sessions, disk, logger } = await open();
  const { secret, view } = await sessions.create("Firefox\u001b[2J");
  const access = sessions.verify(secret);
  expect(access).toMatchObject({ by: "session", session: view.id, token: null, gateways: null });
  expect(access?.scopes.has("admin")).toBe(true);
  expect(sessions.list()).toEqual([{ ...view, agent: "Firefox\\u{1b}[2J" }]);
  for (const told of [[...disk.marked], logger.lines, sessions.list()]) {
    expect(JSON.stringify(told)).not.toContain(secret);
  }
});

test.each(["", "x", "A".repeat(43)])("%j is nobody", async (secret) => {
  const { sessions } = await open();
  await sessions.create("");
  expect(sessions.verify(secret)).toBeNull();
});

test("a restart keeps it, and its last use", async () => {
  const { sessions, disk, clock } = await open();
  const { secret, view } = await sessions.create("");
  await clock.advance(3 * HOUR_MS);
  sessions.verify(secret);
  const later = await open(disk, clock);
  expect(later.sessions.verify(secret)?.session).toBe(view.id);
  expect(later.sessions.list()).toMatchObject([{ usedMs: clock.nowMs(), expiresMs: clock.nowMs() + SESSION_MS }]);
});

test("it ends 30 days after its last use, and what it holds open ends with it", async () => {
  const { sessions, clock } = await open();
  const { secret } = await sessions.create("");
  await clock.advance(SESSION_MS - 1);
  const access = sessions.verify(secret);
  expect(access?.ended.aborted).toBe(false);
  await clock.advance(SESSION_MS - HOUR_MS);
  expect(sessions.get(access?.session ?? "")).not.toBeNull();
  await clock.advance(HOUR_MS);
  expect(access?.ended.aborted).toBe(true);
  expect([sessions.verify(secret), sessions.list(), clock.waiting]).toEqual([null, [], 0]);
});

test("revoking one ends what it holds open, and no other", async () => {
  const { sessions, disk, clock } = await open();
  const [one, two] = [await sessions.create("one"), await sessions.create("two")];
  const [ended, goesOn] = [sessions.verify(one.secret)?.ended, sessions.verify(two.secret)?.ended];
  expect(await sessions.revoke(one.view.id)).toBe(true);
  expect([ended?.aborted, goesOn?.aborted]).toEqual([true, false]);
  expect([sessions.verify(one.secret), await sessions.revoke(one.view.id)]).toEqual([null, false]);
  const later = await open(disk, clock);
  expect(later.sessions.list().map(({ agent }) => agent)).toEqual(["two"]);
});

test("one more than a hundred ends the one that was used longest ago", async () => {
  const { sessions, disk, clock } = await open();
  const first = await sessions.create("first");
  const second = await sessions.create("second");
  for (let each = 2; each < 100; each++) await sessions.create("");
  await clock.advance(HOUR_MS);
  sessions.verify(first.secret);
  await sessions.create("one more");
  expect(sessions.list()).toHaveLength(100);
  expect([sessions.verify(first.secret) === null, sessions.verify(second.secret) === null]).toEqual([false, true]);
  expect([...disk.marked.keys()].filter((name) => !name.endsWith("/used"))).toHaveLength(100);
});

test("what has run out, cannot be read, or tells of a use after the end is cleared away by a start", async () => {
  const { sessions, disk, clock } = await open();
  const { secret } = await sessions.create("");
  sessions.verify(secret);
  disk.marked.set("session/aaaaaaaa", "{");
  disk.marked.set("session/bbbbbbbb/used", String(clock.nowMs()));
  await clock.advance(SESSION_MS + HOUR_MS);
  const later = await open(disk, clock);
  expect([later.sessions.list(), [...disk.marked]]).toEqual([[], []]);
});

test("a session that cannot be stored is not there, and one that cannot be forgotten is not ended", async () => {
  const { sessions, disk } = await open();
  const { secret, view } = await sessions.create("");
  disk.fails = true;
  await expect(sessions.create("")).rejects.toThrow(LogError);
  await expect(sessions.revoke(view.id)).rejects.toThrow(LogError);
  expect(sessions.list()).toHaveLength(1);
  expect(sessions.verify(secret)).not.toBeNull();
});
