import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gunzip } from "node:zlib";
import type { Clock } from "../../contract/host.ts";
import { canvasKitFile } from "./sharp-file.ts";
import type { StickerPainter } from "./stickers.ts";
import type { TgsJob } from "./tgs-worker.ts";

/** Telegram takes drawings of 64 KB, which are a megabyte or two without their compression. */
const JSON_MAX = 8 * 1024 * 1024;
/** One takes a few tenths of a second. */
const DRAW_MS = 10_000;
/** Stickers that wait to be drawn. Beyond this limit they come without a picture. */
const WAITING_MAX = 50;
const HEAP_MB = 128;

const unpacked = promisify(gunzip);

/** What draws stickers that move as a still picture; null: it is not installed. */
export const loadCanvasKit = (clock: Pick<Clock, "after">, file = canvasKitFile()): StickerPainter | null =>
  file === null ? null : movingPainter(file, clock);

/**
 * Draws one after the other, each in a thread of its own, which is ended when it takes too long: strangers have made
 * them. `file`: what the package begins with.
 */
function movingPainter(file: string, clock: Pick<Clock, "after">): StickerPainter {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (tgs) => {
    if (waiting >= WAITING_MAX) throw new Error("too many stickers wait to be drawn");
    waiting += 1;
    const drawn = last.then(async () => await draw({ file, json: await jsonIn(tgs) }, clock));
    last = drawn.then(
      () => (waiting -= 1),
      () => (waiting -= 1),
    );
    return await drawn;
  };
}

const jsonIn = async (tgs: Uint8Array): Promise<string> =>
  (await unpacked(tgs, { maxOutputLength: JSON_MAX })).toString("utf8");

async function draw(job: TgsJob, clock: Pick<Clock, "after">): Promise<Uint8Array> {
  const done = Promise.withResolvers<Uint8Array>();
  // Beside this file, compiled or not.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`tgs-worker.${extension}`, import.meta.url), {
    name: "sticker",
    workerData: job,
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  worker.once("message", (png: Uint8Array) => done.resolve(png));
  worker.once("error", done.reject);
  worker.once("exit", () => done.reject(new Error("what draws it has ended")));
  const cancel = clock.after(DRAW_MS, () => done.reject(new Error("it takes too long")));
  try {
    return await done.promise;
  } finally {
    cancel();
    await worker.terminate();
  }
}
