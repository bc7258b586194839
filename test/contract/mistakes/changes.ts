import type { MessageRef } from "../../../src/contract/ids.ts";
import type { AnyHandlers } from "../../../src/contract/session.ts";
import type { Mistake, Parts } from "../broken.ts";
import { DELIVERED } from "./common.ts";
import { events } from "./inbound.ts";

const rich = { ops: "native" } as const;

function handlers(change: (sound: Required<AnyHandlers>) => Partial<AnyHandlers>): Parts {
  return {
    session: ({ handlers: { post, edit, delete: erase, react, topic } }) => {
      if (edit === undefined || erase === undefined || react === undefined || topic === undefined) return {};
      const sound = { post, edit, delete: erase, react, topic };
      return { handlers: { ...sound, ...change(sound) } };
    },
  };
}

/** In what changes messages, answers them, comes with them, and is told later. */
export const changes: readonly Mistake[] = [
  {
    name: "says an edit in a new message",
    foundBy: "an edit replaces the message, again and again",
    says: /"second wording" and nothing else to stand/,
    traits: rich,
    parts: handlers(({ post }) => ({
      edit: async (op, attempt) => await post({ ...op, kind: "post", resume: null }, attempt),
    })),
  },
  {
    name: "keeps to itself which messages stand after an edit",
    foundBy: "an edit of a message in several parts leaves nothing of it behind",
    says: /"short again" and nothing else to stand/,
    traits: rich,
    parts: handlers(({ edit }) => ({
      edit: async (op, attempt) => {
        const outcome = await edit(op, attempt);
        return outcome.is === "delivered" ? DELIVERED : outcome;
      },
    })),
  },
  {
    name: "edits only the first part",
    foundBy: "an edit of a message in several parts leaves nothing of it behind",
    says: /"now it is short" and nothing else to stand/,
    traits: rich,
    parts: handlers(({ edit }) => ({
      edit: async (op, attempt) => await edit({ ...op, target: op.target.slice(0, 1) }, attempt),
    })),
  },
  {
    name: "deletes only the first part",
    foundBy: "a deletion takes all parts away",
    says: /"stays" and nothing else to stand/,
    traits: rich,
    parts: handlers(({ delete: erase }) => ({
      delete: async (op, attempt) => await erase({ ...op, target: op.target.slice(0, 1) }, attempt),
    })),
  },
  {
    name: "calls a deletion of what is gone a failure",
    foundBy: "a deletion takes all parts away",
    says: /a deletion of what is gone ended as rejected/,
    traits: rich,
    parts: handlers(({ delete: erase }) => {
      const gone = new Set<MessageRef | undefined>();
      return {
        delete: async (op, attempt) => {
          const [first] = op.target;
          if (gone.has(first)) return { is: "rejected", why: { code: "not_found", message: "it is gone" } };
          gone.add(first);
          return await erase(op, attempt);
        },
      };
    }),
  },
  {
    name: "takes a reaction away with the first who does",
    foundBy: "a reaction stands as long as somebody keeps it",
    says: /the reactions 👍/,
    traits: rich,
    parts: handlers(({ react }) => ({
      react: async (op, attempt) => await react({ ...op, standing: op.on ? op.standing : [] }, attempt),
    })),
  },
  {
    name: "keeps topics to itself",
    foundBy: "topics are set as they are, and taken away, and do not come back as events",
    says: /the topic "ships: three" to be shown/,
    traits: rich,
    parts: handlers(() => ({ topic: async () => await Promise.resolve(DELIVERED) })),
  },
  {
    name: "takes its own topics for somebody's",
    foundBy: "a topic that stands already is no event",
    says: /topics of others/,
    traits: rich,
    parts: events((event) => (event.kind === "topic" ? [{ ...event, echoOf: null }] : [event])),
  },
  {
    name: "cannot say that topics have to wait",
    foundBy: "topics on a session that has ended are deferred",
    says: /a topic on a session that has ended/,
    traits: rich,
    parts: handlers(({ topic }) => ({
      topic: async (op, attempt) => {
        const outcome = await topic(op, attempt);
        return outcome.is === "deferred" ? { is: "rejected", why: outcome.why } : outcome;
      },
    })),
  },
  {
    name: "knows only messages of its own session",
    foundBy: "a later session changes what an earlier one posted",
    says: /by another session ended as rejected/,
    traits: rich,
    parts: handlers(({ post, react, edit, delete: erase }) => {
      const own = new Set<MessageRef | undefined>();
      const unknown = { is: "rejected", why: { code: "not_found", message: "never seen" } } as const;
      return {
        post: async (op, attempt) => {
          const outcome = await post(op, attempt);
          if (outcome.is === "delivered") for (const ref of outcome.receipt.messages) own.add(ref);
          return outcome;
        },
        react: async (op, attempt) => (own.has(op.target) ? await react(op, attempt) : unknown),
        edit: async (op, attempt) => (own.has(op.target[0]) ? await edit(op, attempt) : unknown),
        delete: async (op, attempt) => (own.has(op.target[0]) ? await erase(op, attempt) : unknown),
      };
    }),
  },
  {
    name: "takes its own changes for those of people",
    foundBy: "what we change does not come back as an event",
    says: /came back as an event/,
    traits: rich,
    parts: events((event) => [event.kind === "posted" ? event : { ...event, echoOf: null }]),
  },
  {
    name: "rejects changes when the connection is gone",
    foundBy: "changes on a session that has ended are deferred",
    says: /a change on a session that has ended/,
    traits: rich,
    parts: handlers(({ edit }) => ({
      edit: async (op, attempt) => {
        const outcome = await edit(op, attempt);
        return outcome.is === "deferred" ? { is: "rejected", why: outcome.why } : outcome;
      },
    })),
  },
  {
    name: "gives posts no ids",
    foundBy: "people's answers say what they answer",
    says: /among the refs of our receipt/,
    traits: rich,
    parts: {
      post: (post) => async (op, attempt) => {
        const outcome = await post(op, attempt);
        return outcome.is === "delivered" ? { ...outcome, receipt: { ...outcome.receipt, messages: [] } } : outcome;
      },
    },
  },
  {
    name: "answers nothing",
    foundBy: "an answer of ours points to what it answers",
    says: /the message that is answered/,
    traits: rich,
    parts: { post: (post) => async (op, attempt) => await post({ ...op, reply: null }, attempt) },
  },
  {
    name: "posts beside the thread",
    foundBy: "threads are kept both ways",
    says: /the thread of ours/,
    traits: rich,
    parts: { post: (post) => async (op, attempt) => await post({ ...op, thread: null }, attempt) },
  },
  {
    name: "mentions nobody",
    foundBy: "a mention of somebody present notifies, once",
    says: /the person to be notified/,
    traits: rich,
    parts: {
      post: (post) => async (op, attempt) => await post({ ...op, mayPing: { users: false, everyone: false } }, attempt),
    },
  },
  {
    name: "notifies everybody",
    foundBy: "nothing notifies that may not",
    says: /notified although they may not/,
    traits: rich,
    parts: {
      post: (post) => async (op, attempt) => await post({ ...op, mayPing: { users: true, everyone: true } }, attempt),
    },
  },
  {
    name: "takes an edit for a message",
    foundBy: "edits of people are told",
    says: /event 1 of kind edited/,
    traits: rich,
    parts: events((event) =>
      event.kind === "edited"
        ? [{ ...event, kind: "posted", messages: [event.message], replyTo: null, thread: null }]
        : [event],
    ),
  },
  {
    name: "names another author for an edit",
    foundBy: "edits of people are told",
    says: /who edits is who wrote/,
    traits: rich,
    parts: events((event) =>
      event.kind === "edited" ? [{ ...event, author: { ...event.author, identity: "anybody" } }] : [event],
    ),
  },
  {
    name: "says nothing of deletions",
    foundBy: "deletions of people are told",
    says: /event 1 of kind deleted/,
    traits: rich,
    parts: events((event) => (event.kind === "deleted" ? [] : [event])),
  },
  {
    name: "does not know a reaction that is taken back",
    foundBy: "reactions of people are told",
    says: /event 3 of kind reacted/,
    traits: rich,
    parts: events((event) => (event.kind === "reacted" && !event.on ? [] : [event])),
  },
];
