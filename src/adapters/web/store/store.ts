import { closeSync, fdatasync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "better-sqlite3";
import type { Clock } from "../../../contract/host.ts";
import { makeDurableFolder } from "../../../lib/make-folder.ts";
import { prepareTables } from "./schema.ts";

/** Another program has the file locked, as one that makes a copy of it: asked again after so long. */
const LOCKED_MS = 100;
/** Writes that may wait. */
const WAITING_MAX = 1_000;

/** What ends a store: everything that waits then did not happen. */
export class StoreClosed extends Error {}

interface Job {
  readonly run: () => void;
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * The file of one account. Writes come one after the other, and resolve when the disk has them: those that come while
 * the disk is busy share its next answer. Reads see what is written at once.
 */
export class ChatStore {
  readonly db: Database;
  readonly folder: string;
  readonly #file: string;
  readonly #inode: bigint;
  readonly #wal: number;
  readonly #clock: Clock;
  readonly #onFailed: (why: string) => void;
  readonly #ended = Promise.withResolvers<void>();
  #jobs: Job[] = [];
  #running = false;
  #closed: StoreClosed | null = null;
  #cancel: (() => void) | null = null;

  /** Throws what the file system or SQLite throws. */
  constructor(folder: string, clock: Clock, onFailed: (why: string) => void) {
    makeDurableFolder(folder, 0o700);
    this.folder = folder;
    this.#file = join(folder, "chat.sqlite");
    this.#clock = clock;
    this.#onFailed = onFailed;
    // SQLite gives the files beside it the same rights.
    closeSync(openSync(this.#file, "a", 0o600));
    this.db = new BetterSqlite3(this.#file, { timeout: 0 });
    try {
      this.db.pragma("journal_mode = WAL");
      // The write-ahead log is synced by `#sync`, beside the event loop.
      this.db.pragma("synchronous = NORMAL");
      this.db.pragma("trusted_schema = OFF");
      prepareTables(this.db);
      this.#wal = openSync(`${this.#file}-wal`, "r+");
    } catch (error) {
      this.db.close();
      throw error;
    }
    this.#inode = statSync(this.#file, { bigint: true }).ino;
  }

  /** Whether the file is still the one that was opened. */
  get isThere(): boolean {
    return statSync(this.#file, { bigint: true, throwIfNoEntry: false })?.ino === this.#inode;
  }

  get closed(): boolean {
    return this.#closed !== null;
  }

  /** Before a read by whoever has waited: throws StoreClosed. */
  check(): void {
    if (this.#closed !== null) throw this.#closed;
  }

  /**
   * Runs it as one transaction; resolves when that is on the disk. Rejects with StoreClosed, and with
   * nothing done, when
   * the store closes before, or when the signal is aborted before it began.
   */
  async write<T>(task: () => T, signal?: AbortSignal): Promise<T> {
    this.check();
    if (signal?.aborted === true) throw new StoreClosed("given up");
    if (this.#jobs.length >= WAITING_MAX) throw new StoreClosed("the store is too busy");
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let result: { readonly value: T } | null = null;
    const run = this.db.transaction(() => void (result = { value: task() }));
    const job: Job = {
      run: () => run.immediate(),
      done: () => {
        if (result !== null) resolve(result.value);
      },
      fail: reject,
    };
    const giveUp = (): void => {
      const at = this.#jobs.indexOf(job);
      if (at === -1) return;
      this.#jobs.splice(at, 1);
      reject(new StoreClosed("given up"));
    };
    this.#jobs.push(job);
    signal?.addEventListener("abort", giveUp, { once: true });
    void this.#drain();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** What waits is not done; resolves when what is on its way to the disk is there. */
  async close(why = "the web chat is closed"): Promise<void> {
    if (this.#closed === null) {
      this.#closed = new StoreClosed(why);
      this.#cancel?.();
      for (const { fail } of this.#jobs.splice(0)) fail(this.#closed);
      if (!this.#running) this.#end();
    }
    await this.#ended.promise;
  }

  /** Throws what SQLite throws: there is nothing more to do then. */
  fail(why: string): void {
    if (this.#closed !== null) return;
    void this.close(why);
    this.#onFailed(why);
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#jobs.length > 0 && this.#closed === null) await this.#turn();
    } finally {
      this.#running = false;
      if (this.#closed !== null) this.#end();
    }
  }

  /** All that waits now, and one answer of the disk. */
  async #turn(): Promise<void> {
    const done: Job[] = [];
    if (!this.isThere) return this.fail("its file was replaced or taken away");
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      try {
        job.run();
      } catch (error) {
        if (isLocked(error)) break;
        this.#jobs.shift();
        const failure = error instanceof Error ? error : new Error(String(error));
        if (!isBroken(error)) {
          job.fail(failure);
          continue;
        }
        const closed = new StoreClosed(`it cannot be written: ${failure.message}`);
        for (const { fail } of [...done, job]) fail(closed);
        return this.fail(closed.message);
      }
      this.#jobs.shift();
      done.push(job);
    }
    if (done.length === 0 && this.#jobs.length > 0) return await this.#unlocked();
    const error = await this.#sync();
    if (error === null) {
      for (const job of done) job.done();
      return;
    }
    const failure = new StoreClosed(`the disk did not take it: ${error.message}`);
    for (const { fail } of done) fail(failure);
    this.fail(failure.message);
  }

  async #unlocked(): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(LOCKED_MS, resolve);
      this.#cancel = () => {
        cancel();
        resolve();
      };
    });
    this.#cancel = null;
  }

  async #sync(): Promise<Error | null> {
    return await new Promise((resolve) => fdatasync(this.#wal, resolve));
  }

  #end(): void {
    // Those who are told of the last writes still read.
    setImmediate(() => {
      closeSync(this.#wal);
      this.db.close();
      this.#ended.resolve();
    });
  }
}

const codeOf = (error: unknown): string => (error instanceof BetterSqlite3.SqliteError ? error.code : "");
const isLocked = (error: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/u.test(codeOf(error));
const isBroken = (error: unknown): boolean =>
  /^SQLITE_(?:FULL|IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN)/u.test(codeOf(error));
