import type { View } from "../../gateway/view.ts";
import { accountOf } from "../../gateway/subject.ts";
import type { FileContent } from "../../gateway/file-contents.ts";
import type { Entry, Log, Seq } from "../../log/log.ts";
import { FileLines } from "./file-lines.ts";

/**
 * What one API account can still be given: the newest `Buffer` items of all gateways it is in, in order.
 *
 * An item is an entry of the log as seen in one gateway. Items are numbered from 0 upwards for the life of the program;
 * readers (polls, streams) hold such an index and not an item. Texts live in the log's tail; an item whose text the
 * tail has let go of is read from the log again.
 */
export interface GatewayItem {
  readonly entry: Entry;
  readonly gateway: string;
}

/** Lines of items, and the index of the item after the last one that was looked at. */
interface Lines {
  readonly lines: string[];
  readonly next: number;
}

/** Bytes (UTF-16 units, near enough) of one answer or one write; a single longer message still goes alone. */
const CHUNK_CHARS = 64 * 1024;

/** Most items that one read of the log is asked for. */
const LOAD_ITEMS = 1024;
/** About so many items that nobody can ask for any more are let go of together. */
const STRIDE_ITEMS = 4096;
/** Most items that are kept, `Buffer` among them, for somebody who has to wait for one of them. */
const WAITED_ITEMS = 10_000;
/** Most messages with files among them: so many are fetched at the same time. */
const LOAD_FILES = 32;

export interface FeedOptions {
  readonly log: Log;
  readonly view: View;
  readonly capacity: number;
  /** The position in the log that the first item comes after. */
  readonly after: Seq;
  /** An item whose line cannot be made; readers are not given it. Told once of each. */
  readonly onBad: OnBad;
  readonly fileLines?: FileLines | undefined;
}

type OnBad = (item: GatewayItem, error: unknown) => void;

export class GatewayFeed {
  readonly #log: Log;
  readonly #fileLines: FileLines;
  #view: View;
  readonly #capacity: number;
  readonly #onBad: OnBad;
  /** Told to `#onBad`. */
  readonly #bad = new WeakSet<GatewayItem>();
  #items: GatewayItem[] = [];
  /** Index of `#items[0]`. */
  #base = 0;
  /** From where on something is held, and how many hold it there. */
  readonly #holds = new Map<number, number>();
  /** Seq of the last item that was let go of. */
  #seqBeforeBase: Seq;

  constructor({ log, view, capacity, after, onBad, fileLines = new FileLines(null, () => null) }: FeedOptions) {
    this.#log = log;
    this.#fileLines = fileLines;
    this.#seqBeforeBase = after;
    this.#view = view;
    this.#capacity = capacity;
    this.#onBad = onBad;
  }

  /** Everything is shown like this from now on. */
  change(view: View): void {
    this.#view = view;
    this.#fileLines.clear();
  }

  /** Index of the next item to come. */
  get end(): number {
    return this.#base + this.#items.length;
  }

  /**
   * Lowest index that is still kept: never more than `Buffer` before the end, or where somebody has to wait for us.
   */
  get start(): number {
    const waited = Math.max(Math.min(...this.#holds.keys()), this.end - WAITED_ITEMS);
    return Math.max(this.#base, Math.min(this.end - this.#capacity, waited));
  }

  /** Lowest index that can still be read: everything pushed since the last `trim` is kept, whatever its number. */
  get kept(): number {
    return this.#base;
  }

  push(item: GatewayItem): void {
    this.#items.push(item);
  }

  /** Lets go of what has fallen out of the buffer; to be called when the live readers have what was pushed. */
  trim(): void {
    const surplus = this.start - this.#base;
    // In strides, so that the cost of one message stays constant.
    if (surplus <= Math.min(this.#capacity, STRIDE_ITEMS) + 64) return;
    this.#seqBeforeBase = this.#items.splice(0, surplus).at(-1)?.entry.seq ?? this.#seqBeforeBase;
    this.#base += surplus;
  }

  /** Seq of the item before this index: the durable form of a position. */
  seqBefore(index: number): Seq {
    const seq = this.#items[index - 1 - this.#base]?.entry.seq ?? this.#seqBeforeBase;
    // Between the items of one entry (it goes to several gateways), the position is before the entry: better twice than
    // never.
    return this.#items[index - this.#base]?.entry.seq === seq ? seq - 1 : seq;
  }

  /** First index whose item has a seq above this one. */
  indexAfter(seq: Seq): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle]?.entry.seq ?? Infinity) > seq) high = middle;
      else low = middle + 1;
    }
    return this.#base + low;
  }

