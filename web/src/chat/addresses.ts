import { endOfUrl } from "../../../src/content/links.ts";

/** A piece of a text; `href`: it is an address. */
interface Piece {
  readonly text: string;
  readonly href: string | null;
}

const BEGIN = /(?<![\p{L}\p{N}])https?:\/\/|(?<![\p{L}\p{N}/.@_-])www\.[\p{L}\p{N}-]+\./giu;
const SCHEME = "http://";
/** Signs that turn what follows round: an address would read as another one. */
const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A text, cut where addresses of web pages begin and end. The pieces together are the text. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const { 0: begin, index } of text.matchAll(BEGIN)) {
    const isShort = /^www/iu.test(begin);
    const end = index < done ? index : isShort ? endOfShort(text, index) : endOfUrl(text, index);
    const href = hrefOf((isShort ? SCHEME : "") + text.slice(index, end));
    if (href === null) continue;
    if (index > done) pieces.push({ text: text.slice(done, index), href: null });
    pieces.push({ text: text.slice(index, end), href });
    done = end;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), href: null });
  return pieces;
}

/** Where an address without a scheme ends. */
const endOfShort = (text: string, at: number): number =>
  endOfUrl(text.slice(0, at) + SCHEME + text.slice(at), at) - SCHEME.length;

/** Null: nothing to click on. What stands before an @ is taken for the host. */
function hrefOf(address: string): string | null {
  const url = TURNING.test(address) ? null : URL.parse(address);
  return url === null || url.username !== "" || url.password !== "" ? null : url.href;
}
