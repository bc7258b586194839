import type { Clock } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";

interface DirectoryOptions<K, V> {
  /** Null: there is none. A rejection: that cannot be told now. */
  readonly load: (key: K) => Promise<V | null>;
  readonly clock: Pick<Clock, "monoMs">;
  /** Most entries that are kept; the ones used last are. */
  readonly max: number;
  /** How long nothing is looked up again for what there was none of. */
  readonly absentMs: number;
  /** How long nothing is looked up again after a look-up that failed. */
  readonly failedMs: number;
}

/** `untilMs`: how long it counts. */
interface Kept<V> {
  readonly value: V | null;
  readonly untilMs: number;
}

/** Most look-ups at once: what is asked for beyond that is not there. */
const LOADING_MAX = 1000;

/** People, channels, emoji: looked up when they are first wanted, once for all who want them, kept fresh by events. */
export class Directory<K, V> {
  readonly #options: DirectoryOptions<K, V>;
  readonly #kept: Lru<K, Kept<V>>;
  readonly #loading = new Map<K, Promise<V | null>>();
  /** Until when they are not looked up again. */
  readonly #failed: Lru<K, number>;

  constructor(options: DirectoryOptions<K, V>) {
    this.#options = options;
    this.#kept = new Lru(options.max);
    this.#failed = new Lru(options.max);
  }

  /** Null when there is none, or that cannot be told now. Never rejects. */
  async get(key: K): Promise<V | null> {
    const known = this.known(key);
    if (known !== undefined) return known;
    const loading = this.#loading.get(key);
    if (loading !== undefined) return await loading;
    if (this.hasFailed(key) || this.#loading.size >= LOADING_MAX) return null;
    const begun = this.#load(key);
    this.#loading.set(key, begun);
    return await begun;
  }

  /** Without asking anybody; null: there is none, undefined: that would have to be looked up. */
  known(key: K): V | null | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.untilMs > this.#options.clock.monoMs()) return kept?.value;
    this.#kept.delete(key);
    return undefined;
  }

  /** It could not be looked up, so lately that nobody asks again. */
  hasFailed(key: K): boolean {
    return (this.#failed.get(key) ?? 0) > this.#options.clock.monoMs();
  }

  /** It is this from now on, also for who is looking it up. */
  put(key: K, value: V): void {
    this.#loading.delete(key);
    this.#kept.set(key, { value, untilMs: Infinity });
  }

  /** What is known of it counts no more: it is looked up when it is wanted again. */
  forget(key: K): void {
    this.#loading.delete(key);
    this.#failed.delete(key);
    this.#kept.delete(key);
  }

  async #load(key: K): Promise<V | null> {
    const { load, clock, absentMs, failedMs } = this.#options;
    // Begins when it stands among those that load.
    await Promise.resolve();
    const mine = this.#loading.get(key);
    let value: V | null | undefined;
    try {
      value = await load(key);
    } catch {
      // Nothing is known.
    }
    // Somebody put or forgot it meanwhile.
    if (mine === undefined || this.#loading.get(key) !== mine) return this.known(key) ?? value ?? null;
    this.#loading.delete(key);
    if (value === undefined) {
      this.#failed.set(key, clock.monoMs() + failedMs);
      return null;
    }
    this.#kept.set(key, { value, untilMs: value === null ? clock.monoMs() + absentMs : Infinity });
    return value;
  }
}
