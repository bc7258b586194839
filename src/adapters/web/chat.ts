import type { GuestRules } from "../../contract/guests.ts";
import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import type { WebMembersChange, WebProblemCode, WebRoom } from "../../contract/web-chat.ts";
import { capabilities } from "./capabilities.ts";
import { channelRef } from "./ids.ts";
import { InOrder } from "./in-order.ts";
import { LinkedRooms } from "./linked-rooms.ts";
import { authorOf } from "./receive.ts";
import { MODERATION } from "./render.ts";
import { publicUrl, type WebSettings } from "./settings.ts";
import { Cases } from "./store/cases.ts";
import { Intents } from "./store/intents.ts";
import { People } from "./store/people.ts";
import { ChatRecords } from "./store/records.ts";
import type { StoredChange, StoredGuest } from "./store/rows.ts";
import { ChatStore, StoreClosed } from "./store/store.ts";
import { RoomTimeline } from "./store/timeline.ts";
import { Uploads } from "./uploads.ts";
import { Views } from "./views.ts";

/** Events that may wait for the log; more are refused, and the page asks again. */
const WAITING_MAX = 256;
const FILES_PER_MESSAGE = 10;

/** Why a guest does not get what was asked for. */
export interface Refusal {
  readonly refused: WebProblemCode;
  readonly detail: string;
  readonly suggestion?: string;
  readonly retryS?: number;
}

export const refusal = (refused: WebProblemCode, detail: string, more: Partial<Refusal> = {}): Refusal => ({
  refused,
  detail,
  ...more,
});

export const UNAVAILABLE = refusal("unavailable", "the chat cannot take anything right now: try again", { retryS: 2 });

export const MUTED = refusal("muted", "somebody who looks after the room has muted you");

export const NO_MORE = refusal("banned", "somebody who looks after the room does not let you in any more");

export const isRefusal = (value: object): value is Refusal => "refused" in value;

/** What is told to those who watch a room. */
export interface Audience {
  tell(changes: readonly StoredChange[]): void;
  typing(guest: StoredGuest, on: boolean): void;
  members(room: string, change: WebMembersChange): void;
  /** All streams of the guest end: the session is over. */
  dismiss(guest: string): void;
  /** Whether a page of the guest is open. */
  watches(guest: string): boolean;
  /** Whether any page of the room is open. */
  isOpen(room: string): boolean;
}

/** One chat server: its store, its rooms, and the core behind it. */
export class Chat {
  readonly settings: WebSettings;
  readonly host: Host;
  readonly store: ChatStore;
  readonly timeline: RoomTimeline;
  readonly people: People;
  readonly records: ChatRecords;
  readonly intents: Intents;
  /** Of what changes a message: one act after the other. */
  readonly turns = new InOrder();
  readonly uploads: Uploads;
  readonly views: Views;
  readonly cases: Cases;
  readonly linked: LinkedRooms;
  /** The room of those who look after the others; empty: there is none. */
  readonly moderators: string;
  readonly url: string;
  /** The rooms that are joined. */
  readonly rooms = new Set<string>();
  audience: Audience | null = null;
  /** While moderators are being told something. */
  telling: Promise<void> | null = null;
  #quiet = false;
  #waiting = 0;

  /** Throws what the file system or SQLite throws. */
  constructor(settings: WebSettings, host: Host, folder: string, onFailed: (why: string) => void) {
    this.settings = settings;
    this.host = host;
    this.url = publicUrl(settings);
    this.store = new ChatStore(folder, host.clock, onFailed);
    this.timeline = new RoomTimeline(this.store.db);
    this.people = new People(this.store.db);
    this.records = new ChatRecords(this.store.db);
    this.intents = new Intents(this.store.db);
    this.uploads = new Uploads(this.store, this.records, settings);
    this.views = new Views(this.timeline, (guest) => this.roomOf(guest));
    this.cases = new Cases(this.store.db);
    this.linked = new LinkedRooms({
      linked: host.linked,
      clock: host.clock,
      isWatched: (room) => this.audience?.isOpen(room) === true,
      onChange: (room, change) => this.audience?.members(room, change),
    });
    this.moderators = settings.Moderation.toLowerCase();
    // A room that was theirs may be one of guests now.
    this.timeline.withdraw(MODERATION, this.moderators);
  }

  get nowMs(): number {
    return this.host.clock.nowMs();
  }

  /** Nothing is handed over from now on. */
  quiet(): void {
    this.#quiet = true;
  }

  /**
   * Writes, then tells those who watch of the changes that it returns. Rejects with StoreClosed when
   * nothing was written.
   */
  async change(task: () => readonly StoredChange[], signal?: AbortSignal): Promise<void> {
    const changes = await this.store.write(task, signal);
    if (changes.length > 0) this.audience?.tell(changes);
    if (this.timeline.comesDue()) void this.prune();
  }

