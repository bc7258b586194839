import type { Account } from "../../config/config.ts";
import type { Routes } from "../../gateway/routes.ts";
import type { View } from "../../gateway/view.ts";
import { LogError } from "../../log/errors.ts";
import type { Entry, Log, Seq } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";
import { loadBacklog } from "./backlog.ts";
import { Feed } from "./feed.ts";
import { greeting } from "./frames.ts";
import { settleMembership } from "./membership.ts";
import { PollCursor } from "./poll-cursor.ts";
import { Positions } from "./positions.ts";
import { prefixOf } from "./reader-marks.ts";
import { StreamHub } from "./stream-hub.ts";
import type { StreamSocket } from "./stream-socket.ts";
import { WebSocketHub } from "./websocket-hub.ts";

/** Most characters of one poll answer; what does not fit stays unread. */
const POLL_CHARS = 64 * 1024 * 1024;

/** The value of the stream mark while a reader is live: the position is the head of the log. */
const LIVE = "live";

export interface AccountDeps {
  readonly account: Account;
  readonly buffer: number;
  readonly log: Log;
  readonly routes: Routes;
  readonly view: View;
  readonly logger: Logger;
  readonly nowMs: () => number;
  /** By the contract's `Clock.monoMs`: for how long a reader stands still. */
  readonly monoMs: () => number;
}

export interface PollAnswer {
  /** A JSON array and a newline. */
  readonly body: string;
  /** The answer was handed to the socket whole. */
  delivered(): void;
  /** The socket broke: what it held is unread again. */
  broken(): void;
}

/**
 * The readers of one API account: its feed and the two durable positions over it, P for polls and S for streams, as
 * ARCHITECTURE.md, "Polls and streams, exactly", has them.
 */
export class ApiAccount {
  readonly sockets: WebSocketHub;
  readonly #deps: AccountDeps;
  #view: View;
  readonly #positions: Positions;
  readonly #feed: Feed;
  readonly #polls: PollCursor;
  readonly #streams: StreamHub;
  readonly #marks: { readonly poll: string; readonly stream: string };
  #skipped = 0;
  readonly #warned = new Set<"poll" | "stream">();
  /** Resolves when the position after the latest poll is durable. */
  #pollMarked: Promise<void> = Promise.resolve();

  /** Reads the account's positions and what is unread from the log. What is committed when it has resolved is for the caller to push, from the same turn on. */
  static async open(deps: AccountDeps): Promise<ApiAccount> {
    const { account, buffer, log, routes, view } = deps;
    const prefix = prefixOf(account.key);
    const marks = await log.marks(prefix);
    const { head } = log;
    const poll = positionOr(marks.get(`${prefix}poll`), head);
    const stream = marks.get(`${prefix}stream`) === LIVE ? head : positionOr(marks.get(`${prefix}stream`), head);
    const reads = routes.reads(account.key);
    const { since, changed, gone } = settleMembership({ prefix, marks, head }, reads);
    if (gone.length > 0) await log.unmark(gone);
    await log.mark([
      { name: `${prefix}poll`, value: String(poll) },
      { name: `${prefix}stream`, value: String(stream) },
      ...changed,
    ]);
    // A stream never starts before what was polled, so nothing before P is wanted any more. Last, so that nothing is committed behind it.
    const { items, skipped } = await loadBacklog({ log, view, reads, since, after: poll, limit: buffer });
    const feed = new Feed(log, view, buffer, poll);
    for (const item of items) feed.push(item);
    return new ApiAccount(deps, feed, { poll, stream, skipped });
  }

