import type { Account } from "../config/config.ts";
import type { Accepted, Clock, Host } from "../contract/host.ts";
import type { Cursor } from "../contract/ids.ts";
import type { Event } from "../contract/events.ts";
import type { compileRecord } from "../gateway/record.ts";
import type { Routes } from "../gateway/routes.ts";
import { LogError } from "../log/errors.ts";
import type { Ids, Known, Log, NewEntry } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { pause } from "./deadline.ts";
import { type NameOf, UNSETTLED } from "./names.ts";
import type { Turnstile } from "../lib/turnstile.ts";
import { Report } from "./report.ts";
import { fullJitter } from "./retry.ts";

/**
 * The way in of one account, over all its sessions: events → entries → the log, in the order of the calls.
 *
 * While one append is under way, the calls that come gather; the next append takes as many of them, whole, as its bounds allow. A
 * refusal of the log (disk full, too much waiting, a failed write) is waited out, and the same append tried again: nothing is dropped,
 * nothing rejects, and who waits for the answer is held up, which is the back-pressure. A call with an event of a channel whose name is
 * still to be settled (it is being joined) holds up those behind it, so that the order stays; where the session ends before, its cursor stays
 * before that event, and the next session brings it again. How much gathers is for the adapter to
 * bound, which takes nothing more from its network while many of its calls wait.
 *
 * An event that speaks of another message (an answer, an edit) goes in an append of its own call, because that message has to be found in
 * the log first; what comes before it in the call is stored before, when it is about that. A message that is not found is looked for once
 * more a moment after the call came: it may be a copy of ours whose receipt is still on its way to the disk.
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
  #cursor: Cursor | null;
  /** Of sessions that ended before all their channels were known, with events of such a channel: their cursors count no more. */
  readonly #unsettled = new WeakSet<NameOf>();
  #record: EventRecorder;
  #running: Promise<void> | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { account, logger, clock, cursor } = options;
    this.#cursor = cursor;
    this.#record = options.record;
    this.#report = new Report(logger, { account: account.name }, () => clock.monoMs());
  }

  /** The newest that is durable; null: there is none. */
  get cursor(): Cursor | null {
    return this.#cursor;
  }

  /** How many events were stored. */
  get accepted(): number {
    return this.#accepted;
  }

  /** How many were not, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dropped);
  }

  /** What comes from now on is recorded like this. */
  change(record: EventRecorder): void {
    this.#record = record;
  }

  accept(batch: EventBatch, nameOf: NameOf): Promise<readonly Accepted[]> {
    if (this.#closed.signal.aborted) return Promise.resolve(ignored(batch));
    const { promise, resolve } = Promise.withResolvers<readonly Accepted[]>();
    this.#calls.push({ batch, nameOf, answer: resolve, atMs: this.#options.clock.monoMs() });
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
    const { turnstile } = this.#options;
    const next = async (): Promise<boolean> => await this.#next();
    while (await (turnstile === undefined ? next() : turnstile.pass(next)));
  }

  /** Stores what one append takes; false when there is nothing that can go on. */
  async #next(): Promise<boolean> {
    const group = this.#gather();
    // At once: whoever comes from now on starts another run.
    if (group === null) this.#running = null;
    else await this.#store(group);
    return group !== null;
  }

  /** The calls of the next append, oldest first; null when there is none that can go on. */
  #gather(): Group | null {
    const group: Group = { calls: [], entries: [], answers: [], cursor: null, chars: 0 };
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      const { events, cursor } = call.batch;
      if (events.some(({ channel }) => call?.nameOf(channel) === undefined)) break;
      const isFull = group.entries.length + events.length > EVENTS_MAX || group.chars > CHARS_MAX;
      const asks = this.#asksAny(call);
      if ((isFull || asks) && group.calls.length > 0) break;
      this.#calls.shift();
      if (!this.#isBehind(call)) group.cursor = cursor ?? group.cursor;
      group.calls.push({ call, slots: asks ? null : events.map((event) => this.#add(event, call, group, [])) });
      if (asks) break;
    }
    return group.calls.length > 0 ? group : null;
  }

  /** Whether its cursor stands behind an event that no name was found for: the next session has to begin before that. */
  #isBehind({ batch, nameOf }: Call): boolean {
    if (batch.events.some(({ channel }) => nameOf(channel) === UNSETTLED)) this.#unsettled.add(nameOf);
    return this.#unsettled.has(nameOf);
  }

  #asksAny({ batch, nameOf }: Call): boolean {
    return batch.events.some((event) => this.#asks(event, channelOf(event, nameOf)).length > 0);
  }

  #asks(event: Event, channel: string | null): ReturnType<EventRecorder["asks"]> {
    try {
      return channel === null ? [] : this.#record.asks(event, channel);
    } catch {
      // Whoever records it says what is wrong.
      return [];
    }
  }

  /** Puts an event into the group; its index there, or null when it goes no further. */
  #add(event: Event, { nameOf }: Call, group: Group, known: Answers): number | null {
    const entry = this.#entryOf(event, channelOf(event, nameOf), known);
    if (typeof entry === "string") {
      this.#dropped.set(entry, (this.#dropped.get(entry) ?? 0) + 1);
      const { account, logger } = this.#options;
      logger.debug({ account: account.name, kind: event.kind, reason: entry }, "message not relayed");
      return null;
    }
    group.chars += entry.payload.length;
    return group.answers.length + group.entries.push(entry) - 1;
  }

  /** The entry, or the reason why there is none. */
  #entryOf(event: Event, channel: string | null, known: Answers): NewEntry | string {
    const { account, routes, clock, logger } = this.#options;
    if (channel === null) return "unknown_channel";
    try {
      const recorded = this.#record.record(event, channel, clock.nowMs(), known);
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

  async #store(group: Group): Promise<void> {
    for (const each of group.calls) each.slots ??= await this.#addAsking(each.call, group);
    const stored = await this.#append(group.entries, group.cursor);
    const answers = [...group.answers, ...(stored ?? [])];
    for (const { call, slots } of group.calls) {
      call.answer((slots ?? []).map((slot): Accepted => (slot === null ? "ignored" : (answers[slot] ?? "ignored"))));
    }
  }

  /** As `#add` for each event of a call. */
  async #addAsking(call: Call, group: Group): Promise<readonly (number | null)[]> {
    const slots: (number | null)[] = [];
    for (const event of call.batch.events) {
      const known = await this.#lookUp(this.#asks(event, channelOf(event, call.nameOf)), call, group);
      slots.push(known === null ? null : this.#add(event, call, group, known));
      if (group.chars > CHARS_MAX) await this.#flush(group);
    }
    return slots;
  }

  /** Null when the intake was closed before. */
  async #lookUp(asks: readonly Ask[], { atMs }: Call, group: Group): Promise<Answers | null> {
    if (asks.length === 0) return [];
    const find = async (): Promise<Answers | null> =>
      await this.#insist(async () => await Promise.all(asks.map(async (ask) => await this.#find(ask))));
    if (asks.some((ask) => group.entries.some((entry) => makes(entry, ask)))) await this.#flush(group);
    let known = await find();
    if (known?.some((one) => one !== null && group.entries.some((entry) => changes(entry, one))) === true) {
      await this.#flush(group);
      known = await find();
    }
    const { clock } = this.#options;
    const ms = Math.min(atMs + RECEIPTS_MS - clock.monoMs(), RECEIPTS_MS);
    // What has waited for its turn has waited for the receipts as well.
    if (known?.includes(null) !== true || ms <= 0) return known;
    await pause({ clock, ms, signal: this.#closed.signal });
    return await find();
  }

  async #find({ place, refs }: Ask): Promise<Known | null> {
    return await this.#options.log.ids.find(place, refs);
  }

  /** Stores what the group has so far; the cursor comes with the rest. */
  async #flush(group: Group): Promise<void> {
    const entries = group.entries.splice(0);
    const answers = await this.#append(entries, null);
    group.answers.push(...(answers ?? entries.map((): Accepted => "ignored")));
    group.chars = 0;
  }

  /** One answer per entry, once they are durable; null when the intake was closed before. */
  async #append(entries: readonly NewEntry[], cursor: Cursor | null): Promise<readonly Accepted[] | null> {
    const { account, log } = this.#options;
    if (entries.length === 0 && cursor === null) return [];
    const marks = cursor === null ? [] : [{ name: markOf(account.key), value: cursor }];
    const appended = await this.#insist(async () => await log.append({ account: account.key, entries, marks }));
    if (appended === null) return null;
    this.#cursor = cursor ?? this.#cursor;
    // Without an idempotency key it always is.
    const seqs = appended.is === "stored" ? appended.seqs : [];
    return this.#count(seqs.map((seq) => (seq === null ? "duplicate" : "stored")));
  }

  #count(answers: readonly Accepted[]): readonly Accepted[] {
    const stored = answers.filter((answer) => answer === "stored").length;
    this.#accepted += stored;
    const duplicates = answers.length - stored;
    if (duplicates > 0) this.#dropped.set("duplicate", (this.#dropped.get("duplicate") ?? 0) + duplicates);
    return answers;
  }

  /** Asks the log until it answers; null when the intake or the log was closed before. */
  async #insist<T>(ask: () => Promise<T>): Promise<T | null> {
    for (let attempt = 1; !this.#closed.signal.aborted; attempt += 1) {
      try {
        const answer = await ask();
        if (attempt > 1) this.#report.well({ attempt }, "events are stored again");
        return answer;
      } catch (error) {
        if (error instanceof LogError && error.code === "closed") return null;
        await this.#pause(error, attempt);
      }
    }
    return null;
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
  readonly record: EventRecorder;
  readonly routes: Routes;
  /** Is passed with everything that goes by the record and the routes, until it is stored; absent: these never change. */
  readonly turnstile?: Turnstile;
  readonly log: Pick<Log, "append"> & { readonly ids: Pick<Ids, "find"> };
  /** What earlier runs of the program have stored; see `readCursor`. */
  readonly cursor: Cursor | null;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

