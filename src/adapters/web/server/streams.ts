import type { ServerResponse } from "node:http";
import type { Clock } from "../../../contract/host.ts";
import type { WebEvent, WebMembersChange } from "../../../contract/web-chat.ts";
import type { Audience, Chat } from "../chat.ts";
import type { StoredChange, StoredGuest } from "../store/rows.ts";
import { authorView, guestAuthor } from "../views.ts";
import { AddressShares } from "./shares.ts";

/** Streams of one guest: as many pages as people have open. */
const GUEST_MAX = 8;
/** Of one address: a school may be behind it. */
const ADDRESS_MAX = 400;
const ALL_MAX = 2_000;
/** What a page may leave unread before its stream is cut: it comes back, and is told what it has missed. */
const UNREAD_MAX = 1 << 20;
/** What is told at once to a page that comes back. */
const REPLAY_MAX = 2_000;
const BEAT_MS = 20_000;
const RETRY_MS = 1_000;

interface Stream {
  readonly guest: StoredGuest;
  /** Whose address it is. */
  readonly owner: string;
  readonly response: ServerResponse;
}

/** The pages that are open: each is told what happens in its room. */
export class Streams implements Audience {
  readonly #chat: Chat;
  readonly #rooms = new Map<string, Set<Stream>>();
  readonly #guests = new Map<string, number>();
  readonly #addresses = new AddressShares(ADDRESS_MAX);
  #count = 0;
  #cancel: () => void;

  constructor(chat: Chat, clock: Clock) {
    this.#chat = chat;
    const beat = (): void => {
      for (const stream of this.#all()) this.#write(stream, ":\n\n");
      this.#cancel = clock.after(BEAT_MS, beat);
    };
    this.#cancel = clock.after(BEAT_MS, beat);
  }

  /** Null: it is open; otherwise why not. `after`: `Last-Event-ID`; null: from now on. */
  open(stream: Stream, after: string | null): string | null {
    const { guest, owner, response } = stream;
    if (this.#count >= ALL_MAX) return "too many pages are open here: try again later";
    if ((this.#guests.get(guest.id) ?? 0) >= GUEST_MAX) return "too many pages of you are open: close one";
    const giveBack = this.#addresses.take(owner);
    if (giveBack === null) return "too many pages are open at your address: close one";
    const room = this.#rooms.get(guest.room) ?? new Set();
    this.#rooms.set(guest.room, room.add(stream));
    this.#guests.set(guest.id, (this.#guests.get(guest.id) ?? 0) + 1);
    this.#count += 1;
    response.once("close", () => this.#gone(stream));
    response.once("close", giveBack);
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      // nginx would collect what it gets.
      "X-Accel-Buffering": "no",
      "X-Content-Type-Options": "nosniff",
      Connection: "keep-alive",
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#begin(stream, after);
    return null;
  }

  tell(changes: readonly StoredChange[]): void {
    for (const change of changes) this.#tell(change);
  }

  typing(guest: StoredGuest, on: boolean): void {
    for (const stream of this.#rooms.get(guest.room) ?? []) {
      if (stream.guest.id === guest.id) continue;
      const author = authorView(guestAuthor(guest), guest.id, stream.guest.id);
      this.#write(stream, frame({ type: "typing", author, on }));
    }
  }

  members(room: string, change: WebMembersChange): void {
    const text = frame(change);
    for (const stream of this.#rooms.get(room) ?? []) this.#write(stream, text);
  }

  dismiss(guest: string): void {
    for (const stream of this.#all()) if (stream.guest.id === guest) stream.response.end();
  }

  dismissRoom(room: string): void {
    for (const stream of this.#rooms.get(room) ?? []) stream.response.end();
  }

  isOpen(room: string): boolean {
    return this.#rooms.has(room);
  }

  watches(guest: string): boolean {
    return this.#guests.has(guest);
  }

  stop(): void {
    this.#cancel();
    for (const { response } of this.#all()) response.end();
  }

  #all(): readonly Stream[] {
    return Array.from(this.#rooms.values(), (streams) => [...streams]).flat();
  }

  #begin(stream: Stream, after: string | null): void {
    const { timeline, views } = this.#chat;
    const { guest } = stream;
    const { head } = timeline;
    const from = after === null ? head : /^\d{1,15}$/u.test(after) ? Number(after) : -1;
    const missed = from < 0 ? null : from === head ? [] : timeline.after(guest.room, from, REPLAY_MAX);
    if (missed === null) this.#write(stream, frame({ type: "reset" }, head));
    for (const change of missed ?? []) {
      const event = views.event(change, guest);
      if (event !== null) this.#write(stream, frame(event, change.seq));
    }
    this.#write(stream, frame({ type: "ready" }, head));
  }

  #tell(change: StoredChange): void {
    const { views } = this.#chat;
    const streams = this.#rooms.get(change.room);
    if (streams === undefined || streams.size === 0) return;
    const concerned = views.concerned(change);
    const isShared = views.isShared(change);
    let shared: string | null = null;
    for (const stream of streams) {
      const isOwn = !isShared || stream.guest.id === concerned;
      if (isOwn) {
        const event = views.event(change, stream.guest);
        if (event !== null) this.#write(stream, frame(event, change.seq));
        continue;
      }
      // Written once for all who see the same.
      if (shared === null) {
        const event = views.event(change, stream.guest);
        shared = event === null ? "" : frame(event, change.seq);
      }
      if (shared !== "") this.#write(stream, shared);
    }
  }

  #write({ response }: Stream, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > UNREAD_MAX) response.destroy();
    else response.write(text);
  }

  #gone(stream: Stream): void {
    const { guest } = stream;
    const room = this.#rooms.get(guest.room);
    if (room?.delete(stream) !== true) return;
    if (room.size === 0) this.#rooms.delete(guest.room);
    this.#count -= 1;
    const left = (this.#guests.get(guest.id) ?? 1) - 1;
    if (left > 0) this.#guests.set(guest.id, left);
    else this.#guests.delete(guest.id);
  }
}

function frame(event: WebEvent, id?: number): string {
  const position = id === undefined ? "" : `id: ${id}\n`;
  return `${position}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
