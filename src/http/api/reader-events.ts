/** What a stream hub tells the account it serves. */
export interface ReaderEvents {
  /** From now on the stream position follows the head. */
  streamLive(): void;
  /** Nobody is live any more; the stream position is this index. */
  streamAt(index: number): void;
  /** Items that fell out of the buffer before a reader got them. */
  skipped(count: number): void;
  cut(why: string): void;
}
