import type { Clock } from "../contract/host.ts";
import { onAbort } from "../lib/abort.ts";

/** How a task with a limit came out; `late`: it was given up, and whatever it still does is nobody's. */
export type Timed<T> = { readonly late: false; readonly value: T } | { readonly late: true };

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Gives up before the time is over. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a task for at most `ms`. The signal it is given is aborted when it is given up, and it is not waited for then.
 * Rejects with what the task rejects with while it was waited for.
 */
export async function within<T>(
  { clock, ms, signal }: Deadline,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> {
  const limit = new AbortController();
  const given = Promise.withResolvers<Timed<T>>();
  const giveUp = (): void => {
    given.resolve({ late: true });
    limit.abort();
  };
  const cancel = clock.after(ms, giveUp);
  const release = onAbort(signal, giveUp);
  try {
    const running = task(limit.signal).then((value): Timed<T> => ({ late: false, value }));
    return await Promise.race([running, given.promise]);
  } finally {
    cancel();
    release();
  }
}

/** Waits for `ms`, or until the signal is aborted. */
export async function pause({ clock, ms, signal }: Deadline): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = clock.after(ms, over.resolve);
  const release = onAbort(signal, over.resolve);
  await over.promise;
  cancel();
  release();
}
