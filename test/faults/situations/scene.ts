import { masked } from "./words.ts";
import type { Sights } from "./watch.ts";

/** What was seen of a situation: by the operator, and by people, by the name of their room. */
export interface Scene extends Sights {
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

/** What the page says of a situation; null: nothing that counts. */
export type Told = string | null;

/** What people have seen, from there on. */
export const since = (lines: readonly string[], from = 0): readonly string[] =>
  lines.slice(from).map((line) => masked(line, ""));
