import type { Archive, Finds } from "../archive.ts";
import type { Known, Receipt, Seq, StoredEntry } from "../log.ts";
import { type Connection, expectReply } from "./connection.ts";
import type { AnywhereRequest, EndingsRequest, EntryRequest, SearchRequest } from "./protocol.ts";

/** What the worker finds for operators. */
export class SqliteArchive implements Archive {
  readonly #connection: Connection;
  readonly #open: () => void;

  /** `open` throws once nothing may be asked any more. */
  constructor(connection: Connection, open: () => void) {
    this.#connection = connection;
    this.#open = open;
  }

  async search(query: { readonly text: string; readonly before: Seq; readonly limit: number }): Promise<Finds> {
    this.#open();
    const reply = await this.#connection.call<SearchRequest>({ is: "search", ...query });
    const { entries, next } = expectReply("finds", reply);
    return { entries, next };
  }

  async entry(seq: Seq): Promise<StoredEntry | null> {
    this.#open();
    const reply = await this.#connection.call<EntryRequest>({ is: "entry", seq });
    return expectReply("finds", reply).entries[0] ?? null;
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
}
