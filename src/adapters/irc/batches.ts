import type { Line } from "./wire.ts";

/** What was said before we came: it was not said now. */
const PLAYBACK = /^(?:chathistory|znc\.in\/playback|.*\/playback)$/u;
const OPEN_MAX = 100;

interface Batch {
  readonly playback: boolean;
  readonly label: string | null;
}

/** The batches that are open (IRCv3 "Batch"), by their reference: which repeat old lines, and which answer a line of ours. */
export class Batches {
  readonly #open = new Map<string, Batch>();

  /** Whether the line is inside a batch of old lines. */
  playsBack(line: Line): boolean {
    return this.#around(line)?.playback === true;
  }

  /** The label of the line of ours that this answers, by itself or with others in a batch (IRCv3 "Labeled Responses"). */
  labelOf(line: Line): string | null {
    return line.tags.get("label") ?? this.#around(line)?.label ?? null;
  }

  /** A BATCH line: one begins or ends. */
  take(line: Line): void {
    const [reference = "", type = ""] = line.params;
    const name = reference.slice(1);
    if (reference.startsWith("-")) this.#open.delete(name);
    else if (this.#open.size < OPEN_MAX) {
      this.#open.set(name, { playback: PLAYBACK.test(type) || this.playsBack(line), label: this.labelOf(line) });
    }
  }

  #around(line: Line): Batch | undefined {
    return this.#open.get(line.tags.get("batch") ?? "");
  }
}
