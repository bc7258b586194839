import type { Clock } from "../../contract/host.ts";
import { ProblemError } from "./problems.ts";

/** Without a byte. */
export const SILENCE_MS = 60_000;
/** For all of it, beside what it takes at 64 KiB a second. */
const WHOLE_MS = 120_000;
const SLOWEST = 64;

export const wholeMs = (bytes: number): number => WHOLE_MS + bytes / SLOWEST;

/**
 * The parts of a body as they come; throws a ProblemError `request_timeout` when none comes for too long, or all of
 * them take longer than `bytes` may. The time of who reads them counts only for all of them.
 */
export async function* inTime(
  parts: AsyncIterable<Uint8Array>,
  bytes: number,
  clock: Clock,
): AsyncGenerator<Uint8Array, void> {
  const untilMs = clock.monoMs() + wholeMs(bytes);
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const leftMs = untilMs - clock.monoMs();
      const next = await within(iterator.next(), Math.min(SILENCE_MS, leftMs), clock);
      if (next === null) throw leftMs < SILENCE_MS ? TOO_LONG : SILENT;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not waited for: of a request that is silent it may never come.
    iterator.return?.().catch(() => undefined);
  }
}

/** Null: not in time. */
async function within<T>(coming: Promise<T>, ms: number, clock: Clock): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const cancel = clock.after(ms, () => late.resolve(null));
  try {
    return await Promise.race([coming, late.promise]);
  } finally {
    cancel();
  }
}

const headers = { Connection: "close" };
const SILENT = new ProblemError("request_timeout", `nothing came in for ${SILENCE_MS / 1000} s`, { headers });
const TOO_LONG = new ProblemError(
  "request_timeout",
  `a file may take ${WHOLE_MS / 60_000} minutes, and a second more for each ${SLOWEST} KiB`,
  { headers },
);
