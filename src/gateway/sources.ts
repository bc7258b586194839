import type { Seq, Subject } from "../log/log.ts";
import { listOf } from "../lib/shapes.ts";

/**
 * Since when a reader of a gateway hears each of its subjects. A bridge that joins a gateway brings what is said from
 * then on; its past may be in the log for another gateway, behind the position of a reader that had nothing to do for
 * long. Kept as a mark of the reader's.
 */
export interface Sources {
  /** Entries of the subject up to here are not for the reader. */
  readonly since: ReadonlyMap<Subject, Seq>;
  /** Of the mark. */
  readonly value: string;
}

/** Pure. A subject that is new since `value` was written begins at `head`; one that is gone is forgotten. */
export function settleSources(value: string | undefined, subjects: readonly Subject[], head: Seq): Sources {
  const written: unknown = value === undefined || value === "" ? [] : JSON.parse(value);
  // Before subjects were kept, one number stood for all.
  const known = new Map(
    typeof written === "number" ? subjects.map((subject) => [subject, written]) : listOf(written).filter(isBeginning),
  );
  const since = new Map(subjects.map((subject) => [subject, known.get(subject) ?? head]));
  return { since, value: JSON.stringify([...since]) };
}

/** What is heard before and behind a change; `isAlone`: one machine has the log for itself. */
export interface SourcesChange<T = readonly Subject[]> {
  readonly before: T;
  readonly after: T;
  readonly isAlone?: boolean;
}

/**
 * Pure. What a change puts into the mark before it counts: what is new to the reader begins at `head`. Where machines
 * share the log, what it shall not hear any more stays, so that a change that is refused, and was stored all the same,
 * has taken nothing. What such a change has left there counts for nothing.
 */
export function joinSources(
  value: string | undefined,
  { before, after, isAlone = false }: SourcesChange,
  head: Seq,
): string {
  const { since } = settleSources(value, before, head);
  const joined = new Map(after.map((subject) => [subject, head]));
  const kept = [...since].filter(([subject]) => !isAlone || joined.has(subject));
  return JSON.stringify([...new Map([...joined, ...kept])]);
}

const isBeginning = (entry: unknown): entry is [Subject, Seq] =>
  Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number";
