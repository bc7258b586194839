import type { Clock } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Joined, Session } from "../../contract/session.ts";
import { within } from "../deadline.ts";
import { type NameOf, UNSETTLED } from "../names.ts";
import type { Gate, Activity } from "./channel-sink.ts";
import { type ChannelCondition, type JoinChannel, SessionChannel } from "./channel.ts";

/**
 * The channels of one session, which may change while it lives.
 *
 * A channel is joined, and its lanes are connected. A join that is refused, fails or takes too long makes it wait, and
 * so does the loss of a channel that was joined; its lanes are disconnected and know why. When the wait is over it is
 * queued again. Joins go one after the other, first in the order of the configuration; leaving goes before them, so
 * that a channel that comes back is joined after it was left. `end`, with the session, disconnects all.
 */
export class Joins {
  readonly #options: JoinsOptions;
  #rooms: readonly SessionChannel[];
  readonly #names = new Map<ChannelRef, SessionChannel>();
  readonly #queue: SessionChannel[] = [];
  /** Joined when they were taken out of the configuration. */
  readonly #leaving: SessionChannel[] = [];
  readonly #ended = new AbortController();
  /** Losses told while a join was under way whose channel was not known yet. */
  readonly #early = new Map<ChannelRef, Loss>();
  #session: Session | null = null;
  #working = false;
  /** The session ended before all channels were known. */
  #unsettled = false;
  /** Of which something came while nobody knew whether they are the channel of a join that was not answered. */
  readonly #unnamed = new Set<ChannelRef>();

  constructor(options: JoinsOptions) {
    this.#options = options;
    this.#rooms = options.channels.map((channel) => this.#room(channel));
  }

