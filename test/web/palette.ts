import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Pixels of a picture: red, green and blue, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS_MAX = 256;

interface Chunk {
  readonly type: string;
  readonly body: Buffer;
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), body: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** Of a PNG as browsers write it: 8 bits for each of red, green, blue and maybe alpha, which is left out. */
export function pixelsOf(png: Buffer): Pixels {
  const chunks = chunksOf(png);
  const head = chunks.find(({ type }) => type === "IHDR")?.body ?? Buffer.alloc(13);
  const [width, height, depth, kind] = [head.readUInt32BE(0), head.readUInt32BE(4), head[8], head[9]];
  if (depth !== 8 || (kind !== 2 && kind !== 6)) throw new Error(`no PNG of a browser: ${depth} bits, kind ${kind}`);
  const step = kind === 6 ? 4 : 3;
  const data = inflateSync(Buffer.concat(chunks.flatMap(({ type, body }) => (type === "IDAT" ? [body] : []))));
  const line = width * step;
  const whole = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (line + 1)] ?? 0;
    for (let x = 0; x < line; x += 1) {
      const at = y * line + x;
      const left = x < step ? 0 : (whole[at - step] ?? 0);
      const up = y === 0 ? 0 : (whole[at - line] ?? 0);
      const corner = x < step || y === 0 ? 0 : (whole[at - line - step] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      whole[at] = ((data[y * (line + 1) + 1 + x] ?? 0) + guess) & 0xff;
    }
  }
  if (step === 3) return { width, height, rgb: whole };
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) whole.copy(rgb, at * 3, at * 4, at * 4 + 3);
  return { width, height, rgb };
}

/** Which of the three is next to what they foretell, as the format has it. */
function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** A PNG with a palette: the most frequent colours, and of each other one the nearest of these. */
export function withPalette({ width, height, rgb }: Pixels): { readonly png: Buffer; readonly colours: number } {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const colour = rgb.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const frequent = [...counts].toSorted(([a, many], [b, few]) => few - many || a - b).slice(0, COLOURS_MAX);
  const palette = frequent.map(([colour]) => colour);
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      lines[y * (width + 1) + 1 + x] = places.get(rgb.readUIntBE((y * width + x) * 3, 3)) ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.alloc(palette.length * 3);
  for (const [place, colour] of palette.entries()) colours.writeUIntBE(colour, place * 3, 3);
  const parts = [
    chunk("IHDR", head),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return { png: Buffer.concat([SIGNATURE, ...parts]), colours: counts.size };
}

function nearest(palette: readonly number[], colour: number): number {
  const far = (one: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 0xff) - ((colour >> shift) & 0xff)) ** 2, 0);
  let best = 0;
  for (const [place, one] of palette.entries()) if (far(one) < far(palette[best] ?? 0)) best = place;
  return best;
}

function chunk(type: string, body: Buffer): Buffer {
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32BE(body.length, 0);
  whole.write(type, 4, "latin1");
  body.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, body.length + 8)), body.length + 8);
  return whole;
}
