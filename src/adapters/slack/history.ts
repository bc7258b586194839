import type { Event } from "../../contract/events.ts";
import type { Accepted, Host } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import type { FaultGuard } from "../kit/guard.ts";
import { inTime } from "../kit/in-time.ts";
import type { EventIntake } from "../kit/intake.ts";
import type { SlackApi } from "./api.ts";
import { AUTH_ERRORS } from "./errors.ts";
import { changesIn, type SlackChange, reactionsIn, type SlackScope } from "./gap.ts";
import { type HistoryReading, SlackHistoryReader } from "./history-reader.ts";
import { type KeptMessage, reactionMarks } from "./kept-messages.ts";
import { isLaterTs, type SlackMessage } from "./model.ts";
import { earlierOf, marginBefore, type SlackPositions } from "./positions.ts";
import type { SlackReader } from "./reader.ts";
import { deleted, edited, reacted, toEvent } from "./receive.ts";
import type { SlackFailure } from "./result.ts";

/** Handed over at once. */
const BATCH_MAX = 200;
/** So many handings over may be under way. */
const UNDER_WAY_MAX = 5;
/** So often the people of a channel's history are looked up; then it is told without their names. */
const LEARN_MAX = 3;
const CHANNELS_MAX = 1_000;
/** So long after it was not there, what may not have been there yet is looked for again. */
const AGAIN_MS = 2_000;
const NEVER = new Promise<never>(() => undefined);

interface SlackHistoryOptions {
  readonly api: Pick<SlackApi, "history" | "replies">;
  readonly host: Pick<Host, "accept" | "log" | "clock">;
  readonly intake: Pick<EventIntake, "hand">;
  readonly positions: SlackPositions;
  readonly reader: Pick<
    SlackReader,
    "learn" | "note" | "told" | "isTold" | "stampOf" | "gone" | "isGone" | "isOursToDelete" | "context"
  >;
  /** False for what was handed over before. */
  readonly isNews: (event: Event) => boolean;
  /** These are about to be told. */
  readonly onTold: (events: readonly Event[]) => void;
  readonly guard: Pick<FaultGuard, "run">;
}

/** What is to be read for whom. */
interface SlackHistoryTask {
  readonly channel: string;
  /** Nobody wants it any more. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

/** Why a history was not read. */
export interface UnreadHistory extends Pick<SlackFailure, "why" | "error" | "status" | "message" | "retryAfterMs"> {
  /** Asking again would fail again, until somebody changes something. */
  readonly isForGood: boolean;
  /** A part was read, which counts: the next look goes on behind it. */
  readonly isBegun: boolean;
}

interface Telling {
  readonly reading: HistoryReading;
  readonly task: SlackHistoryTask;
  /** What was said there and edited since, by `ts`. */
  readonly edits: ReadonlyMap<string, SlackMessage>;
  /** Up to where everything was told that came in its order. */
  readonly sinceTs: string;
  readonly isSweep: boolean;
}

/** Tells what was missed in a channel: what was said, and what became of what was said before. */
export class SlackHistory {
  readonly #options: SlackHistoryOptions;
  /** How often nobody could say who the people of a channel are. */
  readonly #nameless = new Lru<string, number>(CHANNELS_MAX);
  readonly #reader: SlackHistoryReader;

  constructor(options: SlackHistoryOptions) {
    this.#options = options;
    this.#reader = new SlackHistoryReader({ ...options, log: options.host.log });
  }

  /** What the socket has lost since the last look. */
  async sweep(task: SlackHistoryTask, times: Pick<SlackScope, "until" | "settled">): Promise<UnreadHistory | null> {
    return await this.#look(task, times, true);
  }

  /** From where the channel was read. Null: it is told, or over. */
  async read(task: SlackHistoryTask, settled: string): Promise<UnreadHistory | null> {
    return await this.#look(task, { until: "", settled }, false);
  }

  async #look(
    task: SlackHistoryTask,
    times: Pick<SlackScope, "until" | "settled">,
    isSweep: boolean,
  ): Promise<UnreadHistory | null> {
    const { positions } = this.#options;
    const { channel } = task;
    const floor = positions.channels.of(channel)?.floor ?? null;
    if (floor === null) return null;
    const margin = marginBefore(isSweep ? times.until : positions.channels.sinceOf(channel));
    const from = earlierOf(margin, positions.lookedOf(channel));
    const scope = { channel, from: isLaterTs(floor, from) ? floor : from, floor, ...times };
    return await this.#tell(task, scope, isSweep);
  }

