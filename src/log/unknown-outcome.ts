import { LogError } from "./errors.ts";
import type { Appended } from "./log.ts";

/** `unknown` for now: the servers that carry the log may have it, and what became of it will be found out. */
export class UnknownOutcome extends LogError {
  /** What became of it; never resolves when the process ends before. */
  readonly settled: Promise<Appended | LogError>;

  constructor(message: string, settled: Promise<Appended | LogError>) {
    super("unknown", message);
    this.settled = settled;
  }
}

/** Nobody may be told that it failed, nor that it is stored. */
export const isUnknown = (error: unknown): boolean => error instanceof LogError && error.code === "unknown";

/** Once it is known what became of it; otherwise as the append. */
export async function whenKnown(append: Promise<Appended>): Promise<Appended> {
  try {
    return await append;
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error;
    const outcome = await error.settled;
    if (outcome instanceof LogError) throw outcome;
    return outcome;
  }
}
