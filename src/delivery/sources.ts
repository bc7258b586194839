import type { Seq, Subject } from "../log/log.ts";

/**
 * Since when a lane hears each of its subjects. A bridge that joins a gateway brings what is said from then on; its past may be in the log
 * for another gateway, behind the cursor of a lane that had nothing to do for long. Kept as the mark `sources/<name>`.
 */
export interface Sources {
  /** Entries of the subject up to here are not for the lane. */
  readonly since: ReadonlyMap<Subject, Seq>;
  /** Of the mark. */
  readonly value: string;
}

/** Pure. A subject that is new since `value` was written begins at `head`; one that is gone is forgotten. */
export function settleSources(value: string | undefined, subjects: readonly Subject[], head: Seq): Sources {
  const known = new Map(value === undefined || value === "" ? [] : (JSON.parse(value) as [Subject, Seq][]));
  const since = new Map(subjects.map((subject) => [subject, known.get(subject) ?? head]));
  return { since, value: JSON.stringify([...since]) };
}
