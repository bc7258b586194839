import type { Clock, AdapterLog } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { RoomArchive, ArchivePage, Which } from "./archive.ts";
import type { EventIntake } from "../kit/intake.ts";
import type { ArchivePositions } from "./positions.ts";
import { readMessage, type Received } from "./receive.ts";
import type { OwnIds } from "./refs.ts";
import type { StanzaError } from "./requests.ts";
import type { XmppRoom } from "./room.ts";
import { bareOf } from "./jid.ts";
import { Memory } from "./memory.ts";
import { attr, el, type Stanza } from "./xml.ts";

/** Clocks differ, and what was said at the border must not be lost: it is known by its id when it comes twice. */
const MARGIN_MS = 10_000;
/** What a room without an archive tells again of what was said before. */
const HISTORY_MAX = 50;
/** What came while the archive was read, and waits; beyond that it is read from the archive as well. */
const BACKLOG_MAX = 5_000;
/** Messages of the archive that are known when they come again: more than can wait. */
const SEEN_MAX = 20_000;

interface CatchUpOptions {
  readonly archive: RoomArchive;
  readonly intake: EventIntake;
  readonly positions: ArchivePositions;
  readonly ids: OwnIds;
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** The archive does not answer now: going on would leave a gap. */
  readonly onUnreadable: (room: XmppRoom, why: Reason) => void;
}

/**
 * What was said while nobody was connected. With an archive (XEP-0313): everything after the last message that was
 * read, in order, and also a page before it, for messages of ours that are there though nobody could tell us. Without:
 * what the room tells again. Messages that come meanwhile wait, and continue after it, none twice. A room that was
 * never read brings nothing of its past.
 */
export class RoomCatchUp {
  readonly #options: CatchUpOptions;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** What to ask a room for when we enter it. */
  history(room: XmppRoom): Stanza {
    if (room.hasArchive) return el("history", { maxstanzas: "0" });
    const position = this.#options.positions.get(room.jid);
    const since = position === null ? null : new Date(position.atMs - MARGIN_MS).toISOString();
    return el("history", { maxstanzas: String(HISTORY_MAX), ...(since !== null && { since }) });
  }

