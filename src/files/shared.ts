/**
 * What several machines have together of files, on the servers that carry their log. Each method rejects with an error
 * when the servers cannot be asked, do not answer, or refuse. A SHA-256 is lower-case hex.
 */
export interface SharedContents {
  /** 32 bytes that are the same on all machines; made when there are none. */
  secret(): Promise<Uint8Array>;
  /** Whether the content is there, whole; it counts as used now. */
  use(sha256: string): Promise<boolean>;
  /** Resolves when most of the servers have the whole content on their disks, or with false: they have no room. */
  put(sha256: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<boolean>;
  /**
   * The content whose SHA-256 begins with these digits (32 at least), which throws where it is not what was put; null:
   * it is not there.
   */
  get(beginning: string, signal: AbortSignal): Promise<SharedContent | null>;
  /** Keeps what is known of a file; false: they have no room. `id`: the SHA-256 of its id. */
  note(id: string, known: SharedNote, signal: AbortSignal): Promise<boolean>;
  noted(id: string): Promise<SharedNote | null>;
  /**
   * Removes what was not used for `keepMs`, and, when the rest takes more than `bytesMax`, what has the lowest rank,
   * and of equal ranks the longest unused; `room`: so much less, as there was no room for that much. `bytes`: what
   * stays; `removed`: how many.
   */
  sweep(
    limits: {
      readonly keepMs: number;
      readonly bytesMax: number;
      readonly room: number;
      /** Asked when the rest is over the limit. */
      readonly ranking: () => Promise<(sha256: string) => number>;
    },
    signal: AbortSignal,
  ): Promise<{ readonly bytes: number; readonly removed: number }>;
}

interface SharedContent {
  readonly sha256: string;
  readonly bytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

interface SharedNote {
  /** Of its content. */
  readonly sha256: string;
  readonly facts: string;
}
