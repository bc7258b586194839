import type { Account } from "../config/config.ts";
import { EventLabel, type Message } from "../contract/message.ts";
import type { Seq } from "../log/log.ts";
import type { About } from "./codec.ts";

/** Whether the clients of an account of the API know messages by their ids; never of a network. */
export function hasFullEvents({ protocol, settings }: Account): boolean {
  return protocol === "api" && settings["FullEvents"] === true;
}

/** The events of messages that act on the one whose id they carry. */
export const ACTS: ReadonlySet<string> = new Set([
  EventLabel.edit,
  EventLabel.delete,
  EventLabel.reaction,
  EventLabel.reactionRemoved,
]);

/**
 * A message as a reader with FullEvents gets it. `id`: its own, or that of the message it acts on; `parent_id`: what it
 * answers. An id is the seq as text. Of two messages with one id the second is an edit, a deletion or a reaction, as
 * `event` says.
 */
export function fullMessage(message: Message, about: About | null, seq: Seq | null): Message {
  const own = seq === null ? "" : String(seq);
  if (about === null || about.is === "reply") {
    // A client without FullEvents may post any label.
    const event = ACTS.has(message.event) ? "" : message.event;
    const parent = about?.seq ?? null;
    // What was given and names nothing here may name another message elsewhere.
    return { ...message, event, id: own, parent_id: parent === null ? "" : String(parent) };
  }
  return { ...message, event: eventOf(about), id: String(about.seq), parent_id: "" };
}

function eventOf({ is, on }: About): string {
  if (is === "edit") return EventLabel.edit;
  if (is === "delete") return EventLabel.delete;
  return on ? EventLabel.reaction : EventLabel.reactionRemoved;
}