  /** What is too much or too old goes. Never rejects, and is nobody's own transaction: nobody who speaks is stopped. */
  async prune(): Promise<void> {
    const { Retention, GuestTime } = this.settings;
    const now = this.nowMs;
    const idsMs = Math.max(Retention, 30 * 24 * 60 * 60_000);
    try {
      await this.store.write(() => {
        this.timeline.prune(this.rooms, now - Retention, now - idsMs);
        this.people.prune(now, now - GuestTime);
      });
    } catch (error) {
      this.unexpected(error);
    }
  }

  /** To be called with what ended something that nobody waits for. */
  unexpected(error: unknown): void {
    if (error instanceof StoreClosed) return;
    this.host.log.warn({ error: errorText(error) }, "upkeep of the web chat failed: this is a bug");
  }

  /**
   * After all that was to be done to the message before. To be refused while `turns` is full. Rejects with StoreClosed,
   * also when the store has closed meanwhile.
   */
  async inTurn<T>(message: string, task: () => Promise<T>): Promise<T> {
    return await this.turns.run(message, async () => {
      this.store.check();
      return await task();
    });
  }

  /**
   * True once the core has it; false: it cannot take it now, and nothing of it may be shown. `left`: a crash left it,
   * and it waits however many wait, to be handed over one by one.
   */
  async hand(event: Event, left: "left" | null = null): Promise<boolean> {
    if (this.#quiet || this.store.closed || (left === null && this.#waiting >= WAITING_MAX)) return false;
    this.#waiting += 1;
    try {
      await this.host.accept({ events: [event], cursor: null });
    } finally {
      this.#waiting -= 1;
    }
    // What was handed over after the end was not taken.
    return !this.store.closed;
  }

  /** What is only true now. */
  types(guest: StoredGuest, on: boolean): void {
    if (this.#quiet) return;
    this.audience?.typing(guest, on);
    this.host.hint?.({ kind: "typing", channel: channelRef(guest.room), author: authorOf(guest), on });
  }

  /** Whether guests can be in it. */
  isOpen(room: string): boolean {
    return this.rooms.has(room) && room !== this.moderators;
  }

  rules(room: string): GuestRules {
    const { Hold, SlowMode, LinksAfter } = this.settings;
    const own = { hold: Hold, slowModeS: Math.ceil(SlowMode / 1000), linksAfter: LinksAfter };
    return { ...own, ...this.records.rules(room) };
  }

  /** Whether what the guest says waits for approval. */
  holds(guest: StoredGuest): boolean {
    return guest.held || (guest.messages === 0 && this.rules(guest.room).hold);
  }

  /** Whether the room is not to see anything of the guest, not even that a guest of this name has come. */
  isUnseen(guest: StoredGuest): boolean {
    return guest.muted || this.holds(guest);
  }

  /** Why slow mode lets the guest not say something yet. Within the transaction that writes it. */
  sayLimit({ room, saidMs }: StoredGuest): Refusal | null {
    return this.#slow(room, saidMs, "two messages");
  }

  /**
   * The same for edits and new names, of which there are as many as messages: with them, much could be said. Reactions
   * say nothing.
   */
  changeLimit(id: string): Refusal | null {
    const guest = this.people.find(id);
    return guest === null ? NO_MORE : this.#slow(guest.room, guest.changedMs, "two edits or names");
  }

  #slow(room: string, sinceMs: number, what: string): Refusal | null {
    const { slowModeS } = this.rules(room);
    const leftMs = sinceMs + slowModeS * 1000 - this.nowMs;
    // A clock that was set back must silence nobody for longer than that.
    if (slowModeS === 0 || leftMs <= 0 || leftMs > slowModeS * 1000) return null;
    const retryS = Math.ceil(leftMs / 1000);
    return refusal("slow_mode", `this room is slow: wait ${retryS} s between ${what}`, { retryS });
  }

  roomOf(reader: StoredGuest): WebRoom {
    const guest = this.people.find(reader.id) ?? reader;
    return {
      name: guest.room,
      topic: this.records.topic(guest.room),
      held: this.holds(guest),
      muted: guest.muted,
      slowModeS: this.rules(guest.room).slowModeS,
      textMax: capabilities.limits.textMax,
      fileBytesMax: this.settings.MaxFileSize,
      filesMax: FILES_PER_MESSAGE,
    };
  }
}

/** With the place in the code: it is a bug. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** The answer to somebody whose request the store could not take; throws what is a bug. */
export function whyNot(error: unknown): Refusal {
  if (error instanceof StoreClosed) return UNAVAILABLE;
  throw error;
}
