/** 8191 bytes of tags (IRCv3 "Message Tags"), and for the rest far more than the 512 of RFC 2812 §2.3. */
const LINE_BYTES_MAX = 16 * 1024;

const LF = 10;
const CR = 13;
const NOTHING = new Uint8Array();

/** Cuts a stream of bytes into lines. Holds at most one line of `LINE_BYTES_MAX`. */
export class LineBuffer {
  #rest: Uint8Array = NOTHING;
  /** In a line that is too long already. */
  #skipping = false;

  /**
   * The lines that are complete now, without their line ends; null stands for one that was too long and is gone. Empty
   * ones are left out. They may share their memory with `chunk`.
   */
  push(chunk: Uint8Array): readonly (Uint8Array | null)[] {
    const lines: (Uint8Array | null)[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const line = this.#join(chunk.subarray(from, end));
      if (line === null) lines.push(null);
      else pushLine(line, lines);
      this.#rest = NOTHING;
      this.#skipping = false;
      from = end + 1;
    }
    const rest = this.#join(chunk.subarray(from));
    this.#skipping = rest === null;
    // A copy: what is kept must not hold the whole chunk.
    this.#rest = rest === null ? NOTHING : Uint8Array.from(rest);
    return lines;
  }

  /** What is kept and `bytes` as one; null when that is too long. */
  #join(bytes: Uint8Array): Uint8Array | null {
    if (this.#skipping || this.#rest.length + bytes.length > LINE_BYTES_MAX) return null;
    return this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
  }
}

function pushLine(line: Uint8Array, lines: (Uint8Array | null)[]): void {
  let end = line.length;
  while (end > 0 && line[end - 1] === CR) end -= 1;
  if (end > 0) lines.push(line.subarray(0, end));
}
