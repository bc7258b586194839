import { LogError } from "../errors.ts";
import type { Appended, Batch, Log } from "../log.ts";

/** `Log.appendThen` of a log that has `append` only. */
export function appendThen(
  log: Pick<Log, "append">,
  batch: Batch,
  settle: (outcome: Appended | LogError) => void,
): void {
  log.append(batch).then(settle, (error: unknown) => {
    if (!(error instanceof LogError)) throw error;
    settle(error);
  });
}
