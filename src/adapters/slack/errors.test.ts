import { expect, test } from "vitest";
import type { ReasonCode } from "../../contract/outcome.ts";
import { AUTH_ERRORS, factsOf } from "./errors.ts";

test.each<[string, string, ReasonCode]>([
  ["ratelimited", "limit", "rate_limited"],
  ["internal_error", "trouble", "remote_error"],
  ["request_timeout", "passing", "timeout"],
  ["token_revoked", "no entry", "auth"],
  // The account is closed: it is no fault of the message.
  ["team_disabled", "no entry", "auth"],
  ["user_removed_from_team", "no entry", "auth"],
  ["org_login_required", "no entry", "forbidden"],
  ["missing_scope", "scope", "forbidden"],
  ["not_in_channel", "no channel", "forbidden"],
  ["restricted_action", "restricted", "forbidden"],
  ["restricted_action_read_only_channel", "restricted", "forbidden"],
  ["restricted_action_thread_locked", "no thread", "forbidden"],
  ["message_not_found", "gone", "not_found"],
  ["msg_too_long", "refused", "too_large"],
  ["nobody_has_heard_of_it", "refused", "bad_content"],
])("%s is %s: %s", (error, kind, code) => {
  expect(factsOf(error)).toMatchObject({ kind, code });
});

test("what is wrong with the token is wrong for all that is asked", () => {
  for (const error of AUTH_ERRORS) expect(factsOf(error)).toMatchObject({ kind: "no entry", code: "auth" });
  expect(AUTH_ERRORS.size).toBeGreaterThan(5);
});
