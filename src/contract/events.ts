import type { RemoteFile, Source, Style } from "./content.ts";
import type { ChannelRef, EventKey, MessageRef, OpId, UserRef } from "./ids.ts";

/**
 * `aside`: an answer of a service or a script, on networks where people and programs do not talk in such lines. Where
 * programs do, theirs are ordinary messages of the style `notice`.
 */
export type SaidStyle = Style | "aside";

/** What was said. The tree is made of the source by the core, once nothing changes the text any more. */
export interface SaidBody {
  readonly style: SaidStyle;
  readonly source: Source;
  readonly files: readonly RemoteFile[];
}

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
  /** Shown to people and to readers of the API. */
  readonly id: UserRef;
  /**
   * What tells this person from another who comes under the same id later, such as an occupant id or a count of joins;
   * null when the id itself does. Whoever edits must have both in common with the author.
   */
  readonly identity: string | null;
  readonly name: string;
  readonly avatar: RemoteFile | null;
  /** The network says that it is a program. Absent: a person, as far as anybody knows. */
  readonly bot?: boolean;
}

export interface Posted extends EventBase {
  readonly kind: "posted";
  /** All refs under which others may speak of it, the one to reply to first; empty where messages have no ids. */
  readonly messages: readonly MessageRef[];
  readonly author: Author;
  readonly body: SaidBody;
  /** Without the network's own fallback for it in the body. */
  readonly replyTo: MessageRef | null;
  /** The first message of the thread it belongs to. */
  readonly thread: MessageRef | null;
}

export interface Edited extends EventBase {
  readonly kind: "edited";
  readonly message: MessageRef;
  /** Further refs by which the message is known from now on; mostly empty. */
  readonly aliases: readonly MessageRef[];
  readonly author: Author;
  /**
   * Whether the network itself made sure that the author may do this. Otherwise it counts only from the author of the
   * message.
   */
  readonly vouched: boolean;
  /** It is a message of its own if the message that it edits is not known. Absent: it is not, and is dropped then. */
  readonly isSaidAnyway?: boolean;
  /** The body names each file that the message has now. Absent: if it names none, the message may still have some. */
  readonly hasAllFiles?: boolean;
  readonly body: SaidBody;
}

export interface Deleted extends EventBase {
  readonly kind: "deleted";
  readonly message: MessageRef;
  /** Null when nobody is named; then only a vouched one counts. */
  readonly by: Author | null;
  /** As for `Edited`: a moderator's deletion is one that the network vouches for. */
  readonly vouched: boolean;
}

export interface Reacted extends EventBase {
  readonly kind: "reacted";
  readonly message: MessageRef;
  readonly author: Author;
  /** One emoji (Unicode), or a short text such as `:name:` where it has no Unicode. */
  readonly emoji: string;
  readonly on: boolean;
}

export interface Membership extends EventBase {
  readonly kind: "member";
  readonly author: Author;
  readonly change: "join" | "leave" | "rename";
  /** Of a rename: the new name, whichever of the two names the author has. */
  readonly newName?: string;
  /** For people, as the network words it: "alice joins". */
  readonly text: string;
}

export interface Topic extends EventBase {
  readonly kind: "topic";
  /** Null when nobody is named. */
  readonly author: Author | null;
  /**
   * The new topic in plain words, empty when there is none any more. Null: it is not known, or something else about the
   * room has changed, such as its purpose.
   */
  readonly topic: string | null;
  /** For people, as the network words it: "alice changed the topic to: ships". */
  readonly text: string;
}

export type Event = Posted | Edited | Deleted | Reacted | Membership | Topic;
