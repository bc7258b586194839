/**
 * Keeps the mark of what readers have taken on the disk: never beyond it, and behind it by a commit or two. So a crash
 * may hand out again what was written in the last moment, and drops nothing.
 *
 * A position counts only when the event loop has looked at all sockets since: a write to a client that has gone fails
 * in that time, and the position falls back. It then goes with the next commit; one that falls back causes a commit.
 */
export interface TakenMarkOptions {
  /** What was taken by now. */
  readonly position: () => number;
  /** The disk has what was taken when this begins. */
  readonly written: boolean;
  /** `isUrgent`: not with the next commit but at once. Resolves when it is durable, or refused for now. */
  readonly put: (position: number, isUrgent: boolean) => Promise<void>;
}

export class TakenMark {
  readonly #options: TakenMarkOptions;
  /** As it was when the event loop last went on. */
  #seen: number;
  #confirmed: number;
  /** The last that was put, and how many of those that were are not known to be durable. */
  #put: number;
  #unsettled = 0;
  #watching = false;
  /** There is something to keep. */
  #begun: boolean;

  constructor(options: TakenMarkOptions) {
    this.#options = options;
    this.#seen = options.written ? options.position() : -1;
    this.#begun = options.written;
    this.#confirmed = this.#seen;
    this.#put = this.#seen;
  }

  /** More was taken. */
  moved(): void {
    this.#begun = true;
    if (this.#watching || this.#options.position() <= this.#confirmed) return;
    this.#watching = true;
    this.#seen = this.#confirmed;
    setImmediate(() => this.#look());
  }

  /** What was taken turned out to be unread. */
  fell(): void {
    this.#confirmed = Math.min(this.#confirmed, this.#options.position());
    if (this.#confirmed < this.#put) void this.#write(true);
  }

  /** When no reader is left: resolves when the position is durable, or refused for now. */
  async settled(): Promise<void> {
    if (!this.#begun) return;
    this.#confirmed = this.#options.position();
    if (this.#unsettled > 0 || this.#confirmed !== this.#put) await this.#write(true);
  }

  /** Once in a turn of the event loop, after it has looked at the sockets. */
  #look(): void {
    const position = this.#options.position();
    this.#confirmed = Math.min(this.#seen, position);
    if (this.#confirmed > this.#put) void this.#write(false);
    this.#seen = position;
    this.#watching = position > this.#confirmed;
    if (this.#watching) setImmediate(() => this.#look());
  }

  async #write(isUrgent: boolean): Promise<void> {
    this.#put = this.#confirmed;
    this.#unsettled += 1;
    await this.#options.put(this.#put, isUrgent);
    this.#unsettled -= 1;
  }
}
