import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sharpFile } from "./sharp-file.ts";
import { loadSharp } from "./sharp.ts";

/** A module that stands for the package. */
function standIn(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-sharp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "sharp.cjs");
  writeFileSync(file, code);
  return file;
}

const WORKING = `
const sharp = (content, { limitInputPixels }) => {
  const steps = [content.toString(), limitInputPixels];
  const picture = {
    timeout: ({ seconds }) => (steps.push("timeout", seconds), picture),
    png: () => (steps.push("png"), picture),
    toBuffer: async () => Buffer.from([...steps, ...sharp.set].join(" ")),
  };
  return picture;
};
sharp.set = [];
sharp.concurrency = (threads) => sharp.set.push("threads", threads);
sharp.cache = (on) => sharp.set.push("cache", on);
module.exports = sharp;
`;

test("the package is asked for PNG, with limits of pixels, time, threads and memory", async () => {
  const paint = await loadSharp(sharpFile(standIn(WORKING)));
  const png = await paint?.(Buffer.from("webp"));
  expect(Buffer.from(png ?? []).toString()).toBe("webp 1048576 timeout 4 png threads 1 cache false");
});

test("a package that is not installed is none", async () => {
  expect(sharpFile("a-package-that-nobody-has")).toBe(null);
  expect(await loadSharp(null)).toBe(null);
});

test.each([
  ["cannot be loaded", `throw new Error("no library for this machine")`, "no library for this machine"],
  ["is another", `module.exports = () => null`, "another package of this name"],
])("one that %s is an error", async (_, code, why) => {
  await expect(loadSharp(standIn(code))).rejects.toThrow(why);
});
