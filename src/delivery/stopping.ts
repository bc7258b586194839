import type { Clock } from "../contract/host.ts";
import { onAbort } from "../lib/abort.ts";
import type { Calls } from "./calls.ts";

/** How long a stop goes on after its signal, in ms. */
const STOP_GRACE_MS = 500;

interface Stoppable {
  readonly clock: Clock;
  readonly calls: Calls;
  /** No handler of the lane counts any more. */
  readonly over: () => void;
  /** Brings all that is to be remembered to the disk. */
  readonly close: () => Promise<void>;
}

/** Waits for what is under way, for as long as the signal lets it, and a moment longer; then for the disk, within the same time. */
export async function stopLane({ clock, calls, over, close }: Stoppable, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<void>();
  let cancel = (): void => undefined;
  const release = onAbort(signal, () => {
    calls.abortAll();
    cancel = clock.after(STOP_GRACE_MS, late.resolve);
  });
  await Promise.race([calls.idle(), late.promise]);
  // What has not ended is settled by the next start, from the intent on disk.
  calls.abandonAll();
  over();
  await Promise.race([close(), late.promise]);
  release();
  cancel();
}
