const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failed attempt the next one follows (standard-webhooks 1.0, with a day at its end). */
const RETRIES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** A part of the delay, either way: endpoints that failed together are not all tried again together. */
const JITTER = 0.2;
/** What an endpoint may ask for at most. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/** No delay is longer. */
export const DELAY_MAX_MS = 24 * HOUR_MS * (1 + JITTER);

/**
 * How long to wait after so many failed attempts; null: that was the last. `retryAfterMs`: what the endpoint asked for;
 * it makes a delay longer, never shorter. `random`: 0 <= x < 1.
 */
export function retryDelay(tries: number, retryAfterMs: number | null, random: number): number | null {
  const base = RETRIES_MS[tries - 1];
  if (base === undefined) return null;
  const delay = Math.round(base * (1 + JITTER * (2 * random - 1)));
  return Math.max(delay, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** Of `Retry-After`: seconds or a date (RFC 9110 §10.2.3), in ms from now on; null: neither. */
export function retryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/u.test(header)) return Number(header) * SECOND_MS;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
