import type { Socket } from "node:net";
import type { Clock } from "../../contract/host.ts";
import type { FeedItem } from "../../consumers/feed.ts";
import type { Seq } from "../../log/log.ts";
import { type Chunk, makeChunk } from "../api/stream-socket.ts";
import type { Call } from "./route.ts";

/** A stream with more than this unsent is not written to. */
const UNSENT_MAX = 64 * 1024;
/** How often something is written where nothing happens. */
const BEAT_MS = 15_000;
/** A reader that takes nothing for so long is cut. */
const STALL_MS = 60_000;

type Beats = Pick<Clock, "after" | "monoMs">;

/** What a stream needs of a call: the router's, or a test's. */
export type StreamCall = Pick<Call, "response" | "release" | "signal">;

/**
 * An answer of server-sent events (HTML Standard §9.2), written straight to its socket: what many readers get is framed
 * once for all. It ends with the call's signal, with its client, or when nothing is taken for 60 s. Nothing waits in
 * memory: ask `isFull` before writing, and wait for `drained`.
 */
export class SseWriter {
  readonly #socket: Socket;
  readonly #chunked: boolean;
  readonly #clock: Beats;
  readonly #ended = new AbortController();
  #cancelBeat: () => void = () => undefined;
  #drained = Promise.withResolvers<void>();
  #beaten = { taken: 0, movedMs: 0 };
  #isBroken = false;
  /** What the client has as its last event id, and what it may have. */
  #told: Seq;
  #position: Seq;

  /** Sends the head of the answer. `from`: the position after which it begins; null: its events have none. */
  static open(call: StreamCall, from: Seq | null, clock: Beats): SseWriter {
    const { response, release, signal } = call;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      // For proxies that would otherwise gather it: nginx.
      "X-Accel-Buffering": "no",
      ...(from !== null && { "Last-Event-ID": String(from) }),
    });
    response.flushHeaders();
    const { socket, chunkedEncoding } = response;
    if (socket === null) throw new Error("the answer has no socket");
    socket.setNoDelay(true);
    socket.setTimeout(0);
    release();
    return new SseWriter(socket, chunkedEncoding, { from: from ?? 0, clock, signal });
  }

  private constructor(
    socket: Socket,
    chunked: boolean,
    { from, clock, signal }: { readonly from: Seq; readonly clock: Beats; readonly signal: AbortSignal },
  ) {
    this.#socket = socket;
    this.#chunked = chunked;
    this.#clock = clock;
    this.#told = from;
    this.#position = from;
    const end = (): void => this.end();
    socket.on("drain", () => this.#wake());
    socket.once("close", () => {
      signal.removeEventListener("abort", end);
      this.#finish();
    });
    this.#write(RETRY);
    this.#beaten.movedMs = clock.monoMs();
    this.#cancelBeat = clock.after(BEAT_MS, () => this.#beat());
    if (signal.aborted) this.end();
    else signal.addEventListener("abort", end);
    if (socket.destroyed) this.#finish();
  }

  /** Aborted when nobody reads it any more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The connection ended before the service ended the stream. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Bytes that the reader has not taken. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  get isFull(): boolean {
    return this.unsent > UNSENT_MAX;
  }

  /** Resolves when there is room again, or nobody reads it any more. */
  async drained(): Promise<void> {
    while (this.isFull && !this.ended.aborted) await this.#drained.promise;
  }

  /** Events of the log, in one write: each write of its own would cost a system call. */
  items(items: readonly FeedItem[]): void {
    this.#socket.cork();
    for (const item of items) this.#item(item);
    this.#socket.uncork();
  }

  /** Another event; `id` null: the client's position stays as it is. `json`: without a line end. */
  event(id: Seq | null, type: string, json: string): void {
    if (id !== null) this.#told = this.#position = id;
    this.#write(makeChunk(frame(id, type, json)));
  }

  /** There is nothing for the reader up to here: it is told with the next sign of life. */
  passed(position: Seq): void {
    this.#position = Math.max(this.#position, position);
  }

  /** Ends the answer and its connection, once what was written is taken. */
  end(): void {
    if (this.#socket.writable) this.#socket.end(this.#chunked ? "0\r\n\r\n" : "");
    this.#finish();
  }

  /** Ends the connection with all that was not taken. */
  cut(): void {
    this.#socket.destroy();
  }

  #item(item: FeedItem): void {
    this.#told = this.#position = item.seq;
    let chunk = chunks.get(item);
    if (chunk === undefined) {
      chunk = makeChunk(frame(item.seq, item.type, item.json));
      chunks.set(item, chunk);
    }
    this.#write(chunk);
  }

  #write(chunk: Chunk): void {
    if (this.#socket.writable) this.#socket.write(this.#chunked ? chunk.framed : chunk.bare);
  }

  /** Keeps proxies from closing it, shows a client that is gone, and moves the position of one that nothing is for. */
  #beat(): void {
    const { writableLength, bytesWritten } = this.#socket;
    const [taken, nowMs] = [bytesWritten - writableLength, this.#clock.monoMs()];
    if (writableLength === 0 || taken > this.#beaten.taken) this.#beaten.movedMs = nowMs;
    this.#beaten.taken = taken;
    if (nowMs - this.#beaten.movedMs >= STALL_MS) return void this.#socket.destroy();
    this.#cancelBeat = this.#clock.after(BEAT_MS, () => this.#beat());
    if (writableLength > 0) return;
    // An id without data moves the position and is no event (HTML Standard §9.2.6).
    this.#write(this.#position === this.#told ? BEAT : makeChunk(`:\nid: ${this.#position}\n\n`));
    this.#told = this.#position;
  }

  #wake(): void {
    const { resolve } = this.#drained;
    this.#drained = Promise.withResolvers();
    resolve();
  }

  #finish(): void {
    if (!this.ended.aborted) this.#isBroken = this.#socket.destroyed;
    this.#cancelBeat();
    this.#ended.abort();
    this.#wake();
  }
}

const RETRY = makeChunk("retry: 2000\n\n");
const BEAT = makeChunk(":\n\n");

/** What all readers of an event get. */
const chunks = new WeakMap<FeedItem, Chunk>();

const frame = (id: Seq | null, type: string, json: string): string =>
  `${id === null ? "" : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`;
