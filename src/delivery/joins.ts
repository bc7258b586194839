import type { Clock } from "../contract/host.ts";
import type { ChannelRef } from "../contract/ids.ts";
import type { Why } from "../contract/outcome.ts";
import type { ChannelRequest, Joined, Session } from "../contract/session.ts";
import { within } from "./deadline.ts";
import type { Gate, Outlet, Pulse } from "./outlet.ts";
import type { Report } from "./report.ts";
import { fullJitter } from "./retry.ts";

/**
 * The channels of one session.
 *
 * A channel is `queued` → `joining` → `joined`, its lanes connected. A join that is refused, fails or takes too long makes it `waiting`,
 * and so does the loss of a channel that was joined; its lanes are disconnected and know why. When the wait is over it is queued
 * again. Joins go one after the other, first in the order of the configuration. `end`, with the session, disconnects all.
 */
export class Joins {
  readonly #options: JoinsOptions;
  readonly #rooms: readonly Room[];
  readonly #names = new Map<ChannelRef, Room>();
  readonly #queue: Room[] = [];
  readonly #ended = new AbortController();
  /** Losses told while a join was under way whose channel was not known yet. */
  readonly #early = new Map<ChannelRef, Loss>();
  #session: Session | null = null;
  #working = false;

  constructor(options: JoinsOptions) {
    this.#options = options;
    this.#rooms = options.channels.map(({ request, lanes, report }) => ({
      request,
      lanes,
      report,
      state: "queued",
      tried: false,
      failures: 0,
      joinedAtMs: 0,
      dueMs: 0,
      cancel: () => undefined,
    }));
  }

  start(session: Session): void {
    this.#session = session;
    this.#queue.push(...this.#rooms);
    void this.#work();
  }

  /** The channel's name in the configuration; undefined while a channel that was not tried yet may turn out to be it. */
  nameOf(ref: ChannelRef): string | null | undefined {
    const room = this.#names.get(ref);
    if (room !== undefined) return room.request.name;
    const isSettled =
      this.#ended.signal.aborted || this.#rooms.every(({ tried, state }) => tried && state !== "joining");
    return isSettled ? null : undefined;
  }

  /**
   * A channel is no more, as `Host.lost` has it. One that waits anyway, or one we never knew (it was refused so far), is news of another
   * kind: it is worth trying again after that time.
   */
  lost(ref: ChannelRef, why: Why, retryInMs: number): void {
    if (this.#ended.signal.aborted) return;
    const room = this.#names.get(ref);
    if (room?.state === "joined") this.#leave(room, { why, retryInMs });
    else if (room?.state === "waiting") this.#retryBy(room, retryInMs);
    else if (room === undefined) for (const each of this.#rooms) this.#retryBy(each, retryInMs);
    if (room === undefined || room.state === "joining") this.#early.set(ref, { why, retryInMs });
  }

  end(why: Why): void {
    this.#ended.abort();
    for (const { cancel, lanes } of this.#rooms) {
      cancel();
      for (const lane of lanes) lane.disconnect(why);
    }
    this.#options.settled();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let room = this.#queue.shift(); room !== undefined; room = this.#queue.shift()) {
      if (this.#session === null || this.#ended.signal.aborted) break;
      await this.#join(room, this.#session);
    }
    this.#working = false;
  }

  async #join(room: Room, session: Session): Promise<void> {
    room.state = "joining";
    this.#early.clear();
    const joined = this.#alone(room, await this.#ask(room.request, session));
    if (this.#ended.signal.aborted) return;
    room.tried = true;
    if (joined.ok) {
      const { ref, without } = joined;
      this.#names.set(ref, room);
      room.state = "joined";
      room.joinedAtMs = this.#options.clock.nowMs();
      const loss = this.#early.get(ref);
      const { gate, pulse } = this.#options;
      if (loss === undefined) this.#enter(room, { channel: ref, handlers: session.handlers, without, gate, pulse });
      else this.#leave(room, loss);
    } else {
      room.failures += 1;
      this.#wait(room, joined.why, joined.retryInMs ?? this.#backOff(room), "a channel cannot be joined");
    }
    this.#options.settled();
  }

  /** Two names of one room would bring what is said there back to where it was said: the first one counts. */
  #alone(room: Room, joined: Joined): Joined {
    const other = joined.ok ? this.#names.get(joined.ref) : undefined;
    if (other === undefined || other === room || other.state !== "joined") return joined;
    const message = `this is the same room as ${other.request.name}; take one of them out of the configuration`;
    return { ok: false, why: { code: "config", message }, retryInMs: BACK_OFF.capMs };
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

  #enter({ lanes, report, request }: Room, outlet: Outlet): void {
    report.well({ channel: request.name }, "joined");
    for (const lane of lanes) lane.connect(outlet);
  }

  #leave(room: Room, { why, retryInMs }: Loss): void {
    if (this.#options.clock.nowMs() - room.joinedAtMs >= SETTLED_MS) room.failures = 0;
    room.failures += 1;
    this.#wait(room, why, Math.max(retryInMs, this.#backOff(room)), "a channel was lost");
  }

  #wait(room: Room, why: Why, ms: number, message: string): void {
    for (const lane of room.lanes) lane.disconnect(why);
    const limited = Math.min(Math.max(ms, RETRY_MIN_MS), RETRY_MAX_MS);
    room.report.trouble(why, { channel: room.request.name, retryInS: Math.ceil(limited / 1000) }, message);
    room.state = "waiting";
    this.#retryIn(room, limited);
  }

  #retryIn(room: Room, ms: number): void {
    const { clock } = this.#options;
    room.dueMs = clock.nowMs() + ms;
    room.cancel();
    room.cancel = clock.after(ms, () => {
      room.state = "queued";
      this.#queue.push(room);
      void this.#work();
    });
  }

  #retryBy(room: Room, ms: number): void {
    const delay = Math.max(ms, RETRY_MIN_MS);
    if (room.state === "waiting" && room.dueMs > this.#options.clock.nowMs() + delay) this.#retryIn(room, delay);
  }

  #backOff({ failures }: Room): number {
    return fullJitter(failures, BACK_OFF, this.#options.random);
  }
}

export interface JoinsOptions {
  readonly channels: readonly JoinChannel[];
  readonly gate: Gate;
  readonly pulse: Pulse;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called when `nameOf` may know more than before. */
  readonly settled: () => void;
}

export interface JoinChannel {
  readonly request: ChannelRequest;
  readonly lanes: readonly JoinedLane[];
  /** Outlives the session. */
  readonly report: Report;
}

/** What a lane is told of its channel. */
interface JoinedLane {
  connect(outlet: Outlet): void;
  disconnect(why: Why): void;
}

const JOIN_MS = 60_000;
/** What was joined for this long was joined for good: the next loss is the first one. */
const SETTLED_MS = 60_000;
const BACK_OFF = { baseMs: 5_000, capMs: 30 * 60_000 };
/** Whatever a network says about when to try again. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 24 * 60 * 60_000;

interface Room extends JoinChannel {
  state: "queued" | "joining" | "joined" | "waiting";
  /** Whether it has had its first try. */
  tried: boolean;
  /** In a row. */
  failures: number;
  joinedAtMs: number;
  /** When a wait is over. */
  dueMs: number;
  cancel: () => void;
}

interface Loss {
  readonly why: Why;
  readonly retryInMs: number;
}

function failed(code: Why["code"], message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}
