import type { Entry, NewEntry, Seq, Subject, TailListener } from "./log.ts";

/** What an entry costs in memory beside its payload, in bytes: the object, its slot, its time and the string's header. */
const ENTRY_OVERHEAD = 120;

/** A committed entry as the listeners hold it: letting go of the payload here frees it for all of them. */
export class TailEntry implements Entry {
  readonly seq: Seq;
  readonly subject: Subject;
  readonly at: number;
  readonly label: string;
  payload: string | null;
  constructor(seq: Seq, at: number, { subject, label, payload }: NewEntry) {
    this.seq = seq;
    this.subject = subject;
    this.at = at;
    this.label = label;
    this.payload = payload;
  }
}

/** The newest committed entries, kept in memory up to a byte budget, and those who listen for more. */
export class Tail {
  readonly #limit: number;
  readonly #listeners = new Set<TailListener>();
  /** Live entries are `#window[#first…]`; the slots before are cut off now and then. */
  #window: TailEntry[] = [];
  #first = 0;
  #bytes = 0;
  /** Every entry after this seq is in the window. */
  #floor: Seq;

  /** `head`: the log's head when the tail starts; `limit`: bytes of payload and overhead it may hold. */
  constructor(head: Seq, limit: number) {
    this.#floor = head;
    this.#limit = limit;
  }

  /** Takes the entries of one commit, in order, and hands them on. What is over the budget is let go of afterwards. */
  publish(entries: readonly TailEntry[]): void {
    if (entries.length === 0) return;
    for (const entry of entries) {
      this.#window.push(entry);
      this.#bytes += costOf(entry);
    }
    for (const listener of this.#listeners) {
      try {
        listener(entries);
      } catch (error) {
        // A bug of that listener: it must be seen, but neither the commit nor the other listeners may suffer.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    this.#evict();
  }

  /** Returns the unsubscribe function. */
  listen(listener: TailListener): () => void {
    // A wrapper of its own, so that one function can listen twice and each subscription ends alone.
    const own: TailListener = (entries) => listener(entries);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** All entries with seq > after, oldest first, when memory holds them all and they are at most `most`; else null. */
  since(after: Seq, most: number): readonly TailEntry[] | null {
    if (after < this.#floor) return null;
    let low = this.#first;
    let high = this.#window.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#window[middle];
      if (entry === undefined || entry.seq > after) high = middle;
      else low = middle + 1;
    }
    return this.#window.length - low > most ? null : this.#window.slice(low);
  }

  #evict(): void {
    while (this.#bytes > this.#limit) {
      const oldest = this.#window[this.#first];
      if (oldest === undefined) break;
      this.#bytes -= costOf(oldest);
      oldest.payload = null;
      this.#floor = oldest.seq;
      this.#first++;
    }
    if (this.#first > this.#window.length / 2) {
      this.#window = this.#window.slice(this.#first);
      this.#first = 0;
    }
  }
}

function costOf(entry: TailEntry): number {
  return ENTRY_OVERHEAD + (entry.payload?.length ?? 0);
}
