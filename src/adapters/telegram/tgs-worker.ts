import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { isObject } from "../kit/json.ts";

/** What the thread draws. */
export interface TgsJob {
  /** The file that `canvaskit-wasm` begins with. */
  readonly file: string;
  /** An animation in the format Lottie. */
  readonly json: string;
}

/** The parts of the package that are used. */
interface CanvasKit {
  MakeAnimation(json: string): Animation | null;
  MakeSurface(width: number, height: number): Surface | null;
  readonly TRANSPARENT: unknown;
  readonly ColorType: { readonly RGBA_8888: unknown };
  readonly AlphaType: { readonly Unpremul: unknown };
  readonly ColorSpace: { readonly SRGB: unknown };
}

interface Animation {
  /** From 0 to 1. */
  seek(part: number): unknown;
  render(canvas: Canvas, place: readonly number[]): void;
}

interface Canvas {
  clear(colour: unknown): void;
}

interface Surface {
  getCanvas(): Canvas;
  makeImageSnapshot(): Picture;
}

interface Picture {
  readPixels(left: number, top: number, info: object): Uint8Array | null;
  encodeToBytes(): Uint8Array | null;
}

/** Both sides of a sticker. */
const SIDE = 512;
/** Where in the animation: many begin with nothing. */
const PARTS = [0, 0.5, 0.25, 0.75];

/** The thread of `movingPainter`: draws one animation, and ends. What it throws reaches the other side as an error. */
async function main(): Promise<void> {
  if (!isJob(workerData)) throw new Error("tgs-worker.ts needs a drawing");
  const { file, json } = workerData;
  const begin: unknown = createRequire(import.meta.url)(file);
  if (!isPackage(begin)) throw new TypeError(OTHER);
  const canvasKit = await begin({ locateFile: (name) => join(dirname(file), name) });
  if (!isCanvasKit(canvasKit)) throw new TypeError(OTHER);
  parentPort?.postMessage(pictureOf(canvasKit, json));
}

const OTHER = "it is another package of this name, or another version";

const isJob = (value: unknown): value is TgsJob =>
  isObject(value) && typeof value["file"] === "string" && typeof value["json"] === "string";

type Package = (options: { readonly locateFile: (name: string) => string }) => Promise<unknown>;

const isPackage = (value: unknown): value is Package => typeof value === "function";

const isCanvasKit = (value: unknown): value is CanvasKit =>
  isObject(value) && ["MakeAnimation", "MakeSurface"].every((name) => typeof value[name] === "function");

function pictureOf(canvasKit: CanvasKit, json: string): Uint8Array {
  const animation = canvasKit.MakeAnimation(json);
  const surface = canvasKit.MakeSurface(SIDE, SIDE);
  if (animation === null || surface === null) throw new Error("it is no animation");
  const canvas = surface.getCanvas();
  for (const part of PARTS) {
    canvas.clear(canvasKit.TRANSPARENT);
    animation.seek(part);
    animation.render(canvas, [0, 0, SIDE, SIDE]);
    const picture = surface.makeImageSnapshot();
    const png = isBlank(picture, canvasKit) ? null : picture.encodeToBytes();
    if (png !== null) return png;
  }
  throw new Error("nothing is seen of it");
}

function isBlank(picture: Picture, { ColorType, AlphaType, ColorSpace }: CanvasKit): boolean {
  const info = {
    width: SIDE,
    height: SIDE,
    colorType: ColorType.RGBA_8888,
    alphaType: AlphaType.Unpremul,
    colorSpace: ColorSpace.SRGB,
  };
  const pixels = picture.readPixels(0, 0, info) ?? [];
  return pixels.every((value, at) => at % 4 !== 3 || value === 0);
}

await main();
