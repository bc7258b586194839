import type { Line } from "./wire.ts";

/** What was said before we came: it was not said now. */
const PLAYBACK = /^(?:chathistory|znc\.in\/playback|.*\/playback)$/u;
const OPEN_MAX = 100;

/** The batches that are open (IRCv3 "Batch"), by their reference: which of them repeat old lines. */
export class Batches {
  readonly #open = new Map<string, boolean>();

  /** Whether the line is inside a batch of old lines. */
  playsBack(line: Line): boolean {
    const outer = line.tags.get("batch");
    return outer !== undefined && this.#open.get(outer) === true;
  }

  /** A BATCH line: one begins or ends. */
  take(line: Line): void {
    const [reference = "", type = ""] = line.params;
    const name = reference.slice(1);
    if (reference.startsWith("-")) this.#open.delete(name);
    else if (this.#open.size < OPEN_MAX) this.#open.set(name, PLAYBACK.test(type) || this.playsBack(line));
  }
}
