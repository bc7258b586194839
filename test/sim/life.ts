/**
 * One life of the program. Killed, it does nothing more that anybody else could notice: its timers, its requests to the
 * disk and what it writes to its networks are dropped. Every such border is a point at which it may be killed.
 */
export class Life {
  dead = false;
  /** Borders that were crossed. */
  points = 0;
  #killedAt = Infinity;
  readonly #onDeath: (() => void)[] = [];

  /** It dies when it crosses so many borders more. */
  killAfter(points: number): void {
    this.#killedAt = this.points + points;
  }

  /** A border; true when the program does not come over it. */
  cross(): boolean {
    if (this.dead) return true;
    this.points += 1;
    if (this.points >= this.#killedAt) this.die();
    return this.dead;
  }

  die(): void {
    if (this.dead) return;
    this.dead = true;
    for (const task of this.#onDeath) task();
  }

  onDeath(task: () => void): void {
    this.#onDeath.push(task);
  }
}
