import type { Database } from "better-sqlite3";
import type { MessageAct, ActIntent } from "./rows.ts";
import { Statements } from "./statements.ts";

interface IntentRow {
  readonly seq: number;
  readonly room: string;
  readonly message: string;
  readonly act: string;
}

/**
 * What somebody has asked to be changed about a message, until the core has it and the room shows it. All calls are to
 * be made within a transaction, or only read.
 */
export class Intents {
  readonly #sql: Statements;

  constructor(db: Database) {
    this.#sql = new Statements(db);
  }

  add({ room, message, act }: Omit<ActIntent, "seq">): ActIntent {
    const text = "INSERT INTO intents (room, message, act) VALUES (?, ?, ?)";
    return { seq: this.#sql.insert(text, room, message, JSON.stringify(act)), room, message, act };
  }

  has({ seq }: ActIntent): boolean {
    return this.#sql.all("SELECT 1 FROM intents WHERE seq = ?", seq).length > 0;
  }

  /** False: it is carried out already. */
  remove({ seq }: ActIntent): boolean {
    return this.#sql.run("DELETE FROM intents WHERE seq = ?", seq) > 0;
  }

  /** Of a room, oldest first. */
  all(room: string): readonly ActIntent[] {
    return this.#intents("WHERE room = ?", room);
  }

  /** Of a message, oldest first. */
  of(message: string): readonly ActIntent[] {
    return this.#intents("WHERE message = ?", message);
  }

  #intents(where: string, value: string): readonly ActIntent[] {
    const rows = this.#sql.all(`SELECT seq, room, message, act FROM intents ${where} ORDER BY seq`, value);
    /* oxlint-disable typescript/no-unsafe-type-assertion -- only this file writes what is read here */
    return (rows as readonly IntentRow[]).map(({ seq, room, message, act }) => {
      return { seq, room, message, act: JSON.parse(act) as MessageAct };
    });
    /* oxlint-enable typescript/no-unsafe-type-assertion */
  }
}
