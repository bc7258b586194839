import type { Clock } from "../../contract/host.ts";
import { backlogTurns } from "../../lib/loop-turns.ts";
import { Certainty } from "./certainty.ts";
import type { ReaderConnection, HubEvents } from "./connection.ts";
import type { GatewayFeed } from "./feed.ts";
import { type ReaderProgress, Taken } from "./taken.ts";

/**
 * The readers of one kind (streams, or WebSockets) of one API account.
 *
 * A reader is *live* while it keeps up: each commit's items are made a chunk once, and it goes to every live reader.
 * When a connection holds more than UNSENT_MAX bytes the reader is *behind*: nothing is written to it until it drains,
 * then it catches up from the feed in chunks and is live again. A reader that takes nothing for STALL_MS, or whose next
 * item fell out of the buffer while it was blocked, is cut: it comes back and starts like any new one.
 *
 * A new reader with a backlog gets the first item of it, then nothing for PAUSE_MS, then the rest: a client that takes
 * one message and leaves has not been given more than it reads.
 *
 * While it is not certain that this node runs the account, all readers are behind, and what comes is held for them.
 */

const UNSENT_MAX = 64 * 1024;
const STALL_MS = 60_000;
const PAUSE_MS = 100;
/** Writes of one reader that catches up, before posts and other readers have their turn. */
const WRITES_MAX = 4;
export const SWEEP_MS = 5_000;

interface Reader<Chunk> {
  readonly connection: ReaderConnection<Chunk>;
  readonly reading: ReaderProgress;
  /** Next item to write; only meaningful while behind. */
  next: number;
  /** Nothing of its backlog was written yet. */
  isNew: boolean;
  /** Cancels the end of the pause after the first item; null when there is none. */
  pause: (() => void) | null;
  /** A read of the log is under way for it. */
  loading: boolean;
  /** Lets go of what is held for it; null: nothing is. */
  release: (() => void) | null;
  takenAtSweep: number;
  progressAtMs: number;
}

export interface HubOptions<Chunk> {
  readonly feed: GatewayFeed;
  /** Items below were read in earlier lives of the program. */
  readonly position: number;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  readonly encode: (lines: readonly string[]) => Chunk;
  readonly events: HubEvents;
  /** Absent: there is one machine. */
  readonly certainty?: Certainty;
}

export class ReaderHub<Chunk> {
  readonly #feed: GatewayFeed;
  readonly #clock: Pick<Clock, "monoMs" | "after">;
  readonly #encode: (lines: readonly string[]) => Chunk;
  readonly #events: HubEvents;
  readonly #certainty: Certainty;
  readonly #taken: Taken;
  readonly #live = new Set<Reader<Chunk>>();
  readonly #behind = new Set<Reader<Chunk>>();
  #large: { readonly line: string; readonly chunk: Chunk } | null = null;
  /** Everything below was rendered for the live readers. */
  #flushed: number;
  #wroteAtMs: number;
  /** The readers wait for certainty. */
  #isHeldBack = false;

  constructor({ feed, position, clock, encode, events, certainty = new Certainty(null, clock) }: HubOptions<Chunk>) {
    this.#feed = feed;
    this.#clock = clock;
    this.#encode = encode;
    this.#events = events;
    this.#certainty = certainty;
    this.#taken = new Taken(position);
    this.#flushed = feed.end;
    this.#wroteAtMs = clock.monoMs();
  }

  /** Index up to which some reader has taken the items (S and W in ARCHITECTURE.md). */
  get position(): number {
    return this.#taken.position;
  }

  /** What of it the disk may be told. */
  get settled(): number {
    return this.#taken.settled(this.#clock.monoMs());
  }

  get readers(): number {
    return this.#live.size + this.#behind.size;
  }

  /** Whether a connection takes anything; one that is closing does not. */
  get isOpen(): boolean {
    return this.#all().some(({ connection }) => !connection.closed);
  }

