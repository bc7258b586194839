import type { Body } from "./content.ts";
import type { ChannelRef, MessageRef, OpId, Progress, UserRef } from "./ids.ts";

/** What the core asks of a session. Plain data: it is made again from the log after a restart. */
interface OpBase {
  readonly id: OpId;
  readonly channel: ChannelRef;
  /** Counts the tries of this life of the program, from 1: after a restart it begins anew, so 1 does not mean that nothing was sent. */
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
}

export interface OpAuthor {
  /** As the origin has it. */
  readonly id: string;
  readonly name: string;
  /** The name as RemoteNickFormat of the destination shows it, ready to stand before the text. */
  readonly shown: string;
  /** Public URL, or null. */
  readonly avatar: string | null;
}

export interface EditOp extends OpBase, PostDraft {
  readonly kind: "edit";
  /** All remote messages of the post, the first one first. */
  readonly target: readonly MessageRef[];
}

export interface DeleteOp extends OpBase {
  readonly kind: "delete";
  readonly target: readonly MessageRef[];
}

export interface ReactOp extends OpBase {
  readonly kind: "react";
  readonly target: MessageRef;
  readonly by: UserRef | null;
  readonly emoji: string;
  readonly on: boolean;
}

export type Op = PostOp | EditOp | DeleteOp | ReactOp;

/** Kinds that a network may lack. */
export type OptionalKind = Exclude<Op["kind"], "post">;
