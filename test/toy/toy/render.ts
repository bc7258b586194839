import { cut } from "../../../src/content/length.ts";
import { plainText } from "../../../src/content/plain.ts";
import { END, type Progress } from "../../../src/contract/ids.ts";
import type { PostDraft } from "../../../src/contract/ops.ts";
import type { Loss } from "../../../src/contract/outcome.ts";
import { progressAt } from "./ids.ts";

export interface Part {
  readonly text: string;
  /** Where it begins in the text without the author's name. */
  readonly from: number;
  /** For `Attempt.sent`. */
  readonly end: Progress;
}

/**
 * The parts of a post behind `resume`, each at most `max` code points long; the first has the author's name before it.
 */
export function render(
  { author, body }: PostDraft,
  max: number,
  resume: Progress | null = null,
): { readonly parts: readonly Part[]; readonly losses: readonly Loss[] } {
  const losses: Loss[] = body.files
    .filter(({ url }) => url === null)
    .map(({ name }) => ({ what: "file", note: `${name} has no public link` }));
  const files = body.files.map(({ name, comment, url, missing }) => {
    const where = url ?? `no public link${missing === null ? "" : `, ${missing}`}`;
    return `${comment === "" ? "" : `${comment}: `}${name} (${where})`;
  });
  const text = [plainText(body.blocks), ...files].filter((line) => line.trim() !== "").join("\n");
  const shown = cut(author?.shown ?? "", max / 2, "codepoints");
  const parts: Part[] = [];
  for (let from = resume === END ? text.length : Number(resume ?? 0); from < text.length;) {
    const before = from === 0 ? shown : "";
    const piece = cut(text.slice(from), max - Array.from(before).length, "codepoints");
    const next = from + piece.length;
    parts.push({ text: before + piece, from, end: next === text.length ? END : progressAt(next) });
    from = next;
  }
  return { parts, losses };
}
