import type { ApiEvent, ApiReceipt } from "../../contract/api-v1.ts";
import type { EventFilter } from "../../consumers/feed.ts";
import { typesOf, within } from "../../consumers/filter.ts";
import type { Seq } from "../../log/log.ts";
import type { V1Deps } from "./deps.ts";

/** How often it is looked what has become of messages, and of how many at a time. */
const LOOK_MS = 1000;
const LOOKED_AT_MAX = 20;
/** Messages that are followed, and for how long. */
const FOLLOWED_MAX = 200;
const FOLLOWED_MS = 10 * 60_000;

type WatchDeps = Pick<V1Deps, "feed" | "receipts" | "clock">;
type Listener = (event: ApiEvent) => void;

interface Followed {
  readonly event: ApiEvent;
  readonly sinceMs: number;
  /** Of each destination: the state that was told, or was there at first. */
  readonly states: Map<string, string>;
}

/** What still changes by itself. */
const MOVING: ReadonlySet<string> = new Set(["waiting", "sending"]);
/** No news of a message: nobody knows, or a reader that comes when it likes. */
const SILENT: ReadonlySet<string> = new Set([...MOVING, "before", "unknown", "unread", "read"]);

const OWN: EventFilter = { gateways: [], types: ["message.posted"], accounts: [], mine: true };
const PAGE = { limit: 200, bytes: 256 * 1024 };

const watches = new WeakMap<V1Deps["feed"], ReceiptWatch>();

/** The watch of an account, made when the first asks for it. */
export function receiptWatch(deps: WatchDeps): ReceiptWatch {
  const watch = watches.get(deps.feed) ?? new ReceiptWatch(deps);
  watches.set(deps.feed, watch);
  return watch;
}

/** Such an event as a reader with this filter gets it; null: it does not. */
export function receiptFor(event: ApiEvent, { types, gateways }: EventFilter): ApiEvent | null {
  if (!typesOf(types)(event.type)) return null;
  return gateways.length === 0 ? event : within(event, new Set(gateways));
}

/**
 * Tells what becomes of the account's own messages while somebody listens: of those that are said meanwhile, for ten
 * minutes each. A receipt has no place in the log, so that this is for streams and sockets only, without a position.
 */
export class ReceiptWatch {
  readonly #deps: WatchDeps;
  readonly #listeners = new Set<Listener>();
  readonly #followed = new Map<Seq, Followed>();
  #position: Seq = 0;
  #cancel: (() => void) | null = null;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** Returns what ends it. The listener must be quick, and not throw. */
  listen(listener: Listener): () => void {
    const own: Listener = (event) => listener(event);
    if (this.#listeners.size === 0) {
      this.#position = this.#deps.feed.head;
      this.#later();
    }
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#cancel?.();
      this.#cancel = null;
      this.#followed.clear();
    };
  }

  #later(): void {
    this.#cancel?.();
    this.#cancel = this.#deps.clock.after(LOOK_MS, () => void this.#look());
  }

  /** What the log does not give now is asked again. */
  async #look(): Promise<void> {
    try {
      await this.#follow();
      const first = [...this.#followed].slice(0, LOOKED_AT_MAX);
      for (const [seq, followed] of first) this.#compare(seq, followed, await this.#deps.receipts(seq));
    } catch {
      // The log, or what keeps the status, is not there: there is nothing to tell.
    }
    if (this.#listeners.size > 0) this.#later();
  }

  async #follow(): Promise<void> {
    const { items, next } = await this.#deps.feed.read({ after: this.#position, filter: OWN, ...PAGE });
    this.#position = next;
    const sinceMs = this.#deps.clock.monoMs();
    for (const { seq, event } of items) {
      const isOwn = "author" in event && event.author.mine;
      if (isOwn && this.#followed.size < FOLLOWED_MAX) this.#followed.set(seq, { event, sinceMs, states: new Map() });
    }
  }

  #compare(seq: Seq, followed: Followed, receipts: readonly ApiReceipt[]): void {
    const { event, sinceMs, states } = followed;
    for (const receipt of receipts) {
      const place = JSON.stringify([receipt.gateway, receipt.account, receipt.channel]);
      const before = states.get(place);
      states.set(place, receipt.state);
      if (before !== receipt.state && !SILENT.has(receipt.state)) this.#tell(changed(event, receipt));
    }
    // In turn: those that wait for long do not keep the others from being looked at.
    this.#followed.delete(seq);
    const isOver = this.#deps.clock.monoMs() - sinceMs > FOLLOWED_MS;
    if (!isOver && receipts.some(({ state }) => MOVING.has(state))) this.#followed.set(seq, followed);
  }

  #tell(event: ApiEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function changed({ seq, time, gateways, source }: ApiEvent, receipt: ApiReceipt): ApiEvent {
  const own = gateways.filter((name) => name === receipt.gateway);
  return { seq, type: "receipt.changed", time, gateways: own, source, message: { id: seq }, receipt };
}
