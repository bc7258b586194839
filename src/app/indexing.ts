import type { LogSearch } from "../log/search.ts";
import type { Seq } from "../log/log.ts";
import { LogError } from "../log/errors.ts";
import type { Logger } from "../logger.ts";
import { describe } from "../lib/describe.ts";

/** How often it is said how far the index is, in ms. */
const SAY_MS = 10_000;
/** So few new entries are no news: the index follows behind every commit. */
const FEW = 10_000;

interface Watched {
  readonly head: Seq;
  readonly archive: Pick<LogSearch, "indexed">;
}

/**
 * Says how far the making of the index of words is, when there is much to do: after Search was switched on, or a file
 * was lost. Ends by itself.
 */
export function reportIndexing(log: Watched, logger: Logger): void {
  let isTold = false;
  const look = async (): Promise<void> => {
    const indexed = await log.archive.indexed();
    if (indexed === null) return clearInterval(timer);
    const left = log.head - indexed;
    if (left > FEW) {
      isTold = true;
      logger.info({ indexed, head: log.head }, "the index of words for Search is being made");
      return;
    }
    if (isTold) logger.info({ indexed }, "the index of words for Search is complete");
    clearInterval(timer);
  };
  const failed = (error: unknown): void => {
    clearInterval(timer);
    if (error instanceof LogError && error.code === "closed") return;
    logger.warn({ error: describe(error) }, "the index of words for Search cannot be used");
  };
  const timer = setInterval(() => void look().catch(failed), SAY_MS).unref();
  void look().catch(failed);
}
