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
  #channels: readonly SessionChannel[];
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
    this.#channels = options.channels.map((wanted) => this.#make(wanted));
  }

  start(session: Session): void {
    this.#session = session;
    for (const channel of this.#channels) this.#enqueue(channel);
    void this.#work();
  }

  /**
   * Joins what is new, leaves what is gone, and does not touch what stays but for its lanes. What is said in a channel
   * that is gone no longer counts.
   */
  change(wanted: readonly JoinChannel[]): void {
    const before = new Map(this.#channels.map((channel) => [channel.request.name, channel]));
    const added: SessionChannel[] = [];
    this.#channels = wanted.map((each) => {
      const known = before.get(each.request.name);
      before.delete(each.request.name);
      const channel = known ?? this.#make(each);
      if (known === undefined) added.push(channel);
      else if (known.change(each)) this.#retryBy(known, 0);
      return channel;
    });
    for (const channel of before.values()) this.#takeOut(channel);
    for (const channel of added) {
      if (this.#session === null) channel.tell();
      else this.#enqueue(channel);
    }
    this.#options.settled();
    void this.#work();
  }

  /**
   * The channel's name in the configuration; undefined while a channel that was not tried yet may turn out to be it.
   */
  nameOf(ref: ChannelRef): ReturnType<NameOf> {
    const channel = this.#names.get(ref);
    if (channel?.removed === false) return channel.request.name;
    // One that was left can only be itself, come back.
    if (channel !== undefined && !this.#channels.some((each) => isAgain(each, channel))) return null;
    if (this.#unsettled) return UNSETTLED;
    if (this.#ended.signal.aborted) return null;
    if (!this.#isSettled()) return undefined;
    if (!this.#isInDoubt()) return null;
    // Nobody waits for the next try, which may be half an hour away.
    if (this.#unnamed.size < UNNAMED_MAX) this.#unnamed.add(ref);
    return UNSETTLED;
  }

  /** As the session calls the channel of this name; null: it is not joined. */
  refOf(name: string): ChannelRef | null {
    return this.#channels.find(({ request, state }) => request.name === name && state === "joined")?.ref ?? null;
  }

  /** As `refOf`; null too while a rate limit of the network holds what the session sends. */
  openRefOf(name: string): ChannelRef | null {
    const { gate, clock } = this.#options;
    return gate.untilMs > clock.monoMs() ? null : this.refOf(name);
  }

  /** We may be in a channel whose name nobody has told us. */
  #isInDoubt(): boolean {
    return this.#channels.some(({ inDoubt }) => inDoubt);
  }

  /** No channel is left that an unknown one may turn out to be. */
  #isSettled(): boolean {
    return this.#channels.every(({ tried, state }) => tried && state !== "joining");
  }

  /** Something was heard of the channel. */
  heard(ref: ChannelRef): void {
    const channel = this.#names.get(ref);
    if (channel?.removed === false) channel.heard();
  }

  /**
   * A channel is gone, as `Host.lost` has it. One that waits anyway, or one we never knew (it was refused so far), is
   * news of another kind: it is worth trying again after that time.
   */
  lost(ref: ChannelRef, why: Reason, retryInMs: number): void {
    if (this.#ended.signal.aborted) return;
    const known = this.#names.get(ref);
    // One that was left, and is being joined again: the other channel of that name is meant.
    const channel = known?.removed === true ? this.#channels.find((each) => isAgain(each, known)) : known;
    if (channel === undefined && known !== undefined) return;
    if (channel?.state === "joined") channel.lose(why, retryInMs, () => this.#again(channel));
    else if (channel?.state === "waiting") this.#retryBy(channel, retryInMs);
    else if (channel === undefined) for (const each of this.#channels) this.#retryBy(each, retryInMs);
    if (channel === undefined || channel.state === "joining") this.#early.set(ref, { why, retryInMs });
  }

  end(why: Reason): void {
    if (!this.#ended.signal.aborted) this.#unsettled = !this.#isSettled() || this.#isInDoubt();
    this.#ended.abort();
    for (const channel of this.#channels) channel.end(why);
    this.#options.settled();
  }

  #make(wanted: JoinChannel): SessionChannel {
    const { clock, random, conditionOf } = this.#options;
    return new SessionChannel({ channel: wanted, condition: conditionOf(wanted.request.name), clock, random });
  }

  #enqueue(channel: SessionChannel): void {
    channel.queue();
    this.#queue.push(channel);
  }

  #again(channel: SessionChannel): void {
    this.#queue.push(channel);
    void this.#work();
  }

  #retryBy(channel: SessionChannel, ms: number): void {
    channel.retryBy(ms, () => this.#again(channel));
  }

  #takeOut(channel: SessionChannel): void {
    // One that is being joined is left when that has ended.
    if (channel.state === "joined") this.#leaving.push(channel);
    channel.takeOut();
    for (const each of this.#channels) if (each.duplicate === channel) this.#retryBy(each, 0);
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    while (this.#session !== null && !this.#ended.signal.aborted) {
      const left = this.#leaving.shift();
      const channel = left ?? this.#queue.shift();
      if (channel === undefined) break;
      if (left !== undefined) await this.#leave(left, this.#session);
      else if (!channel.removed) await this.#join(channel, this.#session);
    }
    this.#working = false;
  }

  async #join(channel: SessionChannel, session: Session): Promise<void> {
    channel.ask();
    this.#early.clear();
    const joined = this.#alone(channel, await this.#ask(channel.request, session));
    if (this.#ended.signal.aborted) return;
    channel.tried = true;
    channel.inDoubt = !joined.ok && UNANSWERED.has(joined.why.code);
    if (joined.ok) {
      channel.ref = joined.ref;
      this.#names.set(joined.ref, channel);
      if (this.#unnamed.delete(joined.ref)) this.#options.missed();
    }
    if (channel.removed) {
      if (joined.ok) await this.#leave(channel, session);
    } else if (joined.ok) this.#enter(channel, joined, session);
    else channel.fail(joined.why, joined.retryInMs, () => this.#again(channel));
    this.#options.settled();
  }

  #enter(
    channel: SessionChannel,
    { ref, without, limits = {} }: Extract<Joined, { ok: true }>,
    { handlers }: Session,
  ): void {
    const { gate, activity, heard } = this.#options;
    const loss = this.#early.get(ref);
    if (loss !== undefined) {
      channel.lose(loss.why, loss.retryInMs, () => this.#again(channel));
      return;
    }
    const heardThere = (): void => {
      channel.heard();
      heard();
    };
    heard();
    channel.enter({ channel: ref, handlers, without, limits, gate, activity, heard: heardThere });
  }

  /** Two names of one channel would bring what is said there back to where it was said: the first one counts. */
  #alone(channel: SessionChannel, joined: Joined): Joined {
    const other = joined.ok ? this.#names.get(joined.ref) : undefined;
    if (other === undefined || other === channel || other.removed || other.state !== "joined") return joined;
    channel.duplicate = other;
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

/** Whether a channel has come back into the configuration as this one. */
const isAgain = (channel: SessionChannel, gone: SessionChannel): boolean => channel.request.name === gone.request.name;

function failed(code: Reason["code"], message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}
