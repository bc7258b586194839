import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { CountingClock } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import { sharpFile } from "./sharp-file.ts";
import { loadCanvasKit } from "./tgs.ts";

/** A module that stands for the package. */
function standIn(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-canvaskit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "canvaskit.cjs");
  writeFileSync(file, code);
  return file;
}

/** Draws words: what it was given, at which part of the animation something is seen. */
const WORKING = `
module.exports = async ({ locateFile }) => {
  const state = { part: null };
  const { shown, empty } = { shown: 0.5, empty: Buffer.alloc(8) };
  return {
    TRANSPARENT: 0,
    ColorType: { RGBA_8888: 1 },
    AlphaType: { Unpremul: 1 },
    ColorSpace: { SRGB: 1 },
    MakeAnimation: (json) => json.startsWith("{")
      ? { seek: (part) => (state.part = part), render: (_, place) => (state.place = place) }
      : null,
    MakeSurface: (width, height) => ({
      getCanvas: () => ({ clear: () => undefined }),
      makeImageSnapshot: () => ({
        readPixels: () => (state.part === shown ? Buffer.from([0, 0, 0, 9]) : empty),
        encodeToBytes: () => Buffer.from([width, height, state.part, state.place, locateFile("x").endsWith("/x")].join()),
      }),
    }),
  };
};
`;

const tgs = gzipSync("{}");

test("a drawing is unpacked, and drawn where something is seen of it", async () => {
  const paint = loadCanvasKit(new CountingClock(), standIn(WORKING));
  const pngs = await Promise.all([paint?.(tgs), paint?.(tgs)]);
  const words = pngs.map((png) => Buffer.from(png ?? []).toString());
  expect(words).toEqual(Array.from({ length: 2 }, () => "512,512,0.5,0,0,512,512,true"));
});

test("what is not installed draws nothing", () => {
  expect(loadCanvasKit(new CountingClock(), sharpFile("a-package-that-is-not-there"))).toBeNull();
});

test.each([
  ["is no drawing", WORKING, gzipSync("[]"), "it is no animation"],
  ["is not packed", WORKING, Buffer.from("{}"), "incorrect header check"],
  ["is larger than any when it is unpacked", WORKING, gzipSync(Buffer.alloc(9 * 1024 * 1024)), "larger than"],
  ["shows nothing", WORKING.replace("shown: 0.5", "shown: 2"), tgs, "nothing is seen of it"],
  ["meets another package", "module.exports = {}", tgs, "another package of this name"],
  ["meets a package that is broken", "throw new Error('no WebAssembly')", tgs, "no WebAssembly"],
  ["ends what draws it", "process.exit(0)", tgs, "has ended"],
])("one that %s cannot be drawn, and others can", async (_, code, content, why) => {
  const file = standIn(code);
  const paint = loadCanvasKit(new CountingClock(), file);
  await expect(paint?.(content)).rejects.toThrow(why);
  writeFileSync(file, WORKING);
  expect(Buffer.from((await paint?.(tgs)) ?? []).toString()).toContain("512");
});

test("one that takes too long is given up", async () => {
  const clock = new FakeClock();
  const paint = loadCanvasKit(clock, standIn("for (;;);"));
  const drawn = paint?.(tgs).then(String, String);
  await eventually(
    async () => await Promise.resolve(clock.waiting),
    (waiting) => waiting === 1,
    () => "the drawing to begin",
  );
  await clock.advance(10_000);
  expect(await drawn).toContain("it takes too long");
});

test("no more than fifty wait", async () => {
  const paint = loadCanvasKit(new CountingClock(), standIn(WORKING));
  const unpacked = Buffer.from("{}");
  const ends = await Promise.all(
    Array.from({ length: 51 }, async () => await paint?.(unpacked).then(String, (error: unknown) => String(error))),
  );
  expect(ends.filter((end) => end?.includes("too many"))).toHaveLength(1);
});
