import type { ReasonCode } from "../../contract/outcome.ts";

/** What one of Slack's errors means for what was asked. */
type SlackErrorKind =
  /** Too much was asked. */
  | "limit"
  /** Slack is at fault: some of what was asked may have been done. */
  | "trouble"
  /** It was not done, and a later try may find that otherwise. */
  | "passing"
  /** The token is of no use for anything until a person does something. */
  | "no entry"
  /** A right that the app lacks. */
  | "scope"
  /** The channel is none of ours now. */
  | "no channel"
  /** A right that the workspace or the channel gives only to others. */
  | "restricted"
  /** The thread cannot be answered: what was for it can be said outside of it. */
  | "no thread"
  /** The message is there no longer. */
  | "gone"
  | "refused";

interface SlackErrorFacts {
  readonly kind: SlackErrorKind;
  readonly code: ReasonCode;
  /** What has happened, for people; empty: the error says it. */
  readonly says: string;
  /** What helps, with `{app}` for the name of ours; empty: nobody knows. */
  readonly remedy: string;
}

type Row = readonly [
  error: string,
  kind: SlackErrorKind,
  code: ReasonCode,
  facts?: Partial<Pick<SlackErrorFacts, "says" | "remedy">>,
];

const NEW_TOKEN = "install the app anew (api.slack.com/apps > OAuth & Permissions) and set Token";
const ADMINS = "ask the administrators of the workspace";
const OURS = "only what the app itself has posted can be changed by it";
const LONG = "the text is longer than a message can be";
const FULL = "the message has as many different reactions as it can have";
const OTHERS =
  "the workspace or the channel allows this only to others (channel settings > Posting permissions, or the workspace's own)";

/** All that Rialto knows of Slack's errors. Any other one is a refusal that no retry helps against. */
const ROWS: readonly Row[] = [
  ["accesslimited", "passing", "rate_limited"],
  ["message_limit_exceeded", "limit", "rate_limited"],
  ["rate_limited", "limit", "rate_limited"],
  ["ratelimited", "limit", "rate_limited"],

  ["fatal_error", "trouble", "remote_error"],
  ["internal_error", "trouble", "remote_error"],
  ["service_unavailable", "trouble", "remote_error"],
  ["team_added_to_org", "trouble", "remote_error"],
  ["external_channel_migrating", "passing", "remote_error"],
  ["request_timeout", "passing", "timeout"],

  [
    "account_inactive",
    "no entry",
    "auth",
    { says: "the app was removed from the workspace, or the workspace is no more", remedy: NEW_TOKEN },
  ],
  ["invalid_auth", "no entry", "auth", { remedy: NEW_TOKEN }],
  ["not_authed", "no entry", "auth", { remedy: NEW_TOKEN }],
  ["team_disabled", "no entry", "auth", { says: "the workspace is closed", remedy: ADMINS }],
  [
    "token_expired",
    "no entry",
    "auth",
    { says: "it was of an app with token rotation", remedy: `switch token rotation off, ${NEW_TOKEN}` },
  ],
  [
    "token_revoked",
    "no entry",
    "auth",
    {
      says: "it was revoked; install the app anew",
      remedy: "set Token to the new one (api.slack.com/apps > OAuth & Permissions)",
    },
  ],
  ["user_removed_from_team", "no entry", "auth", { says: "the app's bot was removed", remedy: NEW_TOKEN }],
  ["access_denied", "no entry", "forbidden", { remedy: ADMINS }],
  ["ekm_access_denied", "no entry", "forbidden", { says: "the workspace's keys are withdrawn", remedy: ADMINS }],
  ["enterprise_is_restricted", "no entry", "forbidden", { remedy: ADMINS }],
  ["no_permission", "no entry", "forbidden", { remedy: ADMINS }],
  ["org_login_required", "no entry", "forbidden", { remedy: ADMINS }],
  ["team_access_not_granted", "no entry", "forbidden", { remedy: ADMINS }],
  ["two_factor_setup_required", "no entry", "forbidden", { remedy: ADMINS }],
  [
    "not_allowed_token_type",
    "no entry",
    "forbidden",
    { remedy: "Token must be the bot's token, which begins with xoxb-" },
  ],
  ["missing_scope", "scope", "forbidden"],
  ["as_user_not_supported", "refused", "config", { remedy: "Token is of an old kind of app; make a new one" }],

  [
    "not_in_channel",
    "no channel",
    "forbidden",
    { says: "the app is no longer in the channel", remedy: "write there: /invite @{app}" },
  ],
  [
    "channel_not_found",
    "no channel",
    "not_found",
    { says: "it is gone, or private and without the app", remedy: "if so, write there: /invite @{app}" },
  ],
  [
    "is_archived",
    "no channel",
    "forbidden",
    { says: "the channel is archived", remedy: "Rialto joins it again when somebody unarchives it" },
  ],

  ["restricted_action", "restricted", "forbidden", { remedy: OTHERS }],
  ["posting_to_channel_denied", "restricted", "forbidden", { remedy: OTHERS }],
  ["posting_to_general_channel_denied", "restricted", "forbidden", { remedy: OTHERS }],
  ["restricted_action_non_threadable_channel", "no thread", "forbidden", { remedy: OTHERS }],
  ["restricted_action_thread_locked", "no thread", "forbidden", { remedy: OTHERS }],
  ["cannot_reply_to_message", "no thread", "bad_content"],
  ["invalid_thread_ts", "no thread", "bad_content"],
  ["thread_not_found", "no thread", "not_found"],

  ["message_not_found", "gone", "not_found", { remedy: "the message no longer exists" }],
  ["file_not_found", "refused", "not_found"],
  ["user_not_found", "refused", "not_found"],
  ["cant_delete_message", "refused", "forbidden", { remedy: OURS }],
  ["cant_update_message", "refused", "forbidden", { remedy: OURS }],
  ["compliance_exports_prevent_deletion", "refused", "forbidden", { remedy: "the workspace allows this no more" }],
  [
    "edit_window_closed",
    "refused",
    "forbidden",
    {
      remedy: "the workspace limits for how long messages can be edited (Settings & permissions > Message editing)",
    },
  ],
  ["file_upload_size_restricted", "refused", "too_large"],
  ["metadata_too_large", "refused", "too_large"],
  ["msg_blocks_too_long", "refused", "too_large", { remedy: LONG }],
  ["msg_too_long", "refused", "too_large", { remedy: LONG }],
  ["not_reactable", "refused", "unsupported", { remedy: "nobody can react to this" }],
  ["too_many_emoji", "refused", "unsupported", { remedy: FULL }],
  ["too_many_reactions", "refused", "unsupported", { remedy: FULL }],
];

const TABLE: ReadonlyMap<string, SlackErrorFacts> = new Map(
  ROWS.map(([error, kind, code, { says = "", remedy = "" } = {}]) => [error, { kind, code, says, remedy }]),
);
const RESTRICTED: SlackErrorFacts = { kind: "restricted", code: "forbidden", says: "", remedy: OTHERS };
const UNHEARD: SlackErrorFacts = { kind: "refused", code: "bad_content", says: "", remedy: "" };

/** What is known of an error. */
export function factsOf(error: string): SlackErrorFacts {
  return TABLE.get(error) ?? (error.startsWith("restricted_action") ? RESTRICTED : UNHEARD);
}

/** The token is no good, for all that can be asked. */
export const AUTH_ERRORS: ReadonlySet<string> = new Set(
  ROWS.flatMap(([error, , code]) => (code === "auth" ? [error] : [])),
);
