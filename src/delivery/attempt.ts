import type { Idempotency } from "../contract/capabilities.ts";
import type { MessageRef, Progress } from "../contract/ids.ts";
import type { Attempt } from "../contract/session.ts";
import type { Item } from "./window.ts";

/** What an attempt asks of its lane. */
export interface AttemptLane {
  readonly by: Idempotency["by"];
  /** Whether the message may be sent now: the lane goes on, and no older message waits. */
  mayAnnounce(item: Item): boolean;
  /** Resolves with true once what the item intends is on disk. */
  durable(): Promise<boolean>;
  /** The handler has told something: it does not hang. */
  active(): void;
  /** What is confirmed of the item has changed. */
  confirmed(): void;
}

/**
 * One try of one message, as its handler sees it.
 *
 *   live ──handler returns, or is given up on──▶ over
 *
 * Once over it changes nothing any more: a `sending` that comes or resolves later is answered with false.
 */
export class LaneAttempt implements Attempt {
  readonly #item: Item;
  readonly #lane: AttemptLane;
  readonly #abort = new AbortController();
  #live = true;
  #refused = false;

  constructor(item: Item, lane: AttemptLane) {
    this.#item = item;
    this.#lane = lane;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get live(): boolean {
    return this.#live;
  }

  /** A `sending` was answered with false: a deferral that follows is of our making. */
  get refused(): boolean {
    return this.#refused;
  }

  abort(): void {
    this.#abort.abort();
  }

  end(): void {
    this.#live = false;
  }

  async sending(upTo: Progress): Promise<boolean> {
    // Asked again at the end: what happened meanwhile may have ended the attempt.
    const allowed = (await this.#announce(upTo)) && this.#isAllowed();
    if (allowed) this.#item.announced = upTo;
    else this.#refuse();
    return allowed;
  }

  #refuse(): void {
    this.#refused = true;
    if (this.#live) this.#item.held = true;
  }

  sent(upTo: Progress, messages: readonly MessageRef[]): void {
    if (!this.#live) return;
    this.#item.confirmed = upTo;
    this.#item.addMessages(messages);
    this.#lane.active();
    this.#lane.confirmed();
  }

  async #announce(upTo: Progress): Promise<boolean> {
    if (!this.#isAllowed()) return false;
    this.#lane.active();
    if (this.#lane.by !== "none") return true;
    this.#item.intended = upTo;
    return await this.#lane.durable();
  }

  #isAllowed(): boolean {
    return this.#live && !this.signal.aborted && this.#lane.mayAnnounce(this.#item);
  }
}
