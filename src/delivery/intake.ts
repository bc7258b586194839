import type { Account } from "../config/config.ts";
import type { Accepted, Clock } from "../contract/host.ts";
import type { Cursor } from "../contract/ids.ts";
import type { Event } from "../contract/events.ts";
import { type Drop, droppedEvent, type DropReason, isAskedAbout, type OnDrop } from "../gateway/drops.ts";
import type { KnownWithFiles } from "../gateway/file-changes.ts";
import type { EventNormalizer, Lookup } from "../gateway/normalize.ts";
import type { Routes } from "../gateway/routes.ts";
import { LogError } from "../log/errors.ts";
import type { Appended, Ids, Log, NewEntry } from "../log/log.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import type { Logger } from "../logger.ts";
import { type Alone, type Answers, changes, type Group, makes } from "./append-group.ts";
import { AcceptCall, channelOf, type EventBatch, ignored } from "./call.ts";
import { markOf } from "./cursors.ts";
import { pause } from "./deadline.ts";
import { Holds } from "./holds.ts";
import { type FileArchive, withFiles } from "../gateway/known-files.ts";
import { type NameOf, UNSETTLED } from "./names.ts";
import { onAbort } from "../lib/abort.ts";
import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import { HealthReporter } from "./health-reporter.ts";
import { fullJitter } from "./retry.ts";

