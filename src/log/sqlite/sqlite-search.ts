import type { TotalRequest } from "./count-protocol.ts";
import type { LogSearch, Damage, Finds, Matches, Standing, WordQuery } from "../search.ts";
import { LogError } from "../errors.ts";
import type { Known, Receipt, Seq, StoredEntry } from "../log.ts";
import { type WorkerConnection, expectReply } from "./connection.ts";
import type { Soundness } from "./soundness.ts";
import type {
  AnywhereRequest,
  BackupRequest,
  EndingsRequest,
  EntryRequest,
  IndexedRequest,
  SearchRequest,
  StandingRequest,
  WordsRequest,
} from "./protocol.ts";

/** What the worker finds for operators. */
export class SqliteArchive implements LogSearch {
  readonly #connection: WorkerConnection;
  readonly #soundness: Soundness;
  readonly #open: () => void;
  #refusal: string | null = null;

  /** `open` throws once nothing may be asked any more. */
  constructor(connection: WorkerConnection, soundness: Soundness, open: () => void) {
    this.#connection = connection;
    this.#soundness = soundness;
    this.#open = open;
  }

  async search(query: { readonly text: string; readonly before: Seq; readonly limit: number }): Promise<Finds> {
    this.#open();
    const reply = await this.#connection.call<SearchRequest>({ is: "search", ...query });
    const { entries, next } = expectReply("finds", reply);
    return { entries: entries.filter(this.#soundness.test), next };
  }

  async total(): Promise<number> {
    this.#open();
    return expectReply("count", await this.#connection.call<TotalRequest>({ is: "total" })).count;
  }

  async entry(seq: Seq): Promise<StoredEntry | null> {
    this.#open();
    const reply = await this.#connection.call<EntryRequest>({ is: "entry", seq });
    return expectReply("finds", reply).entries.find(this.#soundness.test) ?? null;
  }

  async receiptsOf(seq: Seq): Promise<readonly Receipt[]> {
    this.#open();
    const reply = await this.#connection.call<EndingsRequest>({ is: "endings", seq });
    return expectReply("receipts", reply).receipts;
  }

  async anywhere(ref: string): Promise<readonly Known[]> {
    this.#open();
    const reply = await this.#connection.call<AnywhereRequest>({ is: "anywhere", ref });
    return expectReply("manyKnown", reply).known;
  }

  async standing(seqs: readonly Seq[]): Promise<readonly Standing[]> {
    this.#open();
    const reply = await this.#connection.call<StandingRequest>({ is: "standing", seqs });
    return expectReply("standing", reply).standing;
  }

  async find(query: WordQuery): Promise<Matches | null> {
    this.#open();
    const reply = await this.#connection.call<WordsRequest>({ is: "words", ...query });
    return expectReply("matches", reply).matches;
  }

  async indexed(): Promise<Seq | null> {
    this.#open();
    const reply = await this.#connection.call<IndexedRequest>({ is: "indexed" });
    return expectReply("position", reply).seq;
  }

  async backup(file: string): Promise<void> {
    this.#open();
    await this.#connection.call<BackupRequest>({ is: "backup", file });
  }

  damage(): Damage {
    return { why: this.#connection.damage, entries: this.#soundness.unsound };
  }

  refusal(): string | null {
    return this.#refusal;
  }

  /** Told how a batch with entries ended; null: it is stored. */
  noteAppend(refused: unknown): void {
    if (refused === null) this.#refusal = null;
    else if (refused instanceof LogError && refused.code === "damaged") this.#refusal = refused.message;
  }
}
