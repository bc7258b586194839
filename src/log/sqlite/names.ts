import type { Database, Statement } from "better-sqlite3";

/** Subjects, accounts and lanes as small numbers. Ids made in a transaction count only once it is kept. */
export class Names {
  readonly #ids = new Map<string, number>();
  readonly #insert: Statement<[string]>;
  #fresh: string[] = [];

  constructor(db: Database) {
    const all = db.prepare<[], [number, string]>("SELECT id, text FROM name").raw();
    for (const [id, text] of all.iterate()) this.#ids.set(text, id);
    this.#insert = db.prepare("INSERT INTO name (text) VALUES (?)");
  }

  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** Inside a transaction: the id, made when it is new. */
  intern(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = Number(this.#insert.run(text).lastInsertRowid);
    this.#ids.set(text, id);
    this.#fresh.push(text);
    return id;
  }

  /** The transaction was committed. */
  keep(): void {
    this.#fresh = [];
  }

  /** The transaction was rolled back. */
  undo(): void {
    for (const text of this.#fresh) this.#ids.delete(text);
    this.#fresh = [];
  }
}
