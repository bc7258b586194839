import type { Body, Inline, SharedFile } from "./content.ts";
import type { ChannelRef, MessageRef, OpId, Progress } from "./ids.ts";

/** What the core asks of a session. Plain data: it is made again from the log after a restart. */
interface OpBase {
  readonly id: OpId;
  readonly channel: ChannelRef;
  /**
   * Counts the tries of this life of the program, from 1: after a restart it begins again, so 1 does not mean that
   * nothing was sent.
   */
  readonly attempt: number;
}

export interface PostOp extends OpBase, PostDraft {
  readonly kind: "post";
  /** The parts up to here were sent by an earlier attempt, and must not be sent again; null: none. */
  readonly resume: Progress | null;
}

/** The part of a post that follows from the message alone. */
export interface PostDraft {
  /** Null: Rialto itself speaks. */
  readonly author: OpAuthor | null;
  readonly body: Body;
  /** What it answers; null for no reply, and where the body says it in words instead. */
  readonly reply: OpReply | null;
  /** The first message of its thread here, null for none. */
  readonly thread: MessageRef | null;
  readonly mayPing: MayPing;
  /** Of one part, where the room takes less than the capabilities say; absent where it does not. */
  readonly textMax?: number;
}

/**
 * Whom a message may notify: `users`, people present whose name it mentions and no other has; `everyone`: the whole
 * room.
 */
export interface MayPing {
  readonly users: boolean;
  readonly everyone: boolean;
}

export interface OpAuthor {
  /** As the origin has it. */
  readonly id: string;
  readonly name: string;
  /** The name as ReplaceNicks of the origin leaves it; absent: as `name`. */
  readonly nick?: string;
  /** The name as RemoteNickFormat of the destination shows it, ready to come before the text. */
  readonly shown: string;
  /** The same name with the marks of the format, for where it comes before the text; absent where it has none. */
  readonly marks?: readonly Inline[];
  readonly avatar: SharedFile | null;
  /** The account by which the origin is connected, in lower case: the same id on another network is somebody else. */
  readonly account: string;
}

/** The message that is answered, as it is here. */
export interface OpReply {
  /** The first of its remote messages. */
  readonly target: MessageRef;
  /** Name of its author, and the beginning of its words. */
  readonly name: string;
  readonly excerpt: string;
}

export interface EditOp extends OpBase, PostDraft {
  readonly kind: "edit";
  /** All remote messages of the post, the first one first. */
  readonly target: readonly MessageRef[];
  /** What the edit changes of the files; absent: nothing, or nobody knows. */
  readonly changed?: FileChanges;
}

/** Of an edit: what it changes of the files of its message. */
export interface FileChanges {
  /** How many files there were. */
  readonly before: number;
  /** Which files of the draft are new, counted from 0. */
  readonly added: readonly number[];
  /** Which of those that were there are gone, counted from 0, and their names. */
  readonly removed: readonly { readonly at: number; readonly name: string }[];
}

export interface DeleteOp extends OpBase {
  readonly kind: "delete";
  /** All remote messages of the post; what is gone already is no failure. */
  readonly target: readonly MessageRef[];
  /**
   * Who wrote the post, so that the one who wrote it here can be the one who takes it back; null when that is not
   * known.
   */
  readonly author: OpAuthor | null;
}

export interface ReactOp extends OpBase {
  readonly kind: "react";
  readonly target: MessageRef;
  /** Whose reaction has changed. */
  readonly author: OpAuthor;
  readonly emoji: string;
  readonly on: boolean;
  /**
   * All reactions of people elsewhere to the message as they stand now: a network where we have one voice shows each
   * emoji once.
   */
  readonly standing: readonly StandingReaction[];
}

export interface StandingReaction {
  readonly emoji: string;
  readonly names: readonly string[];
}

/**
 * The room gets another topic. To set one again is harmless, so its handler announces nothing, and doubt is another
 * try. One that was rejected is said in words.
 */
export interface TopicOp extends OpBase {
  readonly kind: "topic";
  /** Plain words, perhaps in several lines; empty: none. What is too long for the network is cut. */
  readonly topic: string;
}

export type Op = PostOp | EditOp | DeleteOp | ReactOp | TopicOp;

/** Kinds that a network may lack. */
export type OptionalKind = Exclude<Op["kind"], "post">;
