import type { Clock } from "../contract/host.ts";
import { isAborted, onAbort } from "../lib/abort.ts";
import type { Seq } from "../log/log.ts";
import type { Consumer, Pulled } from "./consumers.ts";
import type { Answered } from "./endpoint.ts";
import { DELAY_MAX_MS, retryDelay } from "./schedule.ts";
import type { WebhookAttempt } from "./webhooks.ts";

/** What a pusher remembers over a restart, as it is stored. Times in Unix ms. */
export interface PusherState {
  readonly disabled: { readonly why: string; readonly atMs: number } | null;
  /** Failed attempts of what is still to be sent, and when the next one is due. */
  readonly tries: Readonly<Record<string, readonly [count: number, nextMs: number]>>;
}

export const FRESH: PusherState = { disabled: null, tries: {} };

export interface PusherOptions {
  readonly consumer: Pick<Consumer, "pull" | "ack">;
  /** In ids of messages: no dots. */
  readonly name: string;
  /** One at a time, in the order of the log. */
  readonly ordered: boolean;
  readonly state: PusherState;
  /** Stores the state. Never rejects. */
  readonly save: (state: PusherState) => Promise<void>;
  /** One attempt. Never rejects. */
  readonly send: (message: { readonly id: string; readonly body: string }, signal: AbortSignal) => Promise<Answered>;
  /** An operation on the log failed, and is repeated. */
  readonly onFault: (error: unknown) => void;
  readonly onChange: (change: { readonly is: "failing" | "recovered" | "disabled"; readonly why: string }) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Failed attempts of one event. `dueMs`: as `nextMs`, on the clock that nobody sets. */
interface Tries {
  readonly count: number;
  readonly nextMs: number;
  readonly dueMs: number;
}

/** One event, or one gap, on its way. */
interface Parcel {
  /** Names it in the state. */
  readonly key: string;
  readonly id: string;
  readonly body: string;
  /** Null: a gap, which is no entry of the log. */
  readonly seq: Seq | null;
}

/** How many events of an unordered endpoint are taken at once, each on its own way through the table. */
export const HELD_MAX = 256;
/** Of them, how many are sent at the same time. */
export const PARALLEL_MAX = 4;
/** What is read from the log at once: an ordered endpoint is seldom that far behind. */
const PULL = { max: 32, waitMs: 50_000, bytes: 1_048_576 };
/** The key of a gap; there is one at a time. */
const GAP = "gap";
/** How long until the log is asked again after it failed. */
const FAULT_MS = 5_000;

/**
 * Sends what its consumer reads to one endpoint: each event until it is taken, or the table of retries is at its end.
 * It is acknowledged only then, so that another start begins with what was not sent.
 */
export class Pusher {
  readonly #options: PusherOptions;
  readonly #ended = new AbortController();
  readonly #tries = new Map<string, Tries>();
  #disabled: PusherState["disabled"];
  #lastAttempt: WebhookAttempt | null = null;
  #lastTakenMs = -Infinity;
  /** When the current row of failures began, and with what; null: the last attempt was taken. */
  #failing: { readonly why: string; readonly sinceMs: number } | null = null;
  /** What the endpoint asked for: nothing is sent before. */
  #quietUntilMs = -Infinity;
  #sending = 0;
  /** What was pulled and is not acknowledged. */
  readonly #held = new Set<Seq>();
  /** Told when something may go on that waited. */
  readonly #waiting = new Set<() => void>();
  readonly #running: Promise<void>;

  constructor(options: PusherOptions) {
    this.#options = options;
    const { clock, state } = options;
    for (const [key, [count, nextMs]] of Object.entries(state.tries)) {
      const waitMs = Math.min(nextMs - clock.nowMs(), DELAY_MAX_MS);
      this.#tries.set(key, { count, nextMs, dueMs: clock.monoMs() + waitMs });
    }
    this.#disabled = options.state.disabled;
    this.#running = this.#run();
  }

  get disabled(): PusherState["disabled"] {
    return this.#disabled;
  }

  get failing(): { readonly why: string; readonly sinceMs: number } | null {
    return this.#failing;
  }

  get lastAttempt(): WebhookAttempt | null {
    return this.#lastAttempt;
  }

