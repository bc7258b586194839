import type { Clock } from "../contract/host.ts";
import { EventLabel } from "../contract/message.ts";
import type { Reason } from "../contract/outcome.ts";
import { decodeStored } from "../gateway/codec.ts";
import type { OpDraft } from "../gateway/planned.ts";
import { type BrokenLoop, Returns } from "../gateway/returns.ts";
import { wordsSaid, wordsWritten } from "../gateway/words.ts";
import type { Entry, Seq, Subject } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { BREAK_LOOP } from "./remedies.ts";
import type { LoopStatus } from "./status.ts";

/** Labels of what can be said again by a bridge that hears it. */
const SAID: ReadonlySet<string> = new Set(["", EventLabel.action, EventLabel.notice]);

/**
 * Tells the search for loops (gateway/returns.ts) what is heard and written, and lanes what they are not to write. In
 * memory only.
 */
export class LoopWatch {
  readonly #returns = new Returns();
  readonly #clock: Pick<Clock, "nowMs" | "monoMs">;
  readonly #logger: Logger;
  readonly #told = new WeakSet<BrokenLoop>();

  constructor(clock: Pick<Clock, "nowMs" | "monoMs">, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Loops that are withheld now; moments by the calendar. */
  get loops(): readonly LoopStatus[] {
    const { nowMs, monoMs } = this.#moments();
    return this.#returns.loops(monoMs).map(({ place, name, sinceMs, untilMs, count }) => {
      const calendar = (ms: number): number => nowMs + ms - monoMs;
      const [since, until] = [calendar(sinceMs), calendar(untilMs)];
      return { place, through: name, withheld: count, remedy: BREAK_LOOP, sinceMs: since, untilMs: until };
    });
  }

  /** To be called with what was committed and goes to lanes, in order, before they see it. */
  heard(entries: readonly Entry[]): void {
    const atMs = this.#clock.monoMs();
    for (const { seq, subject, label, payload } of entries) {
      if (payload !== null && SAID.has(label)) this.#heard(seq, subject, payload, atMs);
    }
  }

  #heard(seq: Seq, place: Subject, payload: string, atMs: number): void {
    try {
      const stored = decodeStored(payload);
      const { userid, username } = stored.message;
      const author = `${userid} ${username}`;
      this.#returns.heard({ seq, place, author, name: username, words: wordsSaid(stored), atMs });
    } catch {
      // Whoever is to write it says what is wrong with it.
    }
  }

  wrote(seq: Seq, place: Subject, op: OpDraft): void {
    if (op.kind !== "post" || op.author === null) return;
    const atMs = this.#clock.monoMs();
    this.#returns.written({ seq, place, frame: op.author.shown, words: wordsWritten(op), atMs });
  }

  /** Why an entry is not written anywhere; null: it is. */
  why(seq: Seq): Reason | null {
    const loop = this.#returns.verdict(seq, this.#clock.monoMs());
    if (loop === null) return null;
    const why: Reason = {
      code: "config",
      message:
        `withheld: a loop; "${loop.name}" in ${loop.place.replace("/", " ")} repeats what Rialto wrote, ` +
        `as another bridge between the same rooms would. ${BREAK_LOOP}`,
    };
    if (!this.#told.has(loop))
      this.#logger.warn({ why: why.message }, "a loop through another bridge was found: its messages are withheld");
    this.#told.add(loop);
    return why;
  }

  #moments(): { readonly nowMs: number; readonly monoMs: number } {
    return { nowMs: this.#clock.nowMs(), monoMs: this.#clock.monoMs() };
  }
}
