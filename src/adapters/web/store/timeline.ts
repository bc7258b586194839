import type { Database } from "better-sqlite3";
import type { Change, NewStored, StoredAuthor, StoredChange, StoredMessage } from "./rows.ts";
import { Statements } from "./statements.ts";

/** So many messages of a room can be shown, and so many changes told to a page that was away. */
const ROOM_MAX = 5_000;
const CHANGES_MAX = 10_000;
/** Between two looks at what is too much. */
const PRUNE_EVERY = 200;

interface MessageRow {
  readonly seq: number;
  readonly room: string;
  readonly id: string;
  readonly at: number;
  readonly state: string;
  readonly guest: string;
  readonly author: string;
  readonly style: string;
  readonly text: string;
  readonly blocks: string;
  readonly reply: string | null;
  readonly revision: number;
  readonly files: string;
  readonly print: string;
}

interface ChangeRow {
  readonly seq: number;
  readonly room: string;
  readonly guest: string;
  readonly what: string;
}

interface ReactionRow {
  readonly emoji: string;
  readonly who: string;
}

/**
 * What was said in the rooms, and what has changed since. All calls are to be made within a
 * transaction, or only read.
 */
export class RoomTimeline {
  readonly #sql: Statements;
  #added = 0;

  constructor(db: Database) {
    this.#sql = new Statements(db);
  }

  find(id: string): StoredMessage | null {
    const [found] = this.#messages("SELECT * FROM messages WHERE id = ?", id);
    return found ?? null;
  }

