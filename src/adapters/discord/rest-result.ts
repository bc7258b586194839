import type { RestFailure } from "../kit/rest.ts";
import type { DiscordLimitScope } from "./rest-limits.ts";

export type DiscordResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: DiscordFailure };

export interface DiscordFailure {
  readonly why: RestFailure["why"];
  /** HTTP status; 0 when no answer came, or nothing was asked. */
  readonly status: number;
  /** The network's own number for it (`RESTJSONErrorCodes`); 0: none. */
  readonly code: number;
  /** For people; holds neither token nor path. */
  readonly message: string;
  /** It was certainly not done. */
  readonly certain: boolean;
  readonly retryAfterMs: number | null;
  /** What a rate limit concerns: `global`: everything that we ask; null: it is none. */
  readonly scope: DiscordLimitScope | null;
}
