import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Scrubber } from "./lib/scrub.ts";

const writing = vi.hoisted(() => ({ fails: false, partly: false }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  const writeSync = (fd: number, bytes: Buffer): number => {
    if (writing.partly) {
      writing.partly = false;
      writing.fails = true;
      return real.writeSync(fd, bytes.subarray(0, 5));
    }
    if (writing.fails) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    return real.writeSync(fd, bytes);
  };
  return { ...real, writeSync };
});

const { createLogger } = await import("./logger.ts");

const logTo = (file: string, format: "auto" | "json" | "pretty" = "auto", secrets: readonly string[] = []) =>
  createLogger({ debug: false, format, file, scrubber: new Scrubber(secrets) });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-logger-"));
  writing.fails = false;
  writing.partly = false;
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const lines = (file: string): string[] => readFileSync(file, "utf8").trimEnd().split("\n");

test("a disk that is full for a while: no call throws, and the lost lines are counted once", () => {
  const file = join(folder, "log");
  const logger = logTo(file);
  logger.info("one");
  writing.fails = true;
  for (let call = 0; call < 3; call += 1) logger.error("lost");
  writing.fails = false;
  logger.info("two");
  logger.info("three");
  const read = lines(file).map((line) => JSON.parse(line) as { msg: string; lost?: number });
  expect(read.map(({ msg }) => msg)).toEqual(["one", expect.stringContaining("lost"), "two", "three"]);
  expect(read[1]).toMatchObject({ level: "warn", lost: 3 });
});

test("a line that breaks off does not swallow the next", () => {
  const file = join(folder, "log");
  const logger = logTo(file);
  writing.partly = true;
  logger.info("broken");
  writing.fails = false;
  logger.info("whole");
  expect(lines(file)).toHaveLength(3);
  expect(JSON.parse(lines(file)[1]!)).toMatchObject({ lost: 1 });
  expect(JSON.parse(lines(file)[2]!)).toMatchObject({ msg: "whole" });
});

test("secrets are not written, also where JSON escapes them", () => {
  const file = join(folder, "log");
  logTo(file, "auto", ['hun"ter2', ""]).info({ token: 'hun"ter2' }, "with");
  expect(readFileSync(file, "utf8")).toContain('"[secret]"');
  expect(readFileSync(file, "utf8")).not.toContain("ter2");
});

test("a file that cannot be opened is a StartError with its own code", () => {
  expect(() => logTo(join(folder, "none/log"))).toThrow(expect.objectContaining({ code: "log_file" }) as Error);
});

test("a secret of digits is taken out of numbers too, and the line is still JSON", () => {
  const file = join(folder, "log");
  logTo(file, "json", ["2345"]).info({ bytes: 123456 }, "read");
  const [line = ""] = lines(file);
  expect(line).not.toContain("2345");
  expect(JSON.parse(line)).toMatchObject({ level: "warn", line: expect.stringContaining('"msg":"read"') as string });
});

test("pretty: one line for each event, in local time, without colours where there is no terminal, and without secrets", () => {
  vi.stubEnv("TZ", "Asia/Kathmandu");
  const file = join(folder, "log");
  const logger = logTo(file, "pretty", ["hunter2"]);
  logger.warn({ token: "hunter2", dropped: { own: 1 }, names: ["a", "b"], stack: "Error: x\n  at y" }, "look");
  vi.unstubAllEnvs();
  const [line = "", ...others] = lines(file);
  expect(line).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+05:45\] WARN: look \{"token":"\[secret\]",.*\}$/u);
  expect(others).toEqual([]);
});

test("times in fields: local with their offset for people, UTC in JSON", () => {
  vi.stubEnv("TZ", "Asia/Kathmandu");
  const since = "2026-01-02T12:00:00.123Z";
  const fields = { since, gaps: [{ from: since }], no: "2026-99-99T12:00:00Z", nick: `"${since}"` };
  const [pretty, json] = [join(folder, "pretty"), join(folder, "json")];
  logTo(pretty, "pretty").info(fields, "look");
  logTo(json, "json").info(fields, "look");
  vi.unstubAllEnvs();
  const local = "2026-01-02 17:45:00+05:45";
  const shown = { ...fields, since: local, gaps: [{ from: local }] };
  expect(lines(pretty)[0]?.replace(/^.* look /u, "")).toBe(JSON.stringify(shown));
  expect(JSON.parse(lines(json)[0] ?? "")).toMatchObject(fields);
});

test("a line break in what a stranger wrote begins no line of its own", () => {
  const file = join(folder, "log");
  logTo(file).info({ nick: 'eve\n{"level":"fatal","msg":"forged"}\u001b[2J' }, "joined");
  expect(lines(file)).toHaveLength(1);
  // oxlint-disable-next-line eslint/no-control-regex -- what a terminal would obey
  expect(lines(file)[0]).not.toMatch(/\u001b/u);
  const pretty = join(folder, "pretty");
  logTo(pretty, "pretty").info({ nick: "eve\nFATAL: forged\u001b[2J" }, "joined");
  // oxlint-disable-next-line eslint/no-control-regex -- what a terminal would obey
  expect(readFileSync(pretty, "utf8")).not.toMatch(/^FATAL|\u001b/mu);
});

test("a file that is there keeps its mode, a new one is for this user alone", () => {
  const [made, found] = [join(folder, "made"), join(folder, "found")];
  writeFileSync(found, "");
  chmodSync(found, 0o640);
  for (const file of [made, found]) logTo(file).info("one");
  expect([made, found].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o640]);
});
