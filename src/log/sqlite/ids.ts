import type { Database, Statement } from "better-sqlite3";
import type { Copies, IdNote, Known, Reaction, Seq, Subject } from "../log.ts";
import type { Standing } from "../search.ts";
import type { Names } from "./names.ts";

/** Refs of one note, and characters of one ref, that are taken; the others are left out. */
const NOTE_REFS = 64;
const REF_CHARS = 1024;
/** Refs that one lane may have of one message, the original among them; and reactions of one message. */
const MESSAGE_REFS = 1024;
const MESSAGE_REACTIONS = 1024;
/** In place of a lane: it is no copy. Names count from 1. */
const ORIGINAL = 0;

type KnownRow = Omit<Known, "gone"> & { readonly gone: number };
type StandingRow = { readonly gone: number; readonly revised: Seq | null };

/** Which remote messages are one: written inside the transaction of their entry or receipt, read at any time. */
export class IdTables {
  readonly #names: Names;
  readonly #say: Statement<[Seq, number, number, string, string, string]>;
  readonly #revise: Statement<[string, Seq, Seq]>;
  readonly #bury: Statement<[Seq]>;
  readonly #addRef: Statement<[number, string, Seq, number, number]>;
  readonly #dropRefs: Statement<[Seq, number]>;
  readonly #nextRef: Statement<[Seq, number], number>;
  readonly #react: Statement<[Seq, string, string, string, Seq, Seq, Seq]>;
  readonly #unreact: Statement<[Seq, string, string]>;
  readonly #find: Statement<[number, string], Seq>;
  readonly #get: Statement<[Seq], KnownRow>;
  readonly #standing: Statement<[Seq], StandingRow>;
  readonly #refs: Statement<[Seq, number], string>;
  readonly #reactions: Statement<[Seq], Reaction>;

  constructor(db: Database, names: Names) {
    this.#names = names;
    this.#say = db.prepare(
      "INSERT INTO said (seq, at, place, gone, author, name, excerpt) VALUES (?, ?, ?, 0, ?, ?, ?)",
    );
    this.#revise = db.prepare("UPDATE said SET excerpt = ?, revised = ? WHERE seq = ?");
    this.#bury = db.prepare("UPDATE said SET gone = 1 WHERE seq = ?");
    this.#addRef = db.prepare(
      "INSERT INTO remote (place, ref, seq, lane, ord) VALUES (?, ?, ?, ?, ?) ON CONFLICT (place, ref) DO NOTHING",
    );
    this.#dropRefs = db.prepare("DELETE FROM remote WHERE seq = ? AND lane = ?");
    this.#nextRef = db.prepare<[Seq, number], number>(
      "SELECT coalesce(max(ord) + 1, 0) FROM remote WHERE seq = ? AND lane = ?",
    );
    this.#nextRef.pluck();
    this.#react = db.prepare(
      `INSERT INTO reaction (seq, who, emoji, name, ord) SELECT ?, ?, ?, ?, ?
       WHERE EXISTS (SELECT 1 FROM said WHERE seq = ?)
         AND (SELECT count(*) FROM reaction WHERE seq = ?) < ${MESSAGE_REACTIONS}
       ON CONFLICT (seq, who, emoji) DO NOTHING`,
    );
    this.#unreact = db.prepare("DELETE FROM reaction WHERE seq = ? AND who = ? AND emoji = ?");
    this.#find = db.prepare<[number, string], Seq>("SELECT seq FROM remote WHERE place = ? AND ref = ?");
    this.#find.pluck();
    this.#get = db.prepare(
      `SELECT seq, name.text AS subject, at, author, said.name AS name, excerpt, gone
       FROM said JOIN name ON name.id = said.place WHERE seq = ?`,
    );
    this.#standing = db.prepare("SELECT gone, revised FROM said WHERE seq = ?");
    this.#refs = db.prepare<[Seq, number], string>("SELECT ref FROM remote WHERE seq = ? AND lane = ? ORDER BY ord");
    this.#refs.pluck();
    this.#reactions = db.prepare("SELECT who, name, emoji FROM reaction WHERE seq = ? ORDER BY ord");
  }

  /** The entry `seq` of this place brings this note. About a message that is not known it says nothing. */
  note(seq: Seq, place: number, at: number, note: IdNote): void {
    switch (note.is) {
      case "said":
        this.#say.run(seq, at, place, note.author, note.name, note.excerpt);
        this.#add(seq, ORIGINAL, place, 0, note.refs.slice(0, NOTE_REFS));
        return;
      case "revised":
        if (this.#revise.run(note.excerpt, seq, note.of).changes === 0) return;
        this.#add(note.of, ORIGINAL, place, this.#next(note.of, ORIGINAL), note.refs.slice(0, NOTE_REFS));
        return;
      case "gone":
        this.#bury.run(note.of);
        return;
      case "reacted": {
        const { of, who, name, emoji } = note;
        if (note.on) this.#react.run(of, who, emoji, name, seq, of, of);
        else this.#unreact.run(of, who, emoji);
      }
    }
  }

  /** All copies that the lane has made of a message; of one that is not known: nothing. */
  copies(lane: number, { of, place, refs }: Copies): void {
    if (this.get(of) === null) return;
    this.#dropRefs.run(of, lane);
    this.#add(of, lane, this.#names.intern(place), 0, refs);
  }

  find(place: Subject, refs: readonly string[]): Known | null {
    const id = this.#names.find(place);
    if (id === undefined) return null;
    for (const ref of refs.slice(0, NOTE_REFS)) {
      const seq = this.#find.get(id, ref);
      if (seq !== undefined) return this.get(seq);
    }
    return null;
  }

  get(seq: Seq): Known | null {
    const row = this.#get.get(seq);
    return row === undefined ? null : { ...row, gone: row.gone === 1 };
  }

  standing(seq: Seq): Standing {
    const row = this.#standing.get(seq);
    return { seq, gone: row?.gone === 1, revised: row?.revised ?? null };
  }

  refs(seq: Seq, lane: string | null): readonly string[] {
    const id = lane === null ? ORIGINAL : this.#names.find(lane);
    return id === undefined ? [] : this.#refs.all(seq, id);
  }

  reactions(seq: Seq): readonly Reaction[] {
    return this.#reactions.all(seq);
  }

  #next(seq: Seq, lane: number): number {
    return this.#nextRef.get(seq, lane) ?? 0;
  }

  /** `ord`: rank of the first. A ref that is known at the place stays with the message that has it. */
  #add(seq: Seq, lane: number, place: number, ord: number, refs: readonly string[]): void {
    let next = ord;
    for (const ref of refs) {
      if (next >= MESSAGE_REFS) return;
      if (ref.length <= REF_CHARS) next += this.#addRef.run(place, ref, seq, lane, next).changes;
    }
  }
}
