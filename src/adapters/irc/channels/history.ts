import type { Event } from "../../../contract/events.ts";
import type { AdapterLog, Clock } from "../../../contract/host.ts";
import type { ChannelRef, Cursor } from "../../../contract/ids.ts";
import type { IrcBatch } from "../wire/batches.ts";
import { HistoryMarks } from "./history-marks.ts";
import type { ConnectionContext } from "../link.ts";
import type { IrcLine } from "../wire/wire.ts";

const CAPS = ["draft/chathistory", "batch", "server-time", "message-tags"] as const;
const PAGE = 100;
const PAGES_MAX = 20;
const ANSWER_MS = 15_000;
/** Servers of one network do not agree to the second; what comes twice has the same id. */
const OVERLAP_MS = 10_000;
/** A server that has left so many requests in a row without an answer is not asked any more. */
const UNANSWERED_MAX = 2;
/** Live events that wait for the older ones; in one channel, and in all. */
const HELD_MAX = 1000;
const HELD_ALL_MAX = 5000;
const SPOKEN: ReadonlySet<string> = new Set(["PRIVMSG", "NOTICE", "TAGMSG", "REDACT"]);

interface Held {
  readonly event: Event;
  readonly atMs: number;
}

interface Fill {
  readonly ref: ChannelRef;
  readonly key: string;
  readonly held: Held[];
  page: number;
  /** From where on this page is asked for, and how far it has come; Unix milliseconds of the server's clock. */
  fromMs: number;
  lastMs: number;
  label: string | null;
}

interface HistoryOptions {
  readonly link: ConnectionContext;
  readonly clock: Clock;
  readonly log: AdapterLog;
  readonly since: Cursor | null;
  /** What waited for a channel's older events, once that is over. */
  readonly onReleased: (events: readonly Event[]) => void;
  /** Nicks that only programs have. */
  readonly isRelayed: (nick: string) => boolean;
}

/**
 * What was said in a channel while we were away (IRCv3 "chathistory"): asked for on entering it, from the newest that
 * is on disk on, page by page, one channel after the other. What is said meanwhile waits after it.
 */
