import { createHash } from "node:crypto";
import type { Clock } from "../contract/host.ts";

/** The secret of a link by which an operator signs in, and until when it counts. */
export interface LoginSecret {
  readonly secret: string;
  /** Unix ms. */
  readonly expiresMs: number;
}

export type Redeemed =
  | { readonly is: "right" }
  | { readonly is: "wrong" }
  /** Wrong, as so many before it that the next ones should wait. */
  | { readonly is: "too-many"; readonly retryAfterS: number };

/** How long a link counts. */
const LOGIN_MS = 10 * 60_000;
/** Nobody opens more at once; the oldest goes. */
const LOGINS_MAX = 16;
const SECRET_BYTES = 32;
const WINDOW_MS = 60_000;
/** Wrong ones within a window. */
const WRONG_MAX = 20;

/** Links that were made and not used yet: in memory only, and of each only its SHA-256. */
export class Logins {
  readonly #clock: Clock;
  readonly #bytes: (count: number) => Buffer;
  /** When each ends (monotonic), by digest; the oldest first. */
  readonly #ends = new Map<string, number>();
  #window = { endsMs: 0, wrong: 0 };

  constructor(clock: Clock, bytes: (count: number) => Buffer) {
    this.#clock = clock;
    this.#bytes = bytes;
  }

  make(): LoginSecret {
    this.#forget();
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined && this.#ends.size >= LOGINS_MAX) this.#ends.delete(oldest);
    const secret = this.#bytes(SECRET_BYTES).toString("base64url");
    this.#ends.set(digestOf(secret), this.#clock.monoMs() + LOGIN_MS);
    return { secret, expiresMs: this.#clock.nowMs() + LOGIN_MS };
  }

  /**
   * Once. Whoever guesses cannot keep out the one who has a link: a right one counts at any time, as 256 bits are not
   * guessed.
   */
  redeem(secret: string): Redeemed {
    this.#forget();
    if (this.#ends.delete(digestOf(secret))) return { is: "right" };
    const now = this.#clock.monoMs();
    if (this.#window.endsMs <= now) this.#window = { endsMs: now + WINDOW_MS, wrong: 0 };
    this.#window.wrong += 1;
    if (this.#window.wrong <= WRONG_MAX) return { is: "wrong" };
    return { is: "too-many", retryAfterS: Math.ceil((this.#window.endsMs - now) / 1000) };
  }

  #forget(): void {
    const now = this.#clock.monoMs();
    for (const [digest, endsMs] of this.#ends) if (endsMs <= now) this.#ends.delete(digest);
  }
}

const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