  /** The earliest; null: nothing failed, or nothing is tried again. */
  get retryAtMs(): number | null {
    if (this.#disabled !== null || this.#tries.size === 0) return null;
    return Math.min(...Array.from(this.#tries.values(), ({ nextMs }) => nextMs));
  }

  /** Sends again at once, with the table from its beginning. */
  async enable(): Promise<void> {
    this.#disabled = null;
    this.#quietUntilMs = -Infinity;
    this.#tries.clear();
    await this.#save();
    this.#wake();
  }

  /** Resolves when nothing is under way any more; what was, is sent again after the next start. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#wake();
    await this.#running;
  }

  /** The same; another pusher of the same consumer gets what was under way. Rejects with a LogError. */
  async handBack(): Promise<void> {
    await this.stop();
    if (this.#held.size === 0) return;
    await this.#options.consumer.ack({ nack: Array.from(this.#held, (seq) => ({ seq, inMs: 0 })) });
  }

  async #run(): Promise<void> {
    const { ordered } = this.#options;
    const underWay = new Set<Promise<void>>();
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await this.#until(() => this.#disabled === null && underWay.size < HELD_MAX);
      if (isAborted(signal)) break;
      const pulled = await this.#pull(HELD_MAX - underWay.size);
      if (pulled === null) continue;
      for (const { item } of pulled.events) this.#held.add(item.seq);
      for (const parcel of this.#parcels(pulled)) {
        const delivering = this.#deliver(parcel);
        if (ordered) await delivering;
        else {
          underWay.add(delivering);
          void delivering.then(() => {
            underWay.delete(delivering);
            this.#wake();
          });
        }
      }
    }
    await Promise.all(underWay);
  }

  /** Null: the log failed, or it ends. */
  async #pull(room: number): Promise<Pulled | null> {
    const { consumer } = this.#options;
    const { signal } = this.#ended;
    try {
      return await consumer.pull({ ...PULL, max: Math.min(PULL.max, room), signal });
    } catch (error) {
      if (signal.aborted) return null;
      this.#options.onFault(error);
      await this.#pause(FAULT_MS);
      return null;
    }
  }

  #parcels({ gap, events }: Pulled): readonly Parcel[] {
    const { name, clock } = this.#options;
    const parcels: Parcel[] = events.map(({ item: { seq, type, event, json } }) => ({
      key: String(seq),
      id: `evt_${name}_${seq}`,
      body: `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(event.time)},"data":${json}}`,
      seq,
    }));
    if (gap === null) return parcels;
    const data = { type: "skipped", from: String(gap.from), to: String(gap.to), count: gap.count };
    const body = JSON.stringify({ type: data.type, timestamp: new Date(clock.nowMs()).toISOString(), data });
    return [{ key: GAP, id: `evt_${name}_to${gap.to}`, body, seq: null }, ...parcels];
  }

