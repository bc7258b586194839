import type { Style } from "../../../src/contract/content.ts";
import type { Author, Event, SaidBody } from "../../../src/contract/events.ts";
import { channelRef, eventKey, messageRef, userRef } from "./ids.ts";

interface Member {
  readonly id: string;
  readonly name: string;
}

interface Base {
  readonly room: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** The server's own count of what happened. */
  readonly number: number;
  readonly by: Member;
}

/** What the server tells of a room. */
export type Push = Base &
  (
    | {
        readonly event: "say";
        readonly id: string;
        readonly text: string;
        readonly style: Style;
        readonly reply: string | null;
      }
    | { readonly event: "edit"; readonly id: string; readonly text: string }
    | { readonly event: "delete"; readonly id: string }
    | { readonly event: "react"; readonly id: string; readonly emoji: string; readonly on: boolean }
    | { readonly event: "topic"; readonly text: string }
    | { readonly event: "join" }
    | { readonly event: "leave"; readonly reason: string }
    | { readonly event: "kick"; readonly who: Member; readonly reason: string }
    | { readonly event: "rename"; readonly before: string }
  );

/** What the network says as an event; `me` is our id there. */
export function receive(push: Push, me: string): Event {
  const base = {
    key: eventKey(push.number),
    channel: channelRef(push.room),
    atMs: push.at,
    echoOf: push.by.id === me ? ("self" as const) : null,
  };
  const author = authorOf(push.by);
  const { name } = author;
  switch (push.event) {
    case "say":
      return {
        ...base,
        kind: "posted",
        messages: [messageRef(push.id)],
        author,
        body: bodyOf(push.text, push.style),
        replyTo: push.reply === null ? null : messageRef(push.reply),
        thread: null,
      };
    case "edit": {
      const body = bodyOf(push.text, "normal");
      return { ...base, kind: "edited", message: messageRef(push.id), aliases: [], author, vouched: true, body };
    }
    case "delete":
      return { ...base, kind: "deleted", message: messageRef(push.id), by: author, vouched: true };
    case "react":
      return { ...base, kind: "reacted", message: messageRef(push.id), author, emoji: push.emoji, on: push.on };
    case "topic":
      return { ...base, kind: "topic", author, topic: push.text, text: `${name} changed the topic to: ${push.text}` };
    case "join":
      return { ...base, kind: "member", author, change: "join", text: `${name} joins` };
    case "leave":
      return { ...base, kind: "member", author, change: "leave", text: `${name} leaves` };
    case "kick": {
      const { who, reason } = push;
      const text = `${who.name} was kicked by ${name} (${reason})`;
      return { ...base, kind: "member", author: authorOf(who), change: "leave", text };
    }
    case "rename": {
      const text = `${push.before} is now ${name}`;
      return { ...base, kind: "member", author, change: "rename", text };
    }
  }
}

function authorOf({ id, name }: Member): Author {
  return { id: userRef(id), identity: null, name, avatar: null };
}

function bodyOf(text: string, style: Style): SaidBody {
  return { style, source: { format: "plain", text }, files: [] };
}
