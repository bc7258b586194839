import type { Clock } from "../../../contract/host.ts";
import { inTime } from "../../kit/in-time.ts";

/** Most time without a byte, and most time for a body of JSON, in ms. */
export const SILENCE_MS = 60_000;
/** Most time for a file, beside what it takes at 64 KiB a second. */
const WHOLE_MS = 120_000;
const SLOWEST_BYTES_PER_MS = 64;

/**
 * The parts of a body of so many bytes at most, as they come. Throws when no part comes for too long, or all of them
 * take too long. It leaves the source open then, so that the client can still be answered.
 */
export async function* inPace(
  source: AsyncIterable<Uint8Array>,
  bytes: number,
  clock: Clock,
): AsyncGenerator<Uint8Array, void> {
  const untilMs = clock.monoMs() + WHOLE_MS + bytes / SLOWEST_BYTES_PER_MS;
  const iterator = source[Symbol.asyncIterator]();
  let isLate = false;
  try {
    for (;;) {
      const ms = Math.max(0, Math.min(SILENCE_MS, untilMs - clock.monoMs()));
      const next = await inTime(iterator.next(), { clock, ms }, () => null);
      isLate = next === null;
      if (next === null) throw new Error("the body came too slowly");
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    if (!isLate) void iterator.return?.();
  }
}