  /** Until it is taken, given up, or the pusher ends. */
  async #deliver(parcel: Parcel): Promise<void> {
    const { signal } = this.#ended;
    const beganMs = this.#options.clock.monoMs();
    while (await this.#turn(parcel)) {
      const answered = await this.#attempt(parcel);
      if (answered.why === null) {
        if (this.#tries.delete(parcel.key)) await this.#save();
        await this.#ack(parcel, "ack");
        return;
      }
      if (signal.aborted) return;
      if (answered.status === 410) await this.#disable("it answers 410 (Gone)");
      else if (!(await this.#noteFailure(parcel, answered))) {
        await this.#giveUp(parcel, beganMs, answered.why);
        return;
      }
    }
  }

  /** Waits until it is due, and for one of the places, which it has then; false: the pusher ends. */
  async #turn({ key }: Parcel): Promise<boolean> {
    const { clock } = this.#options;
    const waitMs = (): number =>
      Math.max(this.#tries.get(key)?.dueMs ?? -Infinity, this.#quietUntilMs) - clock.monoMs();
    const isFree = (): boolean => this.#disabled === null && waitMs() <= 0 && this.#sending < PARALLEL_MAX;
    while (!this.#ended.signal.aborted) {
      // Looked at again: others that were woken with it may have come first.
      if (isFree()) {
        this.#sending += 1;
        return true;
      }
      if (this.#disabled === null && waitMs() > 0) await this.#pause(waitMs());
      else await this.#until(() => this.#disabled === null && (waitMs() > 0 || isFree()));
    }
    return false;
  }

  /** With the place that `#turn` gave. */
  async #attempt(message: { readonly id: string; readonly body: string }): Promise<Answered> {
    const { clock, send, onChange } = this.#options;
    const answered = await send(message, this.#ended.signal);
    this.#sending -= 1;
    this.#wake();
    // What was cut by the end says nothing of the endpoint.
    if (this.#ended.signal.aborted && answered.why !== null) return answered;
    const atMs = clock.nowMs();
    this.#lastAttempt = { atMs, status: answered.status, why: answered.why };
    const was = this.#failing;
    if (answered.why === null) {
      this.#lastTakenMs = clock.monoMs();
      this.#failing = null;
      if (was !== null) onChange({ is: "recovered", why: was.why });
    } else {
      this.#failing = { why: answered.why, sinceMs: was?.sinceMs ?? atMs };
      if (was === null) onChange({ is: "failing", why: answered.why });
    }
    return answered;
  }

  /** Notes when the next attempt is due; false: that was the last. */
  async #noteFailure({ key }: Parcel, { retryAfterMs }: Answered): Promise<boolean> {
    const { clock, random } = this.#options;
    const count = (this.#tries.get(key)?.count ?? 0) + 1;
    const delay = retryDelay(count, retryAfterMs, random());
    if (delay === null) return false;
    const dueMs = clock.monoMs() + delay;
    // What retention took is never sent, and nobody would forget it.
    if (this.#tries.size >= HELD_MAX && !this.#tries.has(key)) {
      this.#tries.delete(this.#tries.keys().next().value ?? key);
    }
    this.#tries.set(key, { count, nextMs: clock.nowMs() + delay, dueMs });
    if (retryAfterMs !== null) this.#quietUntilMs = Math.min(clock.monoMs() + retryAfterMs, dueMs);
    await this.#save();
    return true;
  }

  /** The table is at its end: is it this event that the endpoint cannot take, or does it take nothing? */
  async #giveUp(parcel: Parcel, beganMs: number, why: string): Promise<void> {
    const { ordered } = this.#options;
    const takesOthers = ordered ? await this.#probe() : this.#lastTakenMs > beganMs;
    if (this.#ended.signal.aborted) return;
    this.#tries.delete(parcel.key);
    if (takesOthers) await this.#save();
    else await this.#disable(`all attempts failed: ${why}`);
    await this.#ack(parcel, "drop");
  }

  /** Whether a test is taken, after which an ordered endpoint goes on with the next event. */
  async #probe(): Promise<boolean> {
    const { clock, name } = this.#options;
    const atMs = clock.nowMs();
    const body = JSON.stringify({ type: "webhook.test", timestamp: new Date(atMs).toISOString(), data: {} });
    this.#sending += 1;
    return (await this.#attempt({ id: `evt_${name}_test${atMs}`, body })).why === null;
  }

  async #disable(why: string): Promise<void> {
    // Others that were under way may come to the same end.
    if (this.#disabled !== null) return;
    this.#disabled = { why, atMs: this.#options.clock.nowMs() };
    await this.#save();
    this.#options.onChange({ is: "disabled", why });
  }

  /** Until it is on disk: nothing would bring the event again, or forget it, before the next start. */
  async #ack({ seq }: Parcel, as: "ack" | "drop"): Promise<void> {
    if (seq === null) return;
    for (;;) {
      try {
        await this.#options.consumer.ack({ [as]: [seq] });
        this.#held.delete(seq);
        return;
      } catch (error) {
        this.#options.onFault(error);
        if (this.#ended.signal.aborted) return;
        await this.#pause(FAULT_MS);
      }
    }
  }

  async #save(): Promise<void> {
    const kept = [...this.#tries].filter(([key]) => key !== GAP);
    const tries = Object.fromEntries(kept.map(([key, { count, nextMs }]) => [key, [count, nextMs] as const]));
    await this.#options.save({ disabled: this.#disabled, tries });
  }

  /** Waits until it holds, or the pusher ends; asked whenever something has changed. */
  async #until(holds: () => boolean): Promise<void> {
    while (!this.#ended.signal.aborted && !holds()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  /** For so long, or until it is woken. */
  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ms, resolve);
    this.#waiting.add(resolve);
    const release = onAbort(this.#ended.signal, resolve);
    await promise;
    this.#waiting.delete(resolve);
    cancel();
    release();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}
