import { LogError } from "../log/errors.ts";
import type { EntryHead, Log, Mark, Receipt, Seq } from "../log/log.ts";
import { admission, type LaneOptions, placeOf } from "./lane-options.ts";
import {
  decodeIntent,
  decodePosition,
  decodeSummary,
  encodePosition,
  type Intent,
  marksOf,
  type Position,
  type Summary,
} from "./position.ts";
import { recover } from "./recovery.ts";
import { settleSources } from "../gateway/sources.ts";

/** What a lane starts with. */
export interface Restored {
  readonly position: Position;
  readonly summary: Summary | null;
  /** Unconfirmed messages of the last run, not on disk yet. */
  readonly receipts: readonly Receipt[];
  /** The lane's marks as they are on disk. */
  readonly written: ReadonlyMap<string, string>;
  /** Whether an entry is for the lane. */
  readonly admits: (entry: EntryHead) => boolean;
}

/** Reads the lane's marks. A new lane starts at the head of the log, durably, and so does a new subject. Rejects with the log's LogError. */
export async function restore(options: LaneOptions): Promise<Restored> {
  const { name: lane, log, subjects } = options;
  const names = marksOf(lane);
  const written = await readMarks(log, Object.values(names));
  const value = written.get(names.position) ?? encodePosition({ after: log.head, next: null });
  const sources = readable(lane, () => settleSources(written.get(names.sources), subjects, log.head));
  const fresh: Mark[] = [
    { name: names.position, value },
    { name: names.sources, value: sources.value },
  ].filter((mark) => written.get(mark.name) !== mark.value);
  if (fresh.length > 0) await log.mark(fresh);
  for (const mark of fresh) written.set(mark.name, mark.value);
  const admits = admission(options.plan, sources.since);
  const position = readable(lane, () => decodePosition(value));
  const intent = readable(lane, () => decodeIntent(written.get(names.intent)));
  const recovered = recover(
    { lane, place: placeOf(options) },
    position,
    intent,
    await between(options, admits, position.after, intent),
  );
  if (recovered.receipts.length > 0) {
    const { gateway, account, channel, logger } = options;
    const told = { gateway, account: account.name, channel, messages: recovered.receipts.length };
    logger.warn(told, "messages may or may not have been delivered before the restart; they are not sent again");
  }
  return { ...recovered, summary: readable(lane, () => decodeSummary(written.get(names.summary))), written, admits };
}

/** Only a damaged log has marks that no lane has written. */
function readable<T>(lane: string, decode: () => T): T {
  try {
    return decode();
  } catch {
    const remedy = '"rialto log repair" removes them, and the lane then begins at the newest message';
    throw new LogError("damaged", `The log is damaged: the marks of the lane ${lane} cannot be read. ${remedy}.`);
  }
}

async function readMarks(log: Log, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const value = (await log.marks(name)).get(name);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

/** The messages after the cursor up to the intent. They were all in the lane's window once, so they are not many. */
async function between(
  { log, subjects }: Pick<LaneOptions, "log" | "subjects">,
  admits: Restored["admits"],
  after: Seq,
  intent: Intent | null,
): Promise<Seq[]> {
  const found: Seq[] = [];
  const end = intent?.seq ?? after;
  let readTo = after;
  while (readTo < end) {
    const entries = await log.read({ subjects, after: readTo, limit: 256 });
    readTo = entries.at(-1)?.seq ?? end;
    for (const entry of entries) if (entry.seq <= end && admits(entry)) found.push(entry.seq);
  }
  return found;
}
