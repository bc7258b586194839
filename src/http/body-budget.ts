import { performance } from "node:perf_hooks";

/** What all bodies that have not come in whole may hold together. */
export interface BodyLimits {
  readonly bytes: number;
  /** Of these, how many only bodies under `smallBytes` may use. */
  readonly reservedBytes: number;
  readonly smallBytes: number;
  /** A body that moves less than `paceBytes` in `paceMs` makes room for others when there is none. */
  readonly paceBytes: number;
  readonly paceMs: number;
}

const LIMITS: BodyLimits = {
  bytes: 64 * 1024 * 1024,
  reservedBytes: 16 * 1024 * 1024,
  smallBytes: 64 * 1024,
  paceBytes: 16 * 1024,
  paceMs: 10_000,
};

/** A body that is coming in. */
export interface HeldBody {
  /** So many bytes more have come; false: there is no room for them. */
  grow(bytes: number): boolean;
  /** It has come in whole, or is not wanted any more. Idempotent. */
  release(): void;
}

interface Held {
  /** What its length was said to be; 0: nobody knows. */
  readonly announced: number;
  /** Told that it makes room for others; it has been released then. */
  readonly drop: () => void;
  bytes: number;
  isLarge: boolean;
  /** When it had last moved `paceBytes`, and how many it had then. */
  pacedMs: number;
  pacedBytes: number;
}

/**
 * Bodies that have not come in whole, of all servers of the program, counted by the bytes that have come. One that is
 * large may always grow while it is the only large one, so that `MaxBodySize` holds whatever its value.
 */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #nowMs: () => number;
  /** Each in order of `pacedMs`. */
  readonly #small = new Set<Held>();
  readonly #large = new Set<Held>();
  #smallBytes = 0;
  #largeBytes = 0;

  constructor(limits: BodyLimits = LIMITS, nowMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get bytes(): number {
    return this.#smallBytes + this.#largeBytes;
  }

  /** Whether a body of that length, 0 for an unknown one, is small for certain. */
  isSmall(announced: number): boolean {
    return announced > 0 && announced < this.#limits.smallBytes;
  }

  /** Whether a small body of so many bytes would be let in without another making room for it. */
  hasRoom(bytes: number): boolean {
    return this.isSmall(bytes) && this.#smallFits(bytes);
  }

  hold(announced: number, drop: () => void): HeldBody {
    const isLarge = announced >= this.#limits.smallBytes;
    const body: Held = { announced, drop, bytes: 0, isLarge, pacedMs: this.#nowMs(), pacedBytes: 0 };
    this.#add(body);
    return { grow: (bytes) => this.#grow(body, bytes), release: () => this.#remove(body) };
  }

  #grow(body: Held, bytes: number): boolean {
    const { smallBytes, paceBytes } = this.#limits;
    const grown = body.bytes + bytes;
    const isLarge = body.isLarge || grown >= smallBytes;
    while (!this.#fits(isLarge, body, bytes)) {
      if (!this.#dropSlow(isLarge, body, bytes)) return false;
    }
    const isPaced = grown - body.pacedBytes >= paceBytes;
    if (!isPaced && isLarge === body.isLarge) {
      body.bytes = grown;
      this.#count(isLarge, bytes);
      return true;
    }
    this.#remove(body);
    Object.assign(body, { isLarge, bytes: grown, pacedBytes: grown, pacedMs: this.#nowMs() });
    this.#add(body);
    return true;
  }

  /** Whether `bytes` more of this body fit, which is or becomes large. */
  #fits(isLarge: boolean, body: Held, bytes: number): boolean {
    if (!isLarge) return this.#smallFits(bytes);
    const { bytes: all, reservedBytes } = this.#limits;
    const fitsAll = this.bytes + bytes <= all;
    const isAlone = this.#largeBytes === (body.isLarge ? body.bytes : 0);
    return isAlone || (fitsAll && this.#largeOf(body, bytes) <= all - reservedBytes);
  }

  #smallFits(bytes: number): boolean {
    const { bytes: all, reservedBytes } = this.#limits;
    return this.bytes + bytes <= all || this.#smallBytes + bytes <= reservedBytes;
  }

  /** What large bodies would hold with `bytes` more of this one. */
  #largeOf(body: Held, bytes: number): number {
    return this.#largeBytes + bytes + (body.isLarge ? 0 : body.bytes);
  }

  /** Drops the slowest body that is in the way of this one; false when none is slow, or this one is. */
  #dropSlow(isLarge: boolean, body: Held, bytes: number): boolean {
    const { bytes: all, reservedBytes, paceMs } = this.#limits;
    const onlyLarge = isLarge && this.#largeOf(body, bytes) > all - reservedBytes;
    const [large] = this.#large;
    const [small] = this.#small;
    const slow = [large, onlyLarge ? undefined : small].find(
      (each) => each !== undefined && this.#nowMs() - each.pacedMs >= paceMs,
    );
    if (slow === undefined || slow === body) return false;
    this.#remove(slow);
    slow.drop();
    return true;
  }

  #add(body: Held): void {
    (body.isLarge ? this.#large : this.#small).add(body);
    this.#count(body.isLarge, body.bytes);
  }

  #remove(body: Held): void {
    if ((body.isLarge ? this.#large : this.#small).delete(body)) this.#count(body.isLarge, -body.bytes);
  }

  #count(isLarge: boolean, bytes: number): void {
    if (isLarge) this.#largeBytes += bytes;
    else this.#smallBytes += bytes;
  }
}
