import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database, Statement } from "better-sqlite3";
import { LogError } from "../errors.ts";
import type { Seq } from "../log.ts";
import { authorToken, tokensOf, type WordMode } from "../words.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";
import { runtimeFailure } from "./failure.ts";
import { indexedText } from "./indexed-text.ts";

/** A file that was made otherwise is made anew. Raised with what is written into it, and with how words are made. */
const FORMAT = 2;
/** What one slice may take: some milliseconds. */
const SLICE_MS = 4;
const SLICE_ROWS = 512;
/** Rows that are read at once, and those of one deletion. */
const STEP_ROWS = 32;
const PRUNE_ROWS = 256;
/** Pages given back to the disk at once. */
const VACUUM_PAGES = 256;
/** Messages with words that begin in one way, of which FTS5 gathers all at each question: some milliseconds' worth. */
const GATHERED_MAX = 16_384;
/** What one word costs then, in messages. */
const WORD_COST = 2;
const CACHE_KIB = 2 * 1024;

/** The file, beside the log. */
function indexFile(dataPath: string): string {
  return join(dataPath, "search.sqlite");
}

/** Gives its space back. It holds nothing that is not in the log. */
export function removeIndex(dataPath: string): void {
  const file = indexFile(dataPath);
  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
}

interface EntryRow {
  readonly seq: Seq;
  readonly label: string;
  readonly payload: string;
}

/**
 * Which messages hold a word, as they read now, in a file of its own. It follows the log: what a commit stores is taken
 * in afterwards, in slices between commits, and a mark in the same transaction says how far it is. Nothing of it is
 * waited for when the log commits, and a file that is lost, damaged or of another log is made anew from the entries.
 */
export class WordIndex {
  readonly #dataPath: string;
  readonly #mode: WordMode;
  readonly #entries: Statement<[Seq, number], EntryRow>;
  readonly #entry: Statement<[Seq], Pick<EntryRow, "label" | "payload">>;
  readonly #stands: Statement<[Seq], number>;
  readonly #first: Statement<[], Seq | null>;
  /** Null: not open, as at first and where it was damaged. */
  #store: Tables | null = null;

  /** `log`: the open database of the log. What is wrong with the index is thrown as a LogError `io` or `disk_full`. */
  constructor(dataPath: string, mode: WordMode, log: Database) {
    this.#dataPath = dataPath;
    this.#mode = mode;
    this.#entries = log.prepare("SELECT seq, label, payload FROM entry WHERE seq > ? ORDER BY seq LIMIT ?");
    this.#entry = log.prepare("SELECT label, payload FROM entry WHERE seq = ?");
    // What was deleted stays so, whatever is changed of it afterwards.
    this.#stands = log
      .prepare<[Seq], number>(
        "SELECT 1 FROM entry WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM said WHERE said.seq = entry.seq AND gone = 1)",
      )
      .pluck();
    this.#first = log.prepare<[], Seq | null>("SELECT min(seq) FROM entry").pluck();
  }

  /** All entries up to here are in it. */
  get mark(): Seq {
    return this.#guarded(() => this.#tables.mark);
  }

  /** Up to where it goes of a log with this head: also where retention has taken what came last. */
  reach(head: Seq): Seq {
    return this.#entries.get(this.mark, 1) === undefined ? head : this.mark;
  }

  /** Takes in what is new. Each slice goes on where the last one of whatever call stood. */
  *fill(until: () => Seq): CooperativeSteps<undefined> {
    while (this.fillSome(until())) yield;
    return undefined;
  }

  /** One slice of it; false: there is nothing left. */
  fillSome(until: Seq): boolean {
    return this.mark < until && this.#guarded(() => this.#slice());
  }

