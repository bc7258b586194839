import { passed } from "../lib/garbage.ts";

/** Of a block; a body that is twice as large as its last block gets a larger one, so that little is left unused. */
const BLOCK = { least: 1024, most: 256 * 1024 };

/**
 * The bytes of a body that comes in. They are copied into blocks whose memory is given back at once when the body is
 * refused. What Node reads of a connection would be given back by a full collection only, and until then twice as much
 * would be held as the budget of bodies allows.
 */
export class BodyParts {
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  #bytes = 0;
  /** Unused bytes of the last block. */
  #room = 0;

  constructor(first: Buffer) {
    this.add(first);
  }

  add(part: Buffer): void {
    for (let from = 0; from < part.length;) {
      if (this.#room === 0) this.#grow();
      const block = this.#blocks.at(-1);
      const copied = block === undefined ? 0 : part.copy(block, block.length - this.#room, from);
      from += copied;
      this.#room -= copied;
    }
    this.#bytes += part.length;
    passed(part.length);
  }

  /** All of them, in memory of its own. */
  joined(): Buffer {
    return Buffer.concat(this.#blocks, this.#bytes);
  }

  /** Nothing may be read of it any more. */
  free(): void {
    for (const { buffer } of this.#blocks) buffer.transfer(0);
    this.#blocks.length = 0;
  }

  #grow(): void {
    this.#room = Math.min(BLOCK.most, Math.max(BLOCK.least, this.#bytes));
    this.#blocks.push(Buffer.from(new ArrayBuffer(this.#room)));
  }
}
