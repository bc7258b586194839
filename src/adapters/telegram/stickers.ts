import type { AdapterLog } from "../../contract/host.ts";
import type { OpenedFile } from "../../contract/session.ts";

/** Telegram takes stickers of 512 × 512 and half a megabyte. */
export const STICKER_MAX = 1024 * 1024;
export const PIXELS_MAX = 1024 * 1024;
/** No picture of so many pixels needs more. */
const PNG_MAX = 5 * 1024 * 1024;

/** A sticker as it came in, PNG out. It rejects when it cannot. */
export type StickerPainter = (sticker: Uint8Array) => Promise<Uint8Array>;

/** What draws stickers; null: nothing does. */
export interface StickerPainters {
  /** Those that stand still. */
  readonly webp: StickerPainter | null;
  /** Those that move, as a still picture. */
  readonly tgs: StickerPainter | null;
}

/** What draws stickers, if they are to be drawn and something can. `load` gives null where nothing is installed. */
export async function stickerPainter(
  { MediaConvertWebPToPNG }: { readonly MediaConvertWebPToPNG: boolean },
  log: AdapterLog,
  load: () => Promise<StickerPainter | null>,
): Promise<StickerPainter | null> {
  if (!MediaConvertWebPToPNG) return null;
  try {
    // That it is not there is said with the problems of the configuration.
    return await load();
  } catch (error) {
    log.warn({ why: firstLine(error) }, "sharp is installed and cannot be used: stickers go on as they come");
    return null;
  }
}

/** A sticker as PNG; as it came, when it is too large or cannot be drawn. */
export async function asPng(
  opened: OpenedFile,
  paint: StickerPainter,
  { log, signal }: { readonly log: AdapterLog; readonly signal: AbortSignal },
): Promise<OpenedFile> {
  if (!opened.ok || (opened.bytes ?? 0) > STICKER_MAX) return opened;
  const { stream } = opened;
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { chunks, isWhole } = await readUpTo(reader, STICKER_MAX);
    if (signal.aborted) return INTERRUPTED;
    if (!isWhole) return { ...opened, stream: joined(chunks, reader) };
    const webp = Buffer.concat(chunks);
    const png = isWebP(webp) ? await painted(webp, paint, log) : null;
    return png === null
      ? { ...opened, bytes: webp.length, stream: streamOf(webp) }
      : { ok: true, bytes: png.length, mime: "image/png", stream: streamOf(png) };
  } catch {
    return INTERRUPTED;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A sticker that moves as PNG. Nothing else opens it, so it is no file when it cannot be drawn. */
export async function asStill(
  opened: OpenedFile,
  paint: StickerPainter | null,
  { log, signal }: { readonly log: AdapterLog; readonly signal: AbortSignal },
): Promise<OpenedFile> {
  if (!opened.ok) return opened;
  const { stream } = opened;
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  if (paint === null || (opened.bytes ?? 0) > STICKER_MAX) {
    stop();
    return NOT_DRAWN;
  }
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { chunks, isWhole } = await readUpTo(reader, STICKER_MAX);
    if (signal.aborted) return INTERRUPTED;
    if (!isWhole) stop();
    const png = isWhole ? await painted(Buffer.concat(chunks), paint, log) : null;
    return png === null ? NOT_DRAWN : { ok: true, bytes: png.length, mime: "image/png", stream: streamOf(png) };
  } catch {
    return INTERRUPTED;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const NOT_DRAWN: OpenedFile = {
  ok: false,
  why: { code: "unsupported", message: "the moving sticker could not be drawn" },
};

const INTERRUPTED: OpenedFile = {
  ok: false,
  why: { code: "network", message: "the transfer of the sticker was interrupted" },
};

async function painted(webp: Uint8Array, paint: StickerPainter, log: AdapterLog): Promise<Uint8Array | null> {
  try {
    const png = await paint(webp);
    if (png.length <= PNG_MAX) return png;
    log.debug({ bytes: png.length }, "a sticker is too large as PNG");
  } catch (error) {
    log.debug({ why: firstLine(error) }, "a sticker could not be made a PNG");
  }
  return null;
}

/** Nothing else reaches what draws: it reads many formats. */
const isWebP = (content: Buffer): boolean =>
  content.toString("latin1", 0, 4) === "RIFF" && content.toString("latin1", 8, 12) === "WEBP";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readUpTo(
  reader: Reader,
  max: number,
): Promise<{ readonly chunks: readonly Uint8Array[]; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= max;) {
    const { done, value } = await reader.read();
    if (done) return { chunks, isWhole: true };
    chunks.push(value);
    bytes += value.length;
  }
  return { chunks, isWhole: false };
}

/** What was read, and what comes after it. */
function joined(chunks: readonly Uint8Array[], reader: Reader): ReadableStream<Uint8Array> {
  const waiting = [...chunks];
  return new ReadableStream({
    pull: async (to) => {
      const next = waiting.shift();
      if (next !== undefined) return to.enqueue(next);
      const { done, value } = await reader.read();
      if (done) to.close();
      else to.enqueue(value);
    },
    cancel: async (why) => await reader.cancel(why),
  });
}

const streamOf = (content: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (to) => {
      to.enqueue(content);
      to.close();
    },
  });

const firstLine = (error: unknown): string => String(error).split("\n", 1)[0] ?? "";
