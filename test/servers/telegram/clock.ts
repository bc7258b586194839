import { randomBytes } from "node:crypto";

/** The server's time, which tests can move on. */
export class Clock {
  #ahead = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  pass(ms: number): void {
    this.#ahead += ms;
  }
}

/** As they stand in tokens and in the ids of files. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString("base64url");
