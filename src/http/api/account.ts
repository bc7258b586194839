import type { Account } from "../../config/config.ts";
import type { Clock } from "../../contract/host.ts";
import type { Routes } from "../../gateway/routes.ts";
import type { View } from "../../gateway/view.ts";
import { faultOf } from "../../lib/fault.ts";
import { LogError } from "../../log/errors.ts";
import { type Entry, type Log, ownMarks, type Seq } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";
import { loadBacklog } from "./backlog.ts";
import { Certainty } from "./certainty.ts";
import type { HubEvents } from "./connection.ts";
import { GatewayFeed, type GatewayItem } from "./feed.ts";
import type { FileLines } from "./file-lines.ts";
import { greeting } from "./frames.ts";
import { settleMembership } from "./membership.ts";
import { PollCursor } from "./poll-cursor.ts";
import { ReaderPositions } from "./positions.ts";
import { ReaderHub } from "./reader-hub.ts";
import { prefixOf } from "./reader-marks.ts";
import { type Chunk, chunkOf, type StreamSocket } from "./stream-socket.ts";
import { unsure } from "./problem.ts";
import { TakenMark } from "./taken-mark.ts";
import { WebSocketHub } from "./websocket-hub.ts";

/** Most characters of one poll answer; what does not fit stays unread. */
const POLL_CHARS = 64 * 1024 * 1024;

const UNMARKED = "the position after the last poll is not stored yet";

export interface AccountDeps {
  readonly account: Account;
  readonly buffer: number;
  readonly log: Log;
  readonly routes: Routes;
  readonly view: View;
  /** The content of files, for messages that hold it; absent: none does. */
  readonly fileLines?: FileLines;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Absent: there is one machine. */
  readonly certainty?: Certainty;
}

export interface PollAnswer {
  /** A JSON array and a newline. */
  readonly body: string;
  /** The answer was handed to the socket whole. */
  delivered(): void;
  /** The socket broke: what it held is unread again. */
  broken(): void;
}

type Kind = "poll" | "stream" | "websocket";

/** Seqs: P, S and W of ARCHITECTURE.md, "Polls and streams, exactly". W is null until the account has a WebSocket. */
interface ReadTo {
  readonly poll: Seq;
  readonly stream: Seq;
  readonly websocket: Seq | null;
}

/** The readers of one API account: its feed, and the durable positions over it. */
export class ApiAccount {
  readonly sockets: WebSocketHub;
  readonly certainty: Certainty;
  readonly #deps: AccountDeps;
  #view: View;
  readonly #positions: ReaderPositions;
  readonly #feed: GatewayFeed;
  readonly #polls: PollCursor;
  readonly #pollMark: string;
  readonly #streams: ReaderHub<Chunk>;
  readonly #streamMark: TakenMark;
  readonly #socketMark: TakenMark;
  #skipped = 0;
  readonly #warned = new Set<Kind>();
  /** Resolves when the position after the latest poll is durable, or refused for now; null: it is. */
  #pollMarked: Promise<void> | null = null;

  /**
   * Reads the account's positions and what is unread from the log. What is committed when it has resolved is for the
   * caller to push, from the same turn on.
   */
  static async open(deps: AccountDeps): Promise<ApiAccount> {
    const { account, buffer, log, routes, view } = deps;
    const prefix = prefixOf(account.key);
    const marks = await log.marks(prefix);
    const { head } = log;
    const at: ReadTo = {
      poll: positionOf(marks.get(`${prefix}poll`)) ?? head,
      stream: positionOf(marks.get(`${prefix}stream`)) ?? head,
      websocket: positionOf(marks.get(`${prefix}websocket`)),
    };
    const reads = routes.reads(account.key);
    const { since, changed } = settleMembership({ prefix, marks, head }, reads);
    // Where another machine has taken the account over meanwhile, its readers stand further on.
    await ownMarks(log, account.key).mark([
      { name: `${prefix}poll`, value: String(at.poll) },
      { name: `${prefix}stream`, value: String(at.stream) },
      ...changed,
    ]);
    // A stream never starts before what was polled, so nothing before P is wanted any more, except by WebSockets. Last,
    // so that nothing is committed after it.
    const query = { log, view, reads, since, limit: buffer };
    const unpolled = await loadBacklog({ ...query, after: at.poll });
    const after = Math.min(at.poll, at.websocket ?? at.poll);
    const { items } = after < at.poll ? await loadBacklog({ ...query, after }) : unpolled;
    const onBad = ({ entry: { seq } }: GatewayItem, error: unknown): void =>
      deps.logger.error(
        { account: account.name, seq, ...faultOf(error) },
        "a message cannot be shown to readers, and is left out",
      );
    const feed = new GatewayFeed({ log, view, capacity: buffer, after, onBad, fileLines: deps.fileLines });
    for (const item of items) feed.push(item);
    return new ApiAccount(deps, feed, at, unpolled.skipped);
  }

