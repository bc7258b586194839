import type { Author, Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import { ChannelLanes } from "../kit/channel-lanes.ts";
import { FaultGuard } from "../kit/guard.ts";
import { HandedEvents } from "../kit/handed.ts";
import { inTime } from "../kit/in-time.ts";
import { EventIntake } from "../kit/intake.ts";
import { MemberRenames } from "../kit/member-renames.ts";
import type { SlackApi } from "./api.ts";
import { Durable } from "./durable.ts";
import type { SlackEvent } from "./envelopes.ts";
import { happeningIn, type SlackHappening } from "./happening.ts";
import { SlackHistory, type UnreadHistory } from "./history.ts";
import { isLaterTs, slackTimeOf, tsAt, userIn } from "./model.ts";
import type { SlackPositions } from "./positions.ts";
import { type OpenedHappening, SlackReader, type SlackReaderOptions } from "./reader.ts";

/** Events that may wait to be on disk before reading pauses. */
const WAITING_MAX = 1_000;
/** How long a cursor may wait for an event. */
const LATE_MS = 2_000;
/** So many events are handed over at once. */
const BATCH_MAX = 200;
/** What is younger may not be in a history yet. */
const SETTLED_MS = 30_000;
/** Channels that are being joined. */
const FLOORS_MAX = 1_000;
/** With at most this number of channels, their histories are read again after a change of the connection. */
const REFRESH_MAX = 20;
/** Joining does not wait longer for what a channel has; then the time counts. */
const NEWEST_MS = 3_000;

interface SlackTimelineOptions extends Omit<SlackReaderOptions, "kept" | "comings" | "threads"> {
  readonly api: Pick<SlackApi, "history" | "replies" | "serverMs" | "isLimited" | "fileInfo">;
  readonly host: Host;
  readonly positions: SlackPositions;
  /** Events about channels, emoji and the app itself. */
  readonly onOther: (event: SlackEvent, channel: string) => void;
  /** The history of a channel cannot be read, and asking again does not help. */
  readonly onUnreadable: (channel: string, failure: UnreadHistory) => void;
  /** Too much waits for the disk. */
  readonly onFull: (full: boolean) => void;
}

/** An event of a channel as it came, and what it says. */
interface Incoming {
  readonly event: SlackEvent;
  readonly what: SlackHappening;
  readonly opened: OpenedHappening;
}

/**
 * What happens, in order: the events of the socket, and what was missed. A channel whose history has to be read first
 * keeps its events back until then; the others go on. A channel that was never read brings nothing of its past.
 */
export class SlackTimeline {
  readonly #options: SlackTimelineOptions;
  readonly #durable: Durable;
  readonly #intake: EventIntake;
  readonly #reader: SlackReader;
  readonly #lanes: ChannelLanes<Incoming, UnreadHistory>;
  readonly #history: SlackHistory;
  readonly #guard: FaultGuard;
  readonly #renames = new MemberRenames();
  readonly #handed = new HandedEvents();
  /** The newest messages of channels that are about to be read. */
  readonly #floors = new Lru<string, string>(FLOORS_MAX);
  #queue: SlackEvent[] = [];
  /** What was read, and is to be on disk before the server is told so. */
  #read: SlackEvent[] = [];
  #stopped = false;
  /** The newest time that the server has told, and our own clock then. */
  #time = { atMs: 0, monoMs: 0 };

  constructor(options: SlackTimelineOptions) {
    const { host, positions, names, onUnreadable, onFull } = options;
    this.#options = options;
    this.#durable = new Durable(host);
    this.#intake = new EventIntake({
      host: this.#durable,
      cursor: positions,
      lateMs: LATE_MS,
      waitingMax: WAITING_MAX,
      onFull,
    });
    const { kept, comings, threads } = positions;
    this.#reader = new SlackReader({ ...options, kept, comings, threads });
    this.#guard = new FaultGuard(host.log, "what Slack tells could not be read");
    this.#history = new SlackHistory({
      ...options,
      host: { clock: host.clock, log: host.log, accept: async (batch) => await this.#durable.accept(batch) },
      intake: this.#intake,
      reader: this.#reader,
      isNews: (event) => this.#handed.isNews(event),
      onTold: (events) => this.#renames.note(events),
      guard: this.#guard,
    });
    this.#lanes = new ChannelLanes({
      host,
      intake: this.#intake,
      positions: positions.channels,
      fill: async (channel, isOver, signal) => {
        const failure = await this.#history.read({ channel, isOver, signal }, this.#before(SETTLED_MS));
        if (failure !== null && failure.isForGood) onUnreadable(channel, failure);
        return failure;
      },
      isForGood: ({ isForGood }) => isForGood,
      prepare: ({ opened }) => opened.ask?.() ?? null,
      read: (item) => this.#tell(item),
      onDropped: (items) => this.#drop(items),
      onSettled: () => this.#settle(),
      nameOf: (channel) => `#${names.nameOf(channel) ?? channel}`,
    });
    // Until it is joined again, nothing of it is handed over.
    for (const id of positions.channels.ids) positions.channels.fallBack(id);
  }

  /** What was read goes to the core, and once that is on disk nothing any more. */
  async quiesce(): Promise<void> {
    this.#stop();
    await this.#intake.stop();
  }

  /** Nothing is handed over any more. */
  end(): void {
    this.#stop();
    this.#intake.end();
  }

  push(event: SlackEvent): void {
    if (this.#stopped) return;
    this.#queue.push(event);
    // What came in one piece of the socket is read together.
    if (this.#queue.length === 1) queueMicrotask(() => this.#run());
  }

  /** What a channel that was never read has now is none of ours. */
  async prepare(id: string, signal: AbortSignal): Promise<void> {
    const { api, positions, host } = this.#options;
    if (positions.channels.of(id) !== null || api.isLimited("conversations.history")) return;
    const query = { channel: id, oldest: "", latest: "", cursor: "", count: 1 };
    const late = new AbortController();
    const newest = api.history(query, AbortSignal.any([signal, late.signal]));
    const answer = await inTime(newest, { clock: host.clock, ms: NEWEST_MS, signal }, () => null);
    late.abort();
    if (answer?.ok === true) this.#floors.set(id, answer.value.messages[0]?.ts ?? tsAt(0));
  }

  /** We are in a channel. */
  enter(id: string): void {
    const { channels } = this.#options.positions;
    channels.joined(id);
    if (channels.of(id) !== null) return this.#lanes.fill(id);
    const floor = this.#floors.get(id) ?? tsAt(this.serverMs);
    const begin = isLaterTs(channels.at, floor) ? channels.at : floor;
    channels.begin(id, begin);
    this.#options.positions.looked(id, begin);
    this.#lanes.open(id);
    this.#intake.flush();
  }

  /** We are out of a channel. */
  leave(id: string): void {
    this.#options.positions.channels.left(id);
    this.#lanes.drop(id);
  }

  /** It is no longer wanted: should it be joined again, its past is none of ours. */
  forget(id: string): void {
    this.#lanes.drop(id);
    this.#options.positions.forget(id);
    this.#intake.flush();
  }

  /** Events were left out: all channels are read again from where they were. */
  missed(): void {
    this.#lanes.fillAll();
  }

  /**
   * Events may come late: Slack repeats those that it sent to a connection which was ending after a minute. A few
   * channels are read at once; of more, that would hold up too much, and the sweep finds what is missing.
   */
  refreshed(): void {
    if (this.#lanes.ids.length <= REFRESH_MAX && !this.#options.api.isLimited("conversations.history")) this.missed();
  }

  /** Others may be missing before these: what is said there is taken from the history, in its order. */
  readFor(events: readonly SlackEvent[]): void {
    const said = new Set(events.map(({ event }) => happeningIn(event)).map(({ channel }) => channel));
    for (const channel of said) if (this.#lanes.has(channel)) this.#lanes.fill(channel);
  }

  /** The channels that are joined. */
  get channels(): readonly string[] {
    return this.#lanes.ids;
  }

  /**
   * Compares a channel with what was told of it. `settledMs`: what is younger may still come by itself. What was read
   * until the signal counts.
   */
  async sweep(channel: string, settledMs: number, signal: AbortSignal): Promise<UnreadHistory | null> {
    const times = { until: this.#before(settledMs), settled: this.#before(SETTLED_MS) };
    return await this.#lanes.hold(
      channel,
      async (isOver) => await this.#history.sweep({ channel, isOver, signal }, times),
    );
  }

  /** The server's clock. Ours, while it has told nothing. */
  get serverMs(): number {
    const { host, api } = this.#options;
    const { atMs, monoMs } = this.#time;
    const byEvents = atMs === 0 ? 0 : Math.floor(atMs + host.clock.monoMs() - monoMs);
    return Math.max(byEvents, api.serverMs() ?? (atMs === 0 ? host.clock.nowMs() : 0));
  }

  /** By the server's clock. */
  #before(ms: number): string {
    return tsAt(this.serverMs - ms);
  }

  #stop(): void {
    this.#stopped = true;
    this.#queue = [];
    this.#lanes.stop();
  }

  #run(): void {
    for (const event of this.#queue.splice(0)) {
      this.#guard.run(() => this.#take(event), { event: event.type });
      if (this.#read.length >= BATCH_MAX) this.#settle();
    }
    this.#settle();
  }

  /** What was told goes to the core; once it is on disk, the server need not tell it again. */
  #settle(): void {
    const events = this.#read;
    this.#read = [];
    this.#intake.flush();
    this.#durable.whenDone(() => {
      for (const event of events) event.done();
    });
  }

  #take(event: SlackEvent): void {
    const what = happeningIn(event.event);
    this.#clock(what.atTs);
    if (this.#lanes.has(what.channel)) {
      return this.#lanes.push(what.channel, { event, what, opened: this.#reader.open(what) });
    }
    if (event.type === "user_change" || event.type === "user_profile_changed") this.#person(event);
    else if (what.is === "other" || what.is === "came") this.#options.onOther(event, what.channel);
    this.#read.push(event);
  }

  #tell({ event, what, opened }: Incoming): void {
    const { onOther, positions } = this.#options;
    this.#read.push(event);
    if (what.is === "other" || what.is === "came") onOther(event, what.channel);
    if (what.is === "other") return;
    const news = opened.read().filter((one) => this.#handed.isNews(one));
    this.#intake.add(news);
    this.#renames.note(news);
    positions.channels.seen(what.atTs);
  }

  /** What is told by the history need not come again; what it does not have counts all the same. */
  #drop(items: readonly Incoming[]): void {
    if (this.#stopped) return;
    for (const { event, what } of items) {
      this.#read.push(event);
      if (what.is === "other" || what.is === "came") this.#options.onOther(event, what.channel);
    }
    this.#settle();
  }

  #person({ event }: SlackEvent): void {
    const { people } = this.#options;
    const user = userIn(event["user"]);
    const before = user === null ? null : people.changed(user);
    if (before !== null) this.#renamed(before, people.author(before.id));
  }

  #renamed(before: Author, after: Author): void {
    const { clock } = this.#options.host;
    const told: readonly Event[] = this.#renames.told(before, after, clock.nowMs());
    this.#intake.add(told.filter(({ channel }) => this.#lanes.has(channel)));
  }

  #clock(ts: string): void {
    const { clock } = this.#options.host;
    const atMs = ts === "" ? 0 : slackTimeOf(ts);
    // Events come late and out of order: the newest is the nearest.
    if (atMs > 0 && (this.#time.atMs === 0 || atMs > this.serverMs)) this.#time = { atMs, monoMs: clock.monoMs() };
  }
}
