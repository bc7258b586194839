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
  /** Every value that is no list and no table, in the order of the text; null when it cannot be read. */
  scalars(text: string): readonly Scalar[] | null;
}

/** A value as it stands in the text, without its quotation marks. */
export interface Scalar {
  readonly path: Path;
  /** Offsets in UTF-16 units; `end` is behind it. */
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** What another place refers to by a name (YAML's anchors): the paths of those places. */
  readonly also?: readonly Path[];
}

export type Tell = (path: Path, key: FilePosition, value: FilePosition) => void;

/** Places deeper than this are not told: no setting is that deep. A list that contains itself ends here too. */
export const maxDepth = 8;

/** After this many mistakes the rest can wait for the next run. */
export const maxMistakes = 20;
