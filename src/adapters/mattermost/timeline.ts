import type { Author } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import { MARGIN_MS } from "../kit/channel-positions.ts";
import { FaultGuard } from "../kit/guard.ts";
import { HandedEvents } from "../kit/handed.ts";
import type { EventIntake } from "../kit/intake.ts";
import { numberIn, textIn } from "../kit/json.ts";
import { MemberRenames } from "../kit/member-renames.ts";
import type { RestFailure } from "../kit/rest.ts";
import { BATCH_MAX, type HistoryOptions, MattermostHistory } from "./history.ts";
import { type MattermostChannel, userIn, recordIn } from "./model.ts";
import type { MattermostPeople } from "./people.ts";
import type { MattermostPositions } from "./positions.ts";
import type { ChannelReader, ReadEvent } from "./reader.ts";
import { type MattermostEvent, TIME } from "./stream.ts";

/** Events that wait to be read before the socket pauses; it goes on at half of that. */
const QUEUE_MAX = 500;
/** Events of one channel that wait while its history is read; beyond that, it is read again. */
const BACKLOG_MAX = 2_000;
/** … and while it is asked who somebody is, which is soon over: reading it again would take longer. */
const ASKING_MAX = 10_000;

interface TimelineOptions extends Pick<HistoryOptions, "api"> {
  readonly host: Host;
  readonly positions: Pick<MattermostPositions, "channels" | "followed">;
  readonly intake: EventIntake;
  readonly people: Pick<MattermostPeople, "changed" | "author">;
  readonly reader: Pick<ChannelReader, "channelOf" | "open" | "learn" | "told" | "isOursToDelete" | "context">;
  /** Nothing is missing of the stream since the cursor. */
  readonly resumed: boolean;
  /** Events about channels and teams themselves. */
  readonly onOther: (event: MattermostEvent) => void;
  /** The history of a channel cannot be read: going on would leave a gap. */
  readonly onUnreadable: (channel: string, failure: RestFailure) => void;
  /** Too much waits to be read. */
  readonly onFull: (full: boolean) => void;
}

/** A channel whose events count. `backlog`: what waits for its history; null: nothing has to. */
interface Lane {
  backlog: MattermostEvent[] | null;
  /** Nothing of it is missing before the backlog. */
  whole: boolean;
  /** It waits for who somebody is: what happens to the channel itself comes behind what was said there before. */
  asking: boolean;
  filling: boolean;
}

/**
 * What happens, in order: the events of the stream, and what was missed. A channel whose history has to be read first
 * keeps its events back until then; the others go on. A channel that was never read brings nothing of its past.
 */
export class MattermostTimeline {
  readonly #options: TimelineOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #queue: MattermostEvent[] = [];
  readonly #stop = new AbortController();
  readonly #history: MattermostHistory;
  readonly #renames = new MemberRenames();
  readonly #handed = new HandedEvents();
  readonly #guard: FaultGuard;
  #running = false;
  #full = false;
  /** The server's clock as it was told last, and our own one then. */
  #time = { atMs: 0, monoMs: 0 };

