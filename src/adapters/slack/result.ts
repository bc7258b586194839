import type { ReasonCode } from "../../contract/outcome.ts";
import { codeOf as requestCodeOf } from "../kit/outcomes.ts";
import type { RestFailure } from "../kit/rest.ts";
import { factsOf } from "./errors.ts";

/** How a call ended when not well. */
export interface SlackFailure extends RestFailure {
  /** Slack's own word, such as `not_in_channel`; `ratelimited` whenever too much was asked; empty: it has said none. */
  readonly error: string;
  /** Of `missing_scope`: those of which one is missing, with commas between them. */
  readonly needed: string;
}

export type SlackResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: SlackFailure };

/** The failure in the words of the contract. */
export function codeOf({ error, why, status }: Pick<SlackFailure, "error" | "why" | "status">): ReasonCode {
  return error === "" ? requestCodeOf({ why, status }) : factsOf(error).code;
}
