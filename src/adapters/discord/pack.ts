import type { Block } from "../../contract/content.ts";
import type { Loss } from "../../contract/outcome.ts";
import { cut } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { paraOf } from "./text.ts";

/** A part ends at a line or a word when there is one in its last part of this size. */
const TAIL = 200;
/** Before it is protected, a piece of this share of a message fits as a rule. */
const ROOM = 0.9;

interface PackOptions {
  /** Units of UTF-16 of one text. */
  readonly textMax: number;
  /** … and of the first, before which something else stands. */
  readonly firstMax: number;
  readonly render: (blocks: readonly Block[]) => string;
}

/** As many blocks in each text as fit; what does not fit by itself is cut, and told as a loss of its formatting. */
export function pack(blocks: readonly Block[], { textMax, firstMax, render }: PackOptions, losses: Loss[]): string[] {
  const texts: string[] = [];
  let open: Block[] = [];
  const max = (): number => (texts.length === 0 ? firstMax : textMax);
  const fits = (more: readonly Block[]): boolean => render(more).length <= max();
  const flush = (): void => {
    const text = render(open);
    if (text.trim() !== "") texts.push(text);
    open = [];
  };
  for (const block of blocks) {
    if (open.length > 0 && !fits([...open, block])) flush();
    if (fits([...open, block])) {
      open.push(block);
      continue;
    }
    if (block.t !== "pre" && losses.length === 0 && !isPlain(block))
      losses.push({ what: "format", note: "a text this long is sent without its formatting" });
    const words = block.t === "pre" ? block.text : plainText([block]);
    const made = (text: string): Block => (block.t === "pre" ? { ...block, text } : paraOf(text));
    for (let at = 0; at < words.length;) {
      const size = fittingSize(words, at, max(), (text) => fits([made(text)]));
      const piece = words.slice(at, at + size);
      at += size;
      const text = at < words.length ? piece.replace(/\n$/, "") : piece;
      if (text.trim() === "") continue;
      open = [made(text)];
      // The last piece may be followed by other blocks.
      if (at < words.length) flush();
    }
  }
  if (open.length > 0) flush();
  return texts;
}

const isPlain = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

/** How much of the words from there on makes one message: signs that must be protected take more room. */
function fittingSize(words: string, at: number, max: number, fits: (text: string) => boolean): number {
  let most = Math.max(Math.floor(max * ROOM), 1);
  for (;;) {
    const piece = pieceAt(words, at, most);
    if (piece.length <= 1 || fits(piece)) return Math.max(piece.length, 1);
    most = Math.floor(piece.length / 2);
  }
}

function pieceAt(text: string, at: number, max: number): string {
  const most = cut(text.slice(at, at + max + 64), max, "utf16") || text.slice(at, at + 2);
  if (at + most.length >= text.length) return most;
  const tail = most.slice(-TAIL);
  const line = tail.lastIndexOf("\n");
  const place = line === -1 ? tail.lastIndexOf(" ") : line;
  return place === -1 ? most : most.slice(0, most.length - tail.length + place + 1);
}
