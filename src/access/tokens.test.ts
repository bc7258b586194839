import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { LogError } from "../log/errors.ts";
import { MarkDisk } from "./mark-disk.suite.ts";
import type { TokenSpec } from "./token-marks.ts";
import { ROTATION_MS, Tokens } from "./tokens.ts";

const HOUR_MS = 3_600_000;
const SPEC: TokenSpec = {
  account: "api.game",
  scopes: ["read"],
  gateways: ["lobby"],
  name: "bot",
  expiresMs: null,
  postsPerMinute: null,
};

async function open(disk = new MarkDisk(), clock = new FakeClock()) {
  const logger = new MemoryLogger();
  const tokens = await Tokens.open({ log: disk.log, clock, bytes: randomBytes, logger: logger.logger });
  return { tokens, disk, clock, logger };
}

test("a token is who it was made for, and what is kept of it does not tell it", async () => {
  const { tokens, disk, logger } = await open();
  const { token, view } = await tokens.create({ ...SPEC, postsPerMinute: 5 });
  expect(tokens.verify(token)).toMatchObject({
    account: "api.game",
    scopes: new Set(["read"]),
    gateways: new Set(["lobby"]),
    by: "token",
    token: view.id,
    name: "bot",
    postsPerMinute: 5,
  });
  const secret = token.slice("rlt_12345678_".length, -7);
  expect(JSON.stringify([...disk.marked])).not.toContain(secret);
  expect(JSON.stringify(logger.lines)).not.toContain(secret);
  expect(JSON.stringify(tokens.list())).not.toContain(secret);
});

test("another text of the same name, with a checksum that is right, is nobody", async () => {
  const { tokens } = await open();
  const { token, view } = await tokens.create(SPEC);
  const others = await open();
  const { token: foreign } = await others.tokens.create(SPEC);
  expect(tokens.verify(foreign)).toBeNull();
  expect(tokens.verify(token)?.token).toBe(view.id);
});

test("a restart keeps it", async () => {
  const { tokens, disk, clock } = await open();
  const { token } = await tokens.create({ ...SPEC, gateways: null });
  const later = await open(disk, clock);
  expect(later.tokens.verify(token)).toMatchObject({ gateways: null, name: "bot" });
});

test("what is revoked ends at once, with what it holds open", async () => {
  const { tokens, disk } = await open();
  const { token, view } = await tokens.create(SPEC);
  const ended = tokens.verify(token)?.ended;
  expect(ended?.aborted).toBe(false);
  expect(await tokens.revoke(view.id)).toBe(true);
  expect(ended?.aborted).toBe(true);
  expect(tokens.verify(token)).toBeNull();
  expect(await tokens.revoke(view.id)).toBe(false);
  expect(disk.marked.size).toBe(0);
});

test("what expires is nobody from that moment on, and ends what it holds within 5 s", async () => {
  const { tokens, clock } = await open();
  const { token } = await tokens.create({ ...SPEC, expiresMs: clock.nowMs() + HOUR_MS });
  const ended = tokens.verify(token)?.ended;
  await clock.advance(HOUR_MS - 1);
  expect(tokens.verify(token)).not.toBeNull();
  await clock.advance(1);
  expect(tokens.verify(token)).toBeNull();
  await clock.advance(4_999);
  expect(ended?.aborted).toBe(true);
});

test("what another process does on the same log holds here within 5 s", async () => {
  const { tokens, disk, clock } = await open();
  const { token } = await tokens.create(SPEC);
  const ended = tokens.verify(token)?.ended;
  const other = await open(disk, clock);
  const [view] = other.tokens.list();
  const { token: made } = await other.tokens.create(SPEC);
  await other.tokens.revoke(view?.id ?? "");
  await clock.advance(4_999);
  expect(ended?.aborted).toBe(true);
  expect(tokens.verify(token)).toBeNull();
  expect(tokens.verify(made)).not.toBeNull();
});