  /** Items below are nobody's to read. */
  skipTo(position: number): void {
    this.#taken.skipTo(position);
    this.#events.moved();
  }

  /** Greets a new reader and gives it what is unread from `start` on. */
  add(connection: ReaderConnection<Chunk>, greeting: Chunk, start: number): void {
    const now = this.#clock.monoMs();
    const reader: Reader<Chunk> = {
      connection,
      reading: this.#taken.open(now),
      next: start,
      isNew: true,
      pause: null,
      loading: false,
      release: null,
      takenAtSweep: 0,
      progressAtMs: now,
    };
    connection.onDrain(() => {
      if (this.#behind.has(reader)) this.#catchUp(reader);
    });
    connection.onClose((isReset) => this.#remove(reader, isReset));
    this.#behind.add(reader);
    connection.write(greeting);
    this.#skip(reader, this.#feed.start);
    this.#catchUp(reader);
  }

  /** Writes what the feed has got since the last call. */
  flush(): void {
    if (!this.#certainty.isSure) return this.#holdBack();
    const behind = [...this.#behind];
    this.#flushLive();
    const { start } = this.#feed;
    for (const reader of behind) {
      if (reader.loading || reader.next >= start) continue;
      // What waits for the end of a pause must not be lost to it.
      if (reader.pause !== null) this.#resume(reader);
      else this.#cut(reader, "it lags by more than Buffer");
    }
  }

  /** Periodic: cuts stalled readers and keeps silent connections alive, so that a half-open one shows itself. */
  sweep(): void {
    const now = this.#clock.monoMs();
    const silentMs = now - this.#wroteAtMs;
    for (const reader of this.#all()) {
      const { connection } = reader;
      connection.beat(now, silentMs);
      const { unsent, taken } = connection;
      if (unsent === 0 || taken > reader.takenAtSweep) reader.progressAtMs = now;
      else if (now - reader.progressAtMs >= STALL_MS) this.#cut(reader, "it has read nothing for 60 s");
      reader.takenAtSweep = taken;
    }
    this.#events.moved();
  }

  /** Ends every connection properly. */
  end(): void {
    for (const { connection } of this.#all()) connection.end();
  }

  #all(): Reader<Chunk>[] {
    return [...this.#live, ...this.#behind];
  }

  #flushLive(): void {
    const { end } = this.#feed;
    while (this.#live.size > 0 && this.#flushed < end) {
      const got = this.#feed.lines(this.#flushed, end);
      if (got === null) {
        const readers = [...this.#live];
        for (const reader of readers) this.#fallBehind(reader, this.#flushed);
        for (const reader of readers) this.#catchUp(reader);
        break;
      }
      const from = this.#flushed;
      this.#flushed = got.next;
      if (got.lines.length > 0) this.#broadcast(this.#encode(got.lines), from);
    }
    this.#flushed = end;
  }

  #broadcast(chunk: Chunk, from: number): void {
    this.#wroteAtMs = this.#clock.monoMs();
    for (const reader of this.#live) {
      this.#write(reader, chunk, from, this.#flushed);
      if (reader.connection.unsent > UNSENT_MAX) this.#fallBehind(reader, this.#flushed);
    }
  }

  /** Writes the items [from, upTo). */
  #write({ connection, reading }: Reader<Chunk>, chunk: Chunk, from: number, upTo: number): void {
    this.#taken.wrote(reading, from, this.#clock.monoMs());
    connection.write(chunk);
    connection.whenTaken(() => {
      if (this.#taken.took(reading, upTo)) this.#events.moved();
    });
  }

  #catchUp(reader: Reader<Chunk>): void {
    for (let writes = 0; !reader.connection.closed && !reader.loading && reader.pause === null; writes += 1) {
      const { kept, end } = this.#feed;
      this.#skip(reader, kept);
      if (reader.next >= end) return this.#goLive(reader);
      if (reader.connection.unsent > UNSENT_MAX) return;
      if (!this.#certainty.isSure) return this.#holdBack();
      if (writes === WRITES_MAX) return this.#catchUpLater(reader);
      const to = reader.isNew ? reader.next + 1 : end;
      const got = this.#feed.lines(reader.next, to);
      if (got === null) return this.#catchUpFromLog(reader, to);
      this.#writeLines(reader, got.lines, got.next);
    }
  }

  #catchUpLater(reader: Reader<Chunk>): void {
    reader.loading = true;
    const release = this.#feed.hold(reader.next);
    void backlogTurns.run(() => {
      release();
      reader.loading = false;
      this.#catchUp(reader);
    });
  }

  #catchUpFromLog(reader: Reader<Chunk>, to: number): void {
    reader.loading = true;
    const release = this.#feed.hold(reader.next);
    const loading = backlogTurns.run(async () => await this.#feed.load(reader.next, to));
    loading.finally(release).then(
      ({ lines, next }) => {
        reader.loading = false;
        if (reader.connection.closed) return;
        if (!this.#certainty.isSure) return this.#holdBack();
        this.#writeLines(reader, lines, next);
        this.#catchUp(reader);
      },
      (error: unknown) => {
        reader.loading = false;
        this.#cut(reader, `its backlog cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
  }

  #writeLines(reader: Reader<Chunk>, lines: readonly string[], next: number): void {
    const from = reader.next;
    reader.next = next;
    if (lines.length === 0) return;
    this.#write(reader, this.#encoded(lines), from, next);
    if (!reader.isNew) return;
    reader.isNew = false;
    reader.reading.sure = next;
    reader.pause = this.#clock.after(PAUSE_MS, () => this.#resume(reader));
  }

  /** A message with a file in it is read for each reader, and held once. */
  #encoded(lines: readonly string[]): Chunk {
    const [line = ""] = lines;
    if (lines.length > 1 || line.length <= UNSENT_MAX) return this.#encode(lines);
    if (this.#large?.line !== line) this.#large = { line, chunk: this.#encode(lines) };
    return this.#large.chunk;
  }

  #resume(reader: Reader<Chunk>): void {
    reader.pause?.();
    reader.pause = null;
    this.#catchUp(reader);
  }

  #skip(reader: Reader<Chunk>, to: number): void {
    if (reader.next >= to) return;
    this.#events.skipped(to - reader.next);
    reader.next = to;
  }

  #goLive(reader: Reader<Chunk>): void {
    this.#behind.delete(reader);
    if (this.#live.size === 0) this.#flushed = this.#feed.end;
    reader.isNew = false;
    letGo(reader);
    this.#live.add(reader);
  }

  #holdBack(): void {
    for (const reader of this.#live) this.#fallBehind(reader, this.#flushed);
    for (const reader of this.#behind) reader.release ??= this.#feed.hold(reader.next);
    if (this.#isHeldBack || this.#behind.size === 0) return;
    this.#isHeldBack = true;
    this.#certainty.whenSure(() => {
      this.#isHeldBack = false;
      for (const reader of this.#behind) this.#catchUp(reader);
    });
  }

  #fallBehind(reader: Reader<Chunk>, next: number): void {
    reader.next = next;
    this.#live.delete(reader);
    this.#behind.add(reader);
  }

  /** What it has not taken stays unread. */
  #cut(reader: Reader<Chunk>, why: string): void {
    this.#events.cut(why);
    reader.reading.sure = 0;
    reader.connection.destroy();
  }

  #remove(reader: Reader<Chunk>, isReset: boolean): void {
    this.#behind.delete(reader);
    this.#live.delete(reader);
    reader.pause?.();
    letGo(reader);
    if (this.#taken.close(reader.reading, isReset, this.#clock.monoMs())) this.#events.fell();
    else this.#events.moved();
  }
}

function letGo(reader: Pick<Reader<unknown>, "release">): void {
  reader.release?.();
  reader.release = null;
}
