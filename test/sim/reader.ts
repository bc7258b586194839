/**
 * What a client of an API account has read by polls, over all lives of the program, and what may come to it again. The
 * position on the disk is behind everything that came without a gap, and a poll waits until the one of the answer
 * before is there. So a kill brings back the last answer, together with those that it overlapped: polls that are under
 * way at once wait for no position of each other.
 */
export class Reader {
  readonly #read = new Set<string>();
  /** A kill brings it back. */
  #exposed = new Set<string>();
  /** So it was when a poll began that followed all others, and it is over when that is answered. */
  #settling = new Set<string>();
  /** What the last kill may have brought back. */
  readonly #again = new Set<string>();
  #life = 0;
  /** Polls without an answer, and answers that broke: what they held is a gap. */
  #underWay = 0;
  #broken = 0;
  #refused = false;

  /** The client polls; `life`: how often the program was started. */
  ask(life: number): void {
    if (life !== this.#life) this.#begin(life);
    else if (this.#underWay === 0 && this.#broken === 0) {
      for (const key of this.#exposed) this.#settling.add(key);
      this.#exposed.clear();
    }
    this.#underWay += 1;
  }

  #begin(life: number): void {
    this.#life = life;
    this.#underWay = 0;
    this.#broken = 0;
    this.#refused = false;
    for (const key of [...this.#settling, ...this.#exposed]) this.#again.add(key);
    this.#settling.clear();
    this.#exposed.clear();
  }

  /** Whether the log took the last position; until it does, a kill brings back more. */
  marked(isTaken: boolean): void {
    this.#refused = !isTaken;
  }

  /** There is an answer, which may yet break. */
  answered(): void {
    this.#underWay -= 1;
    if (this.#refused) for (const key of this.#settling) this.#exposed.add(key);
    else if (this.#settling.size > 0) this.#again.clear();
    this.#settling.clear();
  }

  broke(): void {
    this.#broken += 1;
  }

  /** It came whole. Gives what was read before, and cannot come again. */
  take(keys: readonly string[]): ReadonlySet<string> {
    this.#broken = keys.length === 0 ? 0 : Math.max(0, this.#broken - 1);
    const wrong = new Set<string>();
    for (const key of keys) {
      if (this.#read.has(key) && !this.#again.delete(key)) wrong.add(key);
      this.#read.add(key);
      this.#exposed.add(key);
    }
    return wrong;
  }

  has(key: string): boolean {
    return this.#read.has(key);
  }
}