  start(session: Session): void {
    this.#session = session;
    for (const room of this.#rooms) this.#enqueue(room);
    void this.#work();
  }

  /**
   * Joins what is new, leaves what is gone, and does not touch what stays but for its lanes. What is said in a channel
   * that is gone no longer counts.
   */
  change(channels: readonly JoinChannel[]): void {
    const before = new Map(this.#rooms.map((room) => [room.request.name, room]));
    const added: SessionChannel[] = [];
    this.#rooms = channels.map((channel) => {
      const known = before.get(channel.request.name);
      before.delete(channel.request.name);
      const room = known ?? this.#room(channel);
      if (known === undefined) added.push(room);
      else if (known.change(channel)) this.#retryBy(known, 0);
      return room;
    });
    for (const room of before.values()) this.#takeOut(room);
    for (const room of added) {
      if (this.#session === null) room.tell();
      else this.#enqueue(room);
    }
    this.#options.settled();
    void this.#work();
  }

  /**
   * The channel's name in the configuration; undefined while a channel that was not tried yet may turn out to be it.
   */
  nameOf(ref: ChannelRef): ReturnType<NameOf> {
    const room = this.#names.get(ref);
    if (room?.removed === false) return room.request.name;
    // One that was left can only be itself, come back.
    if (room !== undefined && !this.#rooms.some((each) => isAgain(each, room))) return null;
    if (this.#unsettled) return UNSETTLED;
    if (this.#ended.signal.aborted) return null;
    if (!this.#isSettled()) return undefined;
    if (!this.#isInDoubt()) return null;
    // Nobody waits for the next try, which may be half an hour away.
    if (this.#unnamed.size < UNNAMED_MAX) this.#unnamed.add(ref);
    return UNSETTLED;
  }

  /** We may be in a channel whose name nobody has told us. */
  #isInDoubt(): boolean {
    return this.#rooms.some(({ inDoubt }) => inDoubt);
  }

  /** No channel is left that an unknown one may turn out to be. */
  #isSettled(): boolean {
    return this.#rooms.every(({ tried, state }) => tried && state !== "joining");
  }

  /** Something was heard of the channel. */
  heard(ref: ChannelRef): void {
    const room = this.#names.get(ref);
    if (room?.removed === false) room.heard();
  }

  /**
   * A channel is gone, as `Host.lost` has it. One that waits anyway, or one we never knew (it was refused so far), is
   * news of another kind: it is worth trying again after that time.
   */
  lost(ref: ChannelRef, why: Reason, retryInMs: number): void {
    if (this.#ended.signal.aborted) return;
    const known = this.#names.get(ref);
    // One that was left, and is being joined again: the other room of that name is meant.
    const room = known?.removed === true ? this.#rooms.find((each) => isAgain(each, known)) : known;
    if (room === undefined && known !== undefined) return;
    if (room?.state === "joined") room.lose(why, retryInMs, () => this.#again(room));
    else if (room?.state === "waiting") this.#retryBy(room, retryInMs);
    else if (room === undefined) for (const each of this.#rooms) this.#retryBy(each, retryInMs);
    if (room === undefined || room.state === "joining") this.#early.set(ref, { why, retryInMs });
  }

  end(why: Reason): void {
    if (!this.#ended.signal.aborted) this.#unsettled = !this.#isSettled() || this.#isInDoubt();
    this.#ended.abort();
    for (const room of this.#rooms) room.end(why);
    this.#options.settled();
  }

  #room(channel: JoinChannel): SessionChannel {
    const { clock, random, conditionOf } = this.#options;
    return new SessionChannel({ channel, condition: conditionOf(channel.request.name), clock, random });
  }

  #enqueue(room: SessionChannel): void {
    room.queue();
    this.#queue.push(room);
  }

  #again(room: SessionChannel): void {
    this.#queue.push(room);
    void this.#work();
  }

  #retryBy(room: SessionChannel, ms: number): void {
    room.retryBy(ms, () => this.#again(room));
  }

  #takeOut(room: SessionChannel): void {
    // One that is being joined is left when that has ended.
    if (room.state === "joined") this.#leaving.push(room);
    room.takeOut();
    for (const each of this.#rooms) if (each.duplicate === room) this.#retryBy(each, 0);
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    while (this.#session !== null && !this.#ended.signal.aborted) {
      const left = this.#leaving.shift();
      const room = left ?? this.#queue.shift();
      if (room === undefined) break;
      if (left !== undefined) await this.#leave(left, this.#session);
      else if (!room.removed) await this.#join(room, this.#session);
    }
    this.#working = false;
  }

  async #join(room: SessionChannel, session: Session): Promise<void> {
    room.ask();
    this.#early.clear();
    const joined = this.#alone(room, await this.#ask(room.request, session));
    if (this.#ended.signal.aborted) return;
    room.tried = true;
    room.inDoubt = !joined.ok && UNANSWERED.has(joined.why.code);
    if (joined.ok) {
      room.ref = joined.ref;
      this.#names.set(joined.ref, room);
      if (this.#unnamed.delete(joined.ref)) this.#options.missed();
    }
    if (room.removed) {
      if (joined.ok) await this.#leave(room, session);
    } else if (joined.ok) this.#enter(room, joined, session);
    else room.fail(joined.why, joined.retryInMs, () => this.#again(room));
    this.#options.settled();
  }

  #enter(
    room: SessionChannel,
    { ref, without, limits = {} }: Extract<Joined, { ok: true }>,
    { handlers }: Session,
  ): void {
    const { gate, activity, heard } = this.#options;
    const loss = this.#early.get(ref);
    if (loss !== undefined) {
      room.lose(loss.why, loss.retryInMs, () => this.#again(room));
      return;
    }
    const heardThere = (): void => {
      room.heard();
      heard();
    };
    heard();
    room.enter({ channel: ref, handlers, without, limits, gate, activity, heard: heardThere });
  }

  /** Two names of one room would bring what is said there back to where it was said: the first one counts. */
  #alone(room: SessionChannel, joined: Joined): Joined {
    const other = joined.ok ? this.#names.get(joined.ref) : undefined;
    if (other === undefined || other === room || other.removed || other.state !== "joined") return joined;
    room.duplicate = other;
    const message = `this is the same room as ${other.request.name}; remove one of them from the configuration`;
    return { ok: false, why: { code: "config", message }, retryInMs: TWIN_RETRY_MS };
  }

  /** Always a value: what an adapter throws is a bug of its own, and a reason to try again later. */
  async #ask(request: ChannelRequest, session: Session): Promise<Joined> {
    const { clock } = this.#options;
    try {
      const deadline = { clock, ms: JOIN_MS, signal: this.#ended.signal };
      const joined = await within(deadline, (signal) => session.join(request, signal));
      if (!joined.late) return joined.value;
      return failed("timeout", `no answer to the join within ${JOIN_MS / 1000} s`);
    } catch (error) {
      return failed("bug", `the join failed: ${String(error)}`);
    }
  }

  /** Whatever comes of it: what is said there no longer counts. */
  async #leave({ ref, report, request }: SessionChannel, session: Session): Promise<void> {
    const { clock } = this.#options;
    const other = ref === null ? undefined : this.#names.get(ref);
    if (ref === null || session.leave === undefined || other?.removed === false) return;
    try {
      const deadline = { clock, ms: LEAVE_MS, signal: this.#ended.signal };
      await within(deadline, async (signal) => await session.leave?.(ref, signal));
      report.well({ channel: request.name }, "left");
    } catch (error) {
      const why = { code: "bug", message: String(error) };
      report.trouble(why, { channel: request.name }, "a channel was not left cleanly");
    }
  }
}

export interface JoinsOptions {
  readonly channels: readonly JoinChannel[];
  /** Where it is kept how the channel of this name is, over all sessions. */
  readonly conditionOf: (name: string) => ChannelCondition;
  readonly gate: Gate;
  readonly activity: Activity;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called when `nameOf` may know more than before. */
  readonly settled: () => void;
  /** Called when the network has confirmed something. */
  readonly heard: () => void;
  /** Called when a channel turns out to be one of which something came that was left aside. */
  readonly missed: () => void;
}

const JOIN_MS = 60_000;
const LEAVE_MS = 10_000;
const TWIN_RETRY_MS = 30 * 60_000;
const UNNAMED_MAX = 1_000;
/** A join that ended so may have let us in. */
const UNANSWERED: ReadonlySet<Reason["code"]> = new Set(["timeout", "network", "bug"]);

interface Loss {
  readonly why: Reason;
  readonly retryInMs: number;
}

/** Whether a room has come back into the configuration as this one. */
const isAgain = (room: SessionChannel, gone: SessionChannel): boolean => room.request.name === gone.request.name;

function failed(code: Reason["code"], message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}
