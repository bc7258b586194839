import type { Database, Statement } from "better-sqlite3";
import type { Finds } from "../search.ts";
import type { Known, Receipt, Seq, StoredEntry } from "../log.ts";
import type { SearchRequest } from "./protocol.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";

/** One search looks through this much payload and so many entries at most. */
const SEARCH_CHARS = 32 << 20;
const SEARCH_ROWS = 100_000;
/** … in slices of some milliseconds. */
const SLICE_CHARS = 1 << 20;
const SLICE_ROWS = 1024;
const RECEIPTS_MAX = 1024;
const ANYWHERE_MAX = 16;

type KnownRow = Omit<Known, "gone"> & { readonly gone: number };

/** What operators ask: see `Archive`. */
export class SearchReader {
  readonly #before: Statement<[Seq, number], StoredEntry>;
  readonly #entry: Statement<[Seq], StoredEntry>;
  readonly #receipts: Statement<[Seq], Omit<Receipt, "copies">>;
  readonly #anywhere: Statement<[string], KnownRow>;

  constructor(db: Database) {
    const columns = "seq, name.text AS subject, at, label, payload FROM entry JOIN name ON name.id = entry.subject";
    this.#before = db.prepare(`SELECT ${columns} WHERE seq < ? ORDER BY seq DESC LIMIT ?`);
    this.#entry = db.prepare(`SELECT ${columns} WHERE seq = ?`);
    this.#receipts = db.prepare(
      `SELECT name.text AS lane, seq, state, detail FROM receipt JOIN name ON name.id = receipt.lane
       WHERE seq = ? ORDER BY name.text LIMIT ${RECEIPTS_MAX}`,
    );
    // One seek for each name there is: an index by ref alone would cost every message more than a rare question is
    // worth.
    this.#anywhere = db.prepare(
      `SELECT DISTINCT said.seq AS seq, own.text AS subject, said.at AS at, author, said.name AS name, excerpt, gone
       FROM name CROSS JOIN remote ON remote.place = name.id AND remote.ref = ?
       JOIN said ON said.seq = remote.seq JOIN name AS own ON own.id = said.place
       ORDER BY said.seq DESC LIMIT ${ANYWHERE_MAX}`,
    );
  }

  entry(seq: Seq): StoredEntry | null {
    return this.#entry.get(seq) ?? null;
  }

  receiptsOf(seq: Seq): readonly Receipt[] {
    return this.#receipts.all(seq);
  }

  anywhere(ref: string): readonly Known[] {
    return this.#anywhere.all(ref).map(knownOf);
  }

  *search({ text, before, limit }: SearchRequest): CooperativeSteps<Finds> {
    const wanted = text.toLowerCase();
    const entries: StoredEntry[] = [];
    let next = before;
    let chars = 0;
    let rows = 0;
    for (;;) {
      let slice = 0;
      let count = 0;
      for (const entry of this.#before.iterate(next, SLICE_ROWS)) {
        next = entry.seq;
        count += 1;
        slice += entry.payload.length;
        if (entry.payload.toLowerCase().includes(wanted)) entries.push(entry);
        if (entries.length >= limit) return { entries, next };
        if (slice >= SLICE_CHARS) break;
      }
      chars += slice;
      rows += count;
      if (count < SLICE_ROWS && slice < SLICE_CHARS) return { entries, next: null };
      if (chars >= SEARCH_CHARS || rows >= SEARCH_ROWS) return { entries, next };
      yield;
    }
  }
}

function knownOf({ gone, ...row }: KnownRow): Known {
  return { ...row, gone: gone === 1 };
}
