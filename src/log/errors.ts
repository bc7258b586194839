/** Why the log could not do it. `message` is for people; it never holds message text. */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;
  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type LogErrorCode =
  /** The disk is full or at its floor: retry later. */
  | "disk_full"
  /** More bytes wait for the disk than the log may hold in memory: retry later. */
  | "overloaded"
  /** The servers that carry the log have no quorum, or cannot be reached: nothing is stored, retry later. */
  | "unreachable"
  /** Whether it is stored was not to be found out in time: repeat it with its key. */
  | "unknown"
  /** Another node holds the account: nothing is stored. */
  | "fenced"
  /** The stream was deleted or made again, lacks what this node needs, or is of a newer version. */
  | "stream"
  /** The log of this node is not what those of the others are. */
  | "diverged"
  /** Reading or writing failed. */
  | "io"
  /** The file holds what cannot be: it is to be repaired. */
  | "damaged"
  /** The folder cannot be created or written. */
  | "unwritable"
  /** Another process holds the log. */
  | "locked"
  /** The file was written by a newer version, or is not a log. */
  | "format"
  | "closed";
