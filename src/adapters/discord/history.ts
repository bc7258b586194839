import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import { type ChannelPositions, MARGIN_MS } from "../kit/channel-positions.ts";
import type { DiscordApi } from "./api.ts";
import { deletionsIn, editsIn, GapSource, oldestOf, threadsIn } from "./gap.ts";
import { type DiscordMessage, type DiscordThread, discordTimeOf, isLaterId, isOpenThread } from "./model.ts";
import { marginBefore } from "./positions.ts";
import type { ChannelPlace, DiscordReader } from "./reader.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import type { ThreadFirsts } from "./thread-firsts.ts";

/** Handed over at once. */
const BATCH_MAX = 100;
/** Threads of one channel that are read for one gap, those with the newest messages. */
const THREADS_MAX = 100;
/** What the network answers for forums: they have posts alone, which are threads. */
const NO_TEXT = 50_024;
/** For so long the list of active threads counts: all channels are read at about the same time. */
const ACTIVE_MS = 30_000;

interface DiscordHistoryOptions {
  readonly api: Pick<DiscordApi, "page" | "activeThreads" | "archivedThreads">;
  readonly host: Pick<Host, "accept" | "clock" | "log">;
  readonly positions: Pick<ChannelPositions<string>, "of" | "sinceOf" | "told" | "wasTold">;
  readonly reader: DiscordReader;
  readonly firsts: ThreadFirsts;
  readonly guild: string;
  /** Whether a thread is a room of its own: what is said there is read for that. */
  readonly isRoom: (thread: string) => boolean;
  /** A thread was found. */
  readonly onThread: (thread: Pick<DiscordThread, "id" | "parent">) => void;
  /** A message was found. */
  readonly onMessage: (message: DiscordMessage) => void;
  /** False for what was handed over before. */
  readonly isNews: (event: Event) => boolean;
}

/** A channel whose history is read. */
interface Gap {
  readonly room: string;
  readonly isThread: boolean;
  /** What was said by then was told, if it came in its order. Empty: nothing was. */
  readonly since: string;
  readonly after: string;
  /** By channel and thread. */
  readonly sources: Map<string, GapSource>;
  /** What was told of each, when its history was asked for. */
  readonly before: Map<string, readonly string[]>;
  /** Messages that the core had not had. An edit of these is part of what was told. */
  readonly told: Set<string>;
  /** Threads that are not read, as there are too many. */
  readonly leftOut: Set<string>;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

/** Tells what was said, changed and taken back in channels and their threads while nobody listened. */
export class DiscordHistory {
  readonly #options: DiscordHistoryOptions;
  #active: { readonly untilMs: number; readonly threads: Promise<DiscordResult<readonly DiscordThread[]>> } | null =
    null;

  constructor(options: DiscordHistoryOptions) {
    this.#options = options;
  }

  /** Which threads are active has changed, or may have. */
  renew(): void {
    this.#active = null;
  }

  /** Null: it is read, or nothing can be told any more. */
  async read(
    room: { readonly id: string; readonly isThread: boolean },
    isOver: () => boolean,
    signal: AbortSignal,
  ): Promise<DiscordFailure | null> {
    const { positions } = this.#options;
    const position = positions.of(room.id);
    if (position === null) return null;
    const since = positions.sinceOf(room.id);
    const from = since === "" ? "" : marginBefore(since);
    const after = isLaterId(position.floor, from) ? position.floor : from;
    const gap: Gap = {
      room: room.id,
      isThread: room.isThread,
      since,
      after,
      sources: new Map(),
      before: new Map(),
      told: new Set(),
      leftOut: new Set(),
      signal,
      isOver,
    };
    this.#addSource(gap, room.id);
    const failure = (room.isThread ? null : await this.#addThreads(gap)) ?? (await this.#tellMessages(gap));
    if (failure !== null || isOver()) return failure;
    const sinceMs = since === "" ? Infinity : discordTimeOf(since) - MARGIN_MS;
    await this.#tellChanges(gap, sinceMs);
    this.#report(gap);
    return null;
  }

  #report({ room, told, sources, leftOut }: Gap): void {
    const { log } = this.#options.host;
    if (told.size > 0) log.info({ channel: room, messages: told.size }, "read the messages that Rialto missed");
    if ([...sources.values()].some(({ isWhole }) => !isWhole)) {
      log.warn({ channel: room }, "more was said than Rialto reads for one gap: the newest of it is missing");
    }
    if (leftOut.size > 0) {
      const words =
        "more threads have something new than Rialto reads for one gap: what was said in the others is missing";
      log.warn({ channel: room, threads: leftOut.size }, words);
    }
  }

  #addThread(gap: Gap, thread: string): void {
    if (!this.#options.isRoom(thread)) this.#addSource(gap, thread);
  }

