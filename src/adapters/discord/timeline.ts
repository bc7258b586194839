import type { Event } from "../../contract/events.ts";
import type { Accepted, Host } from "../../contract/host.ts";
import type { OpId, Progress } from "../../contract/ids.ts";
import { onAbort } from "../../lib/abort.ts";
import { Lru } from "../../lib/lru.ts";
import { ChannelLanes } from "../kit/channel-lanes.ts";
import { FaultGuard } from "../kit/guard.ts";
import { HandedEvents } from "../kit/handed.ts";
import { EventIntake } from "../kit/intake.ts";
import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import type { DiscordApi } from "./api.ts";
import { DiscordHistory, isForGood } from "./history.ts";
import type { DiscordPostUnderWay } from "./link.ts";
import { discordMessageIn, discordThreadIn, isLaterId, snowflakeIn } from "./model.ts";
import { type DiscordPositions, type DiscordResume, marginBefore } from "./positions.ts";
import { type ChannelPlace, DiscordReader, type DiscordReaderOptions, type LaneItem } from "./reader.ts";
import type { DiscordFailure } from "./rest-result.ts";
import { isGateway } from "./shard.ts";
import { ThreadFirsts } from "./thread-firsts.ts";

/** Events that may wait to be on disk before reading pauses. */
const WAITING_MAX = 1_000;
/** How long the place in the stream may wait for an event. */
const LATE_MS = 2_000;
/** Threads whose channels are known, and channels and threads whose newest message is. */
const THREADS_MAX = 5_000;
const NEWEST_MAX = 5_000;

/** Events that name their channel. */
const CHANNEL_EVENTS: ReadonlySet<string> = new Set([
  "MESSAGE_CREATE",
  "MESSAGE_UPDATE",
  "MESSAGE_DELETE",
  "MESSAGE_DELETE_BULK",
  "MESSAGE_REACTION_ADD",
  "MESSAGE_REACTION_REMOVE",
  "MESSAGE_REACTION_REMOVE_ALL",
  "MESSAGE_REACTION_REMOVE_EMOJI",
]);

/** What the gateway tells, with its number. */
export interface DiscordDispatch {
  readonly type: string;
  readonly data: Json;
  readonly seq: number;
}

/** A channel that is joined. */
export interface EnteredChannel {
  readonly id: string;
  /** The newest message in it; empty: none. */
  readonly lastMessage: string;
  readonly topic: string;
  readonly isThread: boolean;
}

export interface DiscordTimelineOptions extends Omit<DiscordReaderOptions, "firsts" | "host" | "names" | "positions"> {
  readonly api: Pick<DiscordApi, "messages" | "page" | "message" | "activeThreads" | "archivedThreads">;
  readonly host: Host;
  readonly positions: DiscordPositions;
  readonly guild: string;
  readonly names: DiscordReaderOptions["names"] & {
    /** The channel that a thread is in; null: not known, or no thread. */
    readonly parentOf: (channel: string) => string | null;
  };
  /** Nothing is missing of the gateway's events since the cursor. */
  readonly resumed: boolean;
  /** Too much waits for the disk. */
  readonly onFull: (full: boolean) => void;
}

/**
 * What happens, in order: the events of the gateway, and what was missed. A channel whose history has to be read first
 * keeps its events back until then; the others go on. A channel that was never read brings nothing of its past.
 */
export class DiscordTimeline {
  readonly #options: DiscordTimelineOptions;
  readonly #host: Pick<Host, "accept" | "clock" | "log" | "degraded">;
  readonly #intake: EventIntake;
  readonly #firsts: ThreadFirsts;
  readonly #reader: DiscordReader;
  readonly #history: DiscordHistory;
  readonly #lanes: ChannelLanes<LaneItem, DiscordFailure>;
  readonly #guard: FaultGuard;
  readonly #handed = new HandedEvents();
  /** Rooms that are threads. */
  readonly #threadRooms = new Set<string>();
  /** The channels of threads. */
  readonly #threads = new Map<string, string>();
  readonly #newest = new Lru<string, string>(NEWEST_MAX);
  readonly #end = new AbortController();
  /** Resolves when the disk has the newest cursor. */
  #written: Promise<unknown> = Promise.resolve();
  #gateway: Omit<DiscordResume, "seq"> | null;
  #seq: number;
  #flushing = false;
  /** Nothing is read any more. */
  #stopped = false;

