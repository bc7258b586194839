import { randomUUID } from "node:crypto";
import { newId } from "./clock.ts";
import type { AppRow } from "./wire.ts";
import { EVENT_SCOPES, type World } from "./world.ts";

/** An acknowledgement must have come by then. */
const ACK_MS = 3000;
/** How long after that the first, second and third repetition come. */
const RETRY_MS = [0, 60_000, 300_000];

/** One connection of an app. */
export interface Pipe {
  readonly app: string;
  readonly say: (text: string) => void;
}

/** An event as apps hear it. */
export type Told = Readonly<Record<string, unknown>> & { readonly type: string };

/** Whom an event is for. */
export interface To {
  readonly team: string;
  /** Only for apps that are in it. */
  readonly channel?: string;
  /** Only for this app. */
  readonly app?: string;
}

/** An event that was sent and not acknowledged. */
interface Pending {
  readonly envelope: string;
  readonly app: string;
  readonly payload: object;
  readonly accepts: false;
  attempt: number;
  pipe: Pipe | null;
  timer: NodeJS.Timeout | null;
}

/** Who has subscribed to what, and what has been acknowledged. */
export class Hub {
  readonly #world: World;
  readonly #pipes: Pipe[] = [];
  readonly #watchers: ((event: Told, channel: string) => void)[] = [];
  readonly #pending = new Map<string, Pending>();
  #turn = 0;
  ackMs = ACK_MS;
  retryMs: readonly number[] = RETRY_MS;
  /** Events come as often as this, each in an envelope of its own. */
  times = 1;
  /** Types of events that are lost, as a server under load loses them. */
  readonly dropped = new Set<string>();
  /** So many events are lost. */
  lose = 0;
  /** Acknowledgements arrive and are not looked at. */
  ignoreAcks = false;
  /** All envelopes that were acknowledged, in order: the ids of their events. */
  readonly acknowledged: string[] = [];
  /** Events that nobody acknowledged however often they were sent. */
  readonly givenUp: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** As the clients of people are told: everything, at once. `channel`: empty, where it is of none. */
  watch(watcher: (event: Told, channel: string) => void): void {
    this.#watchers.push(watcher);
  }

  /** `key` is what apps subscribe to, as `message.channels`. */
  publish(key: string, event: Told, to: To): void {
    for (const watcher of this.#watchers) watcher(event, to.channel ?? "");
    const scope = EVENT_SCOPES[key];
    for (const app of this.#world.apps.values()) {
      const wanted = app.events.has(key) && (scope === undefined || app.scopes.has(scope)) && app.revoked === null;
      if (!wanted || (to.app !== undefined && to.app !== app.id)) continue;
      if (to.channel === undefined ? app.team !== to.team : !this.#sees(app, to.channel)) continue;
      if (this.dropped.has(event.type)) continue;
      if (this.lose > 0) this.lose -= 1;
      else this.#put(app, event, to);
    }
  }

  connect(pipe: Pipe): void {
    this.#pipes.push(pipe);
  }

  /** What was sent on it and not acknowledged comes again, on another one where there is one. */
  left(pipe: Pipe): void {
    const at = this.#pipes.indexOf(pipe);
    if (at >= 0) this.#pipes.splice(at, 1);
    for (const pending of this.#pending.values()) if (pending.pipe === pipe) this.#again(pending, "disconnect");
  }

  count(app: string): number {
    return this.#pipes.filter((pipe) => pipe.app === app).length;
  }

  /** An acknowledgement; false for one of an envelope that nobody knows. */
  ack(envelope: string): boolean {
    const pending = this.#pending.get(envelope);
    if (pending === undefined) return false;
    if (this.ignoreAcks) return true;
    if (pending.timer !== null) clearTimeout(pending.timer);
    this.#pending.delete(envelope);
    this.acknowledged.push((pending.payload as { event_id: string }).event_id);
    return true;
  }

  /** Sent and not acknowledged. */
  get waiting(): number {
    return this.#pending.size;
  }

  forget(): void {
    for (const { timer } of this.#pending.values()) if (timer !== null) clearTimeout(timer);
    this.#pending.clear();
    this.#pipes.length = 0;
  }

  #sees(app: AppRow, channel: string): boolean {
    const row = this.#world.channels.get(channel);
    return row !== undefined && row.members.has(app.user.id);
  }

  #put(app: AppRow, event: object, to: To): void {
    const channel = to.channel === undefined ? undefined : this.#world.channels.get(to.channel);
    const payload = {
      token: "deprecated",
      team_id: app.team,
      context_team_id: app.team,
      context_enterprise_id: null,
      api_app_id: app.id,
      event,
      type: "event_callback",
      event_id: newId("Ev"),
      event_time: this.#world.clock.seconds(),
      authorizations: [
        {
          enterprise_id: null,
          team_id: app.team,
          user_id: app.user.id,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: channel !== undefined && channel.others.size > 0,
      event_context: newId("4-"),
    };
    for (let time = 0; time < this.times; time += 1) {
      const envelope = randomUUID();
      const pending: Pending = {
        envelope,
        app: app.id,
        payload,
        accepts: false,
        attempt: 0,
        pipe: null,
        timer: null,
      };
      this.#send(pending, "");
    }
  }

  /** To one of the app's connections, each in its turn. Where there is none the event is lost. */
  #send(pending: Pending, reason: string): void {
    const pipes = this.#pipes.filter(({ app }) => app === pending.app);
    this.#turn += 1;
    const pipe = pipes[this.#turn % Math.max(1, pipes.length)];
    if (pipe === undefined) {
      this.#drop(pending);
      return;
    }
    pending.pipe = pipe;
    this.#pending.set(pending.envelope, pending);
    pending.timer = setTimeout(() => this.#again(pending, "timeout"), this.ackMs);
    const { envelope, payload, attempt } = pending;
    pipe.say(
      JSON.stringify({
        envelope_id: envelope,
        payload,
        type: "events_api",
        accepts_response_payload: false,
        retry_attempt: attempt,
        retry_reason: reason,
      }),
    );
  }

  #again(pending: Pending, reason: string): void {
    if (pending.timer !== null) clearTimeout(pending.timer);
    pending.pipe = null;
    const delay = this.retryMs[pending.attempt];
    pending.attempt += 1;
    if (delay === undefined) this.#drop(pending);
    else pending.timer = setTimeout(() => this.#send(pending, reason), delay);
  }

  #drop(pending: Pending): void {
    this.#pending.delete(pending.envelope);
    this.givenUp.push((pending.payload as { event_id: string }).event_id);
  }
}
