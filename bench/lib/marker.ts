/**
 * What a benchmark message's text begins with: its number and when it was sent, in a fixed width, so that a sender can
 * patch it into prepared bytes and a reader can find it at a fixed place of the line.
 */
const NUMBER_DIGITS = 9;
const TIME_DIGITS = 15;
const TEMPLATE = `#${"0".repeat(NUMBER_DIGITS)} ${"0".repeat(TIME_DIGITS)} `;
const ZERO = 48;

/** A posted message as bytes of about this length, whose text starts with an unfilled marker. */
export function messageBody(gateway: string, bytes: number): string {
  const body = (text: string): string => JSON.stringify({ text: TEMPLATE + text, username: "bench", gateway });
  return body("x".repeat(Math.max(0, bytes - body("").length)));
}

/** The same for `/v1`, which has the gateway in the path. */
export function v1MessageBody(bytes: number): string {
  const body = (text: string): string => JSON.stringify({ text: TEMPLATE + text, author: { name: "bench" } });
  return body("x".repeat(Math.max(0, bytes - body("").length)));
}

/** Where the marker stands in some bytes. Throws when there is none. */
export function markerIn(bytes: Buffer): number {
  const at = bytes.indexOf(TEMPLATE, 0, "latin1");
  if (at < 0) throw new Error("no marker in these bytes");
  return at;
}

/** Fills in the marker at `at`; `ms` is of the monotonic clock. */
export function stamp(bytes: Buffer, at: number, number: number, ms: number): void {
  digits(bytes, at + 1, NUMBER_DIGITS, number);
  digits(bytes, at + 2 + NUMBER_DIGITS, TIME_DIGITS, Math.round(ms * 1000));
}

/** Behind the name of the sender, if there is one. */
const LINE_MARKER = /^\{"text":"[^"#]{0,60}#(?<number>\d{9}) (?<time>\d{15}) /;

/** The marker of a line of a stream; null when it is another kind of message. */
export function readMarker(line: string): { readonly number: number; readonly ms: number } | null {
  const groups = LINE_MARKER.exec(line)?.groups;
  return groups === undefined ? null : { number: Number(groups["number"]), ms: Number(groups["time"]) / 1000 };
}

function digits(bytes: Buffer, at: number, count: number, value: number): void {
  let rest = value;
  for (let index = at + count - 1; index >= at; index -= 1) {
    const digit = rest % 10;
    bytes[index] = ZERO + digit;
    rest = (rest - digit) / 10;
  }
}
