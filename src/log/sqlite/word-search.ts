import type { Database, Statement } from "better-sqlite3";
import type { Seq } from "../log.ts";
import type { Matches, WordQuery } from "../search.ts";
import { authorToken, type CompiledQuery, compileTerms, termsOf, type WordMode } from "../words.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";
import type { IdTables } from "./ids.ts";
import { indexedText } from "./indexed-text.ts";
import type { Names } from "./names.ts";
import type { WorkerOptions } from "./protocol.ts";
import { removeIndex, WordIndex } from "./word-index.ts";

/** What comes within this time is taken in together, in ms: a transaction has a price of its own. */
const FOLLOW_MS = 100;
/** A question waits for so many new entries to be taken in; beyond that it is answered without the newest. */
const AWAITED_ROWS = 2048;
/** Candidates of one question, and of one look into the index; where each look is expensive, the next takes more. */
const CANDIDATES = 32_768;
const SLICE_ROWS = 512;
const FURTHER = 8;
/** What one slice may take. */
const SLICE_MS = 4;
/** So many entries FTS5 is asked about at once: two words that are each in half of them, and never together. */
const WINDOW = 16_384;
/** Entries of one question that are looked at one by one. */
const READ_MAX = 8192;
const READ_ROWS = 64;
/** While messages come, the index rests so many times as long as it has worked: they are not to wait for it. */
const REST = 4;

interface Around {
  readonly names: Names;
  readonly ids: IdTables;
  readonly head: () => Seq;
  /** Whether the disk has room for more than messages. */
  readonly hasRoom: () => boolean;
}

/**
 * The index of words in the life of the worker: when it follows the log, and what is asked of it. Whatever is wrong
 * with it is told to who asks, and to nobody else.
 */
export class WordSearch {
  readonly #log: Database;
  readonly #dataPath: string;
  readonly #mode: WordMode | null;
  readonly #around: Around;
  readonly #subject: Statement<[Seq], number>;
  readonly #entry: Statement<[Seq], { readonly label: string; readonly payload: string }>;
  readonly #first: Statement<[], Seq | null>;
  readonly #up: Statement<[Seq, Seq, number], EntryOf>;
  readonly #down: Statement<[Seq, Seq, number], EntryOf>;
  #index: WordIndex | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isFollowing = false;
  /** Counts what was committed. */
  #commits = 0;
  #isClosed = false;

  constructor(log: Database, { dataPath, search = null }: Pick<WorkerOptions, "dataPath" | "search">, around: Around) {
    this.#log = log;
    this.#dataPath = dataPath;
    this.#mode = search;
    this.#around = around;
    this.#subject = log.prepare<[Seq], number>("SELECT subject FROM entry WHERE seq = ?").pluck();
    this.#entry = log.prepare("SELECT label, payload FROM entry WHERE seq = ?");
    this.#first = log.prepare<[], Seq | null>("SELECT min(seq) FROM entry").pluck();
    const between = "SELECT seq, subject FROM entry WHERE seq > ? AND seq < ? ORDER BY seq";
    this.#up = log.prepare(`${between} LIMIT ?`);
    this.#down = log.prepare(`${between} DESC LIMIT ?`);
    if (search === null) removeQuietly(dataPath);
    else this.follow();
  }

  /** Up to which entry the index goes; null: there is none. Throws what SQLite and the file system throw. */
  reach(): Seq | null {
    return this.#mode === null ? null : this.#opened(this.#mode).reach(this.#around.head());
  }

