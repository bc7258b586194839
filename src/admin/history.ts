import type { AccountStatus, ChannelStatus, LaneStatus } from "../delivery/status.ts";
import { isObject, listOf, readJson } from "../lib/shapes.ts";
import type { Mark } from "../log/log.ts";
import { type HistoryState, StateRing } from "./state-ring.ts";
import { TimeRing } from "./time-ring.ts";
import type { AccountHistory, HistoryTrack, HistoryView, ReaderView } from "./views.ts";

export const HISTORY_STEM = "history/";

/** How often somebody looks. What was down and up again between two looks is seen by the count of sessions. */
export const LOOK_MS = 30_000;
const SLOT_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
const SLOTS = 288;
const DAYS = 90;
const HOUR_MS = 60 * 60_000;
const HOURS = 24;
/** Every so many slots it is kept, also when nothing has changed: what a crash makes unknown. */
const KEPT_EACH = 3;
/** More is not told by one look: the machine slept, or the calendar was set. */
const TOLD_MS = 2 * LOOK_MS;

/** So long it may take to connect without being a trouble. */
const CONNECTING_MS = 60_000;
/** So long a message may wait for a lane without being one. */
const WAITING_MS = 5 * 60_000;

/** What is looked at. */
export interface HistoryPlaces {
  readonly accounts: readonly AccountStatus[];
  readonly readers: readonly ReaderView[];
}

/** An account, or one lane of it. */
class Track {
  readonly day: StateRing;
  readonly quarter: StateRing;

  constructor(day = "", quarter = "") {
    this.day = StateRing.decode(day, SLOTS);
    this.quarter = StateRing.decode(quarter, DAYS);
  }

  note(nowMs: number, state: HistoryState): void {
    this.day.note(slotOf(nowMs), state);
    this.quarter.note(dayOf(nowMs), state);
  }

  view(nowMs: number): HistoryTrack {
    return { day: this.day.runs(slotOf(nowMs)), quarter: this.quarter.runs(dayOf(nowMs)) };
  }

  /** All of it is too long ago, as of a bridge that is gone. */
  isOver(nowMs: number): boolean {
    return Math.abs(dayOf(nowMs) - this.quarter.last) >= DAYS;
  }
}

/** How long an account was up and down. */
class Times {
  readonly day: TimeRing;
  readonly quarter: TimeRing;

  constructor(day: unknown = [], quarter: unknown = []) {
    this.day = TimeRing.decode(day, HOURS);
    this.quarter = TimeRing.decode(quarter, DAYS);
  }

  /** It was so since the last look. */
  note(nowMs: number, state: HistoryState, forMs: number): void {
    if (state === "none" || forMs <= 0 || forMs > TOLD_MS) return;
    const time = state === "down" ? { upMs: 0, downMs: forMs } : { upMs: forMs, downMs: 0 };
    this.day.add(hourOf(nowMs), time);
    this.quarter.add(dayOf(nowMs), time);
  }
}

interface Kept {
  readonly own: Track;
  /** By gateway and channel. */
  readonly lanes: Map<string, Track>;
  readonly times: Times;
  reconnects: number;
  /** The slot in which it was kept last. */
  keptAt: number;
  /** The worst that it was in the slot that has begun. */
  worst: string;
}

/**
 * How accounts and lanes were over the last day and the last 90 days: the worst of each stretch, and of accounts how
 * long they were up. Pure but for what it keeps in memory: `look` is called every LOOK_MS.
 */
export class StateHistory {
  readonly #accounts = new Map<string, Kept>();
  #lookedMs = 0;

  /** `marks`: all that begin with HISTORY_STEM. */
  constructor(marks: ReadonlyMap<string, string> = new Map()) {
    for (const [name, value] of marks) this.#accounts.set(name.slice(HISTORY_STEM.length), keptOf(value));
  }