  /** Does nothing when it is there already. */
  add(message: NewStored): StoredMessage {
    const { room, id, atMs, state, guest, author, style, text, blocks, reply, files, print } = message;
    this.#sql.run(
      `INSERT INTO messages (room, id, at, state, guest, author, style, text, blocks, reply, files, print)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      room,
      id,
      atMs,
      state,
      guest,
      JSON.stringify(author),
      style,
      text,
      JSON.stringify(blocks),
      reply,
      JSON.stringify(files),
      print,
    );
    const stored = this.find(id);
    if (stored === null) throw new Error("a message that was written is not there");
    return stored;
  }

  setSaid(id: string): void {
    this.#sql.run("UPDATE messages SET state = 'said' WHERE id = ?", id);
  }

  /** It waits no longer, and is said now: behind all that was said meanwhile. */
  release(id: string, atMs: number): void {
    const seq = "(SELECT max(seq) + 1 FROM messages)";
    this.#sql.run(`UPDATE messages SET state = 'new', at = ?, seq = ${seq} WHERE id = ?`, atMs, id);
  }

  edit(id: string, { style, text, blocks }: Pick<NewStored, "style" | "text" | "blocks">): void {
    this.#sql.run(
      "UPDATE messages SET style = ?, text = ?, blocks = ?, revision = revision + 1 WHERE id = ?",
      style,
      text,
      JSON.stringify(blocks),
      id,
    );
  }

  setFiles(id: string, files: NewStored["files"]): void {
    this.#sql.run("UPDATE messages SET files = ? WHERE id = ?", JSON.stringify(files), id);
  }

  /** Its words go at once. */
  remove(id: string): void {
    this.#sql.run(
      "UPDATE messages SET state = 'gone', text = '', blocks = '[]', files = '[]', author = '{}' WHERE id = ?",
      id,
    );
    this.#sql.run("DELETE FROM reactions WHERE message = ?", id);
  }

  /** What an author has said goes from all rooms but one, as if it had never been there. */
  withdraw(author: StoredAuthor, but: string): void {
    const where = "state IN ('new', 'said') AND guest = '' AND author = ? AND room <> ?";
    this.#sql.run(`DELETE FROM messages WHERE ${where}`, JSON.stringify(author), but);
  }

  /** Of a room, newest last, before a message. */
  page(room: string, before: string | null, limit: number): readonly StoredMessage[] {
    const seq = before === null ? Number.MAX_SAFE_INTEGER : (this.find(before)?.seq ?? 0);
    return this.#messages(
      "SELECT * FROM messages WHERE room = ? AND state = 'said' AND seq < ? ORDER BY seq DESC LIMIT ?",
      room,
      seq,
      limit,
    ).toReversed();
  }

  /** Of all rooms, oldest first. */
  inState(state: "new" | "held"): readonly StoredMessage[] {
    return this.#messages("SELECT * FROM messages WHERE state = ? ORDER BY seq LIMIT 10000", state);
  }

  /** The oldest that is still to be said in a room. */
  firstNew(room: string): StoredMessage | null {
    const [found] = this.#messages(
      "SELECT * FROM messages WHERE room = ? AND state = 'new' ORDER BY seq LIMIT 1",
      room,
    );
    return found ?? null;
  }

  heldOf(guest: string): readonly StoredMessage[] {
    return this.#messages("SELECT * FROM messages WHERE guest = ? AND state = 'held' ORDER BY seq LIMIT 100", guest);
  }

  /** All that a guest has said, also what is not shown any more. */
  saidBy(guest: string): readonly StoredMessage[] {
    return this.#messages("SELECT * FROM messages WHERE guest = ? AND print <> 'deleted' ORDER BY seq", guest);
  }

  /** It was deleted everywhere. */
  forget(id: string): void {
    this.remove(id);
    this.#sql.run("UPDATE messages SET print = 'deleted' WHERE id = ?", id);
  }

  /** Who of other networks was heard lately. */
  authors(room: string): readonly StoredAuthor[] {
    const rows = rowsOf<{ author: string }>(
      this.#sql.all(
        `SELECT author, max(seq) AS seq FROM (SELECT author, seq FROM messages
       WHERE room = ? AND state = 'said' AND guest = '' ORDER BY seq DESC LIMIT 500) GROUP BY author ORDER BY 2 DESC`,
        room,
      ),
    );
    return rows.map(({ author }) => authorOf(author)).filter(({ id }) => id !== "");
  }

  reactions(message: string): readonly ReactionRow[] {
    return rowsOf<ReactionRow>(
      this.#sql.all("SELECT emoji, who FROM reactions WHERE message = ? ORDER BY rowid", message),
    );
  }

  /** False: it stood like this already. */
  react(message: string, emoji: string, who: string, on: boolean): boolean {
    const text = on
      ? "INSERT INTO reactions (message, emoji, who) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
      : "DELETE FROM reactions WHERE message = ? AND emoji = ? AND who = ?";
    return this.#sql.run(text, message, emoji, who) > 0;
  }

  change(room: string, atMs: number, change: Change, guest = ""): StoredChange {
    const text = "INSERT INTO changes (room, at, guest, what) VALUES (?, ?, ?, ?)";
    const seq = this.#sql.insert(text, room, atMs, guest, JSON.stringify(change));
    this.#added += 1;
    return { seq, room, guest, change };
  }

  /** The newest change of all; 0: none yet. */
  get head(): number {
    const [row] = rowsOf<{ seq: number | null }>(this.#sql.all("SELECT max(seq) AS seq FROM changes"));
    return row?.seq ?? 0;
  }

  /** What a room has had after a change; null: that cannot be told any more, or is too much. */
  after(room: string, seq: number, limit: number): readonly StoredChange[] | null {
    const [kept] = rowsOf<{ seq: number | null }>(this.#sql.all("SELECT min(seq) AS seq FROM changes"));
    if (seq > this.head || seq < (kept?.seq ?? 0) - 1) return null;
    const rows = rowsOf<ChangeRow>(
      this.#sql.all(
        "SELECT seq, room, guest, what FROM changes WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?",
        room,
        seq,
        limit + 1,
      ),
    );
    if (rows.length > limit) return null;
    return rows.map(changeOf);
  }

  /** What is too much or too old goes; the newest change stays, so that numbers go on. */
  prune(rooms: Iterable<string>, keptAfterMs: number, idsAfterMs: number): void {
    const goes = "UPDATE messages SET state = 'gone', text = '', blocks = '[]', files = '[]', author = '{}' WHERE";
    this.#sql.run(`${goes} state = 'said' AND at < ?`, keptAfterMs);
    const newest = "SELECT seq FROM messages WHERE room = ? AND state = 'said' ORDER BY seq DESC LIMIT 1 OFFSET ?";
    for (const room of rooms)
      this.#sql.run(`${goes} room = ? AND state = 'said' AND seq <= (${newest})`, room, room, ROOM_MAX);
    this.#sql.run("DELETE FROM messages WHERE state = 'gone' AND at < ?", idsAfterMs);
    this.#sql.run(
      "DELETE FROM reactions WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = message AND state = 'said')",
    );
    this.#sql.run(`DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - ${CHANGES_MAX}`);
  }

  /** Whether it is time for `prune`; true once. */
  comesDue(): boolean {
    if (this.#added < PRUNE_EVERY) return false;
    this.#added = 0;
    return true;
  }

  #messages(text: string, ...values: readonly unknown[]): readonly StoredMessage[] {
    return rowsOf<MessageRow>(this.#sql.all(text, ...values)).map(messageOf);
  }
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- only this file writes what is read here */
function messageOf({ at, author, blocks, files, state, style, ...row }: MessageRow): StoredMessage {
  return {
    ...row,
    atMs: at,
    author: authorOf(author),
    state: state as StoredMessage["state"],
    style: style as StoredMessage["style"],
    blocks: JSON.parse(blocks) as StoredMessage["blocks"],
    files: JSON.parse(files) as StoredMessage["files"],
  };
}

function authorOf(text: string): StoredAuthor {
  const { id = "", name = "", network = "" } = JSON.parse(text) as Partial<StoredAuthor>;
  return { id, name, network };
}

const changeOf = ({ what, ...row }: ChangeRow): StoredChange => ({ ...row, change: JSON.parse(what) as Change });
/* oxlint-enable typescript/no-unsafe-type-assertion */

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters, typescript/no-unsafe-type-assertion -- the columns are named in each statement
const rowsOf = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];
