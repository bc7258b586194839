import type { Database, Statement } from "better-sqlite3";

/** Prepared statements, each made once. */
export class Statements {
  readonly #db: Database;
  readonly #known = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The rows, with the columns that the statement names. */
  all(text: string, ...values: readonly unknown[]): readonly unknown[] {
    return this.#statement(text).all(...values);
  }

  /** How many rows it has changed. */
  run(text: string, ...values: readonly unknown[]): number {
    return this.#statement(text).run(...values).changes;
  }

  /** The number of the row that it has added. */
  insert(text: string, ...values: readonly unknown[]): number {
    return Number(this.#statement(text).run(...values).lastInsertRowid);
  }

  #statement(text: string): Statement {
    const known = this.#known.get(text) ?? this.#db.prepare(text);
    this.#known.set(text, known);
    return known;
  }
}
