import type { Database } from "better-sqlite3";
import { Statements } from "./statements.ts";

/** A message that waits, and what those who decide were told of it. */
export interface HeldCase {
  /** By which people name it; never given twice. */
  readonly seq: number;
  /** Id of the message that waits. */
  readonly message: string;
  /** Id of the message in the room of those who decide. */
  readonly notice: string;
}

/** What is still to be decided. All calls are to be made within a transaction, or only read. */
export class Cases {
  readonly #sql: Statements;

  constructor(db: Database) {
    this.#sql = new Statements(db);
  }

  /** Its number. */
  add({ message, notice }: Omit<HeldCase, "seq">): number {
    return this.#sql.insert("INSERT INTO cases (message, notice) VALUES (?, ?)", message, notice);
  }

  /** It is told elsewhere, by another notice. */
  move({ seq }: HeldCase, notice: string): void {
    this.#sql.run("UPDATE cases SET notice = ? WHERE seq = ?", notice, seq);
  }

  remove({ seq }: HeldCase): void {
    this.#sql.run("DELETE FROM cases WHERE seq = ?", seq);
  }

  of(message: string): HeldCase | null {
    return this.#case("message", message);
  }

  by(notice: string): HeldCase | null {
    return this.#case("notice", notice);
  }

  find(seq: number): HeldCase | null {
    return this.#case("seq", seq);
  }

  #case(column: keyof HeldCase, value: string | number): HeldCase | null {
    const rows = this.#sql.all(`SELECT seq, message, notice FROM cases WHERE ${column} = ?`, value);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns are named in the statement
    return (rows as readonly HeldCase[])[0] ?? null;
  }
}
