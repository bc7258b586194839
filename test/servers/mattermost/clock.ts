/** The server's time, which tests can move on. */
export class Clock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  pass(ms: number): void {
    this.#ahead += ms;
  }
}
