/** A map that forgets what was put longest ago. */
export class Memory<K, V> {
  readonly #max: number;
  readonly #map = new Map<K, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  put(key: K, value: V): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    const oldest = this.#map.keys().next();
    if (this.#map.size > this.#max && oldest.done !== true) this.#map.delete(oldest.value);
  }

  delete(key: K): void {
    this.#map.delete(key);
  }
}
