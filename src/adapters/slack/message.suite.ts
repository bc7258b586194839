import { messageIn, type SlackMessage } from "./model.ts";

/** A message of Alice in the channel C1, and what is given. */
export function slackMessage(raw: Readonly<Record<string, unknown>> = {}): SlackMessage {
  const message = messageIn({ ts: "1700000000.000100", channel: "C1", user: "U1", text: "hello", ...raw });
  if (message === null) throw new Error("it is no message");
  return message;
}

/** So many seconds after that. */
export const tsAfter = (seconds: number): string => `${1_700_000_000 + seconds}.000100`;
