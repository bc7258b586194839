import { cut } from "../../content/length.ts";
import type { TopicOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import type { Sender } from "./sender.ts";

/** Bytes of a topic: an event has at most 65 536, and JSON takes up to six for one. */
const TOPIC_MAX = 10_000;

const CUT: Loss = { what: "length", note: `topics have at most ${TOPIC_MAX} bytes here` };

/** By our own user: those of senders have no power. A topic that stands already makes no event. */
export async function setTopic(
  sender: Sender,
  { channel, topic: wanted, attempt: tries }: TopicOp,
  { signal }: Attempt,
): Promise<Outcome> {
  const room = sender.room(channel);
  if (room === null) return NOT_THERE;
  if (signal.aborted) return GIVEN_UP;
  const topic = cut(wanted, TOPIC_MAX, "bytes");
  const set = await sender.options.client.setState(room.id, "m.room.topic", "", { topic }, { signal });
  if (!set.ok) return await sender.failed(set.failure, { room, as: null, attempt: tries, signal });
  return { is: "delivered", receipt: { messages: [], losses: topic === wanted ? [] : [CUT] } };
}