  async #tell(task: SlackHistoryTask, scope: SlackScope, isSweep: boolean): Promise<UnreadHistory | null> {
    const { positions, host } = this.#options;
    const fetched = await this.#reader.read(task, scope, isSweep);
    if (task.isOver()) return null;
    if (!fetched.ok) return unread(fetched.failure);
    const reading = fetched.value;
    const { channel } = scope;
    const found = changesIn(reading, scope, (ts, editedTs) => positions.wasToldEdited(channel, ts, editedTs));
    const edited = found.changes.flatMap((change) => (change.is === "edited" ? change.message : []));
    const learned = await this.#learn(channel, [...found.messages, ...edited], isSweep);
    if (learned === null) return NAMELESS;
    if (task.isOver()) return null;
    const complete = (message: SlackMessage): SlackMessage => learned.get(message.ts) ?? message;
    const edits = new Map<string, SlackMessage>();
    for (const change of found.changes) {
      if (change.is === "edited") edits.set(change.message.ts, complete(change.message));
    }
    const telling = { reading, task, edits, sinceTs: positions.channels.sinceOf(channel), isSweep };
    const told = await this.#tellMessages(found.messages.map(complete), telling);
    if (task.isOver()) return null;
    const changes = found.changes.flatMap((change): readonly SlackChange[] => {
      if (change.is !== "edited") return [change];
      const { ts } = change.message;
      return told.has(ts) ? [] : [{ is: "edited", message: edits.get(ts) ?? change.message }];
    });
    this.#tellChanges(channel, changes, task);
    host.log.trace({ channel, messages: reading.channel.messages.length, changes: changes.length }, "read a history");
    // A sweep comes again.
    const failure = isSweep ? null : await this.#lookAgain(task, scope, found.doubtful);
    if (failure !== null || task.isOver()) return failure;
    this.#reader.told(reading);
    return reading.cut === null ? null : unread(reading.cut, true);
  }

  /** Whether what was not there, and is young, still is not. */
  async #lookAgain(
    task: SlackHistoryTask,
    scope: SlackScope,
    doubtful: readonly KeptMessage[],
  ): Promise<UnreadHistory | null> {
    const [first] = doubtful;
    if (first === undefined) return null;
    await inTime(NEVER, { clock: this.#options.host.clock, ms: AGAIN_MS, signal: task.signal }, () => null);
    const all: SlackScope = { ...scope, from: first.ts, settled: "" };
    const fetched = await this.#reader.read(task, all, false);
    if (task.isOver()) return null;
    if (!fetched.ok) return unread(fetched.failure);
    const { changes } = changesIn(fetched.value, all, () => true);
    const isGone = (change: SlackChange): boolean =>
      change.is === "gone" && doubtful.some(({ ts }) => ts === change.ts);
    this.#tellChanges(scope.channel, changes.filter(isGone), task);
    return null;
  }

  /** By `ts`, with what events lack. Null: they are to be read again later, with the names of people. */
  async #learn(
    channel: string,
    messages: readonly SlackMessage[],
    isSweep: boolean,
  ): Promise<ReadonlyMap<string, SlackMessage> | null> {
    const learned = messages.length === 0 ? [] : await this.#options.reader.learn(messages, isSweep);
    if (learned !== null) this.#nameless.delete(channel);
    if (learned !== null) return new Map(learned.map((one) => [one.ts, one]));
    const tries = (this.#nameless.get(channel) ?? 0) + 1;
    this.#nameless.set(channel, tries % LEARN_MAX);
    if (tries < LEARN_MAX) return null;
    this.#options.host.log.warn({ channel }, "missed messages come without the names of people");
    return new Map();
  }

  /**
   * Hands over what may be new, and says what that was. What comes behind it need not wait for the disk, unless very
   * much does.
   */
  async #tellMessages(messages: readonly SlackMessage[], telling: Telling): Promise<ReadonlySet<string>> {
    const { host, reader, positions, guard, isNews, onTold } = this.#options;
    const { isOver } = telling.task;
    const answers: Promise<number>[] = [];
    const told = new Set<string>();
    for (let at = 0; at < messages.length && !isOver(); at += BATCH_MAX) {
      const batch = messages.slice(at, at + BATCH_MAX).flatMap((message) => {
        const event = reader.isGone(message) ? null : guard.run(() => toEvent(message, reader.context), HISTORY);
        const isNew = event !== null && isNews(event) && positions.comings.isNews(event, "message", message.ts);
        return isNew ? [{ message, event }] : [];
      });
      if (batch.length === 0) continue;
      const events = batch.map(({ event }) => event);
      onTold(events);
      for (const { message } of batch) {
        told.add(message.ts);
        this.#keep(message);
      }
      const mine = batch.map(({ message }) => message);
      answers.push(host.accept({ events, cursor: null }).then((answer) => this.#settle(mine, answer, telling)));
      await answers.at(-UNDER_WAY_MAX);
    }
    void Promise.all(answers).then((counts) =>
      this.#report(
        telling,
        counts.reduce((sum, count) => sum + count, 0),
      ),
    );
    return told;
  }

  /** As if nothing of what has become of it had been told. */
  #keep(message: SlackMessage): void {
    const { reader, positions } = this.#options;
    const { channel, ts } = message;
    const wasKept = positions.kept.find(channel, ts) !== null;
    reader.told(message);
    const kept = positions.kept.find(channel, ts);
    if (!wasKept && kept !== null) positions.kept.keep(channel, { ...kept, reactions: new Set() });
  }

  /** The core says which it had; how many were new. An edit of these is part of what was told. */
  #settle(messages: readonly SlackMessage[], answers: readonly Accepted[], telling: Telling): number {
    const { positions } = this.#options;
    const { edits, sinceTs, task } = telling;
    if (task.isOver()) return 0;
    let news = 0;
    for (const [at, message] of messages.entries()) {
      const { channel, ts, editedTs } = message;
      // Of our own ones it does not say so.
      const isKnown = answers[at] === "duplicate" || (answers[at] === "ignored" && !isLaterTs(ts, sinceTs));
      const kept = positions.kept.find(channel, ts);
      const edit = edits.get(ts);
      if (!isKnown) {
        news += 1;
        if (editedTs !== "") positions.toldEdited(channel, ts, editedTs);
        const reactions = reactionsIn(message, { reactions: kept?.reactions ?? new Set() });
        this.#tellChanges(channel, reactions.filter(isOn), task);
        continue;
      }
      // Nobody knows which of its reactions were told.
      const all = new Set([...reactionMarks(message.reactions), ...(kept?.reactions ?? [])]);
      if (kept !== null) positions.kept.keep(channel, { ...kept, reactions: all });
      // As an earlier session has told it, of which nothing is known here.
      if (edit !== undefined) this.#tellEdit(edit);
    }
    return news;
  }

  #tellChanges(channel: string, changes: readonly SlackChange[], { isOver }: SlackHistoryTask): void {
    const { intake, guard, isNews } = this.#options;
    for (let at = 0; at < changes.length && !isOver(); at += BATCH_MAX) {
      const events = changes
        .slice(at, at + BATCH_MAX)
        .flatMap((change) => guard.run(() => this.#changeEvent(channel, change), HISTORY) ?? []);
      intake.hand(events.filter(isNews));
    }
  }

  #tellEdit(message: SlackMessage): void {
    const { intake, guard, isNews, reader } = this.#options;
    const event = guard.run(() => edited(message, reader.context), HISTORY) ?? null;
    if (event !== null && isNews(event)) intake.hand([event]);
  }

  #changeEvent(channel: string, change: SlackChange): Event | null {
    const { reader, positions, host } = this.#options;
    const atMs = host.clock.nowMs();
    switch (change.is) {
      case "reacted":
        return positions.kept.react(channel, change)
          ? reacted(change, { channel, atMs, stamp: null }, reader.context)
          : null;
      case "gone": {
        const { ts } = change;
        reader.gone(channel, ts);
        return deleted({ channel, ts }, { ours: reader.isOursToDelete(channel, ts), atMs });
      }
      case "edited": {
        if (reader.isGone(change.message) || reader.isTold(change.message)) return null;
        const stamp = reader.stampOf(change.message, "");
        reader.told(change.message);
        return edited(change.message, reader.context, stamp);
      }
    }
  }

  #report({ reading: { scope, channel, threads, cut }, isSweep }: Telling, missed: number): void {
    const { log } = this.#options.host;
    if (missed > 0) {
      const words = isSweep ? "Slack had not told these messages" : "read the messages that Rialto missed";
      log.info({ channel: scope.channel, messages: missed }, words);
    }
    if (cut !== null) return;
    if (!channel.isWhole || [...threads.values()].some(({ isWhole }) => !isWhole)) {
      log.warn({ channel: scope.channel }, "more was said than Rialto reads for one gap: some of it is missing");
    }
  }
}

const isOn = (change: SlackChange): boolean => change.is === "reacted" && change.on;

const HISTORY = { event: "history" };

const NAMELESS: UnreadHistory = {
  why: "refused",
  error: "",
  status: 0,
  message: "Slack does not say who its people are",
  retryAfterMs: null,
  isForGood: false,
  isBegun: false,
};

const unread = (failure: SlackFailure, isBegun = false): UnreadHistory => ({
  ...failure,
  isBegun,
  isForGood: FOR_GOOD.has(failure.error) || AUTH_ERRORS.has(failure.error),
});

const FOR_GOOD: ReadonlySet<string> = new Set([
  "access_denied",
  "channel_not_found",
  "is_archived",
  "missing_scope",
  "no_permission",
  "not_in_channel",
]);