  /** Forgets what retention has taken, and gives the space back. */
  *prune(head: Seq): CooperativeSteps<undefined> {
    const first = this.#first.get() ?? head + 1;
    while (this.#guarded(() => this.#tables.prune(first))) yield;
    while (this.#guarded(() => this.#tables.shrink())) yield;
    return undefined;
  }

  /** Messages that match, with after < seq < before, from one end, at most `limit`. */
  find(
    match: string,
    { after, before, limit, oldestFirst }: { after: Seq; before: Seq; limit: number; oldestFirst: boolean },
  ): readonly Seq[] {
    return this.#guarded(() => this.#tables.find(match, after, before, limit, oldestFirst));
  }

  /** Whether so many messages have words that begin so that FTS5 would be busy for too long with them. */
  isWide(beginning: string): boolean {
    return this.#guarded(() => this.#tables.isWide(beginning));
  }

  close(): void {
    this.#store?.close();
  }

  get #tables(): Tables {
    this.#store ??= this.#open();
    return this.#store;
  }

  #open(): Tables {
    let tables = openTables(this.#dataPath, this.#mode);
    // Of another log, or of one that a power cut has set back.
    if (tables.mark > 0 && tables.print !== printOf(ofLog(() => this.#entry.get(tables.mark)?.payload))) {
      tables.close();
      removeIndex(this.#dataPath);
      tables = openTables(this.#dataPath, this.#mode);
    }
    return tables;
  }

  /** A damaged file is removed; it is made anew when it is needed. */
  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof UnreadableLog) throw error.cause;
      const file = indexFile(this.#dataPath);
      const { code } = runtimeFailure(error, file);
      if (code === "damaged") {
        this.#store?.close();
        this.#store = null;
        removeIndex(this.#dataPath);
      }
      const reason = error instanceof Error ? error.message : String(error);
      const what = code === "damaged" ? "was damaged, and is made anew" : "cannot be used";
      throw new LogError(code === "disk_full" ? code : "io", `The index of words ${file} ${what}: ${reason}.`);
    }
  }

  #slice(): boolean {
    const started = performance.now();
    const store = this.#tables;
    const before = store.mark;
    store.write(() => {
      for (let rows = 0; rows < SLICE_ROWS; rows += STEP_ROWS) {
        const entries = ofLog(() => this.#entries.all(store.reached, STEP_ROWS));
        for (const entry of entries) {
          this.#take(entry);
          // Not before something was done: to begin may have taken longer.
          if (performance.now() - started >= SLICE_MS) return;
        }
        if (entries.length < STEP_ROWS) return;
      }
    });
    return store.mark > before;
  }

  #take({ seq, label, payload }: EntryRow): void {
    const store = this.#tables;
    const found = typeof payload === "string" ? indexedText(label, payload) : null;
    if (found?.is === "said") store.put(seq, this.#tokens(found.text, found.authors));
    else if (found?.is === "deleted") store.drop(found.of);
    else if (found?.is === "edited" && ofLog(() => this.#stands.get(found.of)) !== undefined) {
      store.drop(found.of);
      store.put(found.of, this.#tokens(found.text, this.#authorsOf(found.of)));
    }
    store.reach(seq, () => printOf(payload));
  }

  #tokens(text: string, authors: readonly string[]): string {
    return [tokensOf(text, this.#mode), ...authors.map(authorToken)].join(" ").trimStart();
  }

  /** Of a message: whoever edits it, it stays its author's. */
  #authorsOf(seq: Seq): readonly string[] {
    const row = ofLog(() => this.#entry.get(seq));
    const text = typeof row?.payload === "string" ? indexedText(row.label, row.payload) : null;
    return text?.is === "said" ? text.authors : [];
  }
}

/** Tells an entry from one of another log that has the same seq. */
function printOf(payload: unknown): string {
  return createHash("sha256").update(String(payload)).digest("base64url");
}

/** Throws what SQLite and the file system throw; a file that cannot be used is made anew. */
function openTables(dataPath: string, mode: WordMode): Tables {
  const file = indexFile(dataPath);
  try {
    return new Tables(file, mode);
  } catch (error) {
    if (!existsSync(file) || !(error instanceof UnusableIndex || runtimeFailure(error, file).code === "damaged")) {
      throw error;
    }
    removeIndex(dataPath);
    return new Tables(file, mode);
  }
}

class UnusableIndex extends Error {}

/** The log itself cannot be read, for the reason that is its cause: no fault of the index. */
class UnreadableLog extends Error {}

function ofLog<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnreadableLog("the log cannot be read", { cause: error });
  }
}

/** What is in the file. */
class Tables {
  readonly #db: Database;
  readonly #put: Statement<[Seq, string]>;
  readonly #drop: Statement<[Seq]>;
  readonly #reach: Statement<[Seq, string]>;
  readonly #oldest: Statement<[Seq], Seq>;
  readonly #up: Statement<[string, Seq, Seq, number], Seq>;
  readonly #down: Statement<[string, Seq, Seq, number], Seq>;
  readonly #spread: Statement<[string, string], number>;
  #mark: Seq;
  #reached: Seq;
  #print = (): string => "";

  constructor(file: string, mode: WordMode) {
    closeSync(openSync(file, "a", 0o600));
    const db = new BetterSqlite3(file, { fileMustExist: true, timeout: 1000 });
    this.#db = db;
    try {
      db.pragma("locking_mode = EXCLUSIVE");
      if (Number(db.pragma("user_version", { simple: true })) === 0) db.pragma("auto_vacuum = INCREMENTAL");
      db.pragma("journal_mode = WAL");
      // A power cut may take the last ones, with their mark.
      db.pragma("synchronous = NORMAL");
      db.pragma(`cache_size = -${CACHE_KIB}`);
      make(db, mode);
      this.#put = db.prepare("INSERT OR REPLACE INTO words (rowid, text) VALUES (?, ?)");
      this.#drop = db.prepare("DELETE FROM words WHERE rowid = ?");
      this.#reach = db.prepare("UPDATE state SET seq = ?, print = ?");
      // A table of FTS5's own: it has one row for each message.
      this.#oldest = db
        .prepare<[Seq], Seq>(`SELECT id FROM words_docsize WHERE id < ? ORDER BY id LIMIT ${PRUNE_ROWS}`)
        .pluck();
      // Numbers are bound as floating-point ones, which FTS5 takes for no bounds at all: it would begin at the end.
      const found = `SELECT rowid FROM words WHERE words MATCH ?
        AND rowid > CAST(? AS INTEGER) AND rowid < CAST(? AS INTEGER) ORDER BY rowid`;
      this.#up = db.prepare<[string, Seq, Seq, number], Seq>(`${found} LIMIT ?`).pluck();
      this.#down = db.prepare<[string, Seq, Seq, number], Seq>(`${found} DESC LIMIT ?`).pluck();
      db.exec("CREATE VIRTUAL TABLE temp.spread USING fts5vocab('main', 'words', 'row')");
      this.#spread = db
        .prepare<[string, string], number>("SELECT doc FROM spread WHERE term >= ? AND term <= ?")
        .pluck();
      this.#mark = Number(db.prepare("SELECT seq FROM state").pluck().get() ?? 0);
      this.#reached = this.#mark;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Up to here it is complete. */
  get mark(): Seq {
    return this.#mark;
  }

  /** The same within a transaction. */
  get reached(): Seq {
    return this.#reached;
  }

  /** Of the entry at the mark. */
  get print(): string {
    return String(this.#db.prepare("SELECT print FROM state").pluck().get());
  }

  write(work: () => void): void {
    this.#reached = this.#mark;
    this.#db
      .transaction(() => {
        work();
        if (this.#reached > this.#mark) this.#reach.run(this.#reached, this.#print());
      })
      .immediate();
    this.#mark = this.#reached;
  }

  reach(seq: Seq, print: () => string): void {
    this.#reached = seq;
    this.#print = print;
  }

  put(seq: Seq, tokens: string): void {
    if (tokens !== "") this.#put.run(seq, tokens);
  }

  drop(seq: Seq): void {
    this.#drop.run(seq);
  }

  find(match: string, after: Seq, before: Seq, limit: number, oldestFirst: boolean): readonly Seq[] {
    return (oldestFirst ? this.#up : this.#down).all(match, after, before, limit);
  }

  isWide(beginning: string): boolean {
    let messages = 0;
    for (const of of this.#spread.iterate(beginning, `${beginning}\u{10FFFF}`)) {
      messages += of + WORD_COST;
      if (messages > GATHERED_MAX) return true;
    }
    return false;
  }

  /** False when there was nothing. */
  prune(first: Seq): boolean {
    const seqs = this.#oldest.all(first);
    if (seqs.length === 0) return false;
    this.#db
      .transaction(() => {
        for (const seq of seqs) this.#drop.run(seq);
      })
      .immediate();
    return true;
  }

  /** False when there was nothing. */
  shrink(): boolean {
    const free = (): number => Number(this.#db.pragma("freelist_count", { simple: true }));
    const before = free();
    if (before < VACUUM_PAGES) return false;
    this.#db.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
    return free() < before;
  }

  close(): void {
    this.#db.close();
  }
}

/** Words come with spaces between them, and what is no ASCII is a part of words for this tokenizer: see words.ts. */
function make(db: Database, mode: WordMode): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version !== 0) {
    const made = version === FORMAT ? db.prepare("SELECT mode FROM state").pluck().get() : null;
    if (made !== mode) throw new UnusableIndex();
    return;
  }
  if (Number(db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get()) > 0) throw new UnusableIndex();
  db.transaction(() => {
    db.exec(`
      CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='ascii');
      CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, print TEXT NOT NULL, mode TEXT NOT NULL) STRICT;
    `);
    db.prepare("INSERT INTO state VALUES (1, 0, '', ?)").run(mode);
    db.pragma(`user_version = ${FORMAT}`);
  }).immediate();
}
