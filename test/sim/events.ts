import type { Author, Event, SaidBody } from "../../src/contract/events.ts";
import type { ChannelRef, EventKey, MessageRef, UserRef } from "../../src/contract/ids.ts";
import type { Happening } from "./server.ts";

/** Pure: what a happening is to the core. `keyed`: the network tells it again under the same name. */
export function eventOf(happening: Happening, channel: ChannelRef, keyed: boolean): Event {
  const { is, nth, atMs, by, ours, ref, text, vouched, emoji, on } = happening;
  const key = keyed ? (`${channel} ${nth}` as EventKey) : null;
  const base = { key, channel, atMs, echoOf: ours ? ("self" as const) : null };
  const author: Author = { id: by as UserRef, identity: null, name: by, avatar: null };
  const message = ref as MessageRef;
  const body: SaidBody = { style: "normal", source: { format: "plain", text }, files: [] };
  switch (is) {
    case "said": {
      const replyTo = happening.replyTo as MessageRef | null;
      return { ...base, kind: "posted", messages: [message], author, body, replyTo, thread: null };
    }
    case "edited":
      return { ...base, kind: "edited", message, aliases: [], author, vouched, body };
    case "deleted":
      return { ...base, kind: "deleted", message, by: author, vouched };
    case "reacted":
      return { ...base, kind: "reacted", message, author, emoji, on };
    case "topic":
      return { ...base, kind: "topic", author, topic: text, text: `the topic is now: ${text}` };
  }
}
