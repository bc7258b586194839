import type { Database, Statement } from "better-sqlite3";
import type { Seq } from "../log.ts";
import type { Matches, WordQuery } from "../search.ts";
import { compileTerms, termsOf, type WordMode } from "../words.ts";
import type { CooperativeSteps, StepRunner } from "./cooperative-steps.ts";
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

interface Around {
  readonly names: Names;
  readonly ids: IdTables;
  readonly runner: StepRunner;
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
  #index: WordIndex | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isFollowing = false;
  #isClosed = false;

  constructor(log: Database, { dataPath, search = null }: Pick<WorkerOptions, "dataPath" | "search">, around: Around) {
    this.#log = log;
    this.#dataPath = dataPath;
    this.#mode = search;
    this.#around = around;
    this.#subject = log.prepare<[Seq], number>("SELECT subject FROM entry WHERE seq = ?").pluck();
    this.#entry = log.prepare("SELECT label, payload FROM entry WHERE seq = ?");
    if (search === null) removeQuietly(dataPath);
    else this.follow();
  }

  /** Up to which entry the index goes; null: there is none. Throws what SQLite and the file system throw. */
  reach(): Seq | null {
    return this.#mode === null ? null : this.#opened(this.#mode).reach(this.#around.head());
  }

  /** There is something new; soon it is taken in. */
  follow(): void {
    if (this.#mode === null || this.#isFollowing || this.#isClosed) return;
    this.#isFollowing = true;
    // What goes wrong is met again by the next commit, and told to who asks.
    const done = (): void => {
      this.#isFollowing = false;
    };
    this.#timer = setTimeout(() => this.#around.runner.run(this.#fill(), done, done), FOLLOW_MS).unref();
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
    if (index.reach(head) < head) this.follow();
    const terms = termsOf(query.text);
    const { match, isOpen, test } = compileTerms(terms, this.#mode);
    const wanted = new Set(query.subjects.flatMap((subject) => this.#around.names.find(subject) ?? []));
    const seqs: Seq[] = [];
    const { oldestFirst, limit } = query;
    let { after, before } = query;
    let looked = 0;
    let next: Seq | null = null;
    if (terms.length === 0 || wanted.size === 0) return { seqs, next, indexed: index.reach(head) };
    let asked = Math.min(SLICE_ROWS, Math.max(limit, 64));
    do {
      const found = index.find(match, { after, before, limit: asked, oldestFirst });
      let since = performance.now();
      for (const seq of found) {
        if (performance.now() - since >= SLICE_MS) {
          yield;
          since = performance.now();
        }
        if (wanted.has(this.#subject.get(seq) ?? 0) && (test === null || test(this.#words(seq)))) seqs.push(seq);
        if (seqs.length >= limit) return { seqs, next: seq, indexed: index.reach(head) };
      }
      next = found.length < asked ? null : (found.at(-1) ?? null);
      if (oldestFirst) after = next ?? after;
      else before = next ?? before;
      looked += found.length;
      if (isOpen) asked = Math.min(asked * FURTHER, CANDIDATES);
      yield;
    } while (next !== null && looked < CANDIDATES);
    return { seqs, next, indexed: index.reach(head) };
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

  *#fill(): CooperativeSteps<undefined> {
    if (this.#mode === null || this.#isClosed) return undefined;
    yield* this.#opened(this.#mode).fill(() => (this.#around.hasRoom() ? this.#around.head() : 0));
    return undefined;
  }

  /** Not before it is needed: the log opens without it. */
  #opened(mode: WordMode): WordIndex {
    this.#index ??= new WordIndex(this.#dataPath, mode, this.#log);
    return this.#index;
  }

  /** What a message says now. */
  #words(seq: Seq): string {
    const { label, payload } =
      this.#entry.get(this.#around.ids.standing(seq).revised ?? seq) ?? this.#entry.get(seq) ?? NONE;
    const text = typeof payload === "string" ? indexedText(label, payload) : null;
    return text === null || text.is === "deleted" ? "" : text.text;
  }
}

const NONE = { label: "", payload: "" };

function removeQuietly(dataPath: string): void {
  try {
    removeIndex(dataPath);
  } catch {
    // It is in nobody's way.
  }
}
