import { LogError } from "../errors.ts";

/** Messages that were skipped, and gaps where commits were deleted. */
export interface StreamFaults {
  readonly skipped: number;
  readonly gaps: number;
}

export const PARTS_LOST = new LogError(
  "unreachable",
  "The servers that carry the log were away for too long between the parts of a commit. Nothing was stored; try again.",
);

export const STORED_BEFORE = new LogError("unknown", "What this commit was answered when it was stored was not heard.");

export const STORED_LATER = new LogError("unknown", "The log was closed before this commit came back by the stream.");

export const DELETED = new LogError(
  "unknown",
  "The servers acknowledged this commit, but the stream no longer has it: it is not known on which nodes it is stored.",
);

export function behind(node: string, { code, message }: LogError): LogError {
  return new LogError(
    code,
    `${message} Until then this node (${node}) is behind the others, and its retention makes no room: what it deletes comes behind what waits. Delete something else on that disk, or stop this node and move its data folder to a larger one.`,
  );
}

export const closed = (reason: string): LogError =>
  new LogError("unreachable", `The connection to the servers of the log was given up${reason}.`);

/** Counts the faults of a stream, and warns of each. */
export class StreamFaultCounter {
  readonly #name: string;
  readonly #node: string;
  readonly #warn: (error: LogError) => void;
  #skipped = 0;
  #lastSkipped = 0;
  #gaps = 0;

  constructor(name: string, node: string, warn: (error: LogError) => void) {
    this.#name = name;
    this.#node = node;
    this.#warn = warn;
  }

  get counts(): StreamFaults {
    return { skipped: this.#skipped, gaps: this.#gaps };
  }

  /** Counts the message at each place once, also when it is read again. */
  skip(seq: number): void {
    if (seq <= this.#lastSkipped) return;
    this.#lastSkipped = seq;
    this.#skipped += 1;
    this.#warn(skipped(this.#name));
  }

  gap(of: string): void {
    this.#gaps += 1;
    this.#warn(missing(this.#name, of, this.#node));
  }
}

/** The text is always the same, so that it is logged once and not for each message. */
function skipped(name: string): LogError {
  return new LogError(
    "stream",
    `The stream ${name} has messages that are damaged, or that another program wrote. All nodes skip them. Find the program that publishes there, and let only Rialto connect to these servers: docs/cluster.md says how.`,
  );
}

/** As above, once for each node. */
function missing(name: string, of: string, node: string): LogError {
  return new LogError(
    "stream",
    `Commits of the node ${of} are missing in the stream ${name}: they were deleted or damaged on the servers, or the servers were away for too long between the parts of one. The log of this node (${node}) lacks what they held. Another node may have applied them before: stop this node, move log.sqlite out of its data folder, and start it when such a node has made a new snapshot.`,
  );
}

export function unimported(name: string): LogError {
  return new LogError(
    "unreachable",
    `The stream ${name} begins with a log that is imported, and the servers have no snapshot of that yet. Start this node again when "rialto log import" has finished. If that was interrupted, repeat it with the same file.`,
  );
}

export function unclear(node: string, place: number): LogError {
  return new LogError(
    "diverged",
    `The logs of the nodes are no longer the same, at ${place} of the stream. As many are like that of this node (${node}) as are like another, and no node that holds the log has said which is right: all go on, each with its own. Decide which is right, stop the others, copy its log.sqlite into their data folders in place of their own while it is stopped too, and start all.`,
  );
}

export function diverged(node: string, place: number): LogError {
  return new LogError(
    "diverged",
    `The log of this node (${node}) is no longer the same as those of the others, at ${place} of the stream. It is put aside as log.sqlite.diverged: start this node again, and it begins with a snapshot that another one has made.`,
  );
}