  private constructor(deps: AccountDeps, feed: GatewayFeed, at: ReadTo, skipped: number) {
    const { account, log, logger, clock, certainty = new Certainty(null, clock) } = deps;
    this.#deps = deps;
    this.certainty = certainty;
    this.#view = deps.view;
    this.#positions = new ReaderPositions(ownMarks(log, account.key), logger);
    this.#feed = feed;
    this.#pollMark = `${prefixOf(account.key)}poll`;
    this.#polls = new PollCursor(feed.indexAfter(at.poll));
    this.#streams = new ReaderHub({
      feed,
      position: feed.indexAfter(at.stream),
      clock,
      encode: chunkOf,
      certainty,
      events: this.#eventsOf("stream", () => this.#streamMark),
    });
    this.sockets = new WebSocketHub({
      feed,
      position: at.websocket === null ? null : feed.indexAfter(at.websocket),
      clock,
      logger,
      certainty,
      events: this.#eventsOf("websocket", () => this.#socketMark),
    });
    this.#streamMark = this.#takenMark("stream", this.#streams, true);
    this.#socketMark = this.#takenMark("websocket", this.sockets, at.websocket !== null);
    this.#countSkipped("poll", skipped);
  }

  /** Messages that fell out of `Buffer` before they were read. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Seq of the newest entry that it has been given. */
  get newest(): Seq {
    return this.#feed.seqBefore(this.#feed.end);
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

  /** Everything unread, at most the newest `Buffer` when it was asked for; or why it cannot be given now. */
  async poll(): Promise<PollAnswer | LogError> {
    const release = this.#feed.hold(this.#feed.start);
    // So that a crash can bring back one answer and not two: the one before is known to be read first.
    const isReady = await this.certainty.soon(this.#pollMarked);
    const { start } = this.#feed;
    release();
    if (!isReady) return this.certainty.isSure ? new LogError("overloaded", UNMARKED) : unsure();
    const { claim, skipped } = this.#polls.claim(start, this.#feed.end);
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
    const hello = chunkOf([greeting(this.#deps.clock.nowMs())]);
    this.#streams.add(socket, hello, Math.max(this.#polls.watermark, this.#streams.position));
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
    this.certainty.end();
    this.#streams.end();
    this.sockets.end();
  }

  /**
   * To be called when no reader is connected any more: resolves when the positions are durable, as far as the log takes
   * them.
   */
  async settled(): Promise<void> {
    await Promise.all([this.#streamMark.settled(), this.#socketMark.settled()]);
    await this.#positions.settled();
  }

  #eventsOf(kind: Kind, mark: () => TakenMark): HubEvents {
    const { account, logger } = this.#deps;
    return {
      moved: () => mark().moved(),
      fell: () => mark().fell(),
      skipped: (count) => this.#countSkipped(kind, count),
      cut: (why) => logger.warn({ account: account.name, reader: kind, why }, "a reader was disconnected"),
    };
  }

  #takenMark(kind: Kind, hub: { readonly settled: number }, written: boolean): TakenMark {
    const name = prefixOf(this.#deps.account.key) + kind;
    return new TakenMark({
      position: () => hub.settled,
      written,
      put: (index, isUrgent) => this.#positions.put(name, this.#seqAt(index), isUrgent),
    });
  }

  async #collect(from: number, to: number): Promise<{ lines: string[]; next: number }> {
    const lines: string[] = [];
    let next = from;
    let room = POLL_CHARS;
    while (next < to && (lines.length === 0 || room > 0)) {
      // While a long answer is read from the disk, its next items may fall out of the buffer.
      this.#countSkipped("poll", Math.max(0, this.#feed.kept - next));
      next = Math.max(next, this.#feed.kept);
      const got = this.#feed.lines(next, to, room) ?? (await this.#feed.load(next, to, room));
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
    if (!moved) return;
    const marked = this.#positions.put(this.#pollMark, this.#seqAt(this.#polls.watermark));
    this.#pollMarked = marked;
    void marked.then(() => {
      if (this.#pollMarked === marked) this.#pollMarked = null;
    });
  }

  #seqAt(index: number): string {
    return String(this.#feed.seqBefore(index));
  }

  #countSkipped(reader: Kind, count: number): void {
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

/** A stored position; null for none, or one that says "from the head on". */
function positionOf(value: string | undefined): Seq | null {
  const seq = value === undefined || value === "" ? Number.NaN : Number(value);
  return Number.isSafeInteger(seq) ? seq : null;
}