/**
 * The way in of one account, over all its sessions: events → entries → the log, in the order of the calls.
 *
 * While one append is under way, the calls that come gather; the next append takes as many of them, whole, as its
 * bounds allow. A refusal of the log (disk full, too much waiting, a failed write) is waited out, and the same append
 * tried again: nothing is dropped, nothing rejects, and who waits for the answer is held up, which is the
 * back-pressure. A call with an event of a channel whose name is still to be settled (it is being joined) holds up
 * those after it, so that the order stays; where the session ends before, its cursor stays before that event, and the
 * next session brings it again. How much gathers is for the adapter to bound, which takes nothing more from its network
 * while many of its calls wait.
 *
 * An event that speaks of another message (an answer, an edit) goes in an append of its own call, because that message
 * has to be found in the log first; what comes before it in the call is stored before, when it is about that. A message
 * that is not found may be a copy of ours that is being sent, or whose receipt is not on the disk yet: the event waits
 * for what is under way in its channel at that moment, and is looked for once more. What comes after it in that channel
 * waits as well, and nothing else does (see holds.ts). The cursors of calls that are stored meanwhile are stored with
 * the one that waits, so that no cursor is ever ahead of what is stored.
 *
 * `close` ends that: an append under way still gets its own answer, everything else is answered "ignored" without
 * having been stored.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #report: HealthReporter;
  readonly #calls: AcceptCall[] = [];
  readonly #closed = new AbortController();
  readonly #holds: Holds;
  readonly #dropped = new Map<DropReason, number>();
  #accepted = 0;
  #cursor: Cursor | null;
  /** Of sessions that ended before a channel of one of their events was known: their cursors no longer count. */
  readonly #unsettled = new WeakSet<NameOf>();
  #normalizer: EventNormalizer;
  #running: Promise<void> | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { account, logger, clock, cursor } = options;
    this.#cursor = cursor;
    this.#normalizer = options.normalizer;
    this.#report = new HealthReporter(logger, { account: account.name }, () => clock.monoMs());
    this.#holds = new Holds({ clock, signal: this.#closed.signal, released: () => this.settled() });
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
  change(normalizer: EventNormalizer): void {
    this.#normalizer = normalizer;
  }

  accept(batch: EventBatch, nameOf: NameOf): Promise<readonly Accepted[]> {
    if (this.#closed.signal.aborted) return Promise.resolve(ignored(batch));
    const { promise, resolve } = Promise.withResolvers<readonly Accepted[]>();
    this.#calls.push(new AcceptCall(batch, nameOf, this.#options.clock.monoMs(), resolve));
    this.settled();
    return promise;
  }

  /** To be called when the name of a channel may have been settled. */
  settled(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when everything that can go on has been answered. */
  async drained(): Promise<void> {
    while (this.#running !== null || this.#holds.size > 0) await (this.#running ?? this.#holds.next);
  }

  close(): void {
    this.#closed.abort();
    for (const call of this.#calls.splice(0)) call.giveUp();
  }

  async #run(): Promise<void> {
    // What is handed over in one turn goes together.
    await Promise.resolve();
    const { lock } = this.#options;
    const next = async (): Promise<boolean> => await this.#next();
    while (await (lock === undefined ? next() : lock.shared(next)));
  }

  /** Stores what one append takes; false when there is nothing that can go on. */
  async #next(): Promise<boolean> {
    const group = this.#gather();
    // At once: whoever comes from now on starts another run.
    if (group === null) this.#running = null;
    else await this.#store(group);
    return group !== null;
  }

  /** What the next append takes, oldest first; null when there is nothing that can go on. */
  #gather(): Group | null {
    const group: Group = { calls: [], taken: [], entries: [], answers: [], cursor: null, chars: 0 };
    const held = this.#holds.channels;
    for (let at = 0; at < this.#calls.length;) {
      const call = this.#calls[at];
      if (call?.batch.events.some(({ channel }) => call.nameOf(channel) === undefined) !== false) break;
      if (call.waitsWhole(held)) {
        at += 1;
        continue;
      }
      const isFull = group.entries.length + call.left.length > EVENTS_MAX || group.chars > CHARS_MAX;
      const isAlone = this.#asksAny(call) || call.waitsPartly(held);
      if ((isFull || isAlone) && group.calls.length > 0) break;
      this.#calls.splice(at, 1);
      if (this.#isBehind(call)) call.cursor = null;
      group.calls.push(call);
      if (isAlone) return { ...group, alone: { call, at, held } };
      for (const index of call.left.splice(0)) this.#take(call, index, group, []);
      this.#settleCursor(call, at, group);
    }
    return group.calls.length > 0 ? group : null;
  }

  /** The cursor of a call is stored with it, or with the call before it that still waits. */
  #settleCursor({ cursor }: AcceptCall, at: number, group: Group): void {
    const before = this.#calls[at - 1];
    if (before !== undefined) before.cursor = cursor ?? before.cursor;
    else group.cursor = cursor ?? group.cursor;
  }

  /** Whether its cursor stands after an event that no name was found for: the next session has to begin before that. */
  #isBehind({ batch, nameOf }: AcceptCall): boolean {
    if (batch.events.some(({ channel }) => nameOf(channel) === UNSETTLED)) this.#unsettled.add(nameOf);
    return this.#unsettled.has(nameOf);
  }

  #asksAny({ batch, nameOf }: AcceptCall): boolean {
    return batch.events.some((event) => this.#lookups(event, channelOf(event, nameOf)).length > 0);
  }

  #take(call: AcceptCall, index: number, group: Group, known: Answers): void {
    const event = call.batch.events[index];
    if (event !== undefined) group.taken.push({ call, index, slot: this.#add(event, call, group, known) });
  }

  #lookups(event: Event, channel: string | null): ReturnType<EventNormalizer["lookups"]> {
    try {
      return channel === null ? [] : this.#normalizer.lookups(event, channel);
    } catch {
      // Whoever records it says what is wrong.
      return [];
    }
  }

  /** Puts an event into the group; its index there, or null when it goes no further. */
  #add(event: Event, { nameOf }: AcceptCall, group: Group, known: Answers): number | null {
    const entry = this.#entryOf(event, channelOf(event, nameOf), known);
    if ("reason" in entry) {
      const { reason } = entry;
      this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
      const { account, logger } = this.#options;
      logger.debug({ account: account.name, kind: event.kind, reason }, "message not relayed");
      return null;
    }
    group.chars += entry.payload.length;
    return group.answers.length + group.entries.push(entry) - 1;
  }

  /** The entry, or the reason why there is none. */
  #entryOf(event: Event, channel: string | null, known: Answers): NewEntry | Drop {
    const { account, routes, clock, logger, onDrop } = this.#options;
    const drop = (why: Drop): Drop => {
      const place = { account: account.name, channel: channel ?? event.channel };
      if (isAskedAbout(why)) onDrop?.(droppedEvent(event, why, place));
      return why;
    };
    try {
      if (channel === null) return drop({ reason: "unknown_channel" });
      const recorded = this.#normalizer.normalize(event, channel, clock.nowMs(), known);
      if (recorded.is === "drop") return drop(recorded);
      return routes.targets(recorded.entry.subject).length > 0 ? recorded.entry : drop({ reason: "no_gateway" });
    } catch (error) {
      // The next try would fail as well: better one event lost, and told, than all after it.
      logger.error(
        { account: account.name, channel, kind: event.kind, error: String(error) },
        "an event is lost: this is a bug",
      );
      return { reason: "bug" };
    }
  }

  async #store(group: Group): Promise<void> {
    if (group.alone !== undefined) await this.#takeAlone(group, group.alone);
    const { log, plain = log } = this.#options;
    const stored = await this.#append(group.entries, group.cursor, group.alone === undefined ? plain : log);
    const answers = [...group.answers, ...(stored ?? [])];
    for (const { call, index, slot } of group.taken) {
      call.answers[index] = slot === null ? "ignored" : (answers[slot] ?? "ignored");
    }
    for (const call of group.calls) {
      if (call.left.length === 0) call.finish();
      else if (this.#closed.signal.aborted) call.giveUp();
    }
  }

  /** Takes of a call what need not wait; the rest takes its place in the queue again. */
  async #takeAlone(group: Group, { call, at, held }: Alone): Promise<void> {
    const left: number[] = [];
    for (const index of call.left) {
      const isLeft = !(await this.#takeOne(call, index, group, held));
      if (isLeft) left.push(index);
      if (group.chars > CHARS_MAX) await this.#flush(group);
    }
    call.left = left;
    if (left.length === 0) this.#settleCursor(call, at, group);
    else if (!this.#closed.signal.aborted) this.#calls.splice(at, 0, call);
  }

  /** False when the event has to wait. */
  async #takeOne(call: AcceptCall, index: number, group: Group, held: Set<string>): Promise<boolean> {
    const event = call.batch.events[index];
    const channel = event === undefined ? null : channelOf(event, call.nameOf);
    if (event === undefined || (channel !== null && held.has(channel))) return false;
    const lookups = this.#lookups(event, channel);
    // Before the look-up: what ends while that is under way must not be missed.
    const mayWait = lookups.length > 0 && this.#holds.mayWait(event, call.atMs);
    const cause = channel !== null && mayWait ? (this.#options.underWay?.(channel) ?? null) : null;
    const known = await this.#lookUp(lookups, group);
    if (known === null) {
      group.taken.push({ call, index, slot: null });
      return true;
    }
    if (channel !== null && cause !== null && known.includes(null)) {
      held.add(channel);
      this.#holds.hold(channel, event, { cause, sinceMs: call.atMs });
      return false;
    }
    this.#take(call, index, group, known);
    return true;
  }

  /** Null when the intake or the log was closed before. */
  async #lookUp(lookups: readonly Lookup[], group: Group): Promise<Answers | null> {
    if (lookups.length === 0) return [];
    const find = async (): Promise<Answers | null> =>
      await this.#retryUntilAvailable(
        async () => await Promise.all(lookups.map(async (lookup) => await this.#find(lookup))),
      );
    if (lookups.some((lookup) => group.entries.some((entry) => makes(entry, lookup)))) await this.#flush(group);
    const known = await find();
    if (known?.some((one) => one !== null && group.entries.some((entry) => changes(entry, one))) !== true) return known;
    await this.#flush(group);
    return await find();
  }

  async #find({ place, refs, files }: Lookup): Promise<KnownWithFiles | null> {
    const { ids, archive } = this.#options.log;
    const known = await ids.find(place, refs);
    return known === null || files !== true || archive === undefined ? known : await withFiles(known, archive);
  }

  /** Stores what the group has so far; the cursor comes with the rest. */
  async #flush(group: Group): Promise<void> {
    const entries = group.entries.splice(0);
    const answers = await this.#append(entries, null);
    group.answers.push(...(answers ?? entries.map((): Accepted => "ignored")));
    group.chars = 0;
  }

  /** One answer per entry, once they are durable; null when the intake was closed before. */
  async #append(
    entries: readonly NewEntry[],
    cursor: Cursor | null,
    log: Pick<Log, "append"> = this.#options.log,
  ): Promise<readonly Accepted[] | null> {
    const { account } = this.#options;
    if (entries.length === 0 && cursor === null) return [];
    const marks = cursor === null ? [] : [{ name: markOf(account.key), value: cursor }];
    const appended = await this.#retryUntilAvailable(
      async () => await this.#whenKnown(log.append({ account: account.key, entries, marks })),
    );
    if (appended === null) return null;
    this.#cursor = cursor ?? this.#cursor;
    // Without an idempotency key it always is.
    const seqs = appended.is === "stored" ? appended.seqs : [];
    return this.#count(seqs.map((seq) => (seq === null ? "duplicate" : "stored")));
  }

  /** What may be stored is waited for: asked again, the log would store a second time what has no key. */
  async #whenKnown(append: Promise<Appended>): Promise<Appended> {
    try {
      return await append;
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error;
      const { code, message } = error;
      this.#report.trouble({ code, message }, {}, "events wait: it is not known whether the log has the last ones");
      const closed = Promise.withResolvers<LogError>();
      const forget = onAbort(this.#closed.signal, () =>
        closed.resolve(new LogError("closed", "the account has ended")),
      );
      const outcome = await Promise.race([error.settled, closed.promise]);
      forget();
      if (outcome instanceof LogError) throw outcome;
      this.#report.well({}, "events are stored again");
      return outcome;
    }
  }

  #count(answers: readonly Accepted[]): readonly Accepted[] {
    const stored = answers.filter((answer) => answer === "stored").length;
    this.#accepted += stored;
    const duplicates = answers.length - stored;
    if (duplicates > 0) this.#dropped.set("duplicate", (this.#dropped.get("duplicate") ?? 0) + duplicates);
    return answers;
  }

  /** Asks the log until it answers; null when the intake or the log was closed before. */
  async #retryUntilAvailable<T>(lookup: () => Promise<T>): Promise<T | null> {
    for (let attempt = 1; !this.#closed.signal.aborted; attempt += 1) {
      try {
        const answer = await lookup();
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
    this.#report.trouble({ code, message }, {}, "events wait: the log does not accept them");
    await pause({ clock, ms: fullJitter(attempt, BACK_OFF, random), signal: this.#closed.signal });
  }
}

export interface IntakeOptions {
  readonly account: Account;
  readonly normalizer: EventNormalizer;
  readonly routes: Routes;
  /** Held, shared, while anything goes by the normalizer and the routes; absent: these never change. */
  readonly lock?: ReadWriteLock;
  readonly log: Pick<Log, "append"> & { readonly ids: Pick<Ids, "find">; readonly archive?: FileArchive };
  /** Takes what speaks of no other message in place of the log. */
  readonly plain?: Pick<Log, "append">;
  /**
   * Resolves once all that the network may show by now of what we send to a channel has ended, and is on the disk or
   * never will be; null: nothing is under way there. Absent: nothing is sent.
   */
  readonly underWay?: (channel: string) => Promise<void> | null;
  /** What earlier runs of the program have stored; see `readCursor`. */
  readonly cursor: Cursor | null;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Absent: nobody asks what was dropped. */
  readonly onDrop?: OnDrop;
}

/** Of one append; a call with more goes alone. */
const EVENTS_MAX = 512;
const CHARS_MAX = 1024 * 1024;

const BACK_OFF = { baseMs: 250, capMs: 10_000 };