  /** First index from here on that was not accepted before this time (Unix ms). */
  acceptedSince(atMs: number, from: number): number {
    let index = from;
    while (index < this.end && (this.#items[index - this.#base]?.entry.at ?? 0) < atMs) index += 1;
    return index;
  }

  /**
   * The lines (JSON, no newline) of items [from, to), oldest first, as many as fit `chars` but at least one; null when
   * a text or a file has to be fetched first: use `load` then.
   */
  lines(from: number, to: number, chars: number = CHUNK_CHARS): Lines | null {
    this.#assertKept(from);
    const lines: string[] = [];
    let [next, size] = [from, 0];
    for (; next < to; next += 1) {
      const item = this.#items[next - this.#base];
      if (item === undefined) break;
      const { payload } = item.entry;
      const line = payload === null ? null : this.#lineNow(item, payload);
      if (line === null && next === from) return null;
      if (line === null || (lines.length > 0 && size + line.length > chars)) break;
      size += line.length;
      if (line !== NO_LINE) lines.push(line);
    }
    return { lines, next };
  }

  /**
   * Like `lines`, with the texts read from the log and files from their store. Entries that retention has removed are
   * passed over.
   */
  async load(from: number, to: number, chars: number = CHUNK_CHARS): Promise<Lines> {
    this.#assertKept(from);
    const release = this.hold(from);
    try {
      return await this.#load(from, to, chars);
    } finally {
      release();
    }
  }

  /**
   * For who waits because of us: the items from here on are kept meanwhile, and nobody misses them. Returns what ends
   * that, to be called once.
   */
  hold(from: number): () => void {
    this.#holds.set(from, (this.#holds.get(from) ?? 0) + 1);
    return () => {
      const left = (this.#holds.get(from) ?? 1) - 1;
      if (left > 0) this.#holds.set(from, left);
      else this.#holds.delete(from);
    };
  }

  async #load(from: number, to: number, chars: number): Promise<Lines> {
    const wanted = this.#items.slice(from - this.#base, Math.min(to, from + LOAD_ITEMS) - this.#base);
    const first = wanted[0];
    if (first === undefined) return { lines: [], next: to };
    const stored = await this.#log.read({
      subjects: [...new Set(wanted.map((item) => item.entry.subject))],
      after: first.entry.seq - 1,
      limit: wanted.length,
      bytes: chars,
    });
    const payloads = new Map(stored.map((entry) => [entry.seq, entry.payload]));
    const reached = stored.at(-1)?.seq ?? Infinity;
    const read = this.#withFiles(
      wanted.filter(({ entry: { seq } }) => seq <= reached),
      payloads,
    );
    const lines: string[] = [];
    let [next, size] = [from, 0];
    for (const make of read) {
      const line = await make();
      size += line?.length ?? 0;
      if (lines.length > 0 && size > chars) break;
      if (line !== null && line !== NO_LINE) lines.push(line);
      next += 1;
    }
    return { lines, next };
  }

  /** How each line is made, when its turn comes; the files of all of them are on their way meanwhile. */
  #withFiles(
    items: readonly GatewayItem[],
    payloads: ReadonlyMap<Seq, string>,
  ): readonly (() => Promise<string | null>)[] {
    const made: (() => Promise<string | null>)[] = [];
    let files = 0;
    for (const item of items) {
      const payload = payloads.get(item.entry.seq);
      const line = payload === undefined ? null : this.#lineNow(item, payload);
      if (payload === undefined || line !== null) {
        made.push(() => Promise.resolve(line));
        continue;
      }
      files += 1;
      if (files > LOAD_FILES) break;
      const coming = this.#fileLines.begin(this.#view.wants(payload) ?? []);
      made.push(async () => {
        const contents = await coming.read();
        const whole = this.#guarded(item, () => this.#line(item, payload, contents));
        if (whole !== NO_LINE) this.#fileLines.keep(keyOf(item), whole);
        return whole;
      });
    }
    return made;
  }

  /** Null: its files have to be read first; NO_LINE: it is passed over. */
  #lineNow(item: GatewayItem, payload: string): string | null {
    return this.#guarded(item, () => {
      if (this.#view.wants(payload) === null) return this.#line(item, payload, []);
      return this.#fileLines.get(keyOf(item)) ?? null;
    });
  }

  /** What one message does to its view must not keep readers from all others. */
  #guarded<T>(item: GatewayItem, make: () => T): T | typeof NO_LINE {
    try {
      return make();
    } catch (error) {
      if (!this.#bad.has(item)) this.#onBad(item, error);
      this.#bad.add(item);
      return NO_LINE;
    }
  }

  #assertKept(index: number): void {
    if (index < this.#base)
      throw new RangeError(`item ${index} has fallen out of the feed, which starts at ${this.#base}`);
  }

  #line(item: GatewayItem, payload: string, contents: readonly (FileContent | null)[]): string {
    const { seq, subject } = item.entry;
    return this.#view.line({ seq, account: accountOf(subject), payload }, item.gateway, contents);
  }
}

/** In place of the line of an item that cannot have one. */
const NO_LINE = "";

const keyOf = ({ entry, gateway }: GatewayItem): string => `${entry.seq} ${gateway}`;
