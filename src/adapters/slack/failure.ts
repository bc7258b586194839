import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome, Reason } from "../../contract/outcome.ts";
import { AGAIN_MS, deferred, RATE_MS, rejected, retryWithin } from "../kit/outcomes.ts";
import { factsOf } from "./errors.ts";
import type { SlackLink } from "./link.ts";
import { codeOf, type SlackFailure } from "./result.ts";

/** Whoever may give us a right is a person. */
const PERSON_MS = 60_000;
/** A channel that we are no longer in, or that is archived: an event says when that changes. */
const LOST_MS = 60_000;

/** What stands before Slack's servers, and answers in their place. */
const ELSEWHERE_MS = 10_000;

/** What was to be done, for people. */
export type SlackDoing =
  | "post"
  | "edit the message"
  | "delete the message"
  | "react"
  | "set the topic"
  | "share files"
  | "delete a file";

interface Failing {
  readonly link: Pick<SlackLink, "lose" | "me">;
  readonly channel: ChannelRef;
  readonly doing: SlackDoing;
}

/** How a request ended that was to change something, when not well. */
export function outcomeOf(failure: SlackFailure, failing: Failing): Outcome {
  const { message, status, error, certain } = failure;
  const { kind, says, remedy } = factsOf(error);
  const why: Reason = { code: codeOf(failure), message };
  if (isLimited(failure)) {
    const waitMs = retryWithin(failure.retryAfterMs ?? RATE_MS);
    return deferred({ code: "rate_limited", message }, waitMs, "channel");
  }
  if (!certain) return { is: "unknown", why };
  if (status === 0) return deferred(why, AGAIN_MS, "session");
  if (error === "") return elsewhere(why);
  const helped = [says, remedy.replace("{app}", failing.link.me.name)].filter((one) => one !== "").join("; ");
  const said = helped === "" ? message : `${message}: ${helped}`;
  switch (kind) {
    case "passing":
      return deferred(why, AGAIN_MS, "channel");
    case "no entry":
      return deferred({ code: "auth", message: said }, PERSON_MS, "session");
    case "no channel":
      failing.link.lose(failing.channel, { ...why, message: said }, LOST_MS);
      return deferred({ ...why, message: said }, AGAIN_MS, "channel");
    case "scope":
    case "restricted":
      return untilPerson({ code: "forbidden", message: said }, failing);
    case "limit":
    case "trouble":
    case "no thread":
    case "gone":
    case "refused":
      return { is: "rejected", why: { ...why, message: said } };
  }
}

/** Slack has said nothing: it is a page of something on the way there, and not about the message but for its size. */
function elsewhere({ code, message }: Reason): Outcome {
  if (code === "too_large") return rejected(code, message);
  const said = `${message}, which is no answer of Slack: look at what is between Rialto and ApiURL`;
  // Something on the way may refuse this message alone.
  return deferred({ code: "network", message: said }, ELSEWHERE_MS, "channel");
}

/** For what only reads before something is done: it has changed nothing, so it can be tried again. */
export function readingFailed(failure: SlackFailure, failing: Failing): Outcome {
  const outcome = outcomeOf(failure, failing);
  return outcome.is === "unknown" ? deferred(outcome.why, AGAIN_MS, "channel") : outcome;
}

/** Nobody lets us read there, and that stays so until a person changes it. */
export const isNotToRead = ({ error }: Pick<SlackFailure, "error">): boolean => error === "missing_scope";

/** A person gives the right, and the same token has it from then on. Only what people said waits for that. */
function untilPerson({ code, message }: Reason, { doing }: Failing): Outcome {
  if (doing !== "post") return rejected(code, message);
  return deferred({ code, message: `${message}; Rialto tries again every minute` }, PERSON_MS, "channel");
}

export const isLimited = ({ status, error }: Pick<SlackFailure, "status" | "error">): boolean =>
  status === 429 || factsOf(error).kind === "limit";

/** The answer was a success, but it says nothing. */
export const MUTE: Outcome = {
  is: "unknown",
  why: { code: "remote_error", message: "Slack answers without the message" },
};

/** The network has objected to the pace in this channel. */
export const slowed = (retryInMs: number): Outcome =>
  deferred(
    { code: "rate_limited", message: "Slack limits how many messages a channel takes" },
    retryWithin(retryInMs),
    "channel",
  );

/** Something is there no longer. */
export const isGone = ({ error }: Pick<SlackFailure, "error">): boolean => factsOf(error).kind === "gone";

/** The thread cannot be answered. */
export const isNoThread = ({ error }: Pick<SlackFailure, "error">): boolean => factsOf(error).kind === "no thread";
