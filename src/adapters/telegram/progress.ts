import type { Progress } from "../../contract/ids.ts";
import { progressAt } from "./ids.ts";

/**
 * What of a post is sent. It names places of the post itself: where its messages are cut depends on who speaks and on
 * which files go, and another try may find any of it changed.
 */
export interface TelegramReach {
  /** Messages; an album is one. */
  readonly parts: number;
  /** Whole blocks of the text, and behind these one for what is said of each file. */
  readonly block: number;
  /** Letters of the next block (`lettersOf`). */
  readonly at: number;
  /** Which of the files have gone, or are said in words. */
  readonly files: ReadonlySet<number>;
}

export const NOTHING_SENT: TelegramReach = { parts: 0, block: 0, at: 0, files: new Set() };

/**
 * `parts.block.at.files`, as `2.0.3950.0-1`. `changes`: so many times something was left out of it before, which makes
 * of the same place another announcement.
 */
export function progressOf({ parts, block, at, files }: TelegramReach, changes: number): Progress {
  return progressAt([parts, block, at, [...files].join("-"), changes].join("."));
}

export function sentBy(resume: Progress | null): TelegramReach {
  const [parts = "", block = "", at = "", files = ""] = (resume ?? "").split(".");
  const done = files === "" ? [] : files.split("-").map(numberIn);
  return { parts: numberIn(parts), block: numberIn(block), at: numberIn(at), files: new Set(done) };
}

const numberIn = (text: string): number => Number(text) || 0;
