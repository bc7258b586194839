import { END, type Progress } from "../../contract/ids.ts";
import { progressAt } from "./ids.ts";

/**
 * What of a post is sent. It names places of the post itself: where its messages are cut depends on who speaks and on
 * which files go, and another try may find any of it changed.
 */
export interface SlackSent {
  /** Messages. */
  readonly parts: number;
  /** Whole blocks of the text, and behind these one for what is said of each file. */
  readonly block: number;
  /** Letters of the next block (`lettersOf`). */
  readonly at: number;
  /** Files, the first ones. */
  readonly files: number;
}

export const NOTHING_SENT: SlackSent = { parts: 0, block: 0, at: 0, files: 0 };

/** `parts.block.at.files`, as `2.0.3950.0`. */
export const progressOf = ({ parts, block, at, files }: SlackSent): Progress =>
  progressAt([parts, block, at, files].join("."));

export function sentBy(resume: Progress | null): SlackSent {
  const [parts = 0, block = 0, at = 0, files = 0] = (resume ?? "").split(".").map((one) => Number(one) || 0);
  return { parts, block, at, files };
}

/** What a message of ours says of itself: which one of its op it is, and up to where it says it; `3.end`. */
export function markOf(key: string, upTo: Progress): Progress {
  return upTo === END ? progressAt(`${key}.${END}`) : upTo;
}

/** The same again. */
export function readMark(mark: string): { readonly key: string; readonly upTo: Progress } {
  const [key = ""] = mark.split(".", 1);
  return { key, upTo: mark.endsWith(`.${END}`) ? END : progressAt(mark) };
}
