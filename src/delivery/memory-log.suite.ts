import { EventLabel } from "../contract/message.ts";
import { decodeStored } from "../gateway/codec.ts";
import type { LogErrorCode } from "../log/errors.ts";
import { LogError } from "../log/errors.ts";
import type { Appended, Batch, Ids, Log, Mark, Receipt, Seq, StoredEntry, Subject } from "../log/log.ts";
import { appendThen } from "../log/suite/append-then.suite.ts";
import type { FileArchive } from "../gateway/known-files.ts";
import { IdsModel } from "../log/suite/ids-model.suite.ts";

/** What a log keeps when the program dies. */
export interface Disk {
  readonly entries: StoredEntry[];
  readonly marks: Map<string, string>;
  readonly receipts: Map<string, Receipt>;
  /** `note` says what the note of an entry would. */
  readonly ids: IdsModel;
}

export function emptyDisk(): Disk {
  return { entries: [], marks: new Map(), receipts: new Map(), ids: new IdsModel() };
}

/**
 * A log that answers in the same turn of the event loop, so that a test decides what happens when. Only what a lane
 * uses of it. `step` is awaited before and after each commit: a step that never ends is a program that died there.
 */
export class MemoryLog implements Log {
  readonly failed = new Promise<LogError>(() => undefined);
  readonly ids: Ids;
  /** Why nothing is taken. */
  refuses: LogErrorCode | null = null;
  /** Whether reading fails. */
  unreadable = false;
  commits = 0;
  reads = 0;
  readonly #disk: Disk;
  readonly #step: () => Promise<void>;
  readonly #nowMs: () => number;

  constructor(disk: Disk, step: () => Promise<void> = () => Promise.resolve(), nowMs: () => number = () => 0) {
    this.#disk = disk;
    this.#step = step;
    this.#nowMs = nowMs;
    this.ids = disk.ids.answers(() => this.#readable());
  }

  get archive(): FileArchive {
    const { entries } = this.#disk;
    const isEdit = ({ label, payload }: StoredEntry, of: Seq): boolean =>
      label === EventLabel.edit && decodeStored(payload).about?.seq === of;
    return {
      entry: async (seq) => await Promise.resolve(entries.find((entry) => entry.seq === seq) ?? null),
      standing: async (seqs) =>
        await Promise.resolve(
          seqs.map((of) => ({ revised: entries.findLast((entry) => isEdit(entry, of))?.seq ?? null })),
        ),
    };
  }

  get head(): Seq {
    return this.#disk.entries.at(-1)?.seq ?? 0;
  }

  async append({ entries, marks = [], seqMarks = [], receipts = [] }: Batch): Promise<Appended> {
    await this.#step();
    if (this.refuses !== null) throw new LogError(this.refuses, "no");
    this.commits += 1;
    const seqs: Seq[] = [];
    for (const { subject, label, payload, note } of entries) {
      const seq = this.head + 1;
      seqs.push(seq);
      const at = this.#nowMs();
      this.#disk.entries.push({ seq, subject, at, label, payload });
      if (note !== undefined) this.#disk.ids.note(seq, subject, at, note);
    }
    for (const { name, value } of marks) this.#disk.marks.set(name, value);
    for (const { name, entry, value } of seqMarks) this.#disk.marks.set(name, value.join(String(seqs[entry])));
    for (const { copies, ...receipt } of receipts) {
      this.#disk.receipts.set(`${receipt.lane} ${receipt.seq}`, receipt);
      if (copies !== undefined) this.#disk.ids.copies(receipt.lane, copies);
    }
    await this.#step();
    return { is: "stored", seqs };
  }

  appendThen(batch: Batch, done: (outcome: Appended | LogError) => void): void {
    appendThen(this, batch, done);
  }

  async mark(marks: readonly Mark[]): Promise<void> {
    await this.append({ account: "", entries: [], marks });
  }

  async unmark(names: readonly string[]): Promise<void> {
    for (const name of names) this.#disk.marks.delete(name);
    return await Promise.resolve();
  }

  async marks(prefix: string): Promise<ReadonlyMap<string, string>> {
    return await Promise.resolve(new Map([...this.#disk.marks].filter(([name]) => name.startsWith(prefix))));
  }

  async receipts({ lane, after }: { readonly lane: string; readonly after: Seq }): Promise<readonly Receipt[]> {
    const found = [...this.#disk.receipts.values()].filter((receipt) => receipt.lane === lane && receipt.seq > after);
    return await Promise.resolve(found.sort((a, b) => a.seq - b.seq));
  }

  async read(query: { readonly subjects: readonly Subject[]; readonly after: Seq; readonly limit: number }) {
    this.reads += 1;
    this.#readable();
    return await Promise.resolve(this.#after(query).slice(0, query.limit));
  }

  async newest({
    limit,
    ...query
  }: {
    readonly subjects: readonly Subject[];
    readonly after: Seq;
    readonly limit: number;
  }) {
    const found = this.#after(query);
    const skipped = Math.max(0, found.length - limit);
    return await Promise.resolve({ entries: found.slice(skipped), skipped });
  }

  async first(): Promise<Seq> {
    return await Promise.resolve(this.#disk.entries[0]?.seq ?? this.head + 1);
  }

  async removed(): Promise<number> {
    return await Promise.resolve(0);
  }

  async removedSince(): Promise<Seq | null> {
    return await Promise.resolve(null);
  }

  tail(): () => void {
    return () => undefined;
  }

  hold(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #readable(): void {
    if (this.unreadable) throw new LogError("io", "no");
  }

  #after({ subjects, after }: { readonly subjects: readonly Subject[]; readonly after: Seq }): readonly StoredEntry[] {
    return this.#disk.entries.filter(({ seq, subject }) => seq > after && subjects.includes(subject));
  }
}
