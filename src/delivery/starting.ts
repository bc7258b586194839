import type { OpDraft } from "../gateway/planned.ts";
import type { Loss, Why } from "../contract/outcome.ts";
import type { Receipt, Seq } from "../log/log.ts";
import { fold, mustFollow } from "./folding.ts";
import type { Outlet } from "./outlet.ts";
import type { Prepared, Preparing } from "./preparing.ts";
import type { Item, Window } from "./window.ts";

const UNREADABLE: Why = {
  code: "bug",
  message: "The stored message cannot be turned into an op: this is a bug, see the log.",
};

const TAKEN_BACK: readonly Loss[] = [{ what: "reaction", note: "the message was deleted before it was sent" }];

/** What starting needs of its lane. */
export interface StartingLane {
  readonly window: Window;
  readonly preparing: Preparing;
  /** Items after this seq cannot have been sent by an earlier run of the program. */
  readonly newAfter: Seq;
  /** Whether the log takes nothing now. */
  refused(): boolean;
  underWay(): readonly Item[];
  mayStart(outlet: Outlet): boolean;
  /** Why it is not written at all; null: it is. */
  withheld(item: Item): Why | null;
  /** Whether there are reactions. */
  reacts(outlet: Outlet): boolean;
  finish(item: Item, state: Receipt["state"], why: Why | null, losses?: readonly Loss[]): void;
  run(item: Item, outlet: Outlet, asked: Asked): void;
  /** Nothing starts for a while; `times`: how often in a row that has happened. */
  wait(times: number, why: Why): void;
  pump(): void;
}

/** An op, and what it loses before any handler sees it. */
export interface Asked {
  readonly op: OpDraft;
  readonly losses: readonly Loss[];
}

/**
 * The way of one message from its turn to its handler.
 *
 *   ready ──nothing to look up──▶ asked (or at its end: cancelled, omitted, unreadable)
 *     │                             ▲
 *     └──▶ looking ─────────────────┘      looking ──the channel goes, or it is no longer its turn──▶ ready
 *
 * One message at a time is looking, and nothing after it starts.
 */
export class Starting {
  readonly #lane: StartingLane;
  /** Aborted when the answer is of no use any more. */
  #looking: AbortController | null = null;
  /** Look-ups in a row that the log did not answer. */
  #failures = 0;

  constructor(lane: StartingLane) {
    this.#lane = lane;
  }

  get isLooking(): boolean {
    return this.#looking !== null;
  }

  giveUp(): void {
    this.#looking?.abort();
  }

  /** Whether it has to wait for what is under way, or for the log. */
  mustWait(item: Item): boolean {
    const stored = this.#lane.preparing.read(item);
    if (stored === null || stored.about === null) return false;
    return this.#lane.refused() || this.#lane.underWay().some((other) => mustFollow(stored, other));
  }

  start(item: Item, outlet: Outlet): void {
    const why = item.untouched ? this.#lane.withheld(item) : null;
    if (why !== null) return this.#lane.finish(item, "withheld", why);
    if (this.#fold(item, outlet)) return;
    const looking = new AbortController();
    const prepared = this.#lane.preparing.start(item, outlet.without, looking.signal);
    if (prepared instanceof Promise) void this.#startLater(item, outlet, looking, prepared);
    else this.#ask(item, outlet, prepared);
  }

  /** Never rejects. */
  async #startLater(item: Item, outlet: Outlet, looking: AbortController, later: Promise<Prepared>): Promise<void> {
    item.state = "running";
    this.#looking = looking;
    const prepared = await later;
    item.state = "ready";
    this.#looking = null;
    // An older one may wait again by now.
    const isStill = !looking.signal.aborted && this.#lane.mayStart(outlet) && this.#lane.window.ready() === item;
    if (isStill) {
      const { folded } = item;
      // With a new content it is prepared once more.
      if (!this.#fold(item, outlet) && item.folded.length === folded.length) this.#ask(item, outlet, prepared);
    }
    this.#lane.pump();
  }

  #ask(item: Item, outlet: Outlet, prepared: Prepared): void {
    this.#failures = prepared.is === "later" ? this.#failures + 1 : 0;
    if (prepared.is === "later") this.#lane.wait(this.#failures, prepared.why);
    else if (prepared.is === "unreadable") this.#lane.finish(item, "failed", UNREADABLE);
    else if (prepared.is === "omitted") this.#lane.finish(item, "omitted", null, prepared.losses);
    else this.#lane.run(item, outlet, prepared);
  }

  /** Takes into account what was said about it since; whether that was its end. */
  #fold(item: Item, outlet: Outlet): boolean {
    const lane = this.#lane;
    if (!item.untouched || item.seq <= lane.newAfter) return false;
    const changes = lane.window.changesBehind(item);
    for (const change of changes) lane.preparing.read(change);
    const folded = fold(item, changes, !lane.reacts(outlet));
    if (folded.is === "send") {
      if (folded.by.length > item.folded.length) item.here = null;
      item.folded = folded.by;
      return false;
    }
    if (folded.is === "omit") {
      lane.finish(item, "omitted", null, TAKEN_BACK);
      return true;
    }
    lane.finish(item, "cancelled", null);
    for (const edit of folded.edits) lane.finish(edit, "cancelled", null);
    for (const deletion of folded.deletes) lane.finish(deletion, "omitted", null);
    return true;
  }
}