  /** Begins to read what was said before; `room.ready` resolves when that is done. */
  begin(room: XmppRoom): void {
    const { entry } = room;
    room.ready = this.#run(room).catch((error: unknown) => {
      this.#options.log.warn(
        { room: room.jid, error: String(error) },
        "the history of a room could not be read: this is a bug",
      );
      if (room.entry === entry)
        this.#options.onUnreadable(room, { code: "bug", message: "the history of the room cannot be read" });
    });
  }

  /** A message of a room that we are in, or enter. */
  take(room: XmppRoom, received: Received): void {
    room.remember(received);
    if (room.backlog === null) this.#go(room, received);
    else room.backlog.push({ is: "message", received });
  }

  /** We have left the room for good: should we come back, its past is none of ours. */
  forget(jid: string): void {
    this.#options.positions.forget(jid);
  }

  async #run(room: XmppRoom): Promise<void> {
    const { entry } = room;
    const { positions, clock, log } = this.#options;
    const isOver = (): boolean => room.entry !== entry;
    const seen = new Memory<string, true>(SEEN_MAX);
    let missed = 0;
    room.skipsPast = room.hasArchive || positions.get(room.jid) === null;
    if (room.hasArchive) {
      do {
        if ((room.backlog?.length ?? 0) > BACKLOG_MAX) room.backlog = [];
        const count = await this.#read(room, seen, isOver);
        if (count === null || isOver()) return;
        missed += count;
      } while ((room.backlog?.length ?? 0) > BACKLOG_MAX);
    }
    const backlog = room.backlog ?? [];
    room.backlog = null;
    for (const waiting of backlog) {
      if (waiting.is === "events") this.#options.intake.hand(waiting.events);
      else if (waiting.received.sid === null || !seen.has(waiting.received.sid)) this.#go(room, waiting.received);
    }
    if (positions.get(room.jid) === null) positions.move(room.jid, { id: null, atMs: clock.nowMs() });
    this.#options.intake.hand([]);
    if (missed > 0) log.info({ room: room.jid, messages: missed }, "read the messages that Rialto missed");
  }

  /** How many messages there were; null when the room was lost meanwhile, or its archive cannot be read. */
  async #read(room: XmppRoom, seen: Memory<string, true>, isOver: () => boolean): Promise<number | null> {
    const { archive, positions, clock, intake } = this.#options;
    const position = positions.get(room.jid);
    const past = await archive.page(room.jid, { before: position?.id ?? null });
    if (isOver()) return null;
    // Without it we would not know which of ours are there, and say them twice.
    if (!past.ok && this.#unreadable(room, past.error)) return null;
    if (past.ok) {
      for (const { id, atMs, message } of past.items) {
        const received = this.#remember(room, message, { id, atMs });
        if (received !== null) room.told(received);
      }
    }
    if (position === null) {
      const last = past.ok ? past.items.at(-1) : undefined;
      positions.move(room.jid, { id: last?.id ?? null, atMs: last?.atMs ?? clock.nowMs() });
      return 0;
    }
    const fromTime = { fromMs: position.atMs - MARGIN_MS };
    let which: Which = position.id === null ? { ...fromTime, after: null } : { after: position.id };
    let count = 0;
    for (;;) {
      const page: ArchivePage = await archive.page(room.jid, which);
      if (isOver()) return null;
      if (!page.ok && page.error.condition === "item-not-found" && !("fromMs" in which)) {
        // The archive has let go of where we were.
        which = { ...fromTime, after: null };
        continue;
      }
      if (!page.ok) return this.#unreadable(room, page.error) ? null : count;
      const before = count;
      for (const { id, atMs, message } of page.items) {
        if (seen.has(id)) continue;
        seen.put(id, true);
        count += 1;
        const received = this.#remember(room, message, { id, atMs });
        if (received !== null) this.#go(room, received);
      }
      const last: string | null = page.last ?? page.items.at(-1)?.id ?? null;
      // An archive that has nothing new to say, and keeps saying so.
      if (page.complete || last === null || count === before) return count;
      which = "fromMs" in which ? { ...fromTime, after: last } : { after: last };
      await intake.low();
    }
  }

  /** Whether it makes sense to come back for it. */
  #unreadable(room: XmppRoom, { condition, type }: StanzaError): boolean {
    const { log, onUnreadable } = this.#options;
    const passes = type === "wait" || condition.startsWith("remote-server-");
    log.warn({ room: room.jid, reason: condition }, "the archive of the room cannot be read");
    if (passes) onUnreadable(room, { code: "timeout", message: "the archive of the room does not answer" });
    return passes;
  }

  #remember(
    room: XmppRoom,
    message: Stanza,
    archived: { readonly id: string; readonly atMs: number },
  ): Received | null {
    if (bareOf(attr(message, "from")) !== room.jid || attr(message, "type") !== "groupchat") return null;
    const { ids, clock, log } = this.#options;
    try {
      const received = readMessage(message, { room, ids, nowMs: clock.nowMs(), archived });
      room.remember(received);
      return received;
    } catch (error) {
      // One message must not hold up its room forever.
      log.warn({ room: room.jid, error: String(error) }, "an archived message could not be read: this is a bug");
      return null;
    }
  }

  #go(room: XmppRoom, received: Received): void {
    const { sid, id, atMs, old } = received;
    const { positions, intake, clock } = this.#options;
    const before = positions.get(room.jid);
    // What has no id at all would be told again each time.
    if (old && sid === null && (room.skipsPast || (id === null && atMs <= (before?.atMs ?? 0)))) return;
    // A room that tells its past again continues from its newest.
    if (room.hasArchive ? sid !== null : atMs >= (before?.atMs ?? 0)) {
      positions.move(room.jid, { id: room.hasArchive ? sid : null, atMs: Math.min(atMs, clock.nowMs()) });
    }
    intake.hand(room.told(received));
  }
}
