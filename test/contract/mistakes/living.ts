import type { ChannelRef } from "../../../src/contract/ids.ts";
import type { Mistake } from "../broken.ts";
import { DELIVERED, never, WHY } from "./common.ts";

/** In how a session begins, lives and ends. */
export const living: readonly Mistake[] = [
  {
    name: "throws in open",
    foundBy: "wrong credentials end as a value, and need a person",
    says: /open\(\) rejected, which it never may/,
    parts: {
      open: () => {
        throw new Error("oops");
      },
    },
  },
  {
    name: "has a handler it did not declare",
    foundBy: "its handlers are those the capabilities declare",
    says: /handlers are exactly those/,
    parts: { session: ({ handlers }) => ({ handlers: { ...handlers, edit: () => Promise.resolve(DELIVERED) } }) },
  },
  {
    name: "gives a channel a new ref each time",
    foundBy: "join is idempotent",
    says: /one ref/,
    parts: {
      session: (session) => {
        let count = 0;
        return {
          join: async (channel, signal) => {
            const joined = await session.join(channel, signal);
            count += 1;
            return joined.ok ? { ok: true, ref: `${joined.ref}${count}` as ChannelRef } : joined;
          },
        };
      },
    },
  },
  {
    name: "takes a limit that nobody gave for nothing at all",
    foundBy: "what a channel takes less of makes sense",
    says: /limited to nothing/,
    parts: {
      session: (session) => ({
        join: async (channel, signal) => {
          const joined = await session.join(channel, signal);
          return joined.ok ? { ...joined, limits: { fileBytesMax: 0 } } : joined;
        },
      }),
    },
  },
  {
    name: "throws when a join is refused",
    foundBy: "a channel that we may not enter is a value, and harms no other",
    says: /members only/,
    parts: {
      session: (session) => ({
        join: async (channel, signal) => {
          const joined = await session.join(channel, signal);
          if (!joined.ok) throw new Error(joined.why.message);
          return joined;
        },
      }),
    },
  },
  {
    name: "keeps a kick to itself",
    foundBy: "kicked from a channel: it is lost, can be joined again, and works",
    says: /host\.lost\(\) after we were kicked/,
    parts: { host: () => ({ lost: () => undefined }) },
  },
  {
    name: "goes on telling of a channel that it has left",
    foundBy: "a channel that is left is silent, harms no other, and can be joined again",
    says: /nothing of the channel that was left/,
    parts: { session: () => ({ leave: () => Promise.resolve() }) },
  },
  {
    name: "tells of a channel that it has left as of a loss",
    foundBy: "a channel that is left is silent, harms no other, and can be joined again",
    says: /host\.lost\(\) of a channel that was left/,
    parts: {
      session: (session, host) => ({
        leave: async (channel, signal) => {
          await session.leave?.(channel, signal);
          host.lost(channel, WHY, 0);
        },
      }),
    },
  },
  {
    name: "does not end when its connection does",
    foundBy: "a cut connection ends the session as lost, and leaves nothing",
    says: /`ended` after the connection was cut/,
    parts: { session: () => ({ ended: never() }) },
  },
  {
    name: "hangs in close",
    foundBy: "close() is an end: asked, idempotent, nothing left",
    says: /two calls of close\(\)/,
    parts: { session: () => ({ close: never }) },
  },
  {
    name: "leaves a timer",
    foundBy: "close() is an end: asked, idempotent, nothing left",
    says: /1 timers, 0 sockets are left/,
    parts: {
      session: (_, host) => {
        host.clock.after(5_000, () => undefined);
        return {};
      },
    },
  },
];
