import type { TopicOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { cut, measure } from "../../content/length.ts";
import { escapeSlack } from "../../content/slack-tokens.ts";
import { GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import { oneLine } from "../kit/words.ts";
import { outcomeOf } from "./failure.ts";
import type { SlackLink } from "./link.ts";

const TOPIC_MAX = 250;

/** Sets the topic of a channel. */
export async function setTopic(op: TopicOp, link: SlackLink, { signal }: Attempt): Promise<Outcome> {
  const { channel } = op;
  if (link.room(channel) === null) return NOT_THERE;
  if (signal.aborted) return GIVEN_UP;
  const { topic, losses } = renderTopic(op.topic);
  const answer = await link.api.setTopic(channel, topic, signal);
  if (!answer.ok) return outcomeOf(answer.failure, { link, channel, doing: "set the topic" });
  return { is: "delivered", receipt: { messages: [], losses } };
}

/** A topic as it is sent: plain text, of which nothing is a mark. */
export function renderTopic(given: string): { readonly topic: string; readonly losses: readonly Loss[] } {
  const topic = oneLine(given.toWellFormed()).trim();
  let shown = cut(topic, TOPIC_MAX, "codepoints");
  // What stands for a sign takes more room.
  while (measure(escapeSlack(shown), "codepoints") > TOPIC_MAX)
    shown = cut(shown, measure(shown, "codepoints") - 1, "codepoints");
  const note = `Slack takes topics of ${TOPIC_MAX} characters`;
  return { topic: escapeSlack(shown), losses: shown === topic ? [] : [{ what: "length", note }] };
}
