/** What one token of an account may do and hold. The account's own Token counts as one token. */
export interface Quotas {
  /** Requests that say something, for tokens without a number of their own; not for the account's own Token. */
  readonly postsPerMinute: number;
  /** Units: see `RateLimits.read`. */
  readonly readsPerMinute: number;
  /** Open at the same time. */
  readonly streams: number;
  readonly sockets: number;
  /** Under way at the same time. */
  readonly uploads: number;
}

/** Where nothing else is set. */
export const USUAL_QUOTAS: Quotas = {
  postsPerMinute: 60_000,
  readsPerMinute: 300_000,
  streams: 1000,
  sockets: 1000,
  uploads: 4,
};
