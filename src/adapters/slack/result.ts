import type { ReasonCode } from "../../contract/outcome.ts";
import { codeOf as requestCodeOf } from "../kit/outcomes.ts";
import type { RestFailure } from "../kit/rest.ts";

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
export function codeOf(failure: Pick<SlackFailure, "error" | "why" | "status">): ReasonCode {
  const { error, why, status } = failure;
  if (error === "") return requestCodeOf({ why, status });
  return CODES.get(error) ?? (TROUBLE.has(error) ? "remote_error" : "bad_content");
}

/** The token is no good, for all that can be asked. */
export const AUTH_ERRORS: ReadonlySet<string> = new Set([
  "account_inactive",
  "invalid_auth",
  "not_authed",
  "team_disabled",
  "token_expired",
  "token_revoked",
  "user_removed_from_team",
]);

/** Slack is at fault: some of what was asked may have been done. */
export const TROUBLE: ReadonlySet<string> = new Set([
  "fatal_error",
  "internal_error",
  "service_unavailable",
  "team_added_to_org",
]);

const CODES: ReadonlyMap<string, ReasonCode> = new Map<string, ReasonCode>([
  ...Array.from(AUTH_ERRORS, (error) => [error, "auth"] as const),
  ...words("ratelimited rate_limited accesslimited", "rate_limited"),
  ...words(
    "missing_scope not_allowed_token_type access_denied no_permission ekm_access_denied restricted_action",
    "forbidden",
  ),
  ...words("not_in_channel is_archived cant_update_message cant_delete_message edit_window_closed", "forbidden"),
  ...words(
    "team_access_not_granted org_login_required enterprise_is_restricted two_factor_setup_required",
    "forbidden",
  ),
  ...words("channel_not_found message_not_found thread_not_found user_not_found file_not_found", "not_found"),
  ...words("msg_too_long msg_blocks_too_long file_upload_size_restricted metadata_too_large", "too_large"),
  ...words("request_timeout", "timeout"),
]);

function words(errors: string, code: ReasonCode): readonly (readonly [string, ReasonCode])[] {
  return errors.split(" ").map((error) => [error, code]);
}
