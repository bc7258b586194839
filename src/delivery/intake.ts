import type { Account } from "../config/config.ts";
import type { Accepted, Clock, Host } from "../contract/host.ts";
import type { ChannelRef, Cursor } from "../contract/ids.ts";
import type { Event } from "../contract/events.ts";
import type { Recorder } from "../gateway/record.ts";
import type { Routes } from "../gateway/routes.ts";
import { LogError } from "../log/errors.ts";
import type { Log, NewEntry } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { pause } from "./deadline.ts";
import { Report } from "./report.ts";
import { fullJitter } from "./retry.ts";

/**
 * The way in of one account, over all its sessions: events → entries → the log, in the order of the calls.
 *
 * While one append is under way, the calls that come gather; the next append takes as many of them, whole, as its bounds allow. A
 * refusal of the log (disk full, too much waiting, a failed write) is waited out, and the same append tried again: nothing is dropped,
 * nothing rejects, and who waits for the answer is held up, which is the back-pressure. A call with an event of a channel whose name is
 * still to be settled (it is being joined) holds up those behind it, so that the order stays. How much gathers is for the adapter to
 * bound, which takes nothing more from its network while many of its calls wait.
 *
 * `close` ends that: an append under way still gets its own answer, everything else is answered "ignored" without having been stored.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #report: Report;
  readonly #calls: Call[] = [];
  readonly #closed = new AbortController();
  readonly #dropped = new Map<string, number>();
  #accepted = 0;
  #running: Promise<void> | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { account, logger, clock } = options;
    this.#report = new Report(logger, { account: account.name }, () => clock.nowMs());
  }

  /** How many events were stored. */
  get accepted(): number {
    return this.#accepted;
  }

  /** How many were not, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dropped);
  }

  accept(batch: EventBatch, nameOf: NameOf): Promise<readonly Accepted[]> {
    if (this.#closed.signal.aborted) return Promise.resolve(ignored(batch));
    const { promise, resolve } = Promise.withResolvers<readonly Accepted[]>();
    this.#calls.push({ batch, nameOf, answer: resolve });
    this.settled();
    return promise;
  }

  /** To be called when the name of a channel may have been settled. */
  settled(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when everything that can go on has been answered. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  close(): void {
    this.#closed.abort();
    for (const { batch, answer } of this.#calls.splice(0)) answer(ignored(batch));
  }

  async #run(): Promise<void> {
    // What is handed over in one turn goes together.
    await Promise.resolve();
    for (let group = this.#gather(); group !== null; group = this.#gather()) await this.#store(group);
    this.#running = null;
  }

  /** The calls of the next append, oldest first; null when there is none that can go on. */
  #gather(): Group | null {
    const group: Group = { calls: [], entries: [], cursor: null, chars: 0 };
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      const { events, cursor } = call.batch;
      if (events.some(({ channel }) => call?.nameOf(channel) === undefined)) break;
      const isFull = group.entries.length + events.length > EVENTS_MAX || group.chars > CHARS_MAX;
      if (isFull && group.calls.length > 0) break;
      this.#calls.shift();
      group.calls.push({ call, slots: events.map((event) => this.#add(event, call, group)) });
      group.cursor = cursor ?? group.cursor;
    }
    return group.calls.length > 0 ? group : null;
  }

  /** Puts an event into the group; its index there, or null when it goes no further. */
  #add(event: Event, { nameOf }: Call, group: Group): number | null {
    const entry = this.#entryOf(event, nameOf(event.channel) ?? null);
    if (typeof entry === "string") {
      this.#dropped.set(entry, (this.#dropped.get(entry) ?? 0) + 1);
      const { account, logger } = this.#options;
      logger.debug({ account: account.name, kind: event.kind, reason: entry }, "message not relayed");
      return null;
    }
    group.chars += entry.payload.length;
    return group.entries.push(entry) - 1;
  }

  /** The entry, or the reason why there is none. */
  #entryOf(event: Event, channel: string | null): NewEntry | string {
    const { account, record, routes, clock, logger } = this.#options;
    if (channel === null) return "unknown_channel";
    try {
      const recorded = record(event, channel, clock.nowMs());
      if (recorded.is === "drop") return recorded.reason;
      return routes.targets(recorded.entry.subject).length > 0 ? recorded.entry : "no_gateway";
    } catch (error) {
      // The next try would fail as well: better one event lost, and told, than all behind it.
      logger.error(
        { account: account.name, channel, kind: event.kind, error: String(error) },
        "an event is lost: this is a bug",
      );
      return "bug";
    }
  }

  async #store({ calls, entries, cursor }: Group): Promise<void> {
    const stored = await this.#append(entries, cursor);
    for (const { call, slots } of calls) {
      call.answer(slots.map((slot): Accepted => (slot === null ? "ignored" : (stored?.[slot] ?? "ignored"))));
    }
  }

  /** One answer per entry, once they are durable; null when the intake was closed before. */
  async #append(entries: readonly NewEntry[], cursor: Cursor | null): Promise<readonly Accepted[] | null> {
    const { account, log } = this.#options;
    if (entries.length === 0 && cursor === null) return [];
    const marks = cursor === null ? [] : [{ name: `cursor/${account.key}`, value: cursor }];
    for (let attempt = 1; !this.#closed.signal.aborted; attempt += 1) {
      try {
        const appended = await log.append({ account: account.key, entries, marks });
        if (attempt > 1) this.#report.well({ attempt }, "events are stored again");
        // Without an idempotency key it always is.
        const seqs = appended.is === "stored" ? appended.seqs : [];
        return this.#count(seqs.map((seq) => (seq === null ? "duplicate" : "stored")));
      } catch (error) {
        if (error instanceof LogError && error.code === "closed") return null;
        await this.#pause(error, attempt);
      }
    }
    return null;
  }

  #count(answers: readonly Accepted[]): readonly Accepted[] {
    const stored = answers.filter((answer) => answer === "stored").length;
    this.#accepted += stored;
    const duplicates = answers.length - stored;
    if (duplicates > 0) this.#dropped.set("duplicate", (this.#dropped.get("duplicate") ?? 0) + duplicates);
    return answers;
  }

  async #pause(error: unknown, attempt: number): Promise<void> {
    const { clock, random } = this.#options;
    const code = error instanceof LogError ? error.code : "bug";
    const message = error instanceof Error ? error.message : String(error);
    this.#report.trouble({ code, message }, {}, "events wait: the log does not take them");
    await pause({ clock, ms: fullJitter(attempt, BACK_OFF, random), signal: this.#closed.signal });
  }
}

export interface IntakeOptions {
  readonly account: Account;
  readonly record: Recorder;
  readonly routes: Routes;
  readonly log: Pick<Log, "append">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

/** What one call of `Host.accept` hands over. */
export type EventBatch = Parameters<Host["accept"]>[0];

/** The name of a channel in the configuration; null: it has none there. Undefined: that is not settled yet. */
export type NameOf = (channel: ChannelRef) => string | null | undefined;

/** Of one append; a call with more goes alone. */
const EVENTS_MAX = 512;
const CHARS_MAX = 1024 * 1024;

const BACK_OFF = { baseMs: 250, capMs: 10_000 };

interface Call {
  readonly batch: EventBatch;
  readonly nameOf: NameOf;
  readonly answer: (accepted: readonly Accepted[]) => void;
}

interface Group {
  /** `slots`: where each event of the call is among the entries, null where it went no further. */
  readonly calls: { readonly call: Call; readonly slots: readonly (number | null)[] }[];
  readonly entries: NewEntry[];
  cursor: Cursor | null;
  chars: number;
}

const ignored = ({ events }: EventBatch): readonly Accepted[] => events.map(() => "ignored");
