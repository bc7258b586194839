import type { Event } from "../../contract/events.ts";
import type { EventKey } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";

const HANDED_MAX = 5_000;

/** Events that were handed over, which come again wherever a history overlaps what is told live. */
export class HandedEvents {
  readonly #keys = new Lru<EventKey, true>(HANDED_MAX);

  /** False for what was handed over before; the event counts as handed over then. */
  isNews({ key }: Pick<Event, "key">): boolean {
    if (key === null) return true;
    const isNews = this.#keys.get(key) !== true;
    this.#keys.set(key, true);
    return isNews;
  }
}
