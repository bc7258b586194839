import type { KnownUploads } from "./files.ts";

/**
 * In which order contents go when space runs out: the lowest rank first. Who has uploaded most since space ran out last
 * makes room first, with uploads that no message refers to, then with the others. Then come uploads of others that no
 * message refers to, and at last all files of messages.
 *
 * `recent`: the bytes that each owner has uploaded since space ran out last.
 */
export function ranking(
  { owners, shown }: KnownUploads,
  recent: ReadonlyMap<string, number>,
): (sha256: string) => number {
  const byBytes = [...recent].sort(([, a], [, b]) => b - a);
  const places = new Map(byBytes.map(([owner], place) => [owner, place]));
  return (sha256) => {
    const [owner, ...others] = owners.get(sha256) ?? [];
    const ofMessage = owner === undefined || shown.has(sha256) ? 1 : 0;
    const place = owner === undefined || others.length > 0 ? undefined : places.get(owner);
    return 2 * (place ?? places.size) + ofMessage;
  };
}

/** What makes room in the store when space runs out. */
export class Eviction {
  readonly #uploads: () => Promise<KnownUploads>;
  #recent = new Map<string, number>();

  constructor(uploads: () => Promise<KnownUploads> = () => Promise.resolve(NOTHING)) {
    this.#uploads = uploads;
  }

  uploaded(owner: string, bytes: number): void {
    this.#recent.set(owner, (this.#recent.get(owner) ?? 0) + bytes);
  }

  /** Space has run out. Rejects as `uploads` does. */
  async ranking(): Promise<(sha256: string) => number> {
    const recent = this.#recent;
    this.#recent = new Map();
    return ranking(await this.#uploads(), recent);
  }
}

const NOTHING: KnownUploads = { owners: new Map(), shown: new Set() };
