/** The colours that `\x03` names by number, 00 to 98; the first 16 as common clients show them. */
const PALETTE: readonly string[] = [
  "ffffff 000000 00007f 009300 ff0000 7f0000 9c009c fc7f00 ffff00 00fc00 009393 00ffff 0000fc ff00ff 7f7f7f d2d2d2",
  "470000 472100 474700 324700 004700 00472c 004747 002747 000047 2e0047 470047 47002a",
  "740000 743a00 747400 517400 007400 007449 007474 004074 000074 4b0074 740074 740045",
  "b50000 b56300 b5b500 7db500 00b500 00b571 00b5b5 0063b5 0000b5 7500b5 b500b5 b5006b",
  "ff0000 ff8c00 ffff00 b2ff00 00ff00 00ffa0 00ffff 008cff 0000ff a500ff ff00ff ff0098",
  "ff5959 ffb459 ffff71 cfff60 6fff6f 65ffc9 6dffff 59b4ff 5959ff c459ff ff66ff ff59bc",
  "ff9c9c ffd39c ffff9c e2ff9c 9cff9c 9cffdb 9cffff 9cd3ff 9c9cff dc9cff ff9cff ff94d3",
  "000000 131313 282828 363636 4d4d4d 656565 818181 9f9f9f bcbcbc e2e2e2 ffffff",
].flatMap((row) => row.split(" "));

/** `#rrggbb` of a colour as `Format` has it. */
export function hexColour(colour: string): string {
  return colour.startsWith("#") ? colour : `#${PALETTE[Number(colour)] ?? "000000"}`;
}

/** Every client has these. */
const BASIC = PALETTE.slice(0, 16).map((hex) => components(hex));

/** The one of the first 16 that looks most like `#rrggbb`, as two digits; null when that is not a colour. */
export function nearestColour(colour: string): string | null {
  if (!/^#[0-9A-Fa-f]{6}$/.test(colour)) return null;
  const wanted = components(colour.slice(1));
  const distances = BASIC.map((basic) => distance(basic, wanted));
  return String(distances.indexOf(Math.min(...distances))).padStart(2, "0");
}

type Components = readonly [number, number, number];

function components(hex: string): Components {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function distance(one: Components, other: Components): number {
  return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;
}
