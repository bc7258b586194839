import type { SharedFile } from "../contract/content.ts";
import type { MessageRef } from "../contract/ids.ts";
import type { DeleteOp, EditOp, OptionalKind, PostDraft, ReactOp, StandingReaction, TopicOp } from "../contract/ops.ts";
import type { Loss } from "../contract/outcome.ts";
import type { RoomLimits } from "../contract/session.ts";
import type { WantedFile } from "../files/files.ts";
import type { Seq } from "../log/log.ts";
import type { Stored } from "./codec.ts";

/** What has to be looked up before an entry can be planned for a destination; null and empty: nothing. */
export interface Needs {
  /** Refs by which the destination knows this message. */
  readonly about: Seq | null;
  readonly thread: Seq | null;
  /** All reactions to the message that a reaction is about. */
  readonly standing: boolean;
  /** Refs of the one line here that says all reactions to this message. */
  readonly line: Seq | null;
  /** Which answers here quote this message. */
  readonly quoting: Seq | null;
  /** One for each of the message's files; null: there is no way to its content. */
  readonly files: readonly (WantedFile | null)[];
  /** Only where senders have pictures. */
  readonly avatar: WantedFile | null;
}

/** The answers to `Needs`, and what the destination can do now. */
export interface Here {
  /** All remote messages of `about`, the one to reply to first; empty: it is not known here. */
  readonly about: readonly MessageRef[];
  readonly thread: readonly MessageRef[];
  /** How long ago it was accepted; null: that is not known. */
  readonly ageMs: number | null;
  readonly standing: readonly StandingReaction[];
  /** Empty: there is no such line yet; null: none is kept. */
  readonly line: readonly MessageRef[] | null;
  /** The answers that quote `about` here, oldest first. */
  readonly quoting: readonly Seq[];
  /** Of a deletion: those of `quoting` that can be written again without the quoted words. */
  readonly answers: readonly Answer[];
  /** Of a reaction: later ones to the same message that are said with it, oldest first. */
  readonly together: readonly Stored[];
  /** In the order of `Needs.files`. */
  readonly files: readonly SharedFile[];
  readonly avatar: SharedFile | null;
  /** As the join said. */
  readonly without: readonly OptionalKind[];
  readonly limits: RoomLimits;
}

/** A message of ours that stands at the destination and quotes another message. */
export interface Answer extends Pick<Here, "ageMs" | "files"> {
  readonly seq: Seq;
  /** As it reads now. */
  readonly stored: Stored;
  /** Its remote messages. */
  readonly messages: readonly MessageRef[];
}

/** An edit that takes the quoted words out of an answer, the message `of`. */
export interface AnswerEdit extends PostDraft, Pick<EditOp, "target"> {
  readonly of: Seq;
}

/** What a room has less of than the capabilities say. */
export type Narrowing = Pick<Here, "without" | "limits">;

/** What becomes of an entry at a destination. */
export type Planned =
  | { readonly is: "op"; readonly op: OpDraft; readonly losses: readonly Loss[] }
  /** The destination has no way to show it, or its settings say not to. */
  | { readonly is: "omitted"; readonly losses: readonly Loss[] };

/** An op without its place and its tries. */
export type OpDraft =
  /** `quotes`: it shows words of the message that it answers, and can be edited. */
  | ({ readonly kind: "post"; readonly quotes?: true } & PostDraft)
  | ({ readonly kind: "edit" } & PostDraft & Pick<EditOp, "target" | "changed">)
  /** `answers` are edited once the message is deleted. */
  | ({ readonly kind: "delete"; readonly answers?: readonly AnswerEdit[] } & Pick<DeleteOp, "target" | "author">)
  | ({ readonly kind: "react" } & Pick<ReactOp, "target" | "author" | "emoji" | "on" | "standing">)
  | ({ readonly kind: "topic" } & Pick<TopicOp, "topic">);