  constructor(options: DiscordTimelineOptions) {
    const { host, positions, api, resumed, onFull, guild } = options;
    this.#options = options;
    this.#host = {
      clock: host.clock,
      log: host.log,
      degraded: (why, about) => host.degraded(why, about),
      accept: async (batch) => await this.#accept(batch),
    };
    this.#gateway = positions.durable;
    this.#seq = positions.durable?.seq ?? 0;
    this.#guard = new FaultGuard(host.log, "what the network tells could not be read");
    this.#intake = new EventIntake({
      host: this.#host,
      cursor: positions,
      lateMs: LATE_MS,
      waitingMax: WAITING_MAX,
      onFull,
    });
    this.#firsts = new ThreadFirsts({ api, clock: host.clock, parentOf: (thread) => this.#parentOf(thread) });
    this.#reader = new DiscordReader({ ...options, firsts: this.#firsts });
    this.#history = new DiscordHistory({
      api,
      host: this.#host,
      positions: positions.channels,
      reader: this.#reader,
      firsts: this.#firsts,
      guild,
      isRoom: (thread) => this.#lanes.has(thread),
      onThread: ({ id, parent }) => this.#learnThread(id, parent),
      onMessage: ({ channel, id }) => this.#heard(channel, id),
      isNews: (event) => this.#handed.isNews(event),
    });
    this.#lanes = new ChannelLanes({
      host: this.#host,
      intake: this.#intake,
      positions: positions.channels,
      fill: async (id, isOver, signal) =>
        await this.#history.read({ id, isThread: this.#threadRooms.has(id) }, isOver, signal),
      isForGood,
      prepare: (item) => (item.event === null ? null : this.#reader.prepare(item.event, item.place)),
      read: (item) => this.#read(item),
      onSettled: () => this.#flushSoon(),
      nameOf: (room) => `#${options.names.channel(room) ?? room}`,
    });
    for (const id of positions.channels.ids) {
      const wasBehind = positions.channels.of(id)?.behind !== null;
      // Until it is joined again, nothing of it is handed over.
      positions.channels.fallBack(id);
      this.#lanes.await(id, resumed && !wasBehind);
    }
    if (!resumed) this.#renew(null);
  }

  push(dispatch: DiscordDispatch): void {
    const { type, data, seq } = dispatch;
    if (type === "READY") this.#ready(data);
    // What was read already comes again when the gateway is taken up from what is on disk.
    if (this.#stopped || seq <= this.#seq) return;
    this.#seq = seq;
    this.#guard.run(() => this.#take({ type, data, seq }), { event: type });
    this.#flushSoon();
  }

  /** A channel is joined. */
  enter({ id, lastMessage, topic, isThread }: EnteredChannel): void {
    const { channels } = this.#options.positions;
    this.#heard(id, lastMessage);
    this.#reader.entered(id, topic);
    channels.joined(id);
    if (isThread) this.#threadRooms.add(id);
    if (channels.of(id) !== null) {
      channels.fallBack(id);
      this.#lanes.fill(id);
      return;
    }
    const floor = this.#latest([channels.at, lastMessage, ...this.#newestInThreads(id)]);
    channels.begin(id, floor);
    // Nothing was told by then.
    if (channels.at === "") channels.seen(floor);
    this.#lanes.open(id);
    this.#flushSoon();
  }

  /** We are out of a channel. */
  leave(id: string): void {
    this.#options.positions.channels.left(id);
    this.#drop(id);
  }

  /** It is no longer wanted: should it be joined again, its past is none of ours. */
  forget(id: string): void {
    this.#drop(id);
    this.#options.positions.channels.forget(id);
    this.#flushSoon();
  }

  /** Events may be missing: all channels are read again from where they were. */
  missed(): void {
    this.#history.renew();
    this.#lanes.fillAll();
  }

  /** The newest message of a channel or thread that was heard of; empty: there is none. */
  newest(channel: string): string {
    const known = this.#newest.get(channel);
    const { at } = this.#options.positions.channels;
    // Whatever is said from now on is newer than this.
    return known ?? (at === "" ? "" : marginBefore(at));
  }

  /** Resolves to true once the disk has it, however long that takes; to false at the end, or when it is given up. */
  async announce(post: DiscordPostUnderWay, signal: AbortSignal): Promise<boolean> {
    if (this.#end.signal.aborted || signal.aborted) return false;
    const { positions } = this.#options;
    positions.announce(post);
    // What was read goes first; after `quiesce` it is there already.
    if (!this.#stopped) this.#flush();
    const cursor = positions.take();
    if (cursor !== null) void this.#accept({ events: [], cursor });
    const done = Promise.withResolvers<boolean>();
    const releases = [signal, this.#end.signal].map((over) => onAbort(over, () => done.resolve(false)));
    void this.#written.then(() => done.resolve(true));
    const isKept = await done.promise;
    for (const release of releases) release();
    return isKept;
  }

  announced(op: OpId, upTo: Progress): DiscordPostUnderWay | null {
    return this.#options.positions.announced(op, upTo);
  }

  /** Nothing is read any more; resolves when what was read is on disk. */
  async quiesce(): Promise<void> {
    this.#stopped = true;
    this.#lanes.stop();
    this.#settle();
    await this.#intake.stop();
    const cursor = this.#end.signal.aborted ? null : this.#options.positions.take();
    if (cursor !== null) await this.#accept({ events: [], cursor });
  }

  /** Nothing is handed over any more. */
  end(): void {
    this.#stopped = true;
    this.#end.abort();
    this.#lanes.stop();
    this.#intake.end();
  }

  #drop(id: string): void {
    this.#reader.left(id);
    this.#lanes.drop(id);
    this.#threadRooms.delete(id);
  }

  /** A gateway session has begun: what was missed before is read from the channels. */
  #ready(data: Json): void {
    const isFirst = this.#gateway === null && this.#seq === 0;
    const [session, url] = [textIn(data, "session_id") ?? "", textIn(data, "resume_gateway_url") ?? ""];
    // Where it cannot be taken up, the next one is a new one.
    this.#renew(session !== "" && isGateway(url) ? { session, url } : null);
    if (!isFirst) this.missed();
  }

  #renew(gateway: Omit<DiscordResume, "seq"> | null): void {
    this.#gateway = gateway;
    this.#seq = 0;
    this.#options.positions.followed(gateway === null ? null : { ...gateway, seq: 0 });
  }

  #take(dispatch: DiscordDispatch): void {
    const { type, data } = dispatch;
    if (type.startsWith("THREAD_") || type === "GUILD_CREATE") this.#learnThreads(type, data);
    if (type.startsWith("GUILD_MEMBER_")) {
      // The bot may be on other servers as well.
      if (textIn(data, "guild_id") === this.#options.guild) this.#takeMember(dispatch);
      return;
    }
    const channel =
      type === "CHANNEL_UPDATE" ? textIn(data, "id") : CHANNEL_EVENTS.has(type) ? textIn(data, "channel_id") : null;
    if (channel === null) return;
    if (type === "MESSAGE_CREATE") this.#heard(channel, snowflakeIn(data, "id"));
    const place = this.#placeOf(channel);
    if (place !== null) this.#push({ seq: dispatch.seq, place, event: dispatch, events: [] });
  }

  #takeMember({ type, data, seq }: DiscordDispatch): void {
    const rooms = this.#lanes.ids.filter((id) => !this.#threadRooms.has(id));
    const events =
      type === "GUILD_MEMBER_ADD"
        ? this.#reader.joined(data, rooms)
        : type === "GUILD_MEMBER_REMOVE"
          ? this.#reader.removed(data, rooms)
          : type === "GUILD_MEMBER_UPDATE"
            ? this.#reader.renamed(data)
            : [];
    for (const event of events) {
      this.#push({ seq, place: { room: event.channel, thread: null }, event: null, events: [event] });
    }
  }

  #push(item: Omit<LaneItem, "session">): void {
    this.#lanes.push(item.place.room, { ...item, session: this.#gateway });
  }

  #learnThreads(type: string, data: Json): void {
    const threads = type.startsWith("THREAD_") && type !== "THREAD_LIST_SYNC" ? [data] : listIn(data, "threads");
    for (const { id, parent, lastMessage } of threads.flatMap((one) => discordThreadIn(one) ?? [])) {
      this.#learnThread(id, parent);
      this.#heard(id, lastMessage);
    }
    if (type === "THREAD_CREATE" && data["newly_created"] === true) this.#firsts.begun(textIn(data, "id") ?? "");
    if (type !== "GUILD_CREATE") return;
    for (const channel of listIn(data, "channels").filter(isObject)) {
      this.#heard(snowflakeIn(channel, "id"), snowflakeIn(channel, "last_message_id"));
    }
  }

  #learnThread(id: string, parent: string): void {
    this.#threads.delete(id);
    this.#threads.set(id, parent);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > THREADS_MAX && oldest !== undefined) this.#threads.delete(oldest);
  }

  #parentOf(channel: string): string | null {
    return this.#threads.get(channel) ?? this.#options.names.parentOf(channel);
  }

  /** Null: it is in no channel that is joined, or waited for. */
  #placeOf(channel: string): ChannelPlace | null {
    if (this.#lanes.has(channel)) return { room: channel, thread: null };
    const parent = this.#parentOf(channel);
    return parent !== null && this.#lanes.has(parent) ? { room: parent, thread: channel } : null;
  }

  #read({ event, events, place }: LaneItem): void {
    const told =
      event === null
        ? events.filter((one) => !this.#isElsewhere(one))
        : (this.#guard.run(() => this.#reader.read(event, place), { event: event.type }) ?? []);
    const news = told.filter((one) => this.#handed.isNews(one));
    this.#intake.add(news);
    if (event === null) return;
    const message = event.type === "MESSAGE_CREATE" ? discordMessageIn(event.data) : null;
    if (message !== null) this.#options.positions.channels.seen(message.id);
  }

  /** Who comes and goes does so in all rooms, but not in threads: that it is one may be known only now. */
  #isElsewhere(event: Event): boolean {
    return event.kind === "member" && event.change !== "rename" && this.#threadRooms.has(event.channel);
  }

  #heard(channel: string, message: string): void {
    if (message !== "" && isLaterId(message, this.#newest.get(channel) ?? "")) this.#newest.set(channel, message);
  }

  #newestInThreads(room: string): readonly string[] {
    return [...this.#threads].flatMap(([thread, parent]) => (parent === room ? (this.#newest.get(thread) ?? []) : []));
  }

  #latest(ids: readonly string[]): string {
    return ids.reduce((newest, id) => (isLaterId(id, newest) ? id : newest), "");
  }

  /** What came in one piece of the socket is handed over together. */
  #flushSoon(): void {
    if (this.#flushing || this.#stopped) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      if (!this.#stopped) this.#flush();
    });
  }

  #flush(): void {
    this.#settle();
    this.#intake.flush();
  }

  /** The stream is followed up to the oldest event that still waits. */
  #settle(): void {
    if (this.#gateway === null) return;
    let seq = this.#seq;
    for (const item of this.#lanes.oldest()) if (item.session === this.#gateway) seq = Math.min(seq, item.seq - 1);
    this.#options.positions.followed({ ...this.#gateway, seq });
  }

  async #accept(batch: Parameters<Host["accept"]>[0]): Promise<readonly Accepted[]> {
    const { host, positions } = this.#options;
    const writing = host.accept(batch);
    if (batch.cursor !== null) this.#written = writing;
    const answers = await writing;
    if (batch.cursor !== null) positions.confirmed(batch.cursor);
    return answers;
  }
}
