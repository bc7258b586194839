import type { MessageId } from "./codec.ts";

/** What is behind by so much, by the servers' clock, is never finished: its node is gone. In ms. */
const LOST_MS = 10 * 60 * 1000;

interface Unfinished {
  readonly run: string;
  readonly number: number;
  /** Place of its first part. */
  readonly from: number;
  readonly at: number;
  readonly bodies: Uint8Array[];
}

/** Puts commits together that came in parts. What it gives up depends on the stream alone. */
export class Parts {
  readonly #unfinished = new Map<string, Unfinished>();

  /** The whole body when this was its last part; `lost` when parts before it are missing; null: more is to come. */
  add(
    { node, run, is, number, part, parts }: MessageId,
    body: Uint8Array,
    seq: number,
    at: number,
  ): Uint8Array | "lost" | null {
    // What is no commit may come between the parts of one of its node, and is never in parts itself.
    if (is !== "commit") return body;
    for (const [of, { at: since }] of this.#unfinished) if (at - since > LOST_MS) this.#unfinished.delete(of);
    let own = this.#unfinished.get(node);
    if (own !== undefined && (own.run !== run || own.number !== number)) {
      this.#unfinished.delete(node);
      own = undefined;
    }
    if (parts === 1) return body;
    if (part === 1 && own === undefined) {
      own = { run, number, from: seq, at, bodies: [] };
      this.#unfinished.set(node, own);
    }
    // A part that came twice is in its place already.
    if (own !== undefined && own.bodies.length === part - 1) own.bodies.push(body);
    if (part < parts) return null;
    this.#unfinished.delete(node);
    return own?.bodies.length === parts ? Buffer.concat(own.bodies) : "lost";
  }

  /** From here on the stream is needed after a restart, when everything up to `seq` was applied. */
  resume(seq: number): number {
    let from = seq + 1;
    for (const unfinished of this.#unfinished.values()) from = Math.min(from, unfinished.from);
    return from;
  }

  clear(): void {
    this.#unfinished.clear();
  }
}