  /** Before the program ends. */
  get marks(): readonly Mark[] {
    return Array.from(this.#accounts, ([key, kept]) => ({ name: HISTORY_STEM + key, value: encode(kept) }));
  }

  /** What is to be kept: of accounts that changed, or were not kept for a while. */
  look(places: HistoryPlaces, nowMs: number): readonly Mark[] {
    const slot = slotOf(nowMs);
    const forMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    const marks: Mark[] = [];
    const look = (key: string, state: HistoryState, account: AccountStatus | null): void => {
      const kept = this.#kept(key);
      const isBack = account !== null && account.reconnects > kept.reconnects && kept.reconnects >= 0;
      kept.reconnects = account?.reconnects ?? 0;
      const states = [isBack ? "down" : state];
      kept.own.note(nowMs, isBack ? "down" : state);
      // Not what was between two looks: how long that was is not known, and looks hit what is long in proportion.
      kept.times.note(nowMs, state, forMs);
      for (const [name, lane, channel] of lanesOf(account)) {
        const track = kept.lanes.get(name) ?? new Track();
        kept.lanes.set(name, track);
        const of = isBack ? "down" : laneState(state, channel, lane, nowMs);
        track.note(nowMs, of);
        states.push(of);
      }
      for (const [name, track] of kept.lanes) if (track.isOver(nowMs)) kept.lanes.delete(name);
      const worst = states.join(" ");
      const isDue = worst !== kept.worst || Math.abs(slot - kept.keptAt) >= KEPT_EACH;
      kept.worst = worst;
      if (!isDue) return;
      kept.keptAt = slot;
      marks.push({ name: HISTORY_STEM + key, value: encode(kept) });
    };
    for (const account of places.accounts) look(account.key, accountState(account, nowMs), account);
    for (const { key, down } of places.readers) look(key, down === null ? "ok" : "down", null);
    return marks;
  }

  /** Of what there is now. */
  view({ accounts, readers }: HistoryPlaces, nowMs: number): HistoryView {
    const ofAccount = (key: string, account: AccountStatus | null): AccountHistory => {
      const { own, lanes, times } = this.#kept(key);
      const tracks = lanesOf(account).flatMap(([name, { gateway }, { channel }]) => {
        const track = lanes.get(name);
        return track === undefined ? [] : [{ gateway, channel, ...track.view(nowMs) }];
      });
      const time = { day: times.day.sum(hourOf(nowMs)), quarter: times.quarter.sum(dayOf(nowMs)) };
      return { account: key, ...own.view(nowMs), time, lanes: tracks };
    };
    const all = [
      ...accounts.map((account) => ofAccount(account.key, account)),
      ...readers.map(({ key }) => ofAccount(key, null)),
    ];
    return { nowMs, slotMs: SLOT_MS, accounts: all };
  }

  #kept(key: string): Kept {
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const made: Kept = { own: new Track(), lanes: new Map(), times: new Times(), reconnects: -1, keptAt: 0, worst: "" };
    this.#accounts.set(key, made);
    return made;
  }
}

type LaneOf = readonly [name: string, lane: LaneStatus, channel: ChannelStatus];

const lanesOf = (account: AccountStatus | null): readonly LaneOf[] =>
  (account?.channels ?? []).flatMap((channel) =>
    channel.lanes.map((lane): LaneOf => [JSON.stringify([lane.gateway, channel.channel]), lane, channel]),
  );

function accountState({ state, downSinceMs }: AccountStatus, nowMs: number): HistoryState {
  if (state === "online") return "ok";
  if (state === "degraded") return "degraded";
  // Nobody wanted it to be there.
  if (state === "paused") return "none";
  if (state === "connecting" && nowMs - (downSinceMs ?? nowMs) < CONNECTING_MS) return "none";
  return "down";
}

function laneState(account: HistoryState, channel: ChannelStatus, lane: LaneStatus, nowMs: number): HistoryState {
  if (account === "down" || account === "none") return account;
  if (channel.state !== "joined") {
    return channel.state === "joining" && nowMs - (channel.downSinceMs ?? nowMs) < CONNECTING_MS ? "none" : "down";
  }
  const isLate = lane.oldestMs !== null && nowMs - lane.oldestMs >= WAITING_MS;
  return isLate ? "degraded" : account;
}

const slotOf = (nowMs: number): number => Math.max(0, Math.floor(nowMs / SLOT_MS));
const hourOf = (nowMs: number): number => Math.max(0, Math.floor(nowMs / HOUR_MS));
const dayOf = (nowMs: number): number => Math.max(0, Math.floor(nowMs / DAY_MS));

function encode({ own, lanes, times }: Kept): string {
  const texts = ({ day, quarter }: Track): readonly string[] => [day.encode(), quarter.encode()];
  return JSON.stringify({
    own: texts(own),
    lanes: Array.from(lanes, ([name, track]) => [name, ...texts(track)]),
    times: [times.day.encode(), times.quarter.encode()],
  });
}

function keptOf(value: string): Kept {
  const saved = readJson(value);
  const { own, lanes, times } = isObject(saved) ? saved : {};
  const [day, quarter] = listOf(own).map(String);
  const tracks = listOf(lanes).map((lane): readonly [string, Track] => {
    const [name = "", ofDay, ofQuarter] = listOf(lane).map(String);
    return [name, new Track(ofDay, ofQuarter)];
  });
  const kept = { own: new Track(day, quarter), lanes: new Map(tracks), times: new Times(...listOf(times)) };
  return { ...kept, reconnects: -1, keptAt: 0, worst: "" };
}
