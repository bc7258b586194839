import { lookup } from "mime-types";
import type { FileStore } from "../files/files.ts";
import { eventOf } from "../gateway/event-view.ts";
import type { Routes } from "../gateway/routes.ts";
import { faultOf } from "../lib/fault.ts";
import { backlogTurns } from "../lib/loop-turns.ts";
import type { Entry, Log, Seq } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { EventFilter, Feed, FeedGap, FeedItem, FeedPage } from "./feed.ts";
import type { FilterPlan } from "./filter.ts";
import { HeldEvent, type MadeEvent, passing } from "./held.ts";
import { Pages, Window } from "./pages.ts";
import { type Seen, type Sight, sightOf, sincePrefix } from "./sight.ts";

export interface OpenFeedOptions {
  /** Key of the API account. */
  readonly account: string;
  readonly log: Log;
  /** Those that a reload swaps: the feed sees by itself that they are others. */
  readonly routes: Pick<Routes, "seen">;
  readonly files: Pick<FileStore, "linkFor" | "linksUntil">;
  readonly logger: Logger;
}

/** A feed over the log; `close` ends what it listens to. */
export interface OpenFeed extends Feed {
  close(): void;
}

/** Entries that one call of `read` looks at, passing or not. */
const LOOKED_AT_MAX = 512;
/** A reader with more than this many entries to read has a backlog: new entries and posts come before it. */
const NEW_MAX = 64;
/** Entries that `last` and `count` look through. */
const COUNTED_MAX = 100_000;
/** So many are counted one by one; when there are more, the index of the log says how many there are at most. */
const EXACT_MAX = 1000;
/** Of what one look through many entries holds at once. */
const STEP_CHARS = 1024 * 1024;

type Query = Parameters<Feed["read"]>[0];
type Range = Pick<FeedGap, "from" | "to">;

/** Reads nothing yet: at once, and never fails. */
export function openFeed(options: OpenFeedOptions): OpenFeed {
  return new LogFeed(options);
}

/** What one call has got so far. */
class Taking {
  readonly items: FeedItem[] = [];
  readonly #limit: number;
  readonly #bytes: number;
  #size = 0;
  looked = 0;
  /** All up to here has been looked at. */
  next: Seq;

  constructor({ after, limit, bytes }: Query) {
    this.next = after;
    this.#limit = Math.max(1, limit);
    this.#bytes = bytes;
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit || this.looked >= LOOKED_AT_MAX;
  }

  /** False: it does not fit any more. */
  add(item: FeedItem): boolean {
    this.#size += item.json.length;
    if (this.items.length > 0 && this.#size > this.#bytes) return false;
    this.items.push(item);
    return true;
  }
}

class LogFeed implements OpenFeed {
  readonly #options: OpenFeedOptions;
  readonly #pages: Pages;
  readonly #window: Window;
  readonly #listeners = new Set<() => void>();
  readonly #unlisten: () => void;
  readonly #opened: Seq;
  readonly #tools: (sight: Sight) => Parameters<typeof passing>[2];
  #seen: Seen;
  #sight: Promise<Sight> | null = null;
  /** The newest entry that could not be shown, of which the log of the program was told. */
  #bad: Seq = 0;

  constructor(options: OpenFeedOptions) {
    const { log, routes, account, files } = options;
    this.#options = options;
    this.#pages = new Pages(log);
    this.#opened = log.head;
    this.#window = new Window(log.head);
    this.#seen = routes.seen(account);
    this.#unlisten = log.tail((entries) => this.#committed(entries));
    const linksUntil = (): number | null => files.linksUntil();
    this.#tools = (sight) => ({ decode: (entry) => this.#decode(entry, sight), linksUntil });
  }

  get head(): Seq {
    return this.#options.log.head;
  }

  close(): void {
    this.#unlisten();
    this.#listeners.clear();
  }