export class History {
  readonly #options: HistoryOptions;
  readonly #marks: HistoryMarks;
  /** The first one is being asked for. */
  #fills: Fill[] = [];
  #requests = 0;
  #unanswered = 0;
  #cancel: (() => void) | null = null;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#marks = new HistoryMarks(options.since);
  }

  /** We are in the channel; `nowMs` by the server's clock. */
  entered(ref: ChannelRef, nowMs: number): void {
    const { link } = this.#options;
    if (!this.#possible) return;
    const key = link.key(ref);
    this.#marks.addNick(link.nick);
    const mark = this.#marks.at(key);
    if (mark === null || this.#unanswered >= UNANSWERED_MAX) {
      this.#marks.move(key, nowMs);
      return;
    }
    if (this.#fills.some((fill) => fill.key === key)) return;
    const fromMs = mark - OVERLAP_MS;
    this.#fills.push({ ref, key, held: [], page: 0, fromMs, lastMs: fromMs, label: null });
    if (this.#fills.length === 1) this.#ask();
  }

  /** We have left the channel, and nothing of it is wanted. */
  forget(ref: ChannelRef): void {
    const key = this.#options.link.key(ref);
    const fill = this.#fills.find((one) => one.key === key);
    if (fill !== undefined) this.#release(fill);
    this.#marks.forget(key);
  }

  /** Events of now: those that need not wait, and `atMs` is the newest known of their channels. */
  pass(events: readonly Event[], atMs: number): readonly Event[] {
    if (!this.#possible) return events;
    this.#marks.addNick(this.#options.link.nick);
    return events.filter((event) => {
      const key = this.#options.link.key(event.channel);
      const fill = this.#fills.find((one) => one.key === key);
      if (fill === undefined) this.#marks.move(key, atMs);
      else this.#hold(fill, { event, atMs });
      return fill === undefined;
    });
  }

  #hold(fill: Fill, held: Held): void {
    const all = this.#fills.reduce((sum, one) => sum + one.held.length, 0) + 1;
    if (fill.held.push(held) < HELD_MAX && all < HELD_ALL_MAX) return;
    this.#options.log.warn(
      { channel: fill.ref },
      "too much is being said now: Rialto does not fetch all missed messages",
    );
    this.#release(fill);
  }

  /** Whether a line that is played back is one we have asked for, and missed. `atMs`: when it was said. */
  wants(line: IrcLine, batch: IrcBatch, atMs: number | null): boolean {
    const fill = this.#fillOf(batch);
    if (fill === null) return false;
    // Joins and the like are no news, but they take their place in a page.
    fill.lastMs = Math.max(fill.lastMs, atMs ?? 0);
    if (this.#options.link.key(line.params[0] ?? "") !== fill.key) return false;
    // Without its id nobody could tell that it came twice.
    if (!line.tags.get("msgid") || atMs === null || !SPOKEN.has(line.command) || this.#isOwn(line)) return false;
    this.#marks.move(fill.key, atMs);
    return true;
  }

  /** A batch has ended. */
  ended(batch: IrcBatch): void {
    const fill = this.#fillOf(batch);
    if (fill === null) return;
    this.#unanswered = 0;
    // A page may be short and not the last one: servers leave out what we are not told. The line we ask from comes
    // again.
    const isNews = fill.lastMs > fill.fromMs + (fill.page > 1 ? 1 : 0);
    if (!isNews) this.#release(fill);
    else if (fill.page >= PAGES_MAX) {
      this.#options.log.warn({ channel: fill.ref }, "too many messages were missed: Rialto does not fetch all of them");
      this.#release(fill);
    } else {
      // A page may end between two lines of the same millisecond.
      fill.fromMs = fill.lastMs - 1;
      this.#ask();
    }
  }

  /** The server may refuse what we asked for. */
  take({ command, params }: IrcLine, label: string | null): void {
    const fill = this.#fills[0];
    if (fill === undefined) return;
    const isMeant =
      (command === "ACK" && label !== null) ||
      (command === "FAIL" && params[0]?.toUpperCase() === "CHATHISTORY") ||
      (command === "421" && params[1]?.toUpperCase() === "CHATHISTORY");
    if (isMeant && (label === null || label === fill.label)) this.#release(fill);
  }

  /** Whether `takeCursor` gives one. */
  get moved(): boolean {
    return this.#possible && this.#marks.moved;
  }

  /** Where to continue after what was handed over by now; null when that has not changed. */
  takeCursor(): Cursor | null {
    return this.#possible ? this.#marks.takeCursor() : null;
  }

  stop(): void {
    this.#cancel?.();
    this.#fills = [];
  }

  get #possible(): boolean {
    return CAPS.every((capability) => this.#options.link.has(capability));
  }

  get #pageSize(): number {
    const most = this.#options.link.isupport.chathistory;
    return most === 0 ? PAGE : Math.min(most, PAGE);
  }

  #ask(): void {
    const fill = this.#fills[0];
    if (fill === undefined) return;
    const { link, clock, log } = this.#options;
    this.#requests += 1;
    fill.label = link.has("labeled-response") ? `h${this.#requests}` : null;
    fill.page += 1;
    fill.lastMs = fill.fromMs;
    const from = `timestamp=${new Date(fill.fromMs).toISOString()}`;
    const tags = fill.label === null ? undefined : new Map([["label", fill.label]]);
    link.send("CHATHISTORY", ["AFTER", fill.ref, from, String(this.#pageSize)], tags);
    this.#cancel?.();
    this.#cancel = clock.after(ANSWER_MS, () => {
      log.warn({ channel: fill.ref }, "the server does not answer the request for missed messages");
      this.#unanswered += 1;
      const isOver = this.#unanswered >= UNANSWERED_MAX;
      for (const one of isOver ? this.#fills.toReversed() : [fill]) this.#release(one);
    });
  }

  /** It is over for the channel: what waited continues, and the next one is asked for. */
  #release(fill: Fill): void {
    const wasFirst = this.#fills[0] === fill;
    this.#fills = this.#fills.filter((one) => one !== fill);
    for (const { atMs } of fill.held) this.#marks.move(fill.key, atMs);
    this.#options.onReleased(fill.held.map(({ event }) => event));
    if (!wasFirst) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#ask();
  }

  #fillOf({ type, params, label }: IrcBatch): Fill | null {
    const fill = this.#fills[0];
    if (fill === undefined || type !== "chathistory") return null;
    const isAnswer = this.#options.link.key(params[0] ?? "") === fill.key && label === fill.label;
    return isAnswer ? fill : null;
  }

  /** We have had several names; and what we have relayed under others' is played back without saying so. */
  #isOwn({ source }: IrcLine): boolean {
    const { link, isRelayed } = this.#options;
    const nick = source?.nick ?? "";
    return this.#marks.nicks.some((own) => link.key(own) === link.key(nick)) || isRelayed(nick);
  }
}
