import type { Entry, Log, Seq, Subject } from "../log/log.ts";
import { HeldEvent } from "./held.ts";

/** Entries and characters of one read of the log. */
const PAGE_ENTRIES = 512;
const PAGE_CHARS = 512 * 1024;
/** Most pages that are kept for others who read the same. */
const PAGES_MAX = 16;
/** Entries of the end of the log, and characters of what was made of them, that are kept for all readers. */
const WINDOW_ENTRIES = 4096;
const WINDOW_CHARS = 8 * 1024 * 1024;

/** Entries of some subjects, without a gap: all with after < seq <= upTo. */
export interface Page {
  readonly key: string;
  readonly after: Seq;
  readonly upTo: Seq;
  /**
   * The first entry that the log had when it was read, and head + 1 where it had none. Retention took what is before
   * it; the page has no entry of that.
   */
  readonly first: Seq;
  readonly entries: readonly HeldEvent[];
}

/** What was read of the log lately, shared by all who read the same subjects. */
export class Pages {
  readonly #log: Pick<Log, "first" | "head" | "read">;
  #pages: Page[] = [];
  readonly #reading = new Map<string, Promise<Page>>();

  constructor(log: Pick<Log, "first" | "head" | "read">) {
    this.#log = log;
  }

  /** Nothing that is known counts any more. */
  clear(): void {
    this.#pages = [];
    this.#reading.clear();
  }

  drop(page: Page): void {
    this.#pages = this.#pages.filter((other) => other !== page);
  }

  /** A page that holds what comes after this position; read at most once, however many ask. */
  async after(after: Seq, { key, subjects }: { readonly key: string; readonly subjects: ReadonlySet<Subject> }) {
    const known = this.#pages.find((page) => page.key === key && page.after <= after && after < page.upTo);
    if (known !== undefined) return known;
    const name = `${after} ${key}`;
    const under = this.#reading.get(name);
    if (under !== undefined) return await under;
    const reading = this.#read(after, key, subjects);
    this.#reading.set(name, reading);
    try {
      const page = await reading;
      // Not when all that was known has been forgotten meanwhile.
      if (this.#reading.get(name) === reading && page.entries.length > 0) this.#keep(page);
      return page;
    } finally {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
    }
  }

  async #read(after: Seq, key: string, subjects: ReadonlySet<Subject>): Promise<Page> {
    // Before the read: what is committed while it is under way may not be in its answer.
    const { head } = this.#log;
    const query = { subjects: [...subjects], after, limit: PAGE_ENTRIES, bytes: PAGE_CHARS };
    const entries = await this.#log.read(query);
    // After it: what retention takes meanwhile, also among what was read, is gone as a whole, and counted.
    const first = await this.#log.first();
    const upTo = Math.max(entries.at(-1)?.seq ?? Math.max(after, head), first - 1);
    const kept = entries.filter(({ seq }) => seq >= first);
    return { key, after, upTo, first, entries: kept.map((entry) => new HeldEvent(entry)) };
  }

  #keep(page: Page): void {
    this.#pages.push(page);
    if (this.#pages.length > PAGES_MAX) this.#pages.shift();
  }
}

/** The newest entries that an account sees, as they are committed: who keeps up reads nothing from the log. */
export class Window {
  #entries: HeldEvent[] = [];
  #first = 0;
  #chars = 0;
  /** All entries after it, up to `#head`, are here. */
  #floor: Seq;
  #head: Seq;

  constructor(head: Seq) {
    this.#floor = head;
    this.#head = head;
  }

  get floor(): Seq {
    return this.#floor;
  }

  get head(): Seq {
    return this.#head;
  }

  /** Nothing before `head` is here any more. */
  restart(): void {
    this.#entries = [];
    this.#first = 0;
    this.#chars = 0;
    this.#floor = this.#head;
  }

  /** Entries of one commit; false: there was nothing among them that is wanted. */
  push(entries: readonly Entry[], isSeen: (subject: Subject) => boolean): boolean {
    const before = this.#entries.length;
    for (const entry of entries) if (isSeen(entry.subject)) this.#entries.push(new HeldEvent(entry));
    this.#head = entries.at(-1)?.seq ?? this.#head;
    const isAny = this.#entries.length > before;
    const surplus = this.#entries.length - this.#first - WINDOW_ENTRIES;
    if (surplus > 0) this.#cut(this.#first + surplus);
    return isAny;
  }

  /** Index of the first with seq > after, for `at`. It counts until the window is told something. */
  indexAfter(after: Seq): number {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.seq ?? Infinity) > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  countAfter(after: Seq): number {
    return this.#entries.length - this.indexAfter(after);
  }

  at(index: number): HeldEvent | undefined {
    return this.#entries[index];
  }

  /** So many characters more were made of what is here. */
  grew(chars: number): void {
    this.#chars += chars;
    let to = this.#first;
    for (let left = this.#chars; left > WINDOW_CHARS && to < this.#entries.length; to += 1) {
      left -= this.#entries[to]?.chars ?? 0;
    }
    if (to > this.#first) this.#cut(to);
  }

  /** The text of this one is gone: it and all before it have to be read from the log. */
  forgetUpTo(seq: Seq): void {
    let at = this.#first;
    while (at < this.#entries.length && (this.#entries[at]?.seq ?? Infinity) <= seq) at += 1;
    this.#cut(at);
    this.#floor = Math.max(this.#floor, Math.min(seq, this.#head));
  }

  #cut(to: number): void {
    for (let at = this.#first; at < to; at += 1) this.#chars -= this.#entries[at]?.chars ?? 0;
    if (to > this.#first) this.#floor = this.#entries[to - 1]?.seq ?? this.#floor;
    this.#first = to;
    // In strides, so that the cost of one entry stays constant.
    if (this.#first < WINDOW_ENTRIES) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}
