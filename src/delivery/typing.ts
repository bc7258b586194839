import type { Clock } from "../contract/host.ts";

/** Somebody types, or no longer. */
export interface Typist {
  /** Tells the person from all others, wherever they are. */
  readonly who: string;
  readonly on: boolean;
  /** As in `Hint`. */
  readonly forMs?: number;
}

/** What shows typing in one channel now. */
export interface PlaceDisplay {
  /** As in `TypingDisplay`. */
  readonly lastsMs: number;
  /** False: it was dropped. Never throws. */
  show(on: boolean): boolean;
}

/** At least this long between two `on` in one channel, in ms. */
const EVERY_MS = 4_000;
/** `on` is repeated so long before the network would end it, in ms. */
const EARLY_MS = 1_000;
/** Without any word for this long, a person types no longer, in ms. */
const HOLD_MS = 30_000;
/** Typing that is over sooner is not shown. */
const START_MS = 500;
/** How long one person's typing is shown without a break, in ms. */
const STRETCH_MS = 60_000;
/** After one person's typing, another person's is not shown for this long, in ms. */
const PAUSE_MS = 5_000;
/** People of whom it is known at a time that they type, for one channel. */
const TYPISTS_MAX = 50;

interface Stretch {
  readonly sinceMs: number;
  untilMs: number;
}

/**
 * Decides when typing is shown in one channel: pure but for the clock, and in memory only.
 *
 * One person's typing is shown at a time: that of the first. The others wait until it has ended and a pause has passed;
 * the same person need not wait. A stretch of typing counts for a minute, from half a second on.
 *
 * Another bridge between the same rooms shows our typing as its own, which comes back as a hint. That hint begins after
 * the person's typing, so it waits, and is mostly gone before its turn comes. If it comes later than the pause, it is
 * shorter by half a second each time round. So typing ends everywhere soon after people stop.
 */
export class TypingPlace {
  readonly #clock: Pick<Clock, "monoMs" | "after">;
  /** Null: nothing can show it now. */
  readonly #display: () => PlaceDisplay | null;
  readonly #idle: () => void;
  readonly #typists = new Map<string, Stretch>();
  #shown: string | null = null;
  /** Whose typing was shown last. */
  #last: string | null = null;
  #endedMs = -Infinity;
  /** When `on` may go out next. */
  #dueMs = -Infinity;
  #isOn = false;
  #cancel: () => void = () => undefined;

  /** `idle` is called when there is nothing left to remember. */
  constructor(clock: Pick<Clock, "monoMs" | "after">, display: () => PlaceDisplay | null, idle: () => void) {
    this.#clock = clock;
    this.#display = display;
    this.#idle = idle;
  }

  take({ who, on, forMs = HOLD_MS }: Typist): void {
    const nowMs = this.#clock.monoMs();
    const untilMs = nowMs + Math.min(forMs, HOLD_MS);
    const known = this.#typists.get(who);
    if (!on) this.#typists.delete(who);
    else if (known !== undefined && known.untilMs > nowMs) known.untilMs = untilMs;
    else if (this.#typists.size < TYPISTS_MAX) this.#typists.set(who, { sinceMs: nowMs, untilMs });
    this.#settle();
  }

  /** Forgets everything and shows nothing more. */
  close(): void {
    this.#cancel();
    this.#typists.clear();
  }

  #settle(): void {
    this.#cancel();
    const nowMs = this.#clock.monoMs();
    for (const [who, { untilMs }] of this.#typists) if (untilMs <= nowMs) this.#typists.delete(who);
    if (this.#shown !== null && !this.#counts(this.#shown, nowMs)) this.#end(this.#shown, nowMs);
    this.#shown ??= this.#next(nowMs);
    const display = this.#shown === null ? null : this.#display();
    if (display !== null && nowMs >= this.#dueMs) {
      const isSent = display.show(true);
      this.#isOn ||= isSent;
      this.#dueMs = nowMs + (isSent ? Math.max(EVERY_MS, display.lastsMs - EARLY_MS) : EVERY_MS);
    }
    const wakeMs = this.#wakeMs(nowMs);
    if (wakeMs === Infinity) this.#idle();
    else this.#cancel = this.#clock.after(wakeMs - nowMs, () => this.#settle());
  }

  #counts(who: string, nowMs: number): boolean {
    const stretch = this.#typists.get(who);
    if (stretch === undefined) return false;
    return nowMs >= stretch.sinceMs + START_MS && nowMs < stretch.sinceMs + STRETCH_MS;
  }

  #next(nowMs: number): string | null {
    const waiting = [...this.#typists.keys()].filter((who) => this.#counts(who, nowMs));
    const same = waiting.find((who) => who === this.#last);
    return same ?? (nowMs >= this.#endedMs + PAUSE_MS ? (waiting[0] ?? null) : null);
  }

  #end(who: string, nowMs: number): void {
    this.#shown = null;
    this.#last = who;
    this.#endedMs = nowMs;
    if (this.#isOn) this.#display()?.show(false);
    this.#isOn = false;
    this.#dueMs = Math.min(this.#dueMs, nowMs + EVERY_MS);
  }

  /** When there is something to do again; Infinity: never. */
  #wakeMs(nowMs: number): number {
    const ends = [...this.#typists.values()].flatMap(({ sinceMs, untilMs }) => [
      sinceMs + START_MS,
      sinceMs + STRETCH_MS,
      untilMs,
    ]);
    ends.push(this.#endedMs + PAUSE_MS, this.#dueMs);
    return Math.min(...ends.filter((ms) => ms > nowMs));
  }
}