test("a rotation leaves the text before it for a day, and no longer", async () => {
  const { tokens, clock } = await open();
  const { token: first, view } = await tokens.create(SPEC);
  const second = await tokens.rotate(view.id);
  const ended = tokens.verify(first)?.ended;
  expect(second?.view).toMatchObject({ id: view.id, oldUntilMs: clock.nowMs() + ROTATION_MS });
  await clock.advance(ROTATION_MS - 1);
  expect([tokens.verify(first)?.token, tokens.verify(second?.token ?? "")?.token]).toEqual([view.id, view.id]);
  await clock.advance(5_000);
  expect(tokens.verify(first)).toBeNull();
  expect(ended?.aborted).toBe(true);
  expect(tokens.verify(second?.token ?? "")?.ended.aborted).toBe(false);
  expect(tokens.list()).toMatchObject([{ oldUntilMs: null }]);
});

test("a second rotation ends the text before the first at once", async () => {
  const { tokens } = await open();
  const { token: first, view } = await tokens.create(SPEC);
  const second = await tokens.rotate(view.id);
  const third = await tokens.rotate(view.id);
  expect(tokens.verify(first)).toBeNull();
  expect(tokens.verify(second?.token ?? "")).not.toBeNull();
  expect(tokens.verify(third?.token ?? "")).not.toBeNull();
  expect(await tokens.rotate("aaaaaaaa")).toBeNull();
});

test("the last use is noted by the hour, without a commit of its own", async () => {
  const { tokens, disk, clock } = await open(undefined, new FakeClock(Date.UTC(2026, 0, 1, 12, 30)));
  const { token, view } = await tokens.create(SPEC);
  expect(tokens.list()).toMatchObject([{ usedMs: null }]);
  for (let time = 0; time < 3; time++) tokens.verify(token);
  expect(disk.rode).toEqual([`token/${view.id}/used`]);
  expect(tokens.list()).toMatchObject([{ usedMs: Date.UTC(2026, 0, 1, 12) }]);
  await clock.advance(HOUR_MS);
  tokens.verify(token);
  expect(disk.rode).toHaveLength(2);
  const later = await open(disk, clock);
  expect(later.tokens.list()).toMatchObject([{ usedMs: Date.UTC(2026, 0, 1, 13) }]);
});

test("while the log cannot be read, what is known holds; what cannot be stored is not there", async () => {
  const { tokens, disk, clock } = await open();
  const { token } = await tokens.create(SPEC);
  tokens.verify(token);
  disk.fails = true;
  await clock.advance(60_000);
  expect(tokens.verify(token)).not.toBeNull();
  await expect(tokens.create(SPEC)).rejects.toThrow(LogError);
  expect(tokens.list()).toHaveLength(1);
});

test("marks that cannot be read are no tokens, and open nothing", async () => {
  const disk = new MarkDisk();
  const { token, view } = await (await open(disk)).tokens.create(SPEC);
  const mark = `token/${view.id}`;
  const record = JSON.parse(disk.marked.get(mark) ?? "") as Record<string, unknown>;
  for (const broken of ["", "null", "{", JSON.stringify({ ...record, gateways: "lobby" }), '{"account":1}']) {
    disk.marked.set(mark, broken);
    expect((await open(disk)).tokens.verify(token)).toBeNull();
  }
  const { tokens } = await open(disk);
  expect(await tokens.revoke(view.id)).toBe(true);
  expect([disk.marked.size, await tokens.revoke(view.id)]).toEqual([0, false]);
  disk.marked.set(mark, JSON.stringify({ ...record, scopes: ["read", "all"] }));
  expect((await open(disk)).tokens.verify(token)?.scopes).toEqual(new Set(["read"]));
});

test("nothing goes on after the end", async () => {
  const { tokens, clock } = await open();
  const { token } = await tokens.create(SPEC);
  tokens.verify(token);
  tokens.close();
  tokens.verify(token);
  expect(clock.waiting).toBe(0);
});

test("a token that is rotated while it is revoked stays revoked", async () => {
  const { tokens, disk } = await open();
  const { token, view } = await tokens.create(SPEC);
  const [, made] = await Promise.all([tokens.revoke(view.id), tokens.rotate(view.id)]);
  expect(made).toBeNull();
  expect([tokens.list(), disk.marked.size, tokens.verify(token)]).toEqual([[], 0, null]);
});