  #addSource(gap: Gap, channel: string): void {
    if (gap.sources.has(channel)) return;
    if (gap.sources.size > THREADS_MAX) {
      gap.leftOut.add(channel);
      return;
    }
    gap.sources.set(channel, new GapSource(this.#options.api, { channel, after: gap.after, since: gap.since }));
    gap.before.set(channel, this.#options.reader.toldOf(channel));
  }

  /** The threads with something new, or with what was told before and may have changed. */
  async #addThreads(gap: Gap): Promise<DiscordFailure | null> {
    const { api, guild, reader } = this.#options;
    const active = await this.#activeThreads(gap.signal);
    if (!active.ok && !isForGood(active.failure)) return active.failure;
    const archived = await api.archivedThreads(gap.room, guild, gap.signal);
    if (!archived.ok && !isForGood(archived.failure)) return archived.failure;
    const all = [...(active.ok ? active.value : []), ...(archived.ok ? archived.value : [])]
      .filter((thread) => thread.parent === gap.room && isOpenThread(thread))
      .toSorted((one, other) => (isLaterId(one.lastMessage, other.lastMessage) ? -1 : 1));
    for (const thread of all) {
      this.#options.onThread(thread);
      const isNew = isLaterId(thread.lastMessage, gap.after);
      if (isNew || reader.toldOf(thread.id).length > 0) this.#addThread(gap, thread.id);
    }
    return null;
  }

  async #activeThreads(signal: AbortSignal): Promise<DiscordResult<readonly DiscordThread[]>> {
    const { api, guild, host } = this.#options;
    const nowMs = host.clock.monoMs();
    if (this.#active === null || this.#active.untilMs < nowMs) {
      this.#active = { untilMs: nowMs + ACTIVE_MS, threads: api.activeThreads(guild, signal) };
    }
    const mine = this.#active;
    const answer = await mine.threads;
    if (!answer.ok && this.#active === mine) this.#active = null;
    return answer;
  }

  /** In the order in which they were said, in the channel and its threads. */
  async #tellMessages(gap: Gap): Promise<DiscordFailure | null> {
    for (;;) {
      const batch: DiscordMessage[] = [];
      while (batch.length < BATCH_MAX) {
        const failure = await this.#load(gap);
        if (failure !== null || gap.isOver()) return failure;
        const source = oldestOf(gap.sources.values());
        const message = source?.next ?? null;
        if (source === null || message === null) break;
        source.shift();
        batch.push(message);
        this.#follow(gap, message);
      }
      if (batch.length === 0) return null;
      await this.#tell(gap, batch);
      if (gap.isOver()) return null;
    }
  }

  /** Threads that begin with it, and that nobody knew of. */
  #follow(gap: Gap, message: DiscordMessage): void {
    this.#options.onMessage(message);
    if (gap.isThread || message.channel !== gap.room) return;
    for (const id of threadsIn(message)) {
      this.#options.onThread({ id, parent: gap.room });
      this.#addThread(gap, id);
    }
  }

  async #load(gap: Gap): Promise<DiscordFailure | null> {
    for (const [channel, source] of gap.sources) {
      if (source.next !== null || source.isRead) continue;
      const failure = await source.load(gap.signal);
      if (failure === null) continue;
      // A thread that is no more, or closed to us, must not keep back what is said in the channel.
      const isNoPlace = failure.code === NO_TEXT || (channel !== gap.room && isForGood(failure));
      if (!isNoPlace) return failure;
      gap.sources.delete(channel);
    }
    return null;
  }

  async #tell(gap: Gap, batch: readonly DiscordMessage[]): Promise<void> {
    const { host, reader, positions, firsts, isNews } = this.#options;
    await reader.meetWriters(batch);
    const threads = new Set(batch.flatMap((message) => this.#placeOf(gap, message.channel).thread ?? []));
    for (const message of batch) firsts.note(message, this.#placeOf(gap, message.channel).thread);
    for (const thread of threads) if (firsts.known(thread) === undefined) await firsts.find(thread);
    if (gap.isOver()) return;
    const found = batch.flatMap((message) => {
      const event = reader.missed(message, this.#placeOf(gap, message.channel), gap.since);
      return event === null || !isNews(event) ? [] : [{ message, event }];
    });
    if (found.length === 0) return;
    const answers = await host.accept({ events: found.map(({ event }) => event), cursor: null });
    for (const [index, { message }] of found.entries()) {
      if (answers[index] === "duplicate") continue;
      gap.told.add(message.id);
      if (message.editedMs !== null) positions.told(message.id, message.editedMs);
    }
  }

  /** What was done to messages that were told before. */
  async #tellChanges(gap: Gap, sinceMs: number): Promise<void> {
    const { host, reader, positions, isNews } = this.#options;
    for (const [channel, { recent, hasAll }] of gap.sources) {
      // What is read marks it as told.
      if (gap.isOver()) return;
      const place = this.#placeOf(gap, channel);
      const edits = editsIn(recent, sinceMs)
        .filter(({ id, editedMs }) => !gap.told.has(id) && editedMs !== null && !positions.wasTold(id, editedMs))
        .flatMap((message) => reader.changed(message, place) ?? []);
      const gone = reader.gone(deletionsIn(recent, gap.before.get(channel) ?? [], hasAll), place);
      const events = [...edits, ...gone].filter(isNews);
      if (events.length > 0) await host.accept({ events, cursor: null });
    }
  }

  #placeOf({ room }: Gap, channel: string): ChannelPlace {
    return { room, thread: channel === room ? null : channel };
  }
}

/** Asking again would be refused again, until somebody changes a right. A login that has ended is begun anew. */
export const isForGood = ({ status }: DiscordFailure): boolean => status === 403 || status === 404 || status === 400;
