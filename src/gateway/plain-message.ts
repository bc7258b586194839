import { EventLabel, JOIN_PART, type Message } from "../contract/message.ts";

/** Who speaks where nobody is named; the name that the reference gives to all such lines. */
export const NOBODY = "system";

/**
 * Who comes and goes, as networks are told: a line in which nobody speaks. What a client of the API posts under such a
 * label is what that client says.
 */
export function asNews(message: Message): Message {
  if (message.protocol === "api" || !JOIN_PART.has(message.event)) return message;
  return { ...message, username: NOBODY, userid: "", avatar: "", event: EventLabel.joinLeave };
}

/** A message as a reader without FullEvents gets it, with the labels that the reference has. */
export function plainMessage(message: Message): Message {
  const { event, protocol } = message;
  return event === EventLabel.notice && protocol !== "api" ? { ...message, event: "" } : asNews(message);
}
