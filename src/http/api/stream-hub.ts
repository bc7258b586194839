import { makeChunk, type Chunk, type StreamSocket } from "./stream-socket.ts";
import type { Feed } from "./feed.ts";
import type { ReaderEvents } from "./reader-events.ts";

/**
 * The stream readers of one API account.
 *
 * A reader is *live* while it keeps up: each commit's lines are made once and the same bytes go to every live reader. When a socket
 * holds more than UNSENT_MAX bytes the reader is *behind*: nothing is written to it until it drains, then it catches up from the feed
 * in chunks and is live again. A reader that takes nothing for STALL_MS, or whose next item fell out of the buffer while it was
 * blocked, is cut: it comes back and starts like any new one.
 *
 * `position` is the index up to which some reader has taken items (S in ARCHITECTURE.md). While a live reader has taken everything (it is
 * *even*) the position follows the feed's end by definition; the mark says so ("live") once instead of being moved by every message.
 */

const UNSENT_MAX = 64 * 1024;
const STALL_MS = 60_000;
const SILENCE_MS = 20_000;
export const SWEEP_MS = 5_000;
const HEARTBEAT: Chunk = makeChunk(" ");

interface Reader {
  readonly socket: StreamSocket;
  /** Next item to write; only meaningful while behind. */
  next: number;
  /** A read of the log is under way for it. */
  loading: boolean;
  takenAtSweep: number;
  progressAtMs: number;
}

export class StreamHub {
  readonly #feed: Feed;
  readonly #monoMs: () => number;
  readonly #events: ReaderEvents;
  readonly #live = new Set<Reader>();
  /** The live readers whose socket holds nothing back. */
  readonly #even = new Set<Reader>();
  readonly #behind = new Set<Reader>();
  /** Everything below was rendered for the live readers. */
  #flushed: number;
  #position: number;
  #wroteAtMs: number;

  constructor(feed: Feed, position: number, monoMs: () => number, events: ReaderEvents) {
    this.#feed = feed;
    this.#monoMs = monoMs;
    this.#events = events;
    this.#flushed = feed.end;
    this.#position = position;
    this.#wroteAtMs = monoMs();
  }

  get position(): number {
    return this.#even.size > 0 ? this.#feed.end : this.#position;
  }

  get readers(): number {
    return this.#live.size + this.#behind.size;
  }

  /** Greets a new reader and gives it what is unread from `start` on. */
  add(socket: StreamSocket, greeting: string, start: number): void {
    const now = this.#monoMs();
    const reader: Reader = { socket, next: start, loading: false, takenAtSweep: 0, progressAtMs: now };
    socket.onDrain(() => {
      if (this.#behind.has(reader)) this.#catchUp(reader);
    });
    socket.onClose(() => this.#remove(reader));
    this.#behind.add(reader);
    socket.write(makeChunk(`${greeting}\n`));
    this.#catchUp(reader);
  }

  /** Writes what the feed has got since the last call. */
  flush(): void {
    const { end } = this.#feed;
    for (const reader of this.#behind) {
      if (!reader.loading && reader.next < this.#feed.start) this.#cut(reader, "it lags by more than Buffer");
    }
    while (this.#live.size > 0 && this.#flushed < end) {
      const lines = this.#feed.lines(this.#flushed, end);
      if (lines === null) {
        const readers = [...this.#live];
        for (const reader of readers) this.#fallBehind(reader, this.#flushed);
        for (const reader of readers) this.#catchUp(reader);
        break;
      }
      this.#flushed += lines.length;
      this.#broadcast(makeChunk(`${lines.join("\n")}\n`));
    }
    this.#flushed = end;
  }

  /** Periodic: cuts stalled readers and keeps silent connections alive, so that a half-open socket shows itself. */
  sweep(): void {
    const now = this.#monoMs();
    for (const reader of [...this.#live, ...this.#behind]) {
      const { unsent, taken } = reader.socket;
      if (unsent === 0 || taken > reader.takenAtSweep) reader.progressAtMs = now;
      else if (now - reader.progressAtMs >= STALL_MS) this.#cut(reader, "it has taken nothing for 60 s");
      reader.takenAtSweep = taken;
    }
    if (now - this.#wroteAtMs >= SILENCE_MS && this.#live.size > 0) this.#broadcast(HEARTBEAT);
  }

  /** Ends every stream properly. */
  end(): void {
    for (const reader of [...this.#live, ...this.#behind]) reader.socket.end();
  }

  #broadcast(chunk: Chunk): void {
    this.#wroteAtMs = this.#monoMs();
    for (const reader of this.#live) {
      this.#write(reader, chunk, this.#flushed);
      if (reader.socket.unsent > UNSENT_MAX) this.#fallBehind(reader, this.#flushed);
    }
  }

  /** Writes; `upTo` is the reader's position once the kernel has taken it all. */
  #write(reader: Reader, chunk: Chunk, upTo: number): void {
    reader.socket.write(chunk);
    if (reader.socket.unsent > 0) this.#leaveEven(reader);
    reader.socket.whenTaken(() => {
      this.#advance(upTo);
      this.#joinEven(reader);
    });
  }

  #advance(position: number): void {
    if (position <= this.#position) return;
    this.#position = position;
    if (this.#even.size === 0) this.#events.streamAt(position);
  }

  #joinEven(reader: Reader): void {
    if (!this.#live.has(reader) || reader.socket.unsent > 0) return;
    if (this.#even.size === 0) this.#events.streamLive();
    this.#even.add(reader);
  }

  #leaveEven(reader: Reader): void {
    if (this.#even.delete(reader) && this.#even.size === 0) this.#events.streamAt(this.#position);
  }

  #catchUp(reader: Reader): void {
    while (!reader.socket.closed) {
      const { start, end } = this.#feed;
      if (reader.next < start) {
        this.#events.skipped(start - reader.next);
        reader.next = start;
      }
      if (reader.next >= end) return this.#goLive(reader);
      if (reader.socket.unsent > UNSENT_MAX) return;
      const lines = this.#feed.lines(reader.next, end);
      if (lines === null) return this.#catchUpFromLog(reader, end);
      this.#writeLines(reader, lines, reader.next + lines.length);
    }
  }

  #catchUpFromLog(reader: Reader, end: number): void {
    reader.loading = true;
    this.#feed.load(reader.next, end).then(
      ({ lines, next }) => {
        reader.loading = false;
        if (reader.socket.closed) return;
        this.#writeLines(reader, lines, next);
        this.#catchUp(reader);
      },
      (error: unknown) => {
        reader.loading = false;
        this.#cut(reader, `its backlog cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
  }

  #writeLines(reader: Reader, lines: readonly string[], next: number): void {
    reader.next = next;
    if (lines.length > 0) this.#write(reader, makeChunk(`${lines.join("\n")}\n`), next);
  }

  #goLive(reader: Reader): void {
    this.#behind.delete(reader);
    if (this.#live.size === 0) this.#flushed = this.#feed.end;
    this.#live.add(reader);
    reader.socket.whenTaken(() => this.#joinEven(reader));
  }

  #fallBehind(reader: Reader, next: number): void {
    reader.next = next;
    this.#behind.add(reader);
    this.#leaveLive(reader);
  }

  #cut(reader: Reader, why: string): void {
    this.#events.cut(why);
    reader.socket.destroy();
  }

  /** What its socket still held was not taken: the position is behind it, and the next reader starts there. */
  #remove(reader: Reader): void {
    this.#behind.delete(reader);
    this.#leaveLive(reader);
  }

  #leaveLive(reader: Reader): void {
    this.#live.delete(reader);
    this.#leaveEven(reader);
  }
}