  onCommit(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async read(query: Query): Promise<FeedPage> {
    const isNew = query.after >= this.#window.floor && this.#window.countAfter(query.after) <= NEW_MAX;
    return isNew ? await this.#read(query) : await backlogTurns.run(async () => await this.#read(query));
  }

  async #read(query: Query): Promise<FeedPage> {
    const sight = await this.#look();
    const plan = sight.planOf(query.filter);
    const taking = new Taking(query);
    if (plan.subjects.size === 0) {
      return { items: [], gap: await this.gap(query.after), next: Math.max(query.after, this.#window.head) };
    }
    let lost: Range | null = null;
    // When the routes change meanwhile, the next call sees what is new.
    while (!taking.isFull && this.#follow() === sight.seen) {
      if (taking.next >= this.#window.floor) {
        if (this.#takeNewest(plan, taking, sight)) break;
        continue;
      }
      const page = await this.#pages.after(taking.next, plan);
      const more = lostBetween(taking.next, page.first, sight);
      // A gap behind what was taken, or behind another gap, is for the next call.
      if (more !== null && (lost !== null || taking.items.length > 0)) break;
      if (more !== null) {
        lost = more;
        taking.next = more.to;
      }
      const from = page.entries.findIndex(({ seq }) => seq > taking.next);
      const end = this.#takeAll(from < 0 ? [] : page.entries.slice(from), plan, taking, sight);
      if (end === "gone") this.#pages.drop(page);
      if (end !== "all") {
        if (end === "gone") continue;
        break;
      }
      if (page.upTo <= taking.next && page.entries.length === 0) break;
      taking.next = Math.max(taking.next, page.upTo);
    }
    return { items: taking.items, gap: await this.#count(lost), next: taking.next };
  }

  async at(seq: Seq, filter: EventFilter): Promise<FeedItem | null> {
    const sight = await this.#look();
    const plan = sight.planOf(filter);
    if (plan.subjects.size === 0) return null;
    const [entry] = await this.#options.log.read({ subjects: [...plan.subjects], after: seq - 1, limit: 1, bytes: 1 });
    if (entry?.seq !== seq) return null;
    const item = passing(new HeldEvent(entry), plan, this.#tools(sight));
    return item === "gone" ? null : item;
  }

  async gap(after: Seq): ReturnType<Feed["gap"]> {
    if (after >= this.#window.floor) return null;
    const sight = await this.#look();
    return await this.#count(lostBetween(after, await this.#options.log.first(), sight));
  }

  async last(count: number, filter: EventFilter): Promise<Seq> {
    const { head } = this;
    const { subjects } = (await this.#look()).planOf(filter);
    if (count === 0 || subjects.size === 0) return head;
    for (let asked = count; ; asked *= 4) {
      const limit = Math.min(asked, COUNTED_MAX);
      const { entries, skipped } = await this.#options.log.newest({ subjects: [...subjects], after: 0, limit });
      const start = (entries[0]?.seq ?? head + 1) - 1;
      const seqs: Seq[] = [];
      for await (const { seq } of this.#passing(start, filter)) seqs.push(seq);
      const first = seqs.at(-count);
      if (first !== undefined) return first - 1;
      if (skipped === 0 || limit === COUNTED_MAX) return start;
    }
  }

  async since(ms: number): Promise<Seq> {
    const { seen } = await this.#look();
    const subjects = [...seen.keys()];
    const removed = await this.#options.log.removedSince(ms);
    if (removed !== null) return removed;
    const first = async (after: Seq) => (await this.#options.log.read({ subjects, after, limit: 1, bytes: 1 }))[0];
    let [low, high] = [((await first(0))?.seq ?? this.head + 1) - 1, this.head];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = await first(middle);
      if (entry === undefined || entry.at >= ms) high = middle;
      else low = entry.seq;
    }
    return low;
  }

  async count(after: Seq, filter: EventFilter, max: number): Promise<number> {
    const plan = (await this.#look()).planOf(filter);
    if (plan.subjects.size === 0) return 0;
    // Types are in what would have to be decoded.
    if (after < this.#window.floor && plan.joined <= after) {
      const subjects = [...plan.subjects];
      const { skipped } = await this.#options.log.newest({ subjects, after, limit: 0 });
      if (skipped > EXACT_MAX) return Math.min(skipped, max);
    }
    let count = 0;
    for await (const _ of this.#passing(after, filter)) {
      count += 1;
      if (count >= max) break;
    }
    return count;
  }

  /** Seqs may have holes: a range without entries is no gap. */
  async #count(range: Range | null): Promise<FeedGap | null> {
    if (range === null) return null;
    const { from, to } = range;
    const count = await this.#options.log.removed({ after: from - 1, upTo: to });
    return count === 0 ? null : { from, to, count };
  }

  /** What passes of at most COUNTED_MAX entries. */
  async *#passing(start: Seq, filter: EventFilter): AsyncGenerator<FeedItem> {
    let after = start;
    for (let looked = 0; looked < COUNTED_MAX; looked += LOOKED_AT_MAX) {
      const { items, next } = await this.read({ after, filter, limit: LOOKED_AT_MAX, bytes: STEP_CHARS });
      yield* items;
      if (next <= after || next >= this.head) return;
      after = next;
    }
  }

  #committed(entries: readonly Entry[]): void {
    const seen = this.#follow();
    if (!this.#window.push(entries, (subject) => seen.has(subject))) return;
    for (const listener of this.#listeners) listener();
  }

  /** What the account sees now; nothing that was kept counts when that has changed. */
  #follow(): Seen {
    const { routes, account } = this.#options;
    const seen = routes.seen(account);
    if (seen === this.#seen) return seen;
    this.#seen = seen;
    this.#sight = null;
    this.#pages.clear();
    this.#window.restart();
    return seen;
  }

  async #look(): Promise<Sight> {
    for (;;) {
      const seen = this.#follow();
      const looking = (this.#sight ??= this.#sightOf(seen));
      try {
        const sight = await looking;
        if (this.#follow() === sight.seen) return sight;
      } catch (error) {
        if (this.#sight === looking) this.#sight = null;
        throw error;
      }
    }
  }

  async #sightOf(seen: Seen): Promise<Sight> {
    const prefix = sincePrefix(this.#options.account);
    return sightOf(seen, { prefix, marks: await this.#options.log.marks(prefix), head: this.#opened });
  }

  /** Takes what the window has; false: it has not all of it any more. */
  #takeNewest(plan: FilterPlan, taking: Taking, sight: Sight): boolean {
    const window = this.#window;
    let grown = 0;
    try {
      for (let at = window.indexAfter(taking.next); ; at += 1) {
        const held = window.at(at);
        if (held === undefined) break;
        const chars = held.chars;
        const end = this.#takeOne(held, plan, taking, sight);
        grown += held.chars - chars;
        if (end === "gone") {
          window.forgetUpTo(held.seq);
          return false;
        }
        if (end === "full") return true;
      }
      taking.next = Math.max(taking.next, window.head);
      return true;
    } finally {
      window.grew(grown);
    }
  }

  #takeAll(entries: readonly HeldEvent[], plan: FilterPlan, taking: Taking, sight: Sight): "all" | "full" | "gone" {
    for (const held of entries) {
      const end = this.#takeOne(held, plan, taking, sight);
      if (end !== "taken") return end;
    }
    return "all";
  }

  #takeOne(held: HeldEvent, plan: FilterPlan, taking: Taking, sight: Sight): "taken" | "full" | "gone" {
    if (taking.isFull) return "full";
    taking.looked += 1;
    const item = plan.subjects.has(held.subject) ? passing(held, plan, this.#tools(sight)) : null;
    if (item === "gone") return "gone";
    if (item !== null && !taking.add(item)) return "full";
    taking.next = held.seq;
    return "taken";
  }

  /** What one entry does to its view must not keep readers from all others. */
  #decode(entry: Entry & { readonly payload: string }, sight: Sight): MadeEvent | null {
    const { files, logger, account } = this.#options;
    const subject = sight.seen.get(entry.subject);
    const gateways = (sight.since.get(entry.subject) ?? []).filter(({ since }) => entry.seq > since);
    if (subject === undefined || gateways.length === 0) return null;
    const links = { made: 0 };
    const linksUntil = files.linksUntil();
    const linkFor: FileStore["linkFor"] = (id, name) => {
      links.made += 1;
      return files.linkFor(id, name);
    };
    const scene = { ...subject, gateways: gateways.map(({ name }) => name), linkFor, linksUntil, mimeOf };
    try {
      const event = eventOf(entry, scene);
      return event === null ? null : { event, linksUntil: links.made > 0 ? linksUntil : null };
    } catch (error) {
      if (entry.seq > this.#bad)
        logger.error({ account, seq: entry.seq, ...faultOf(error) }, "an event cannot be shown, and is left out");
      this.#bad = Math.max(this.#bad, entry.seq);
      return null;
    }
  }
}

/** What a log that begins with `first` no longer has after a position. */
function lostBetween(after: Seq, first: Seq, { begins }: Sight): Range | null {
  const [from, to] = [Math.max(after, begins) + 1, first - 1];
  return from > to ? null : { from, to };
}

const mimeOf = (name: string): string => lookup(name) || "application/octet-stream";
