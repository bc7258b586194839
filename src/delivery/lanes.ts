import type { LaneRoute, Target } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import { joinSources, settleSources, type SourcesChange } from "../gateway/sources.ts";
import { LogError } from "../log/errors.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import type { Appended, Batch, Entry, Log, Mark, NewEntry, Seq, Subject } from "../log/log.ts";
import type { Ride } from "./lane/early-intent.ts";
import type { Lane } from "./lane/lane.ts";
import { encodeCheckpoint, marksOf } from "./lane/checkpoint.ts";

/** Names one outgoing bridge in one gateway; the same over restarts, and no two have the same. */
export function laneName({ gateway, account, channel }: Target): string {
  return subjectOf(gateway, subjectOf(account.key, channel));
}

interface Named {
  readonly name: string;
  readonly subjects: readonly Subject[];
}

/** What makes a new lane begin at the head of the log; nothing counts any more of one that had its name before. */
export function beginningMarks({ name, subjects }: Named, head: Seq): readonly Mark[] {
  const names = marksOf(name);
  return [
    { name: names.checkpoint, value: encodeCheckpoint({ after: head, next: null }) },
    { name: names.sources, value: settleSources(undefined, subjects, head).value },
    ...[names.intent, names.summary, names.removed].map((each) => ({ name: each, value: "" })),
  ];
}

/**
 * What makes a lane begin at the head of the log with the subjects that it has not heard so far. `sources`: its mark of
 * that name; `before`: those that it hears; `isAlone`: see `joinSources`.
 */
export function joiningMark(
  { name, subjects }: Named,
  { sources, ...known }: { readonly sources: string | undefined } & Omit<SourcesChange, "after">,
  head: Seq,
): Mark {
  return { name: marksOf(name).sources, value: joinSources(sources, { ...known, after: subjects }, head) };
}

/** All lanes over one log: who is to be woken, and what is waited for. */
export class Lanes {
  readonly #log: Log;
  readonly #all = new Map<LaneControls, Known>();
  readonly #bySubject = new Map<Subject, Set<Known>>();
  /** While lanes are stopped to be opened again: what they wait for. */
  #floor: Seq = Infinity;
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** To be called with every lane once it is open; it is woken if it has missed something meanwhile. */
  async add(route: LaneRoute, lane: LaneControls): Promise<void> {
    const known: Known = { route, lane, newest: 0 };
    this.#all.set(lane, known);
    for (const subject of route.subjects) {
      const lanes = this.#bySubject.get(subject) ?? new Set<Known>();
      this.#bySubject.set(subject, lanes.add(known));
    }
    if (this.#closed) await lane.stop(AbortSignal.abort());
    const { entries } = await this.#log.newest({ subjects: route.subjects, after: lane.cursor, limit: 1 });
    known.newest = Math.max(known.newest, entries.at(-1)?.seq ?? 0);
    lane.wake();
  }

  /** A lane that was stopped. */
  remove(lane: LaneControls): void {
    const known = this.#all.get(lane);
    if (known === undefined) return;
    this.#all.delete(lane);
    for (const subject of known.route.subjects) {
      const lanes = this.#bySubject.get(subject);
      lanes?.delete(known);
      if (lanes?.size === 0) this.#bySubject.delete(subject);
    }
  }

  /**
   * What is waited for now is so until the function is called that this gives, whatever lanes are removed meanwhile.
   */
  pin(): () => void {
    this.#floor = this.waitingAfter;
    return () => (this.#floor = Infinity);
  }

  /** Whether what is said there goes to any of them. */
  take(subject: Subject): boolean {
    return this.#bySubject.has(subject);
  }

  /** Wakes exactly the lanes that these new entries concern, each once. */
  wake(entries: readonly Entry[]): void {
    const touched = new Set<Known>();
    for (const { subject, seq } of entries) {
      for (const known of this.#bySubject.get(subject) ?? []) {
        known.newest = seq;
        touched.add(known);
      }
    }
    for (const { lane } of touched) lane.wake();
  }

  /** As `Log.append`, with the intents of lanes that would send the entries at once. */
  append(batch: Batch): Promise<Appended> {
    const rides = batch.entries.flatMap((entry, index) => this.#ridesWith(entry, index));
    const seqMarks = rides.map(({ mark, entry }) => ({ ...mark, entry }));
    return new Promise((resolve, reject) => {
      this.#log.appendThen({ ...batch, seqMarks }, (outcome) => {
        if (outcome instanceof UnknownOutcome) void outcome.settled.then((known) => settleRides(rides, known));
        else settleRides(rides, outcome);
        if (outcome instanceof LogError) reject(outcome);
        else resolve(outcome);
      });
    });
  }

  #ridesWith(entry: NewEntry, index: number): RidingEntry[] {
    const head = { subject: entry.subject, label: entry.label, at: 0 };
    return [...(this.#bySubject.get(entry.subject) ?? [])].flatMap(({ lane }) => {
      const ride = lane.rideWith(head);
      return ride === null ? [] : [{ ...ride, entry: index }];
    });
  }

  /** Nothing up to here is waited for. A lane that has read everything of its own does not hold up the others' past. */
  get waitingAfter(): Seq {
    let after = Math.min(this.#log.head, this.#floor);
    for (const { lane, newest } of this.#all.values()) {
      if (newest > lane.cursor) after = Math.min(after, lane.cursor);
    }
    return after;
  }

  /** How many messages wait for the lanes of an account, by gateway and channel; those with none are left out. */
  async waiting(accountKey: string): Promise<readonly WaitingMessages[]> {
    const waiting: WaitingMessages[] = [];
    for (const { route, lane, newest } of this.#all.values()) {
      if (route.account.key !== accountKey || newest <= lane.cursor) continue;
      const messages = await lane.waiting();
      if (messages > 0) waiting.push({ gateway: route.gateway, channel: route.channel, messages });
    }
    return waiting;
  }

  /** From now on, a lane that is added is stopped. */
  close(): void {
    this.#closed = true;
  }
}

export interface WaitingMessages {
  readonly gateway: string;
  readonly channel: string;
  readonly messages: number;
}

type LaneControls = Pick<Lane, "cursor" | "waiting" | "wake" | "rideWith" | "stop">;

interface Known {
  readonly route: LaneRoute;
  readonly lane: LaneControls;
  /** Seq of the newest entry that concerns it. */
  newest: Seq;
}

/** `entry`: the index of its entry in the batch. */
interface RidingEntry extends Ride {
  readonly entry: number;
}

/** In the order of the seqMarks. */
function settleRides(rides: readonly RidingEntry[], outcome: Appended | LogError): void {
  const stored = !(outcome instanceof LogError) && outcome.is === "stored" ? outcome : null;
  for (const [index, { settled, entry }] of rides.entries()) {
    settled(stored?.voidMarks?.includes(index) === true ? null : (stored?.seqs[entry] ?? null));
  }
}
