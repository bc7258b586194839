import type { Log, Mark, Seq, Subject } from "../../log/log.ts";
import type { SourcesChange } from "../../gateway/sources.ts";
import { joinMembership, settleMembership, sinceOf } from "./membership.ts";

type Reads = ReadonlyMap<Subject, readonly string[]>;

/** Where the positions of all readers are kept. */
export const READERS_STEM = "api/";

const POSITIONS = ["poll", "stream", "websocket"];

export const prefixOf = (accountKey: string): string => `${READERS_STEM}${accountKey}/`;

/** What makes the readers of a new account begin at the head of the log. */
export function beginningMarks(accountKey: string, reads: Reads, head: Seq): readonly Mark[] {
  const prefix = prefixOf(accountKey);
  // WebSockets begin with the first of them: nothing is written, or left of an account that had the name before.
  const at = POSITIONS.map((name) => ({ name: prefix + name, value: name === "websocket" ? "" : String(head) }));
  return [...at, ...settleMembership({ prefix, marks: new Map(), head }, reads).changed];
}

/** Whether readers of the account have been there: among these marks is where they stand. */
export const hasPositions = (accountKey: string, marks: ReadonlyMap<string, string>): boolean =>
  marks.has(`${prefixOf(accountKey)}poll`);

/** What makes the readers of an account begin at the head of the log in what is new to them. */
export function joiningMarks(
  accountKey: string,
  change: SourcesChange<Reads> & {
    /** As they are on disk. */
    readonly marks: ReadonlyMap<string, string>;
    readonly head: Seq;
  },
): readonly Mark[] {
  const { marks, head, ...reads } = change;
  return joinMembership({ prefix: prefixOf(accountKey), marks, head }, reads);
}

/** What makes what they do not read any more new to them, should it come back. To be put once they do not. */
export function leavingMarks(
  accountKey: string,
  { reads, ...written }: { readonly reads: Reads; readonly marks: ReadonlyMap<string, string>; readonly head: Seq },
): readonly Mark[] {
  return settleMembership({ prefix: prefixOf(accountKey), ...written }, reads).changed;
}

/**
 * Lets go of what is no longer in the configuration: the positions of accounts that are not among these keys, and what
 * is known of gateways that they do not read. Rejects with the log's LogError.
 */
export async function forgetReaders(
  log: Pick<Log, "marks" | "unmark">,
  accounts: Iterable<string>,
  reads: (accountKey: string) => Reads,
): Promise<void> {
  const marks = [...(await log.marks(READERS_STEM)).keys()];
  const kept = new Set<string>();
  for (const key of accounts) {
    const prefix = prefixOf(key);
    const gateways = new Set([...reads(key).values()].flat());
    const names = [...POSITIONS.map((name) => prefix + name), ...Array.from(gateways, (name) => sinceOf(prefix, name))];
    for (const name of names) kept.add(name);
  }
  const gone = marks.filter((name) => !kept.has(name));
  if (gone.length > 0) await log.unmark(gone);
}
