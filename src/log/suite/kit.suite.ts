import { afterEach, beforeEach, test } from "vitest";
import type { LogSearch } from "../search.ts";
import type { Appended, Batch, Log, NewEntry, Seq } from "../log.ts";

/** What the suite asks of an implementation when it opens a log. */
export interface SuiteOptions {
  /** Unix ms. */
  readonly clock?: () => number;
  readonly tailBytes?: number;
  readonly pendingBytes?: number;
  readonly retentionDays?: number;
  readonly retentionBytes?: number;
  readonly messageIdDays?: number;
}

declare module "vitest" {
  interface TaskMeta {
    /** The log of the test has these from its beginning, so that none is opened before. */
    log?: SuiteOptions;
  }
}

/** A log under test, empty when opened. */
export interface OpenedLog {
  readonly log: Log;
  readonly archive: LogSearch;
  /** Closes it and opens the same data again, with the same options. */
  reopen(): Promise<OpenedLog>;
  /** Applies retention now; resolves when nothing more is to be deleted. */
  sweep(): Promise<void>;
  /** Closes it and removes the data. */
  remove(): Promise<void>;
}

/** A log as the suites want it. `open`: the same data again; `forget`: its data, once it is closed. */
export const openedOf = (
  log: Log & { readonly archive: LogSearch; sweep(): Promise<void> },
  { open, forget }: { readonly open: () => Promise<OpenedLog>; readonly forget: () => Promise<void> | void },
): OpenedLog => ({
  log,
  archive: log.archive,
  sweep: () => log.sweep(),
  reopen: async () => {
    await log.close();
    return await open();
  },
  remove: async () => {
    await log.close();
    await forget();
  },
});

export type OpenLog = (options: SuiteOptions) => Promise<OpenedLog>;

const ACCOUNT = "net.libera";
export const ROOM = "net.libera/#rialto";

export function said(payload: string, more: Partial<NewEntry> = {}): NewEntry {
  return { subject: ROOM, key: null, label: "", payload, ...more };
}

export function batchOf(...entries: readonly NewEntry[]): Batch {
  return { account: ACCOUNT, entries };
}

export function seqsOf(appended: Appended): readonly (Seq | null)[] {
  if (appended.is !== "stored") throw new Error(`expected stored, got ${appended.is}`);
  return appended.seqs;
}

export async function appendOne(log: Log, entry: NewEntry): Promise<Seq> {
  const [seq] = seqsOf(await log.append(batchOf(entry)));
  if (typeof seq !== "number") throw new Error("expected a seq");
  return seq;
}

/** The log of the running case, and what a case may do with it. */
export class Bench {
  now = 1_700_000_000_000;
  readonly #open: OpenLog;
  #opened: OpenedLog | null = null;

  /** Registers the hooks that give every case an empty log. */
  constructor(open: OpenLog) {
    this.#open = open;
    beforeEach(({ task }) => this.use(task.meta.log ?? {}));
    afterEach(() => this.#remove());
  }

  get log(): Log {
    return this.#now.log;
  }

  get archive(): LogSearch {
    return this.#now.archive;
  }

  get #now(): OpenedLog {
    if (this.#opened === null) throw new Error("no log is open");
    return this.#opened;
  }

  /** Goes on with an empty log that has these options. */
  async use(options: SuiteOptions): Promise<void> {
    await this.#remove();
    this.#opened = await this.#open({ clock: () => this.now, ...options });
  }

  async reopen(): Promise<void> {
    if (this.#opened !== null) this.#opened = await this.#opened.reopen();
  }

  async sweep(): Promise<void> {
    await this.#opened?.sweep();
  }

  async #remove(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.remove();
  }

  /** Runs the case with everything in memory, with nothing in memory, and after a restart. */
  everyWay(title: string, fill: () => Promise<void>, check: () => Promise<void>): void {
    test(`${title}, from memory`, async () => {
      await fill();
      await check();
    });
    test(`${title}, from the disk`, { meta: { log: { tailBytes: 0 } } }, async () => {
      await fill();
      await check();
    });
    test(`${title}, after a restart`, async () => {
      await fill();
      await this.reopen();
      await check();
    });
  }
}
