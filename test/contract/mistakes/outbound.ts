import { END, type OpId, type Progress } from "../../../src/contract/ids.ts";
import type { PostOp } from "../../../src/contract/ops.ts";
import type { Outcome } from "../../../src/contract/outcome.ts";
import type { Attempt } from "../../../src/contract/session.ts";
import type { Mistake, Parts } from "../broken.ts";
import { plainBody } from "../texts.ts";
import { DELIVERED, later, never, untold, WHY } from "./common.ts";

function ops(change: (op: PostOp) => PostOp): Parts {
  return { post: (post) => async (op, attempt) => await post(change(op), attempt) };
}

function outcomes(change: (outcome: Outcome) => Outcome): Parts {
  return { post: (post) => async (op, attempt) => change(await post(op, attempt)) };
}

function attempts(change: (attempt: Attempt) => Partial<Attempt>): Parts {
  return {
    post: (post) => async (op, attempt) => {
      const { signal } = attempt;
      const sound: Attempt = {
        signal,
        sending: async (upTo) => await attempt.sending(upTo),
        sent: (upTo, messages) => attempt.sent(upTo, messages),
      };
      return await post(op, { ...sound, ...change(sound) });
    },
  };
}

/** In what goes to the network. */
export const outbound: readonly Mistake[] = [
  {
    name: "cuts texts for its network and not for the room",
    foundBy: "a long text arrives whole",
    says: /a post ended as unknown/,
    traits: { limits: { textMax: 40 } },
    parts: ops((op) => ({ ...op, textMax: 80 })),
  },
  {
    name: "sends without waiting for sending()",
    foundBy: "nothing leaves before its announcement is durable",
    says: /ended before its announcements had been answered/,
    parts: attempts((attempt) => ({
      sending: (upTo) => {
        void attempt.sending(upTo);
        return Promise.resolve(true);
      },
    })),
  },
  {
    name: "announces the whole post at first",
    foundBy: "nothing leaves before its announcement is durable",
    says: /announces each of them/,
    parts: {
      post: (post) => async (op, attempt) => {
        if (!(await attempt.sending(END))) return { is: "deferred", why: WHY, retryInMs: 0, scope: "channel" };
        return await post(op, untold(attempt));
      },
    },
  },
  {
    name: "never announces the end",
    foundBy: "nothing leaves before its announcement is durable",
    says: /END/,
    parts: attempts((attempt) => ({
      sending: async (upTo) => await attempt.sending(upTo === END ? ("99" as Progress) : upTo),
      sent: () => undefined,
    })),
  },
  {
    name: "sends although sending() said no",
    foundBy: "a refused announcement: deferred, and nothing left",
    says: /was refused/,
    parts: attempts((attempt) => ({
      sending: async (upTo) => {
        await attempt.sending(upTo);
        return true;
      },
      sent: () => undefined,
    })),
  },
  {
    name: "ignores resume",
    foundBy: "a post goes on behind what was confirmed",
    says: /waited|expected/,
    parts: ops((op) => ({ ...op, resume: null })),
  },
  {
    name: "does not say what was sent",
    foundBy: "a post goes on behind what was confirmed",
    says: /sent\(\) was not called/,
    parts: attempts(() => ({ sent: () => undefined })),
  },
  {
    name: "posts in another order",
    foundBy: "as many posts at once as allowed keep their order",
    says: /should be "line 1"/,
    parts: {
      post: (post) => async (op, attempt) => {
        if (op.body.source.text.endsWith("1")) await later();
        return await post(op, attempt);
      },
    },
  },
  {
    name: "sends a part twice",
    foundBy: "a long text arrives whole",
    says: /expected/,
    parts: {
      post: (post) => async (op, attempt) => {
        const confirmed: Progress[] = [];
        const outcome = await post(
          op,
          untold(attempt, (upTo) => void confirmed.push(upTo)),
        );
        const resume = confirmed.at(-2) ?? null;
        if (resume !== null) await post({ ...op, resume }, untold(attempt));
        return outcome;
      },
    },
  },
  {
    name: "says delivered before the server answered",
    foundBy: "a server that answers nothing for a while loses and doubles nothing",
    says: /ended while the server answered nothing/,
    parts: {
      post: (post) => (op, attempt) => {
        void post(op, untold(attempt));
        return Promise.resolve(DELIVERED);
      },
    },
  },
  {
    name: "calls deferred what is in doubt",
    foundBy: "posts under way at a cut end as what they are",
    says: /ended as deferred; how often it arrived/,
    traits: { latencyMs: 5 },
    parts: outcomes((outcome) =>
      outcome.is === "unknown" ? { ...outcome, is: "deferred", retryInMs: 0, scope: "channel" } : outcome,
    ),
  },
  {
    name: "throws",
    foundBy: "lines arrive as lines",
    says: /the post handler threw, which it never may: Error: oops/,
    parts: {
      post: (post) => async (op, attempt) => {
        if (op.body.source.text.includes("\n")) throw new Error("oops");
        return await post(op, attempt);
      },
    },
  },
  {
    name: "never ends an op",
    foundBy: "posts under way at a cut end as what they are",
    says: /waited .* for the outcome of a post/,
    traits: { latencyMs: 5 },
    parts: {
      post: (post) => async (op, attempt) => {
        const outcome = await post(op, attempt);
        return outcome.is === "delivered" ? outcome : await never();
      },
    },
  },
  {
    name: "goes on after an abort",
    foundBy: "an abort ends a post that waits, and nothing leaves",
    says: /aborted before it began/,
    parts: attempts(() => ({ signal: new AbortController().signal })),
  },
  {
    name: "tells progress after the end",
    foundBy: "a long text arrives whole",
    says: /sent was called after the op had ended/,
    parts: {
      post: (post) => async (op, attempt) => {
        const outcome = await post(op, attempt);
        setImmediate(() => attempt.sent("0" as Progress, []));
        return outcome;
      },
    },
  },
  {
    name: "hides the author",
    foundBy: "posts are delivered, and seen with their author, in order",
    says: /nobody sees that <alice> said it/,
    parts: ops((op) => ({ ...op, author: null })),
  },
  {
    name: "eats a colon",
    foundBy: "texts of all kinds go out as they are",
    says: /should be ":a colon first" and is "a colon first"/,
    parts: ops((op) => ({ ...op, body: plainBody(op.body.source.text.replace(/^:/u, ""), op.body.style) })),
  },
  {
    name: "lets an author's name close the session",
    foundBy: "control characters in an author's name inject nothing",
    says: /ended as deferred/,
    parts: {
      post: (post, session) => async (op, attempt) => {
        if (op.author?.shown.includes("\nQUIT") === true) await session.close(AbortSignal.abort());
        return await post(op, attempt);
      },
    },
  },
  {
    name: "gives every try another key",
    foundBy: "the same op again arrives once, also by a later session",
    says: /should be "the next" and is "only once"/,
    traits: { idempotency: "key" },
    parts: ops((op) => ({ ...op, id: `${op.id}-${op.attempt}` as OpId })),
  },
  {
    name: "rejects what could be sent later",
    foundBy: "posts into a channel that we were kicked from end as what they are",
    says: /no reason to reject/,
    parts: outcomes((outcome) => (outcome.is === "deferred" ? { is: "rejected", why: WHY } : outcome)),
  },
];
