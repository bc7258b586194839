/** Most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** Where a text was put. */
export interface TextPlace {
  /** Bytes that were put into the ring before it, since the ring was made. */
  readonly from: number;
  readonly bytes: number;
}

/**
 * The newest texts in one buffer that never grows: a text takes the room of the oldest ones. It is outside the
 * engine's heap: what is kept there for seconds moves to the old generation, which is collected seldom. A text lies in
 * one piece: where it does not fit before the end of the buffer, it begins at the start, and the rest of the round
 * stays empty. As on the disk, half a surrogate pair becomes U+FFFD.
 */
export class TextRing {
  /** Its pages cost nothing until they are written. */
  readonly #buffer: Buffer;
  readonly #capacity: number;
  /** Bytes put so far, gaps at the ends of rounds included. */
  #end = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#buffer = Buffer.alloc(capacity);
  }

  /** Null: it is longer than the ring, which is left as it was. */
  put(text: string): TextPlace | null {
    let at = this.#capacity === 0 ? 0 : this.#end % this.#capacity;
    // Counting the bytes is only worth it where they may not fit.
    if (at + text.length * BYTES_PER_UNIT > this.#capacity) {
      const bytes = Buffer.byteLength(text);
      if (bytes > this.#capacity) return null;
      if (at + bytes > this.#capacity) {
        this.#end += this.#capacity - at;
        at = 0;
      }
    }
    const bytes = this.#buffer.write(text, at);
    const place = { from: this.#end, bytes };
    this.#end += bytes;
    return place;
  }

  /** Whether what was put there is still there. */
  has({ from }: TextPlace): boolean {
    return this.#end - from <= this.#capacity;
  }

  /** Null: newer texts have taken its room. */
  get(place: TextPlace): string | null {
    if (!this.has(place)) return null;
    const at = this.#capacity === 0 ? 0 : place.from % this.#capacity;
    return this.#buffer.toString("utf8", at, at + place.bytes);
  }
}
