import type { Event, Membership } from "../../../contract/events.ts";
import type { Clock } from "../../../contract/host.ts";

/** Nothing more for so long: that were all. */
const QUIET_MS = 3000;
/** … but nobody waits longer than this for the line. */
const WAIT_MAX_MS = 15_000;
/** A split that lasts longer is forgotten: who comes then just joins. */
const APART_MS = 60 * 60_000;
const APART_MAX = 20_000;
const NAMED_MAX = 5;
/** `*.net *.split` is what servers say that hide their names. */
const SERVERS = /^(?<here>[\w*][\w*.-]*\.[\w*-]+) (?<there>[\w*][\w*.-]*\.[\w*-]+)$/u;

/**
 * Whether a QUIT with this reason is the network's doing (RFC 2812 §3.1.7); a person's own reason has a mark before it
 * on most servers.
 */
export function isSplit(reason: string): boolean {
  const { here, there } = SERVERS.exec(reason)?.groups ?? {};
  return here !== undefined && here !== there;
}

interface Fold {
  readonly first: Membership;
  readonly names: string[];
  more: number;
  readonly sinceMs: number;
}

/**
 * Servers that lose each other take many people with them, and bring them back: one line per channel says so in place
 * of one for each. The line comes when nobody was added for 3 s.
 */
export class Netsplits {
  readonly #clock: Clock;
  readonly #onEvents: (events: readonly Event[]) => void;
  readonly #folds = new Map<string, Fold>();
  /** Who is away by a split, and since when; by channel and nick. */
  readonly #apart = new Map<string, number>();
  #cancel: (() => void) | null = null;

  /** `onEvents`: what was folded, when it is time. */
  constructor(clock: Clock, onEvents: (events: readonly Event[]) => void) {
    this.#clock = clock;
    this.#onEvents = onEvents;
  }

  /** Takes the people who left by a split, or came back by its end; what is left of the events. */
  take(events: readonly Event[], how: { readonly split: boolean; readonly join: boolean }): readonly Event[] {
    return events.filter((event) => event.kind !== "member" || !this.#folded(event, how));
  }

  /** Says at once what is still to be said. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const folds = [...this.#folds.values()];
    this.#folds.clear();
    if (folds.length > 0) this.#onEvents(folds.map(eventOf));
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#folds.clear();
  }

  #folded(event: Membership, { split, join }: { readonly split: boolean; readonly join: boolean }): boolean {
    const key = `${event.channel} ${event.author.name}`;
    const leftAtMs = this.#apart.get(key);
    if (event.change === "leave") {
      this.#apart.delete(key);
      if (!split) return false;
      const [oldest] = this.#apart.keys();
      if (this.#apart.size >= APART_MAX && oldest !== undefined) this.#apart.delete(oldest);
      this.#apart.set(key, this.#clock.monoMs());
    } else {
      if (event.change !== "join") return false;
      this.#apart.delete(key);
      const isBack = leftAtMs !== undefined && this.#clock.monoMs() - leftAtMs < APART_MS;
      if (!join && !isBack) return false;
    }
    this.#add(event);
    return true;
  }

  #add(event: Membership): void {
    const key = `${event.change} ${event.channel}`;
    const fold = this.#folds.get(key);
    if (fold === undefined) {
      this.#folds.set(key, { first: event, names: [event.author.name], more: 0, sinceMs: this.#clock.monoMs() });
    } else if (fold.names.length < NAMED_MAX) fold.names.push(event.author.name);
    else fold.more += 1;
    this.#wait();
  }

  #wait(): void {
    const now = this.#clock.monoMs();
    const since = Math.min(...[...this.#folds.values()].map(({ sinceMs }) => sinceMs));
    this.#cancel?.();
    this.#cancel = this.#clock.after(Math.max(0, Math.min(QUIET_MS, since + WAIT_MAX_MS - now)), () => this.flush());
  }
}

function eventOf({ first, names, more }: Fold): Membership {
  const all = more > 0 ? `${names.join(", ")} and ${more} more` : listed(names);
  const one = names.length === 1 && more === 0;
  const text = first.change === "leave" ? `netsplit: ${all} left` : `netsplit over: ${all} ${one ? "is" : "are"} back`;
  return { ...first, key: null, text };
}

/** `alice, bob and carol`. */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
