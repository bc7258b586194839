import type { Copies, IdNote } from "../log.ts";
import type { Notes } from "./protocol.ts";

type Other = Exclude<IdNote, { is: "said" }>;

/** Notes as columns on their way to the worker. */
export class NoteColumns {
  readonly #rows: number[] = [];
  readonly #others: (Other | null)[] = [];
  readonly #authors: string[] = [];
  readonly #names: string[] = [];
  readonly #excerpts: string[] = [];
  readonly #refCounts: number[] = [];
  readonly #refs: string[] = [];

  get all(): Notes {
    return {
      rows: this.#rows,
      others: this.#others,
      authors: this.#authors,
      names: this.#names,
      excerpts: this.#excerpts,
      refCounts: this.#refCounts,
      refs: this.#refs,
    };
  }

  /** `row`: index of the entry in the commit; they come in order. */
  add(row: number, note: IdNote): void {
    this.#rows.push(row);
    if (note.is !== "said") {
      this.#others.push(note);
      return;
    }
    this.#others.push(null);
    this.#authors.push(note.author);
    this.#names.push(note.name);
    this.#excerpts.push(note.excerpt);
    this.#refCounts.push(note.refs.length);
    for (const ref of note.refs) this.#refs.push(ref);
  }
}

/** The notes of a commit, taken entry by entry in order. */
export class NoteReader {
  readonly #notes: Notes | null;
  #next = 0;
  #said = 0;
  #ref = 0;

  constructor(notes: Notes | null) {
    this.#notes = notes;
  }

  /** The note of the entry in this row; rows are asked for in order, and may be passed over. */
  at(row: number): IdNote | null {
    const notes = this.#notes;
    if (notes === null) return null;
    while ((notes.rows[this.#next] ?? Infinity) < row) this.#take(notes);
    return notes.rows[this.#next] === row ? this.#take(notes) : null;
  }

  #take(notes: Notes): IdNote {
    const other = notes.others[this.#next++] ?? null;
    if (other !== null) return other;
    const said = this.#said++;
    const from = this.#ref;
    this.#ref += notes.refCounts[said] ?? 0;
    return {
      is: "said",
      refs: notes.refs.slice(from, this.#ref),
      author: notes.authors[said] ?? "",
      name: notes.names[said] ?? "",
      excerpt: notes.excerpts[said] ?? "",
    };
  }
}

/** Characters of all text in it: near enough to bytes. */
export function charsOfNote(note: IdNote): number {
  switch (note.is) {
    case "said":
      return note.author.length + note.name.length + note.excerpt.length + charsOf(note.refs);
    case "revised":
      return note.excerpt.length + charsOf(note.refs);
    case "gone":
      return 0;
    case "reacted":
      return note.who.length + note.name.length + note.emoji.length;
  }
}

export function charsOfCopies({ place, refs }: Copies): number {
  return place.length + charsOf(refs);
}

function charsOf(refs: readonly string[]): number {
  let chars = 0;
  for (const ref of refs) chars += ref.length;
  return chars;
}
