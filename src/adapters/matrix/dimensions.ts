/** Width and height of a picture, as far as its first bytes tell. */
export interface Dimensions {
  readonly w: number;
  readonly h: number;
}

/** PNG, GIF, JPEG and WebP; null for all else, and when the place is not within these bytes. */
export function dimensionsOf(head: Uint8Array): Dimensions | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    return sane(png(view) ?? gif(view) ?? webp(view) ?? jpeg(view));
  } catch (error) {
    // It ends before it says so.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sane(size: Dimensions | null): Dimensions | null {
  return size !== null && size.w > 0 && size.h > 0 ? size : null;
}

const startsWith = (view: DataView, at: number, text: string): boolean =>
  Array.from(text).every((character, index) => view.getUint8(at + index) === character.charCodeAt(0));

/** PNG §11.2.1: IHDR is the first chunk. */
function png(view: DataView): Dimensions | null {
  if (!startsWith(view, 0, "\x89PNG")) return null;
  return { w: view.getUint32(16), h: view.getUint32(20) };
}

function gif(view: DataView): Dimensions | null {
  if (!startsWith(view, 0, "GIF8")) return null;
  return { w: view.getUint16(6, true), h: view.getUint16(8, true) };
}

/** RFC 9649: the first chunk is VP8, VP8L or VP8X. */
function webp(view: DataView): Dimensions | null {
  if (!startsWith(view, 0, "RIFF") || !startsWith(view, 8, "WEBP")) return null;
  if (startsWith(view, 12, "VP8X")) return { w: uint24(view, 24) + 1, h: uint24(view, 27) + 1 };
  if (startsWith(view, 12, "VP8L")) {
    const bits = view.getUint32(21, true);
    return { w: (bits & 0x3fff) + 1, h: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { w: view.getUint16(26, true) & 0x3fff, h: view.getUint16(28, true) & 0x3fff };
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);

/** ITU T.81 Annex B: segments until one that begins a frame (SOF). */
function jpeg(view: DataView): Dimensions | null {
  if (view.getUint16(0) !== 0xff_d8) return null;
  for (let at = 2; ;) {
    const marker = view.getUint16(at);
    if (marker < 0xff_c0 || marker === 0xff_ff) return null;
    const isFrame = marker <= 0xff_cf && marker !== 0xff_c4 && marker !== 0xff_c8 && marker !== 0xff_cc;
    if (isFrame) return { w: view.getUint16(at + 7), h: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
}
