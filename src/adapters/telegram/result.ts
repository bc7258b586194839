import type { ReasonCode } from "../../contract/outcome.ts";
import type { RestFailure } from "../kit/rest.ts";

/** How a call ended when not well. */
export interface TelegramFailure {
  readonly code: ReasonCode;
  readonly why: RestFailure["why"];
  /** Telegram's `error_code`, or the HTTP status of what stands before it; 0 when no answer came. */
  readonly status: number;
  /** Telegram's own words, as `Bad Request: chat not found`; empty: it has said none. Holds no token. */
  readonly description: string;
  /** For people. Holds no token and no address with one. */
  readonly message: string;
  /** When to try again, by the server's own word. */
  readonly retryAfterMs: number | null;
  /** The id that the chat has now. */
  readonly migrateTo: number | null;
  /** It was certainly not done. */
  readonly certain: boolean;
}

export type TelegramResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: TelegramFailure };

/** Whether Telegram's words hold these, in whatever case: it has no codes of its own for most refusals. */
export const says = ({ description }: Pick<TelegramFailure, "description">, words: string): boolean =>
  description.toLowerCase().includes(words.toLowerCase());
