import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

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
  const logger = createLogger({ debug: false, file, secrets: [] });
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
  const logger = createLogger({ debug: false, file, secrets: [] });
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
  createLogger({ debug: false, file, secrets: ['hun"ter2', ""] }).info({ token: 'hun"ter2' }, "with");
  expect(readFileSync(file, "utf8")).toContain('"[secret]"');
  expect(readFileSync(file, "utf8")).not.toContain("ter2");
});

test("a file that cannot be opened is a StartError with its own code", () => {
  expect(() => createLogger({ debug: false, file: join(folder, "none/log"), secrets: [] })).toThrow(
    expect.objectContaining({ code: "log_file" }) as Error,
  );
});
