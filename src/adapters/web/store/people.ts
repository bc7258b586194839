import type { Database } from "better-sqlite3";
import type { Invite } from "../../../contract/guests.ts";
import type { StoredGuest } from "./rows.ts";
import { Statements } from "./statements.ts";

interface GuestRow extends Omit<
  StoredGuest,
  "joinedMs" | "seenMs" | "saidMs" | "changedMs" | "present" | "held" | "muted" | "banned"
> {
  readonly joined: number;
  readonly seen: number;
  readonly said: number;
  readonly changed: number;
  readonly present: number;
  readonly held: number;
  readonly muted: number;
  readonly banned: number;
}

interface InviteRow {
  readonly id: string;
  readonly room: string;
  readonly uses: number;
  readonly used: number;
  readonly hold: number;
  readonly created: number;
  readonly expires: number;
}

/** How a guest was let in. */
export interface Admission {
  /** Of the secret in the cookie. */
  readonly digest: Uint8Array;
  /** Of the request to join. */
  readonly ticket: Uint8Array;
  readonly salt: Uint8Array;
}

/** A mute, by the guest whom somebody has muted. Until it ends, it counts for newcomers as well. */
export interface Mute {
  readonly by: string;
  readonly untilMs: number;
}

const COLUMNS =
  "id, room, name, invite, net, joined, seen, said, changed, present, visits, held, muted, banned, messages";

/** Guests, their invites and their bans. All calls are to be made within a transaction, or only read. */
export class People {
  readonly #sql: Statements;

  constructor(db: Database) {
    this.#sql = new Statements(db);
  }

