import type { Path, FilePosition } from "../problems.ts";

export interface SyntaxProblem extends FilePosition {
  readonly message: string;
  readonly remedy?: string;
}

/** The root is a table, or whatever the file holds instead. Messages never quote the file: it may hold secrets. */
export type ParsedConfig =
  | {
      readonly ok: true;
      readonly root: unknown;
      /** Tells each place of the text; only called when there is something to report, because it may parse again. */
      readonly positions: (tell: Tell) => void;
    }
  | { readonly ok: false; readonly problems: readonly SyntaxProblem[] };

export interface ConfigFormat {
  parse(text: string): ParsedConfig;
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

/** `key` and `first`, its line, where they are known. */
export function keySetTwice(key: string | null, first: number | null): Pick<SyntaxProblem, "message" | "remedy"> {
  const where = first === null ? "" : `, first on line ${first}`;
  return {
    message: `${key === null ? "this key" : `the key "${key}"`} is set twice in one table${where}`,
    remedy: "remove one of the two",
  };
}

const TYPOGRAPHIC = /^[“”„‟«»‘’‚‛]/u;

/** What is wrong with a text that begins with a quote of a word processor; null: it does not. */
export function typographicQuotes(text: string, key: string | null): Pick<SyntaxProblem, "message" | "remedy"> | null {
  if (!TYPOGRAPHIC.test(text)) return null;
  const such = key === null ? "" : `, as in ${key} = "…"`;
  return { message: "“ ” are not quotes here", remedy: `use "…"${such}` };
}
