/**
 * A connection that is given the items of a feed: a stream or a WebSocket. `Chunk` is what some items look like on it.
 */
export interface ReaderConnection<Chunk> {
  /** Bytes that the kernel has not taken yet. */
  readonly unsent: number;
  /** Bytes that the kernel has taken. */
  readonly taken: number;
  /** True as soon as nothing more can be written. */
  readonly closed: boolean;
  write(chunk: Chunk): void;
  /**
   * Calls back, at once if possible, when the kernel has taken everything written so far; never if the connection
   * closes first.
   */
  whenTaken(listener: () => void): void;
  onDrain(listener: () => void): void;
  /** `isReset`: the client went before it had read everything that the kernel took. */
  onClose(listener: (isReset: boolean) => void): void;
  /**
   * Periodic: shows that we are there, and finds out whether the client is. `silentMs`: since when no reader was sent
   * anything.
   */
  beat(nowMs: number, silentMs: number): void;
  /** Ends it properly. */
  end(): void;
  destroy(): void;
}

/** What a hub tells the account it serves. */
export interface HubEvents {
  /** More was taken. */
  moved(): void;
  /** What was taken turned out to be unread. */
  fell(): void;
  /** Items fell out of the buffer before a reader got them. */
  skipped(count: number): void;
  cut(why: string): void;
}
