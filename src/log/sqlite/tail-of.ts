import { TailEntry } from "../tail.ts";
import type { Commit } from "./group-commit.ts";
import type { CommittedReply } from "./protocol.ts";

/** What a commit has stored, for those who listen. */
export function tailOf(commit: Commit, { first, absent, at }: CommittedReply): readonly TailEntry[] {
  const gone = new Set(absent);
  const stored: TailEntry[] = [];
  let seq = first;
  for (const [row, payload] of commit.payloads.entries()) {
    if (gone.has(row)) continue;
    const subject = commit.subjects[commit.subjectOf[row] ?? 0] ?? "";
    const label = commit.labels?.[row] ?? "";
    stored.push(new TailEntry(seq++, at, { subject, key: null, label, payload }));
  }
  return stored;
}
