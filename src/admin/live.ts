import type { Clock } from "../contract/host.ts";
import { changesBetween } from "./changes.ts";
import type { StatusView } from "./views.ts";

/** A page that shows the status and follows it. */
export interface Watcher {
  /** It has not taken what it was told before. */
  readonly isFull: () => boolean;
  /** `status`: a StatusView, which replaces all that it had; `change`: a StatusChange to that. As JSON. */
  readonly tell: (type: "status" | "change", json: string) => void;
}

export interface LiveStatusOptions {
  readonly status: () => Promise<StatusView>;
  readonly clock: Pick<Clock, "after">;
  /** Of bugs: the status is made of what cannot fail. */
  readonly onError: (error: unknown) => void;
}

const WATCHERS_MAX = 16;
const EACH_MS = 1_000;

/**
 * Tells pages what changes. One status a second is made for all of them, and none while nobody watches; while nothing
 * changes, nothing is told. Who did not take the last change is told the whole status as soon as it takes again:
 * nothing waits for it meanwhile.
 */
export class LiveStatus {
  readonly #options: LiveStatusOptions;
  /** Whether it has the last status that was told. */
  readonly #watchers = new Map<Watcher, boolean>();
  /** What changes are told against; but for what drifts, it is the newest. */
  #told: StatusView | null = null;
  #newest: StatusView | null = null;
  #isLooking = false;
  #cancel: (() => void) | null = null;

  constructor(options: LiveStatusOptions) {
    this.#options = options;
  }

  /** There are too many already. */
  get isFull(): boolean {
    return this.#watchers.size >= WATCHERS_MAX;
  }

  /** Ask `isFull` before. The function ends it. */
  watch(watcher: Watcher): () => void {
    const isFresh = this.#cancel !== null && this.#newest !== null;
    this.#watchers.set(watcher, isFresh);
    if (isFresh) watcher.tell("status", JSON.stringify(this.#newest));
    else void this.#look();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#cancel?.();
      this.#cancel = null;
    };
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#cancel = null;
    try {
      this.#tell(await this.#options.status());
    } catch (error) {
      this.#options.onError(error);
    }
    this.#isLooking = false;
    if (this.#watchers.size > 0) this.#cancel = this.#options.clock.after(EACH_MS, () => void this.#look());
  }

  #tell(view: StatusView): void {
    const change = this.#told === null ? null : changesBetween(this.#told, view);
    if (change !== null || this.#told === null) this.#told = view;
    this.#newest = view;
    const texts = { status: "", change: "" };
    for (const [watcher, isUpToDate] of this.#watchers) {
      if (isUpToDate && change === null) continue;
      const type = isUpToDate ? "change" : "status";
      const isFull = watcher.isFull();
      this.#watchers.set(watcher, !isFull);
      if (isFull) continue;
      if (texts[type] === "") texts[type] = JSON.stringify(isUpToDate ? change : view);
      watcher.tell(type, texts[type]);
    }
  }
}
