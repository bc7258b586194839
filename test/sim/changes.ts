import { END, type MessageRef } from "../../src/contract/ids.ts";
import type { Op } from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { AnyHandlers, Attempt } from "../../src/contract/session.ts";
import { readAloud } from "../contract/texts.ts";
import { deferred, type Poster } from "./poster.ts";

/** Edits, deletions, reactions and topics of a simulated network: each is one request. */
export function changesOn(poster: Poster): Omit<Required<AnyHandlers>, "post"> {
  const { server } = poster.desk;
  return {
    edit: async (op, attempt) => {
      const text = `${op.author?.shown ?? ""}${readAloud(op.body.blocks)}`;
      const kept = op.target.slice(0, 1);
      return await change(poster, op, attempt, kept, () => server.edit(op.channel, op, op.target, text));
    },
    delete: async (op, attempt) =>
      await change(poster, op, attempt, [], () => {
        server.erase(op.channel, op, op.target);
        return true;
      }),
    react: async (op, attempt) => await change(poster, op, attempt, [], () => server.react(op.channel, op, op.target)),
    topic: async (op, { signal }) =>
      await change(poster, op, { signal, ...UNTOLD }, [], () => {
        server.setTopic(op.channel, op, op.topic);
        return true;
      }),
  };
}

/** A topic that is set twice does no harm. */
const UNTOLD: Omit<Attempt, "signal"> = {
  sending: async () => await Promise.resolve(true),
  sent: () => undefined,
};

async function change(
  poster: Poster,
  op: Op,
  attempt: Attempt,
  messages: readonly MessageRef[],
  work: () => boolean,
): Promise<Outcome> {
  return await poster.inTurn(op, attempt, async ({ epoch, over }) => {
    if (!(await attempt.sending(END))) return deferred({ code: "network", message: "not now" }, 100);
    const asking = poster.ask(op, attempt, epoch, work);
    over();
    const answer = await asking;
    if (!answer.ok) return { is: "unknown", why: { code: "network", message: "the connection broke" } };
    const outcome = poster.take(op, answer.value);
    if (outcome !== null) return outcome;
    const isDone = answer.value.is === "done" && answer.value.value;
    if (!isDone) return { is: "rejected", why: { code: "not_found", message: "there is no such message" } };
    attempt.sent(END, []);
    return { is: "delivered", receipt: { messages, losses: [] } };
  });
}