/** What one call of `Host.accept` hands over. */
export type EventBatch = Parameters<Host["accept"]>[0];

/** Of one append; a call with more goes alone. */
const EVENTS_MAX = 512;
const CHARS_MAX = 1024 * 1024;

const BACK_OFF = { baseMs: 250, capMs: 10_000 };

interface Call {
  readonly batch: EventBatch;
  readonly nameOf: NameOf;
  readonly answer: (accepted: readonly Accepted[]) => void;
  /** When it came, Unix ms. */
  readonly atMs: number;
}

interface Group {
  /** `slots`: where each event of the call is among all answers, null where it went no further; null while that is not known. */
  readonly calls: { readonly call: Call; slots: readonly (number | null)[] | null }[];
  /** Not stored yet. */
  readonly entries: NewEntry[];
  /** Of entries that are stored already. */
  readonly answers: Accepted[];
  cursor: Cursor | null;
  chars: number;
}

type EventRecorder = ReturnType<typeof compileRecord>;
type Ask = ReturnType<EventRecorder["asks"]>[number];
/** What was asked, in the same order. */
type Answers = readonly (Known | null)[];

/** How long the receipt of a copy that people already answer may be on its way to the disk, in ms. */
const RECEIPTS_MS = 50;

/** The name of its channel; null: none that is known. */
function channelOf({ channel }: Event, nameOf: NameOf): string | null {
  const name = nameOf(channel);
  return typeof name === "string" ? name : null;
}

/** Whether the entry makes the message that is asked for known by that ref. */
function makes({ subject, note }: NewEntry, { place, refs }: Ask): boolean {
  return (
    (note?.is === "said" || note?.is === "revised") && subject === place && note.refs.some((ref) => refs.includes(ref))
  );
}

/** Whether the entry changes what is known of the message. */
function changes({ note }: NewEntry, { seq }: Known): boolean {
  return note !== undefined && note.is !== "said" && note.of === seq;
}

/** The newest cursor of an account that is durable. Rejects with the log's LogError. */
export async function readCursor(log: Pick<Log, "marks">, accountKey: string): Promise<Cursor | null> {
  const name = markOf(accountKey);
  return ((await log.marks(name)).get(name) as Cursor | undefined) ?? null;
}

/** Where the cursors of accounts are kept, by key. */
export const CURSOR_STEM = "cursor/";

function markOf(accountKey: string): string {
  return `${CURSOR_STEM}${accountKey}`;
}

const ignored = ({ events }: EventBatch): readonly Accepted[] => events.map(() => "ignored");
