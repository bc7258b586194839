import type { Body } from "./content.ts";
import type { ChannelRef, EventKey, MessageRef, OpId, UserRef } from "./ids.ts";

/** What an adapter tells the core. */
interface EventBase {
  /** Null where the network gives nothing that is the same when the event is repeated. */
  readonly key: EventKey | null;
  readonly channel: ChannelRef;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** We wrote it: it is never routed. */
  readonly echoOf: OpId | "self" | null;
}

export interface Author {
  readonly id: UserRef;
  readonly name: string;
  /** Public URL, or null. */
  readonly avatar: string | null;
  readonly bot: boolean;
}

export interface Posted extends EventBase {
  readonly kind: "posted";
  /** Several for an album; empty where messages have no ids. */
  readonly messages: readonly MessageRef[];
  readonly author: Author;
  readonly body: Body;
  readonly replyTo: MessageRef | null;
  readonly thread: MessageRef | null;
}

interface Edited extends EventBase {
  readonly kind: "edited";
  readonly message: MessageRef;
  readonly author: Author;
  /** Whether the network vouches that the author may do this, or it is only claimed. */
  readonly vouched: boolean;
  readonly body: Body;
}

interface Deleted extends EventBase {
  readonly kind: "deleted";
  readonly message: MessageRef;
  readonly by: UserRef | null;
  readonly vouched: boolean;
}

interface Reacted extends EventBase {
  readonly kind: "reacted";
  readonly message: MessageRef;
  readonly author: Author;
  readonly emoji: string;
  readonly on: boolean;
}

export interface Member extends EventBase {
  readonly kind: "member";
  readonly author: Author;
  readonly change: "join" | "leave" | "rename";
  /** Who made it happen, when it was somebody else. */
  readonly by: Author | null;
  readonly reason: string | null;
  /** For people, as the network words it: "alice joins". */
  readonly text: string;
}

export interface Topic extends EventBase {
  readonly kind: "topic";
  /** Null when nobody is named. */
  readonly author: Author | null;
  readonly topic: string;
  /** For people. */
  readonly text: string;
}

export type Event = Posted | Edited | Deleted | Reacted | Member | Topic;
