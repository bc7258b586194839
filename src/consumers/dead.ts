import type { Seq } from "../log/log.ts";
import type { DeadPage } from "./consumers.ts";
import type { EventFilter, Feed } from "./feed.ts";
import { readEach } from "./read-each.ts";
import type { Dead } from "./saved.ts";

/** Most bytes of dead letters at once, as JSON. */
const DEAD_BYTES = 4 * 1024 * 1024;
/** Dead letters that are kept; the oldest make room. */
const DEAD_MAX = 1000;

/** What a consumer has given up, in the order in which it did. */
export class DeadLetters {
  readonly #letters: Map<Seq, Dead>;
  /** Raised by every change. */
  version = 0;

  constructor(letters: Iterable<readonly [Seq, Dead]>) {
    this.#letters = new Map(letters);
  }

  get all(): ReadonlyMap<Seq, Dead> {
    return this.#letters;
  }

  add(seq: Seq, dead: Dead): void {
    this.version += 1;
    this.#letters.set(seq, dead);
    for (const oldest of this.#letters.keys()) {
      if (this.#letters.size <= DEAD_MAX) break;
      this.#letters.delete(oldest);
    }
  }

  /** Null: it is none. */
  take(seq: Seq): Dead | null {
    const dead = this.#letters.get(seq);
    if (dead === undefined) return null;
    this.#letters.delete(seq);
    this.version += 1;
    return dead;
  }
}

/** The letters after a position, with their events. Rejects with the log's LogError. */
export async function deadPage(
  all: ReadonlyMap<Seq, Dead>,
  { feed, filter, after }: { readonly feed: Feed; readonly filter: EventFilter; readonly after: Seq },
): Promise<DeadPage> {
  const dead = new Map(all);
  const seqs = [...dead.keys()].filter((seq) => seq > after).sort((a, b) => a - b);
  const { found, lost } = await readEach(feed, filter, seqs, DEAD_BYTES);
  const letters = found.flatMap((item) => {
    const letter = dead.get(item.seq);
    return letter === undefined ? [] : [{ ...letter, item }];
  });
  const isAll = found.length + lost.length === seqs.length;
  return { letters, next: isAll ? null : (found.at(-1)?.seq ?? null) };
}
