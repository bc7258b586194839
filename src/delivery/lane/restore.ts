import { settleSources } from "../../gateway/sources.ts";
import { EventLabel } from "../../contract/message.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Again } from "../../gateway/codec.ts";
import type { Plan } from "../../gateway/plan.ts";
import { LogError } from "../../log/errors.ts";
import type { Log, Mark, Receipt, Seq, StoredEntry } from "../../log/log.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  decodeIntent,
  decodeSummary,
  encodeCheckpoint,
  type Intent,
  marksOf,
  type Summary,
} from "./checkpoint.ts";
import { doubtsLeft, reachOf, timed } from "./doubts.ts";
import { admission, type LaneOptions, placeOf } from "./options.ts";
import { newOutage } from "./outage.ts";
import { newReading } from "./reading.ts";
import { newRecords } from "./records.ts";
import { recover } from "./recovery.ts";
import type { LaneState, LaneSetting } from "./state.ts";
import { LaneWindow, type TimedDoubt } from "./window.ts";

/** What a lane starts with. */
export interface Restored {
  readonly state: LaneState;
  /** Unconfirmed messages of the last run, not on disk yet. */
  readonly receipts: readonly Receipt[];
}

/**
 * Reads the lane's marks. A new lane starts at the head of the log, durably, and so does a new subject. Rejects with
 * the log's LogError.
 */
export async function restore(options: LaneOptions): Promise<Restored> {
  const { name: lane, account, log, subjects, clock } = options;
  const names = marksOf(lane);
  const written = await readMarks(log, Object.values(names));
  const value = written.get(names.checkpoint) ?? encodeCheckpoint({ after: log.head, next: null });
  const sources = readable(lane, () => settleSources(written.get(names.sources), subjects, log.head));
  const fresh: Mark[] = [
    { name: names.checkpoint, value },
    { name: names.sources, value: sources.value },
  ].filter((mark) => written.get(mark.name) !== mark.value);
  if (fresh.length > 0) await log.append({ account: account.key, entries: [], marks: fresh });
  for (const mark of fresh) written.set(mark.name, mark.value);
  const admits = admission(options.plan, sources.since);
  const marked = readable(lane, () => decodeCheckpoint(value));
  const intent = readable(lane, () => decodeIntent(written.get(names.intent)));
  const place = placeOf(options);
  const inBetween = await between(options, admits, marked.after, intent);
  const agains = new Map(inBetween.flatMap(({ seq, again }) => (again === null ? [] : [[seq, again]])));
  const doubts = doubtsLeft(marked, await sendable(options, admits, marked), options.capabilities);
  const { checkpoint, receipts } = recover(
    { lane, place, agains },
    marked,
    intent,
    inBetween.map(({ seq }) => seq),
  );
  if (receipts.length > 0) {
    const { gateway, account, channel, logger } = options;
    const told = { gateway, account: account.name, channel, messages: receipts.length };
    logger.warn(told, "messages may or may not have been delivered before the restart; they are not sent again");
  }
  const summary = readable(lane, () => decodeSummary(written.get(names.summary)));
  const setting = settingOf(options, admits);
  const now = { nowMs: clock.nowMs(), monoMs: clock.monoMs() };
  const start = { checkpoint, summary, written, doubts: timed(doubts, now), monoMs: now.monoMs };
  return { state: newState(setting, start), receipts };
}

/** Only a damaged log has marks that no lane has written. */
function readable<T>(lane: string, decode: () => T): T {
  try {
    return decode();
  } catch {
    const remedy =
      'Of one machine, "rialto log repair" removes them, and the lane then begins at the newest message; of several, move log.sqlite out of the data folder, and the next start begins with what the servers have';
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
  { log, subjects, plan }: Pick<LaneOptions, "log" | "subjects" | "plan">,
  admits: LaneSetting["admits"],
  after: Seq,
  intent: Intent | null,
): Promise<InDoubt[]> {
  const found: InDoubt[] = [];
  const end = intent?.seq ?? after;
  let readTo = after;
  while (readTo < end) {
    const entries = await log.read({ subjects, after: readTo, limit: 256 });
    readTo = entries.at(-1)?.seq ?? end;
    for (const entry of entries) {
      if (entry.seq <= end && admits(entry)) found.push({ seq: entry.seq, again: againOf(entry, plan) });
    }
  }
  return found;
}

interface InDoubt {
  readonly seq: Seq;
  /** What it sends again. */
  readonly again: Again | null;
}

function againOf({ label, payload }: StoredEntry, { read }: Pick<Plan, "read">): Again | null {
  if (label !== EventLabel.again) return null;
  try {
    return read(payload).again ?? null;
  } catch {
    // Whoever is to send it says what is wrong with it.
    return null;
  }
}

/** Messages after the cursor, as many as a lane that was sending may have sent; none where it was not. */
async function sendable(
  { log, subjects, capabilities }: Pick<LaneOptions, "log" | "subjects" | "capabilities">,
  admits: LaneSetting["admits"],
  { after, done = [], sendingSinceMs }: Checkpoint,
): Promise<readonly Pick<StoredEntry, "seq" | "at">[]> {
  // Without their payloads: they may be large.
  const found: Pick<StoredEntry, "seq" | "at">[] = [];
  const enough = done.length + reachOf(capabilities);
  let readTo: Seq | undefined = sendingSinceMs === undefined ? undefined : after;
  while (readTo !== undefined && found.length < enough) {
    const entries = await log.read({ subjects, after: readTo, limit: 256 });
    for (const entry of entries) if (admits(entry)) found.push({ seq: entry.seq, at: entry.at });
    readTo = entries.at(-1)?.seq;
  }
  return found;
}

function settingOf(options: LaneOptions, admits: LaneSetting["admits"]): LaneSetting {
  const { name, gateway, plan, capabilities, maxAgeMs, catchUp, outageNoticeMs, log } = options;
  const newAfter = capabilities.idempotency.by === "none" ? 0 : log.head;
  const own = { name, gateway, plan, capabilities, maxAgeMs, catchUp, outageNoticeMs };
  return { ...own, place: placeOf(options), admits, newAfter };
}

export function newState(
  setting: LaneSetting,
  start: {
    readonly checkpoint: Checkpoint;
    readonly summary: Summary | null;
    readonly written: ReadonlyMap<string, string>;
    readonly doubts?: readonly TimedDoubt[];
    readonly monoMs: number;
  },
): LaneState {
  return {
    setting,
    mode: { is: "opening" },
    link: null,
    why: NOT_YET,
    untilMs: 0,
    gateMs: 0,
    window: new LaneWindow(start.checkpoint, start.doubts),
    sending: null,
    calls: [],
    activeMs: 0,
    nextCall: 1,
    reading: newReading(),
    records: newRecords(start.written),
    line: { waiting: start.summary, underWay: null, attempts: 0, doubts: 0 },
    headBlock: null,
    setAside: [],
    outage: newOutage(start.monoMs),
    newest: null,
    failures: 0,
    upTo: Infinity,
    timerMs: Infinity,
    stopByMs: Infinity,
  };
}

const NOT_YET: Reason = { code: "network", message: "The channel has not been joined yet." };
