import { type MessageRef, mint } from "../../contract/ids.ts";
import { withContentOf } from "../../gateway/again.ts";
import { decodeStored, type Stored } from "../../gateway/codec.ts";
import type { Answer, Here, Narrowing } from "../../gateway/planned.ts";
import type { Seq } from "../../log/log.ts";
import type { FileArchive } from "../../gateway/known-files.ts";
import { fetchFiles, type OpFileStore } from "./files.ts";
import { answersOf, type LaneOptions } from "./options.ts";

type AnswerOptions = Pick<LaneOptions, "name" | "log" | "plan">;

/** The answers that quote a message here. Rejects with a LogError. */
export async function quotingHere({ name, log }: AnswerOptions, seq: Seq | null): Promise<Here["quoting"]> {
  return seq === null ? [] : (await log.ids.refs(seq, answersOf(name))).map(Number);
}

/** Those that still stand and whose words the log still has. Rejects with a LogError. */
export async function answersHere(
  options: AnswerOptions,
  quoting: Here["quoting"],
  place: { readonly store: OpFileStore; readonly room: Narrowing; readonly signal: AbortSignal },
): Promise<readonly Answer[]> {
  const { archive } = options.log;
  if (archive === undefined) return [];
  const answers: Answer[] = [];
  for (const seq of quoting) {
    const answer = await answerHere(options, archive, seq, place);
    if (answer !== null) answers.push(answer);
  }
  return answers;
}

async function answerHere(
  { name, log, plan }: AnswerOptions,
  archive: FileArchive,
  seq: Seq,
  { store, room, signal }: Parameters<typeof answersHere>[2],
): Promise<Answer | null> {
  const known = await log.ids.get(seq);
  const messages = (await log.ids.refs(seq, name)).map((ref): MessageRef => mint("MessageRef", ref));
  const stored = known?.gone === true || messages.length === 0 ? null : await asItReads(archive, seq);
  if (stored === null) return null;
  const saidMs = known?.at ?? 0;
  const needs = { ...plan.needs(stored, room), avatar: null };
  const { files } = await fetchFiles(store, stored, saidMs, needs, signal);
  return { seq, stored, messages, ageMs: Math.max(0, store.clock.nowMs() - saidMs), files };
}

async function asItReads(archive: FileArchive, seq: Seq): Promise<Stored | null> {
  const entry = await archive.entry(seq);
  if (entry === null) return null;
  const stored = decodeStored(entry.payload);
  const [standing] = await archive.standing([seq]);
  const edit = standing?.revised === null || standing === undefined ? null : await archive.entry(standing.revised);
  return edit === null ? stored : withContentOf(decodeStored(edit.payload), stored);
}
