import type { ChannelRef, UserRef } from "../../../src/contract/ids.ts";
import type { Host } from "../../../src/contract/host.ts";
import type { Member, TypingDisplay } from "../../../src/contract/session.ts";
import type { Mistake } from "../broken.ts";

type Show = TypingDisplay["show"];

const LIST = "the list of a channel has those who are there, by the ids of what they say";
const LEFT = "who leaves is in the list no longer";
const ROOMS = "the rooms to choose from have those that we are in, as they are written";
const SHOWS = "people see that we type, and it does not come back as a hint";
const TYPES = "who types is told while it is so, and it is no event";

function members(change: (list: readonly Member[], as: string) => readonly Member[] | null): Mistake["parts"] {
  return {
    session: (session) => ({
      members: async (channel, signal) => change((await session.members?.(channel, signal)) ?? [], session.as),
    }),
  };
}

function typing(change: (show: Show, host: Host, as: string) => Show): Mistake["parts"] {
  return {
    session: ({ typing: sound, as }, host) =>
      sound === undefined
        ? {}
        : { typing: { ...sound, show: change((channel, on) => sound.show(channel, on), host, as) } },
  };
}

/** In what is only true now. */
export const momentary: readonly Mistake[] = [
  {
    name: "knows nobody in a channel",
    foundBy: LIST,
    says: /members\(\) of a joined channel is null/,
    parts: members(() => null),
  },
  {
    name: "forgets somebody in a list",
    foundBy: LIST,
    says: /the list has .*, and should have/,
    parts: members((list) => list.slice(1)),
  },
  {
    name: "is in its own list",
    foundBy: LIST,
    says: /we ourselves/,
    parts: members((list, as) => [...list, { id: as as UserRef, name: as, bot: true, present: null }]),
  },
  {
    name: "has somebody twice in a list",
    foundBy: LIST,
    says: /everybody once/,
    parts: members((list) => [...list, ...list]),
  },
  {
    name: "has other ids in a list than in what is said",
    foundBy: LIST,
    says: /is that of what is said/,
    parts: members((list) => list.map((one) => ({ ...one, id: `other ${one.id}` as UserRef }))),
  },
  {
    name: "never takes anybody from a list",
    foundBy: LEFT,
    says: /who has left is not in the list/,
    parts: (() => {
      const all = new Map<string, Member>();
      return members((list) => {
        for (const one of list) all.set(one.id, one);
        return [...all.values()];
      });
    })(),
  },
  {
    name: "lists rooms by other names than they are written",
    foundBy: ROOMS,
    says: /as the configuration writes it/,
    parts: {
      session: (session) => ({
        rooms: async (signal) => ((await session.rooms?.(signal)) ?? []).map((name) => `id of ${name}`),
      }),
    },
  },
  {
    name: "does not say who types",
    foundBy: TYPES,
    says: /waited .* for a hint that somebody types/,
    parts: { host: () => ({ hint: () => undefined }) },
  },
  {
    name: "says of another channel that somebody types there",
    foundBy: TYPES,
    says: /elsewhere/,
    parts: { host: (host) => ({ hint: (hint) => host.hint?.({ ...hint, channel: "elsewhere" as ChannelRef }) }) },
  },
  {
    name: "says after the end who types",
    foundBy: "after quiesce() nobody hears who types",
    says: /hints after quiesce/,
    parts: { session: () => ({ quiesce: () => Promise.resolve() }) },
  },
  {
    name: "does not show that somebody types",
    foundBy: SHOWS,
    says: /to be shown as typing; shown: nobody/,
    parts: typing(() => () => undefined),
  },
  {
    name: "shows for ever that somebody types",
    foundBy: SHOWS,
    says: /to be shown as typing no longer/,
    parts: typing((show) => (channel) => show(channel, true)),
  },
  {
    name: "hears its own typing",
    foundBy: SHOWS,
    says: /our own typing is no hint/,
    parts: typing((show, host, name) => (channel, on) => {
      const author = { id: name as UserRef, identity: null, name, avatar: null };
      host.hint?.({ kind: "typing", channel, author, on });
      show(channel, on);
    }),
  },
  {
    name: "throws for a channel that is not joined",
    foundBy: "typing in a channel that is not joined, or after the end, shows nothing",
    says: /no such channel/,
    parts: typing((show) => (channel, on) => {
      if (channel === "never joined") throw new Error("no such channel");
      show(channel, on);
    }),
  },
];
