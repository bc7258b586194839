import type { Entry, NewEntry, Seq, Subject, TailListener } from "./log.ts";
import { type TextPlace, TextRing } from "./text-ring.ts";

/** What an entry costs in memory beside its payload, in bytes: the object, its slot, its time and its place. */
const ENTRY_OVERHEAD = 120;

/**
 * A committed entry as the listeners hold it. While they are told, it has its payload as a string; afterwards the
 * payload is in the ring, until newer ones need the room.
 */
export class TailEntry implements Entry {
  readonly seq: Seq;
  readonly subject: Subject;
  readonly at: number;
  readonly label: string;
  #payload: string | null;
  #ring: TextRing | null = null;
  #place: TextPlace | null = null;
  constructor(seq: Seq, at: number, { subject, label, payload }: NewEntry) {
    this.seq = seq;
    this.subject = subject;
    this.at = at;
    this.label = label;
    this.#payload = payload;
  }

  /** Made anew from the ring by each call. */
  get payload(): string | null {
    if (this.#payload !== null) return this.#payload;
    return this.#place === null ? null : (this.#ring?.get(this.#place) ?? null);
  }

  /** Whether the payload would be there without the string. */
  get isKept(): boolean {
    return this.#place !== null && this.#ring !== null && this.#ring.has(this.#place);
  }

  /** Bytes it takes in the ring, and its overhead. */
  get cost(): number {
    return ENTRY_OVERHEAD + (this.#place?.bytes ?? 0);
  }

  moveTo(ring: TextRing): void {
    this.#ring = ring;
    this.#place = this.#payload === null ? null : ring.put(this.#payload);
  }

  /** The listeners were told. */
  dropText(): void {
    this.#payload = null;
  }

  /** The ring has its room for others: who holds the entry for long need not hold its place as well. */
  leaveRing(): void {
    this.#ring = null;
    this.#place = null;
  }
}

/** The newest committed entries, kept in memory up to a byte budget, and those who listen for more. */
export class Tail {
  readonly #limit: number;
  readonly #ring: TextRing;
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
    this.#ring = new TextRing(limit);
  }

  /** Takes the entries of one commit, in order, and hands them on, all with their payload. */
  publish(entries: readonly TailEntry[]): void {
    if (entries.length === 0) return;
    for (const entry of entries) {
      entry.moveTo(this.#ring);
      if (entry.isKept) {
        this.#window.push(entry);
        this.#bytes += entry.cost;
      } else {
        // It is longer than the ring, and the window has no gaps.
        this.#window = [];
        this.#first = 0;
        this.#bytes = 0;
        this.#floor = entry.seq;
      }
    }
    // Now, and not when the listeners were told: they may read, and what is in the window must have its payload.
    this.#evict();
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
    for (const entry of entries) entry.dropText();
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
    for (;;) {
      const oldest = this.#window[this.#first];
      if (oldest === undefined || (this.#bytes <= this.#limit && oldest.isKept)) break;
      this.#bytes -= oldest.cost;
      oldest.leaveRing();
      this.#floor = oldest.seq;
      this.#first++;
    }
    if (this.#first > this.#window.length / 2) {
      this.#window = this.#window.slice(this.#first);
      this.#first = 0;
    }
  }
}
