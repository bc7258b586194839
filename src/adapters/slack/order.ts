import type { Clock } from "../../contract/host.ts";
import { textIn } from "../kit/json.ts";
import type { SlackEvent } from "./envelopes.ts";
import { isLaterTs, isTs } from "./model.ts";
import type { EventsOrder } from "./socket-mode.ts";

/** How far the connections of one app may be apart. */
const APART_MS = 200;
/** Whoever has not come to read one of them meanwhile reads it now. */
const READ_MS = 50;
/** While events come seconds late, channels are read so often. */
const READING_MS = 1_000;
/** Most events that wait to be put in order. */
const WAITING_MAX = 2_000;

interface EventOrderOptions {
  readonly clock: Pick<Clock, "after">;
  readonly order: () => EventsOrder;
  /** In order. */
  readonly onEvent: (event: SlackEvent) => void;
  /** Others may be missing before these, which come next. */
  readonly onLate: (events: readonly SlackEvent[]) => void;
}

/** Puts what came over several connections into the order in which it happened. */
export class EventOrder {
  readonly #options: EventOrderOptions;
  #waiting: SlackEvent[] = [];
  #cancel: (() => void) | null = null;
  #stopped = false;

  constructor(options: EventOrderOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#waiting = [];
  }

  push(event: SlackEvent): void {
    if (this.#stopped) return;
    const order = this.#options.order();
    if (order === "sure" && this.#waiting.length === 0) return this.#options.onEvent(event);
    this.#waiting.push(event);
    if (this.#waiting.length >= WAITING_MAX) return this.#tell();
    this.#cancel ??= this.#options.clock.after(order === "late" ? READING_MS : APART_MS, () => this.#settle());
  }

  #settle(): void {
    this.#cancel = this.#options.clock.after(READ_MS, () => this.#tell());
  }

  #tell(): void {
    this.#cancel?.();
    this.#cancel = null;
    const { onEvent, onLate, order } = this.#options;
    const events = inOrder(this.#waiting.splice(0));
    if (order() === "late") onLate(events);
    for (const event of events) onEvent(event);
  }
}

/** Those that do not say when they happened stay behind what they came after. */
function inOrder(events: readonly SlackEvent[]): readonly SlackEvent[] {
  let lastTs = "";
  const timed = events.map((event) => {
    const ts = textIn(event.event, "event_ts") ?? "";
    if (isTs(ts)) lastTs = ts;
    return { event, ts: isTs(ts) ? ts : lastTs };
  });
  const later = (one: string, other: string): number => (isLaterTs(one, other) ? 1 : isLaterTs(other, one) ? -1 : 0);
  return timed.toSorted((one, other) => later(one.ts, other.ts)).map(({ event }) => event);
}