  private constructor(deps: AccountDeps, feed: Feed, at: { poll: Seq; stream: Seq; skipped: number }) {
    const prefix = prefixOf(deps.account.key);
    this.#deps = deps;
    this.#view = deps.view;
    this.#positions = new Positions(deps.log, deps.logger);
    this.#feed = feed;
    this.#marks = { poll: `${prefix}poll`, stream: `${prefix}stream` };
    this.#polls = new PollCursor(feed.indexAfter(at.poll));
    this.#streams = new StreamHub(feed, feed.indexAfter(at.stream), deps.monoMs, {
      streamLive: () => void this.#positions.put(this.#marks.stream, LIVE),
      streamAt: (index) => void this.#positions.put(this.#marks.stream, this.#seqAt(index)),
      skipped: (count) => this.#countSkipped("stream", count),
      cut: (why) => deps.logger.warn({ account: deps.account.name, why }, "a stream reader was cut"),
    });
    this.sockets = new WebSocketHub(feed, deps.logger, deps.monoMs);
    this.#countSkipped("poll", at.skipped);
  }

  /** Messages that fell out of `Buffer` before they were read. */
  get skipped(): number {
    return this.#skipped;
  }

  /** A committed entry as seen in one gateway; call `flush` after the last one of a commit. */
  push(entry: Entry, gateway: string): void {
    if (this.#view.admits(entry.label)) this.#feed.push({ entry, gateway });
  }

  /** Hands what was pushed to the live readers. */
  flush(): void {
    this.#streams.flush();
    this.sockets.flush();
    this.#feed.trim();
  }

  /** Everything unread, at most the newest `Buffer`; or why the log cannot give it. */
  async poll(): Promise<PollAnswer | LogError> {
    // So that a crash can bring back one answer and not two: the one before is known to be read first.
    await this.#pollMarked;
    const { claim, skipped } = this.#polls.claim(this.#feed.start, this.#feed.end);
    this.#countSkipped("poll", skipped);
    if (claim === null) {
      this.#markPoll(skipped > 0);
      return { body: "[]\n", delivered: () => undefined, broken: () => undefined };
    }
    const { from, to } = claim.range;
    try {
      const { lines, next } = await this.#collect(from, to);
      return {
        body: `[${lines.join(",")}]\n`,
        delivered: () => {
          claim.done(next);
          this.#markPoll(true);
        },
        broken: () => claim.giveBack(),
      };
    } catch (error) {
      claim.giveBack();
      if (error instanceof LogError) return error;
      throw error;
    }
  }

  addStream(socket: StreamSocket): void {
    this.#streams.add(socket, greeting(this.#deps.nowMs()), Math.max(this.#polls.watermark, this.#streams.position));
  }

  /** Everything is shown like this from now on. */
  change(view: View): void {
    this.#view = view;
    this.#feed.change(view);
  }

  sweep(): void {
    this.#streams.sweep();
    this.sockets.sweep();
    void this.#positions.retry();
  }

  endStreams(): void {
    this.#streams.end();
    this.sockets.end();
  }

  /** To be called when no reader is connected any more: resolves when the positions are durable, as far as the log takes them. */
  async settled(): Promise<void> {
    await this.#positions.settled();
  }

  async #collect(from: number, to: number): Promise<{ lines: string[]; next: number }> {
    const lines: string[] = [];
    let next = from;
    let room = POLL_CHARS;
    while (next < to && (lines.length === 0 || room > 0)) {
      // While a long answer is read from the disk, its next items may fall out of the buffer.
      this.#countSkipped("poll", Math.max(0, this.#feed.kept - next));
      next = Math.max(next, this.#feed.kept);
      const kept = this.#feed.lines(next, to, room);
      const got = kept === null ? await this.#feed.load(next, to, room) : { lines: kept, next: next + kept.length };
      if (got.next === next) break;
      next = got.next;
      for (const line of got.lines) {
        lines.push(line);
        room -= line.length;
      }
    }
    return { lines, next };
  }

  #markPoll(moved: boolean): void {
    if (moved) this.#pollMarked = this.#positions.put(this.#marks.poll, this.#seqAt(this.#polls.watermark));
  }

  #seqAt(index: number): string {
    return String(this.#feed.seqBefore(index));
  }

  #countSkipped(reader: "poll" | "stream", count: number): void {
    if (count === 0) return;
    const first = !this.#warned.has(reader);
    this.#warned.add(reader);
    this.#skipped += count;
    const fields = { account: this.#deps.account.name, reader, skipped: count, buffer: this.#deps.buffer };
    if (first)
      this.#deps.logger.warn(
        fields,
        "messages fell out of the buffer before they were read; a larger Buffer keeps more",
      );
    else this.#deps.logger.debug(fields, "messages fell out of the buffer before they were read");
  }
}

/** A stored position; `fallback` for an account that has none yet. */
const positionOr = (value: string | undefined, fallback: Seq): Seq => (value === undefined ? fallback : Number(value));
