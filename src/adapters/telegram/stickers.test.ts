import { describe, expect, test } from "vitest";
import { readAll } from "../../../test/contract/shared-file.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { asPng, asStill, STICKER_MAX, type StickerPainter, stickerPainter } from "./stickers.ts";

const never = new AbortController().signal;
const WEBP = Buffer.from("RIFF\0\0\0\0WEBPVP8L and what follows");
const PNG = Buffer.from("a picture");
const paint: StickerPainter = async () => await Promise.resolve(PNG);

const opened = (chunks: readonly Uint8Array[], bytes: number | null = null): OpenedFile & { readonly ok: true } => ({
  ok: true,
  bytes,
  mime: "image/webp",
  stream: ReadableStream.from(chunks),
});

const BROKEN = opened([]);

async function* breakingOff(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(WEBP);
  throw new Error("cut");
}

/** What comes of a sticker, and how large and what it is said to be. */
async function made(file: OpenedFile, by: StickerPainter = paint): Promise<readonly [Buffer, number | null, string]> {
  const got = await asPng(file, by, { log: new RecordingHost().log, signal: never });
  if (!got.ok) throw new Error(got.why.message);
  return [Buffer.from(await readAll(got.stream)), got.bytes, got.mime ?? "-"];
}

describe("a sticker that is to be PNG", () => {
  test("is drawn whole, however it comes", async () => {
    const seen: Buffer[] = [];
    const by: StickerPainter = async (webp) => {
      seen.push(Buffer.from(webp));
      return await Promise.resolve(PNG);
    };
    const result = await made(opened([WEBP.subarray(0, 5), WEBP.subarray(5)]), by);
    expect(result).toEqual([PNG, PNG.length, "image/png"]);
    expect(seen).toEqual([WEBP]);
  });

  test.each<readonly [string, Buffer, StickerPainter]>([
    ["cannot be drawn", WEBP, async () => await Promise.reject(new Error("bad\nlines"))],
    ["is too large as PNG", WEBP, async () => await Promise.resolve(new Uint8Array(6 * 1024 * 1024))],
    ["is no WebP", Buffer.from("GIF89a and what follows"), paint],
    ["is empty", Buffer.alloc(0), paint],
  ])("goes on as it came when it %s", async (_, content, by) => {
    expect(await made(opened([content]), by)).toEqual([content, content.length, "image/webp"]);
  });

  test.each([
    ["says", STICKER_MAX + 1],
    ["does not say", null],
  ])("goes on as it came when it is larger than any, and %s so", async (_, bytes) => {
    const chunks = [WEBP, Buffer.alloc(STICKER_MAX, 1), Buffer.from("the end")];
    const [content, , mime] = await made(opened(chunks, bytes), async () => await Promise.reject(new Error("asked")));
    expect(content.equals(Buffer.concat(chunks))).toBe(true);
    expect(mime).toBe("image/webp");
  });

  test("that breaks off is no file", async () => {
    const file = { ...BROKEN, stream: ReadableStream.from(breakingOff()) };
    const got = await asPng(file, paint, { log: new RecordingHost().log, signal: never });
    expect(got).toMatchObject({ ok: false, why: { code: "network" } });
  });

  test("that nobody waits for any more is not read on", async () => {
    const given = new AbortController();
    const cancelled = Promise.withResolvers<void>();
    const stream = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
    const going = asPng({ ...BROKEN, stream }, paint, { log: new RecordingHost().log, signal: given.signal });
    given.abort();
    expect(await going).toMatchObject({ ok: false, why: { code: "network" } });
    await cancelled.promise;
  });

  test("that could not be opened is not there", async () => {
    const missing: OpenedFile = { ok: false, why: { code: "not_found", message: "gone" } };
    expect(await asPng(missing, paint, { log: new RecordingHost().log, signal: never })).toBe(missing);
  });
});

describe("a sticker that moves and is to be PNG", () => {
  const made = async (file: OpenedFile, by: StickerPainter | null = paint) =>
    await asStill(file, by, { log: new RecordingHost().log, signal: never });

  test("is drawn whole", async () => {
    const got = await made(opened([WEBP.subarray(0, 5), WEBP.subarray(5)]), async (tgs) => {
      expect(Buffer.from(tgs)).toEqual(WEBP);
      return await Promise.resolve(PNG);
    });
    if (!got.ok) throw new Error(got.why.message);
    expect([Buffer.from(await readAll(got.stream)), got.bytes, got.mime]).toEqual([PNG, PNG.length, "image/png"]);
  });

  test.each<readonly [string, OpenedFile, StickerPainter | null]>([
    ["nothing draws it any more", opened([WEBP]), null],
    ["it cannot be drawn", opened([WEBP]), async () => await Promise.reject(new Error("bad"))],
    ["it is too large as PNG", opened([WEBP]), async () => await Promise.resolve(new Uint8Array(6 * 1024 * 1024))],
    ["it is larger than any, and says so", opened([WEBP], STICKER_MAX + 1), paint],
    ["it is larger than any", opened([WEBP, Buffer.alloc(STICKER_MAX, 1)]), paint],
  ])("is no file when %s", async (_, file, by) => {
    expect(await made(file, by)).toMatchObject({ ok: false, why: { code: "unsupported" } });
  });

  test("that breaks off, or could not be opened, is not there", async () => {
    const broken = { ...BROKEN, stream: ReadableStream.from(breakingOff()) };
    expect(await made(broken)).toMatchObject({ ok: false, why: { code: "network" } });
    const missing: OpenedFile = { ok: false, why: { code: "not_found", message: "gone" } };
    expect(await made(missing)).toBe(missing);
  });
});

describe("what draws stickers", () => {
  const [on, off] = [{ MediaConvertWebPToPNG: true }, { MediaConvertWebPToPNG: false }];

  test("is loaded only where it is wanted", async () => {
    const { log } = new RecordingHost();
    const unasked = async (): Promise<never> => await Promise.reject(new Error("asked"));
    expect(await stickerPainter(off, log, unasked)).toBe(null);
    expect(await stickerPainter(on, log, async () => await Promise.resolve(paint))).toBe(paint);
    expect(await stickerPainter(on, log, async () => await Promise.resolve(null))).toBe(null);
  });

  test("is done without when it does not work, which is said in one line", async () => {
    const host = new RecordingHost();
    const broken = async (): Promise<never> => await Promise.reject(new Error("no such library\nPossible solutions:"));
    expect(await stickerPainter(on, host.log, broken)).toBe(null);
    expect(host.records).toEqual([
      {
        level: "warn",
        fields: { why: "Error: no such library" },
        message: "sharp is installed and cannot be used: stickers go on as they come",
      },
    ]);
  });
});
