import { pathToFileURL } from "node:url";
import { isObject } from "../kit/json.ts";
import { sharpFile } from "./sharp-file.ts";
import { PIXELS_MAX, type StickerPainter } from "./stickers.ts";

/** Of one sticker, which takes a few hundredths of it. */
const TIMEOUT_S = 4;

interface Picture {
  png(): Picture;
  timeout(limit: { readonly seconds: number }): Picture;
  toBuffer(): Promise<Uint8Array>;
}

/** The part of it that is used. */
interface Sharp {
  (content: Uint8Array, options: { readonly limitInputPixels: number }): Picture;
  /** Threads for one picture. */
  concurrency(threads: number): unknown;
  cache(on: boolean): unknown;
}

/** Null: it is not there. It rejects when it is there and does not work on this machine. */
export async function loadSharp(file = sharpFile()): Promise<StickerPainter | null> {
  if (file === null) return null;
  const loaded: unknown = await import(pathToFileURL(file).href);
  const sharp = isObject(loaded) ? loaded["default"] : null;
  if (!isSharp(sharp)) throw new TypeError("it is another package of this name, or another version");
  // Stickers are small, and none comes twice: threads and memory are worth more elsewhere.
  sharp.concurrency(1);
  sharp.cache(false);
  return async (webp) =>
    await sharp(webp, { limitInputPixels: PIXELS_MAX }).timeout({ seconds: TIMEOUT_S }).png().toBuffer();
}

const isSharp = (value: unknown): value is Sharp =>
  typeof value === "function" &&
  "concurrency" in value &&
  typeof value.concurrency === "function" &&
  "cache" in value &&
  typeof value.cache === "function";
