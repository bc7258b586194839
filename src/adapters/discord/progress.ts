import type { Progress } from "../../contract/ids.ts";
import { progressAt } from "./ids.ts";

/** Up to where the blocks of a post are said: whole ones, then so many letters of the next (`lettersOf`). */
export interface DiscordTextPlace {
  readonly block: number;
  readonly at: number;
}

/**
 * What of a post is sent. It names places of the post itself: where its messages are cut depends on who speaks, on what
 * stands before the text and on which files go, and another try may find any of it changed.
 */
export interface DiscordSent {
  /** Messages. */
  readonly parts: number;
  /** Null: nothing of the text, not even who says it. */
  readonly text: DiscordTextPlace | null;
  /** Indexes of the files that went, or of which it is said that they did not. */
  readonly files: ReadonlySet<number>;
  /** The thread that a forum's post has begun; null: none. */
  readonly thread: string | null;
}

export const NOTHING_SENT: DiscordSent = { parts: 0, text: null, files: new Set(), thread: null };

const NO_TEXT = -1;

/** `parts/block/at/files/thread`: `2/0/1750/0,3/`. */
export function progressOf({ parts, text, files, thread }: DiscordSent): Progress {
  const { block, at } = text ?? { block: NO_TEXT, at: 0 };
  return progressAt([parts, block, at, [...files].join(","), thread ?? ""].join("/"));
}

export function sentBy(resume: Progress | null): DiscordSent {
  if (resume === null) return NOTHING_SENT;
  const [parts, block, at, files = "", thread = ""] = resume.split("/");
  const text = { block: Number(block ?? NO_TEXT), at: Number(at ?? 0) };
  return {
    parts: Number(parts),
    text: text.block === NO_TEXT ? null : text,
    files: new Set(files === "" ? [] : files.split(",").map(Number)),
    thread: thread === "" ? null : thread,
  };
}
