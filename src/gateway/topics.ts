import type { Account } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import { EventLabel } from "../contract/message.ts";
import type { Loss } from "../contract/outcome.ts";
import type { Stored } from "./codec.ts";
import type { Narrowing } from "./planned.ts";
import { can } from "./room-limits.ts";

/**
 * Topics that SyncTopic carries. Where both are on, it goes before ShowTopicChange: a topic that is set needs no words.
 * What cannot be set is said in words, as the reference does on networks where it cannot set topics.
 */

/** The topic that the room gets; null: it is not set there. */
export function topicToSet(
  stored: Stored,
  room: Narrowing,
  { presentation }: Pick<Account, "presentation">,
  capabilities: Pick<Capabilities, "ops">,
): string | null {
  if (!presentation.syncTopic || stored.about !== null || stored.message.event !== EventLabel.topic) return null;
  return can("topic", room, capabilities) ? newTopic(stored) : null;
}

/** What is lost of a topic that is not set; null: nothing that anybody asked for. `isSaid`: in words instead. */
export function topicLoss(
  stored: Stored,
  { presentation }: Pick<Account, "presentation">,
  { ops }: Pick<Capabilities, "ops">,
): { readonly loss: Loss; readonly isSaid: boolean } | null {
  if (!presentation.syncTopic) return null;
  const isOther = newTopic(stored) === null;
  const isSaid = !isOther || ops.topic === "none" || presentation.showTopicChange;
  const why = isOther ? "it says nothing of a new topic" : "the topic cannot be set here";
  return { loss: { what: "topic", note: isSaid ? `${why}; said in words` : why }, isSaid };
}

function newTopic({ message, topic }: Stored): string | null {
  return message.protocol === "api" ? postedTopic(message.text) : topic;
}

/**
 * What a client of the API posts as a change of the topic is that of the reference's own wording; null: it names none.
 * Source: the reference's tests of how topics and purposes are read.
 */
function postedTopic(text: string): string | null {
  const found = POSTED.exec(text);
  return found === null ? null : (found.groups?.["topic"] ?? "");
}

const POSTED = /^@.+? (?:cleared(?: the)? channel topic$|set(?: the)? channel topic: (?<topic>.*)$)/su;
