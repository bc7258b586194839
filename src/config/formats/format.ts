import type { Path, FilePosition } from "../problems.ts";

export interface SyntaxProblem extends FilePosition {
  readonly message: string;
  readonly remedy?: string;
}

/** The root is a table, or whatever the file holds instead. Messages never quote the file: it may hold secrets. */
export type ParsedConfig =
  | { readonly ok: true; readonly root: unknown }
  | { readonly ok: false; readonly problems: readonly SyntaxProblem[] };

export interface ConfigFormat {
  parse(text: string): ParsedConfig;
  /** Reads the text once more and tells each place it knows of; only called when there is something to report. */
  positions(text: string, tell: Tell): void;
}

export type Tell = (path: Path, key: FilePosition, value: FilePosition) => void;

/** Places deeper than this are not told: no setting is that deep. A list that contains itself ends here too. */
export const maxDepth = 8;

/** After this many mistakes the rest can wait for the next run. */
export const maxMistakes = 20;