  addInvite(digest: Uint8Array, { id, channel, uses, hold, createdMs, expiresMs }: Omit<Invite, "used">): void {
    this.#sql.run(
      "INSERT INTO invites (id, digest, room, uses, hold, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      digest,
      channel,
      uses,
      Number(hold),
      createdMs,
      expiresMs,
    );
  }

  inviteBy(digest: Uint8Array): Invite | null {
    const [row] = rowsOf<InviteRow>(this.#sql.all("SELECT * FROM invites WHERE digest = ?", digest));
    return row === undefined ? null : inviteOf(row);
  }

  invites(): readonly Invite[] {
    return rowsOf<InviteRow>(this.#sql.all("SELECT * FROM invites ORDER BY created DESC, id LIMIT 1000")).map(inviteOf);
  }

  useInvite(id: string): void {
    this.#sql.run("UPDATE invites SET used = used + 1 WHERE id = ?", id);
  }

  removeInvite(id: string): boolean {
    return this.#sql.run("DELETE FROM invites WHERE id = ?", id) > 0;
  }

  add(guest: StoredGuest, looks: string, { digest, ticket, salt }: Admission): void {
    this.#sql.run(
      `INSERT INTO guests (id, room, name, skeleton, digest, ticket, salt, invite, net, joined, seen, held)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      guest.id,
      guest.room,
      guest.name,
      looks,
      digest,
      ticket,
      salt,
      guest.invite,
      guest.net,
      guest.joinedMs,
      guest.seenMs,
      Number(guest.held),
    );
  }

  find(id: string): StoredGuest | null {
    return this.#guests("WHERE id = ?", id)[0] ?? null;
  }

  by(digest: Uint8Array): StoredGuest | null {
    return this.#guests("WHERE digest = ?", digest)[0] ?? null;
  }

  /** Who came by this request, and the salt of the secret that was given then. */
  admitted(ticket: Uint8Array): { readonly guest: StoredGuest; readonly salt: Uint8Array } | null {
    const [guest] = this.#guests("WHERE ticket = ?", ticket);
    const [row] = rowsOf<{ salt: Uint8Array }>(this.#sql.all("SELECT salt FROM guests WHERE ticket = ?", ticket));
    return guest === undefined || row === undefined ? null : { guest, salt: row.salt };
  }

  /** Whether nobody in the room has a name that looks like this, but perhaps the one with this id. */
  isFree(room: string, looks: string, but = ""): boolean {
    return (
      this.#sql.all("SELECT 1 FROM guests WHERE room = ? AND skeleton = ? AND id <> ?", room, looks, but).length === 0
    );
  }

  all(room: string | null): readonly StoredGuest[] {
    if (room === null) return this.#guests("ORDER BY seen DESC LIMIT 5000");
    return this.#guests("WHERE room = ? ORDER BY seen DESC LIMIT 5000", room);
  }

  /** Without those who are banned: they are kept for good, and would fill the room. */
  count(room: string): number {
    const text = "SELECT count(*) AS count FROM guests WHERE room = ? AND banned = 0";
    return rowsOf<{ count: number }>(this.#sql.all(text, room))[0]?.count ?? 0;
  }

  rename(id: string, name: string, looks: string): void {
    this.#sql.run("UPDATE guests SET name = ?, skeleton = ? WHERE id = ?", name, looks, id);
  }

  set(id: string, what: "held" | "banned" | "present", on: boolean): void {
    this.#sql.run(`UPDATE guests SET ${what} = ? WHERE id = ?`, Number(on), id);
  }

  came(id: string, nowMs: number): void {
    this.#sql.run("UPDATE guests SET present = 1, visits = visits + 1, seen = ? WHERE id = ?", nowMs, id);
  }

  seen(id: string, nowMs: number): void {
    this.#sql.run("UPDATE guests SET seen = ? WHERE id = ?", nowMs, id);
  }

  spoke(id: string, nowMs: number): void {
    this.#sql.run("UPDATE guests SET messages = messages + 1, said = ?, seen = ? WHERE id = ?", nowMs, nowMs, id);
  }

  changed(id: string, nowMs: number): void {
    this.#sql.run("UPDATE guests SET changed = ? WHERE id = ?", nowMs, id);
  }

  /** Nobody knows the secret of this digest: nobody is this guest any more, and others may have the name. */
  leave(id: string, digest: Uint8Array): void {
    this.#sql.run("UPDATE guests SET digest = ?, ticket = NULL, skeleton = id, present = 0 WHERE id = ?", digest, id);
  }

  mute(id: string, { by, untilMs }: Mute): void {
    this.#sql.run("UPDATE guests SET muted = 1, muted_by = ?, muted_until = ? WHERE id = ?", by, untilMs, id);
  }

  unmute(id: string): void {
    this.#sql.run("UPDATE guests SET muted = 0, muted_by = '', muted_until = 0 WHERE id = ?", id);
  }

  /** The mute that counts for a newcomer by the same invite from the same address; null: none does. */
  muteOf({ room, invite, net }: Pick<StoredGuest, "room" | "invite" | "net">, nowMs: number): Mute | null {
    if (net === "") return null;
    const text = `SELECT muted_by AS by, muted_until AS untilMs FROM guests
       WHERE room = ? AND invite = ? AND net = ? AND muted = 1 AND muted_until > ? ORDER BY muted_until DESC LIMIT 1`;
    return rowsOf<Mute>(this.#sql.all(text, room, invite, net, nowMs))[0] ?? null;
  }

  /** The guest, and all others that the same mute has muted. */
  mutedWith(id: string): readonly string[] {
    const text = `SELECT id FROM guests WHERE id = ?
       OR (muted_by <> '' AND muted_by = (SELECT muted_by FROM guests WHERE id = ?))`;
    return rowsOf<{ id: string }>(this.#sql.all(text, id, id)).map((row) => row.id);
  }

  /** From these addresses nobody joins the room until then. */
  ban(net: string, room: string, guest: string, untilMs: number): void {
    this.#sql.run(
      "INSERT INTO bans VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET until = excluded.until",
      net,
      room,
      guest,
      untilMs,
    );
  }

  unban(guest: string): void {
    this.#sql.run("DELETE FROM bans WHERE guest = ?", guest);
  }

  isBanned(net: string, room: string, nowMs: number): boolean {
    return (
      this.#sql.all("SELECT 1 FROM bans WHERE net = ? AND room = ? AND until > ? LIMIT 1", net, room, nowMs).length > 0
    );
  }

  /** Guests who were banned stay, with their names: nobody else gets them. */
  prune(nowMs: number, guestsAfterMs: number): void {
    this.#sql.run("DELETE FROM bans WHERE until <= ?", nowMs);
    this.#sql.run("DELETE FROM invites WHERE expires < ?", nowMs - 24 * 60 * 60_000);
    this.#sql.run(
      "DELETE FROM guests WHERE seen < ? AND present = 0 AND banned = 0 AND muted_until <= ?",
      guestsAfterMs,
      nowMs,
    );
  }

  #guests(where: string, ...values: readonly unknown[]): readonly StoredGuest[] {
    return rowsOf<GuestRow>(this.#sql.all(`SELECT ${COLUMNS} FROM guests ${where}`, ...values)).map(guestOf);
  }
}

function guestOf({ joined, seen, said, changed, present, held, muted, banned, ...row }: GuestRow): StoredGuest {
  return {
    ...row,
    joinedMs: joined,
    seenMs: seen,
    saidMs: said,
    changedMs: changed,
    present: present !== 0,
    held: held !== 0,
    muted: muted !== 0,
    banned: banned !== 0,
  };
}

const inviteOf = ({ id, room, uses, used, hold, created, expires }: InviteRow): Invite => ({
  id,
  channel: room,
  uses,
  used,
  hold: hold !== 0,
  createdMs: created,
  expiresMs: expires,
});

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters, typescript/no-unsafe-type-assertion -- the columns are named in each statement
const rowsOf = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];
