import type { LaneRoute } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import type { Entry, Log, Seq, Subject } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { Lane } from "./lane.ts";
import { marksOf } from "./position.ts";

/** Names one outgoing bridge in one gateway; the same over restarts, and no two have the same. */
export function laneName({ gateway, account, channel }: LaneRoute): string {
  return subjectOf(gateway, subjectOf(account.key, channel));
}

/** All lanes over one log: who is to be woken, and what is waited for. */
export class Lanes {
  readonly #log: Log;
  readonly #all: Known[] = [];
  readonly #bySubject = new Map<Subject, Known[]>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** To be called with every lane once it is open, before anything is appended. */
  async add(route: LaneRoute, lane: LaneControls): Promise<void> {
    const { entries } = await this.#log.newest({ subjects: route.subjects, after: lane.cursor, limit: 1 });
    const known: Known = { route, lane, newest: entries.at(-1)?.seq ?? 0 };
    this.#all.push(known);
    for (const subject of route.subjects) {
      const lanes = this.#bySubject.get(subject);
      if (lanes === undefined) this.#bySubject.set(subject, [known]);
      else lanes.push(known);
    }
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

  /** Nothing up to here is waited for. A lane that has read everything of its own does not hold up the others' past. */
  get waitingAfter(): Seq {
    let after = this.#log.head;
    for (const { lane, newest } of this.#all) {
      if (newest > lane.cursor) after = Math.min(after, lane.cursor);
    }
    return after;
  }

  /** How many messages wait for the lanes of an account, by gateway and channel; those with none are left out. */
  async waiting(accountKey: string): Promise<readonly Waiting[]> {
    const waiting: Waiting[] = [];
    for (const { route, lane, newest } of this.#all) {
      if (route.account.key !== accountKey || newest <= lane.cursor) continue;
      const messages = await lane.waiting();
      if (messages > 0) waiting.push({ gateway: route.gateway, channel: route.channel, messages });
    }
    return waiting;
  }

  async stop(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map(({ lane }) => lane.stop(signal)));
  }
}

export interface Waiting {
  readonly gateway: string;
  readonly channel: string;
  readonly messages: number;
}

type LaneControls = Pick<Lane, "cursor" | "waiting" | "wake" | "stop">;

interface Known {
  readonly route: LaneRoute;
  readonly lane: LaneControls;
  /** Seq of the newest entry that concerns it. */
  newest: Seq;
}

/** Where lanes keep what outlives the program. */
const STEMS = Object.values(marksOf(""));

/** Lets go of what lanes left behind whose bridge is no longer in the configuration: nobody is handed it later, should it come back. */
export async function forgetRemoved(log: Log, logger: Logger, names: ReadonlySet<string>): Promise<void> {
  const marks: string[] = [];
  const lanes = new Set<string>();
  for (const stem of STEMS) {
    for (const mark of (await log.marks(stem)).keys()) {
      const name = mark.slice(stem.length);
      if (names.has(name)) continue;
      marks.push(mark);
      lanes.add(name);
    }
  }
  if (marks.length === 0) return;
  await log.unmark(marks);
  logger.warn(
    { removed: [...lanes].slice(0, SHOWN_MAX), count: lanes.size },
    "bridges are no longer in the configuration: what waited for them is not delivered",
  );
}

const SHOWN_MAX = 20;