  constructor(options: TimelineOptions) {
    this.#options = options;
    const { host, positions, resumed } = options;
    this.#guard = new FaultGuard(host.log, "what the server tells could not be read");
    this.#history = new MattermostHistory({
      ...options,
      positions: positions.channels,
      isNews: (event) => this.#handed.isNews(event),
      onTold: (events) => this.#renames.note(events),
      guard: this.#guard,
      signal: this.#stop.signal,
    });
    for (const id of positions.channels.ids) {
      const wasBehind = positions.channels.of(id)?.behind !== null;
      // Until it is joined again, nothing of it is handed over.
      positions.channels.fallBack(id);
      if (resumed && !wasBehind) this.#lanes.set(id, { backlog: [], whole: true, asking: false, filling: false });
    }
  }

  /** Nothing is handed over any more. */
  stop(): void {
    this.#stop.abort();
    this.#queue.length = 0;
    this.#history.stop();
  }

  push(event: MattermostEvent): void {
    if (this.#stop.signal.aborted) return;
    this.#queue.push(event);
    this.#count();
    // What came in one piece of the socket is read together.
    if (!this.#running) queueMicrotask(() => this.#run());
    this.#running = true;
  }

  /** We are in a channel. */
  enter({ id, lastPostAt }: Pick<MattermostChannel, "id" | "lastPostAt">): void {
    const { channels } = this.#options.positions;
    const waiting = this.#lanes.get(id);
    channels.joined(id);
    if (channels.of(id) === null) {
      channels.begin(id, Math.max(channels.at, Math.min(lastPostAt, this.serverMs + MARGIN_MS)));
      this.#lanes.set(id, { backlog: null, whole: true, asking: false, filling: false });
      this.#options.intake.flush();
      return;
    }
    channels.fallBack(id);
    const lane = waiting ?? { backlog: [], whole: false, asking: false, filling: false };
    lane.backlog ??= [];
    this.#lanes.set(id, lane);
    this.#begin(id, lane);
  }

  /** We are out of a channel. */
  leave(id: string): void {
    this.#options.positions.channels.left(id);
    this.#lanes.delete(id);
  }

  /** It is no longer wanted: should it be joined again, its past is none of ours. */
  forget(id: string): void {
    this.#lanes.delete(id);
    this.#options.positions.channels.forget(id);
    this.#options.intake.flush();
  }

  /** Events were left out: all channels are read again from where they were. */
  missed(): void {
    for (const id of this.#lanes.keys()) this.#readAgain(id);
  }

  #readAgain(id: string): void {
    const lane = this.#lanes.get(id);
    if (lane === undefined) return;
    this.#options.positions.channels.fallBack(id);
    lane.whole = false;
    lane.backlog ??= [];
    if (this.#options.positions.channels.of(id) !== null) this.#begin(id, lane);
  }

  #run(): void {
    const { intake, positions } = this.#options;
    let count = 0;
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      this.#count();
      this.#guard.run(() => this.#take(event), { event: event.event });
      positions.followed(event.behind);
      count += 1;
      if (count % BATCH_MAX === 0) intake.flush();
    }
    this.#running = false;
    intake.flush();
  }

  #take(event: MattermostEvent): void {
    const { positions, people, reader, onOther } = this.#options;
    if (event.event === TIME) return this.#clock(numberIn(event.data, "atMs") ?? 0);
    if (event.event === "user_updated") {
      const user = userIn(recordIn(event.data, "user"));
      const before = user === null ? null : people.changed(user);
      if (before !== null) this.#renamed(before, people.author(before.id));
      return;
    }
    const id = reader.channelOf(event) ?? (textIn(event.data, "channel_id") || event.channel);
    const lane = this.#lanes.get(id);
    if (reader.channelOf(event) === null && lane?.asking !== true) return onOther(event);
    if (lane === undefined) return;
    if (lane.backlog !== null) return this.#keep(lane, event);
    const opened = reader.open(event);
    if (opened.ask === null) return positions.channels.seen(Math.min(this.#tell(id, opened.read()), this.serverMs));
    // The other channels do not wait for that.
    lane.backlog = [event];
    lane.asking = true;
    positions.channels.fallBack(id);
    this.#begin(id, lane);
  }

  #keep(lane: Lane, event: MattermostEvent): void {
    const { reader, onOther } = this.#options;
    const waiting = lane.backlog ?? [];
    if (waiting.length < (lane.asking ? ASKING_MAX : BACKLOG_MAX)) return void waiting.push(event);
    lane.backlog = [];
    lane.whole = false;
    // The history does not tell these.
    for (const one of [...waiting, event]) if (reader.channelOf(one) === null) onOther(one);
  }

  #clock(atMs: number): void {
    const { host, positions } = this.#options;
    this.#time = { atMs, monoMs: host.clock.monoMs() };
    positions.channels.seen(atMs);
  }

  /** Posts may be dated later: what is missed until then would be passed over. Ours, while it says nothing. */
  get serverMs(): number {
    const { clock } = this.#options.host;
    const { atMs, monoMs } = this.#time;
    return atMs === 0 ? clock.nowMs() : Math.floor(atMs + clock.monoMs() - monoMs);
  }

  /** When it happened. */
  #tell(id: string, { events, atMs, thread }: ReadEvent): number {
    this.#options.intake.add(events.filter((event) => this.#handed.isNews(event)));
    this.#renames.note(events);
    if (thread) this.#readAgain(id);
    return atMs;
  }

  #renamed(before: Author, after: Author): void {
    const { intake, host } = this.#options;
    const told = this.#renames.told(before, after, host.clock.nowMs());
    intake.add(told.filter(({ channel }) => this.#lanes.has(channel)));
  }

  /** Reads what was missed, when it is its turn, and then what waits. */
  #begin(id: string, lane: Lane): void {
    if (lane.filling) return;
    lane.filling = true;
    void this.#fill(id, lane);
  }

  async #fill(id: string, lane: Lane): Promise<void> {
    const { positions, intake, host, onUnreadable } = this.#options;
    const isOver = (): boolean => this.#stop.signal.aborted || this.#lanes.get(id) !== lane;
    // What waits may be too much meanwhile, or ask for the history once more.
    while (!isOver() && (!lane.whole || (lane.backlog?.length ?? 0) > 0)) {
      try {
        const onBegin = (): void => void (lane.whole = true);
        const failure = lane.whole ? null : await this.#history.read(id, { onBegin, isOver });
        if (isOver()) return;
        if (failure !== null) {
          // It may be joined again with the lane that it has.
          lane.whole = false;
          lane.filling = false;
          return onUnreadable(id, failure);
        }
      } catch (error) {
        this.#guard.note(error, { event: "history" });
        host.log.debug({ channel: id }, "the history of a channel is passed over");
      }
      await this.#readBacklog(id, lane, isOver);
    }
    if (isOver()) return;
    lane.backlog = null;
    lane.asking = false;
    // At once: who asks for the history from now on finds nobody at work on it.
    lane.filling = false;
    positions.channels.caughtUp(id);
    intake.flush();
  }

  async #readBacklog(id: string, lane: Lane, isOver: () => boolean): Promise<void> {
    const { intake, reader, onOther } = this.#options;
    while (lane.whole && !isOver()) {
      const event = lane.backlog?.shift();
      if (event === undefined) return;
      try {
        if (reader.channelOf(event) === null) onOther(event);
        else {
          const opened = reader.open(event);
          await opened.ask?.();
          if (!isOver()) this.#tell(id, opened.read());
        }
      } catch (error) {
        this.#guard.note(error, { event: event.event });
      }
      intake.flush();
      await intake.low();
    }
  }

  #count(): void {
    const full = this.#queue.length > (this.#full ? QUEUE_MAX / 2 : QUEUE_MAX);
    if (full === this.#full) return;
    this.#full = full;
    this.#options.onFull(full);
  }
}