  /** There is something new; soon it is taken in. */
  follow(): void {
    this.#commits += 1;
    if (this.#mode === null || this.#isFollowing || this.#isClosed) return;
    this.#isFollowing = true;
    this.#soon(FOLLOW_MS);
  }

  *prune(): CooperativeSteps<undefined> {
    try {
      if (this.#mode !== null) yield* this.#opened(this.#mode).prune(this.#around.head());
    } catch {
      // No reason to say that retention has failed: the next sweep tries again.
    }
    return undefined;
  }

  *find(query: WordQuery): CooperativeSteps<Matches | null> {
    if (this.#mode === null) return null;
    const index = this.#opened(this.#mode);
    const head = this.#around.head();
    if (head - index.reach(head) <= AWAITED_ROWS && this.#around.hasRoom()) yield* index.fill(() => head);
    const indexed = index.reach(head);
    if (indexed < head) this.follow();
    const { from = null } = query;
    const terms = termsOf(query.text);
    const wanted = new Set(query.subjects.flatMap((subject) => this.#around.names.find(subject) ?? []));
    if ((terms.length === 0 && from === null) || wanted.size === 0) return { seqs: [], next: null, indexed };
    const words = terms.length === 0 ? null : compileTerms(terms, this.#mode);
    const isWide = words !== null && words.begins !== null && index.isWide(words.begins);
    const first = this.#first.get() ?? head + 1;
    const asked = { ...query, after: Math.max(query.after, first - 1), before: Math.min(query.before, head + 1) };
    const found =
      isWide && from === null
        ? yield* this.#readThrough({ ...asked, before: Math.min(asked.before, indexed + 1) }, wanted, words)
        : yield* this.#lookUp(asked, wanted, withAuthor(words, from, isWide), index);
    return { ...found, indexed };
  }

  /** By the index. */
  *#lookUp(
    { oldestFirst, limit, ...bounds }: WordQuery,
    wanted: ReadonlySet<number>,
    { match, begins, holds, isSure }: CompiledQuery,
    index: WordIndex,
  ): CooperativeSteps<Found> {
    const seqs: Seq[] = [];
    // All at once for the beginning of a word: what is gathered for it is the same for each part.
    const window = begins === null ? WINDOW : Infinity;
    let { after, before } = bounds;
    let asked = Math.min(SLICE_ROWS, Math.max(limit, 64));
    for (let looked = 0; before - after > 1;) {
      if (looked >= CANDIDATES) return { seqs, next: oldestFirst ? after : before };
      const from = oldestFirst ? after : Math.max(after, before - window);
      const to = oldestFirst ? Math.min(before, after + window) : before;
      const found = index.find(match, { after: from, before: to, limit: asked, oldestFirst });
      let since = performance.now();
      for (const seq of found) {
        if (performance.now() - since >= SLICE_MS) {
          yield;
          since = performance.now();
        }
        if (wanted.has(this.#subject.get(seq) ?? 0) && (isSure || holds(this.#words(seq)))) seqs.push(seq);
        if (seqs.length >= limit) return { seqs, next: seq };
      }
      looked += found.length;
      const isPart = found.length >= asked;
      const last = found.at(-1);
      // One window ends where the next begins.
      if (oldestFirst) after = isPart && last !== undefined ? last : to - 1;
      else before = isPart && last !== undefined ? last : from + 1;
      if (begins !== null) asked = Math.min(asked * FURTHER, CANDIDATES);
      yield;
    }
    return { seqs, next: null };
  }

  /** One by one: most of them hold what is asked for. */
  *#readThrough(
    { oldestFirst, limit, ...bounds }: WordQuery,
    wanted: ReadonlySet<number>,
    { holds }: CompiledQuery,
  ): CooperativeSteps<Found> {
    const seqs: Seq[] = [];
    let { after, before } = bounds;
    for (let looked = 0; looked < READ_MAX; looked += READ_ROWS) {
      const rows = (oldestFirst ? this.#up : this.#down).all(after, before, READ_ROWS);
      let since = performance.now();
      for (const { seq, subject } of rows) {
        if (performance.now() - since >= SLICE_MS) {
          yield;
          since = performance.now();
        }
        if (wanted.has(subject) && this.#isMessage(seq) && holds(this.#words(seq))) seqs.push(seq);
        if (seqs.length >= limit) return { seqs, next: seq };
        if (oldestFirst) after = seq;
        else before = seq;
      }
      if (rows.length < READ_ROWS) return { seqs, next: null };
      yield;
    }
    return { seqs, next: oldestFirst ? after : before };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      this.#index?.close();
    } catch {
      // It is made anew if need be.
    }
  }

  /** Slice after slice, with rests while messages come. */
  #soon(ms: number): void {
    const commits = this.#commits;
    this.#timer = setTimeout(() => {
      const worked = this.#fillSome();
      if (worked === null) this.#isFollowing = false;
      else this.#soon(this.#commits === commits ? 0 : worked * REST);
    }, ms).unref();
  }

  /** How long that has taken, in ms; null: there is nothing left to do. */
  #fillSome(): number | null {
    if (this.#mode === null || this.#isClosed) return null;
    const began = performance.now();
    try {
      const until = this.#around.hasRoom() ? this.#around.head() : 0;
      return this.#opened(this.#mode).fillSome(until) ? performance.now() - began : null;
    } catch {
      // Met again by the next commit, and told to who asks.
      return null;
    }
  }

  /** Not before it is needed: the log opens without it. */
  #opened(mode: WordMode): WordIndex {
    this.#index ??= new WordIndex(this.#dataPath, mode, this.#log);
    return this.#index;
  }

  /** Whether it is one, and was not deleted. */
  #isMessage(seq: Seq): boolean {
    const { label, payload } = this.#entry.get(seq) ?? NONE;
    const text = typeof payload === "string" ? indexedText(label, payload) : null;
    return text?.is === "said" && !this.#around.ids.standing(seq).gone;
  }

  /** What a message says now. */
  #words(seq: Seq): string {
    const { label, payload } =
      this.#entry.get(this.#around.ids.standing(seq).revised ?? seq) ?? this.#entry.get(seq) ?? NONE;
    const text = typeof payload === "string" ? indexedText(label, payload) : null;
    return text === null || text.is === "deleted" ? "" : text.text;
  }
}

/** Words, or an author, or both. Where the words are in too many messages, the author alone is looked up. */
function withAuthor(words: CompiledQuery | null, from: string | null, isWide: boolean): CompiledQuery {
  const author = from === null ? null : `"${authorToken(from)}"`;
  if (words === null) return { match: author ?? "", begins: null, holds: () => true, isSure: true };
  if (author === null) return words;
  if (isWide) return { ...words, match: author, begins: null, isSure: false };
  return { ...words, match: `${words.match} AND ${author}` };
}

interface EntryOf {
  readonly seq: Seq;
  readonly subject: number;
}

type Found = Pick<Matches, "seqs" | "next">;

const NONE = { label: "", payload: "" };

function removeQuietly(dataPath: string): void {
  try {
    removeIndex(dataPath);
  } catch {
    // It is in nobody's way.
  }
}
