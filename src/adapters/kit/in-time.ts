import type { Clock } from "../../contract/host.ts";
import { onAbort } from "../../lib/abort.ts";

/** For how long something may be waited for. */
interface Limit {
  readonly clock: Pick<Clock, "after">;
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** What comes of the work, or of `otherwise` when it takes too long or the signal is aborted before. */
export async function inTime<T, U>(
  work: Promise<T>,
  { clock, ms, signal }: Limit,
  otherwise: (why: "late" | "aborted") => U,
): Promise<T | U> {
  const done = Promise.withResolvers<T | U>();
  const cancel = clock.after(ms, () => done.resolve(otherwise("late")));
  const release = onAbort(signal, () => done.resolve(otherwise("aborted")));
  work.then(done.resolve, done.reject);
  try {
    return await done.promise;
  } finally {
    cancel();
    release();
  }
}

/** Waits so long, or until something is over. */
export async function pause(ms: number, clock: Pick<Clock, "after">, over: Promise<unknown>): Promise<void> {
  await inTime<unknown, void>(over, { clock, ms }, () => undefined);
}
