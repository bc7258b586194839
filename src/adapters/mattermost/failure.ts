import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome, Reason } from "../../contract/outcome.ts";
import { isObject, textIn } from "../kit/json.ts";
import { AGAIN_MS, deferred, RATE_MS, rejected } from "../kit/outcomes.ts";
import type { RestFailure } from "../kit/rest.ts";
import type { MattermostLink } from "./link.ts";
import { codeOf, refusalId } from "./login.ts";

/** Only a person can give a permission: the next try has time. */
const PERSON_MS = 60_000;
/** A proxy before the server refuses in its place, for reasons of its own. */
const ELSEWHERE_MS = 10_000;
/** A channel that we are no longer in, or that is archived: an event says when that changes. */
const LOST_MS = 60_000;

/** What was to be done, for people, and the permission that it needs. */
export interface Doing {
  readonly what: "post" | "edit the post" | "delete the post" | "react" | "upload the file" | "set the header";
  readonly permission: string;
}

export const POSTING: Doing = { what: "post", permission: "create_post" };
export const EDITING: Doing = { what: "edit the post", permission: "edit_post" };
export const DELETING: Doing = { what: "delete the post", permission: "delete_post" };
export const REACTING: Doing = { what: "react", permission: "add_reaction" };
export const UPLOADING: Doing = { what: "upload the file", permission: "upload_file" };

/** By the type of the channel. */
export function headerOf(type: string): Doing {
  const permission = type === "P" ? "manage_private_channel_properties" : "manage_public_channel_properties";
  return { what: "set the header", permission };
}

interface Failing {
  readonly link: MattermostLink;
  readonly channel: ChannelRef;
  readonly doing: Doing;
  readonly signal: AbortSignal;
}

/** How a request ended that was to change something, when not well. */
export async function outcomeOf(failure: RestFailure, failing: Failing): Promise<Outcome> {
  const { message, status, retryAfterMs, certain } = failure;
  const why: Reason = { code: codeOf(failure), message };
  if (status === 429) return deferred(why, retryAfterMs ?? RATE_MS, "session");
  if (!certain) return { is: "unknown", why };
  if (status === 0) return deferred(why, AGAIN_MS, "session");
  if (status === 401) return unauthorized(failure);
  if (refusalId(failure).match(/deleted|archived/) !== null) return archived(failing);
  if (status === 403 || status === 404) {
    return refusalId(failure) === "" ? elsewhere(failure, failing.doing) : await forbidden(failure, failing);
  }
  if (refusalId(failure).includes("message_length")) {
    const longer = `${message} (the server's MaxPostSize is ${failing.link.limits.postMax} characters)`;
    return rejected("too_large", longer);
  }
  if (refusalId(failure).includes("time_limit")) {
    const remedy = "set System Console > User Management > Permissions > Edit own posts to no limit";
    return rejected("forbidden", `${message}: ${remedy}`);
  }
  return rejected(why.code, message);
}

/** The session ends by itself: its stream is of the same login. */
function unauthorized(failure: RestFailure): Outcome {
  const remedy = refusalId(failure).includes("mfa")
    ? "the server demands a second factor, which Rialto has not: use Token, of a bot account or a personal access token"
    : "the login has ended or the token was revoked; create a new one and set Token";
  return deferred({ code: "auth", message: `${failure.message}; ${remedy}` }, RATE_MS, "session");
}

/** Mattermost gives each refusal an id: this one may say nothing of the message. */
function elsewhere(failure: RestFailure, doing: Doing): Outcome {
  const { message, retryAfterMs } = failure;
  // A text does not wait for its files.
  if (doing === UPLOADING) return rejected(codeOf(failure), message);
  const said = `${message}, which is no answer of Mattermost: look at what is between Rialto and Server`;
  return deferred({ code: "network", message: said }, retryAfterMs ?? ELSEWHERE_MS, "channel");
}

function archived({ link, channel }: Failing): Outcome {
  const why: Reason = {
    code: "not_found",
    message: "the channel is archived; Rialto joins it again when somebody unarchives it",
  };
  link.lose(channel, why, LOST_MS);
  return deferred(why, AGAIN_MS, "channel");
}

/** A refusal may mean that we were removed: then it is not forever. */
async function forbidden(failure: RestFailure, { link, channel, doing, signal }: Failing): Promise<Outcome> {
  const { me, api } = link;
  const member = await api.isInChannel(channel, me.id, signal);
  if (!member.ok && member.failure.status !== 403) {
    const why = { code: codeOf(member.failure), message: member.failure.message };
    return deferred(why, member.failure.retryAfterMs ?? AGAIN_MS, "session");
  }
  if (!member.ok || !member.value) {
    const message = `@${me.username} is no longer in the channel; add it there (/invite @${me.username})`;
    link.lose(channel, { code: "forbidden", message }, LOST_MS);
    return deferred({ code: "forbidden", message }, AGAIN_MS, "channel");
  }
  if (failure.status === 404) return rejected("not_found", failure.message);
  if (!OF_RIGHTS.test(refusalId(failure))) return rejected("forbidden", failure.message);
  const permission = permissionIn(failure) ?? doing.permission;
  const where = "System Console > User Management > Permissions, or the channel's own moderation";
  const message = `@${me.username} may not ${doing.what} here: it lacks the permission ${permission} (${where})`;
  if (doing === POSTING) {
    const again = `${message}; Rialto tries again every minute`;
    return deferred({ code: "forbidden", message: again }, PERSON_MS, "channel");
  }
  return rejected("forbidden", message);
}

/** Refusals that a right of ours would change; others are about the message. */
const OF_RIGHTS = /permission|read_?only/u;

/** Servers in developer mode name it. */
function permissionIn({ body }: RestFailure): string | null {
  const detail = isObject(body) ? (textIn(body, "detailed_error") ?? "") : "";
  return /\bpermission=(?<name>[a-z_]{1,64})\b/u.exec(detail)?.groups?.["name"] ?? null;
}

/** Whether something is there no longer. */
export const isGone = ({ status }: RestFailure): boolean => status === 404;
/** The answer was a success, but it says nothing. */
export const MUTE: Outcome = {
  is: "unknown",
  why: { code: "remote_error", message: "Mattermost answers without the post" },
};
