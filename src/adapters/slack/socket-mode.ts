import type { Host } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { ASKED, givenUp, lost, misconfigured } from "../kit/ends.ts";
import { inTime } from "../kit/in-time.ts";
import { textIn } from "../kit/json.ts";
import type { ServerTrust } from "../kit/trust.ts";
import type { SocketEnd } from "../kit/web-socket.ts";
import { type SlackEvent, SlackEnvelopes } from "./envelopes.ts";
import { APP_SCOPES_AT, endOf, SOCKET_MODE_OFF } from "./login.ts";
import { openSocket, type SlackSocket } from "./socket.ts";
import type { SlackWeb } from "./web.ts";

const ENTRY_MS = 20_000;
const OPEN = "apps.connections.open";
/** Whoever is shut out for longer comes back later, and does not ask before. */
const SHUT_MS = 30_000;
/** Addresses that have expired before they were used. */
const TICKETS_MAX = 3;
/** What was sent on a connection before the next one was greeted still comes. */
const DRAIN_MS = 10_000;
/** Another connection, while there is one still. */
const AGAIN_MS = 1_000;
const AGAIN_MAX_MS = 10_000;
/** So long Slack may send events to a connection of ours that is dead, as it has not noticed. */
const HAUNTED_MS = 90_000;
interface EventsOptions {
  /** With the token of the app itself. */
  readonly web: SlackWeb;
  readonly host: Pick<Host, "clock" | "degraded" | "log">;
  /** Absent: in the usual way. */
  readonly trust?: ServerTrust;
}

export type OpenedEvents =
  | { readonly ok: true; readonly events: SlackEvents }
  | { readonly ok: false; readonly ended: Ended };

/** Why it makes no sense to ask for a connection now; null: it does. */
export function shutOut(web: Pick<SlackWeb, "limitedMs">): Ended | null {
  if (web.limitedMs(OPEN) <= SHUT_MS) return null;
  return lost("rate_limited", "Slack does not let the app connect for a while, because it was asked too often");
}

/** Opens the way on which Slack tells what happens (Socket Mode). Never rejects. */
export async function openEvents(options: EventsOptions, signal: AbortSignal): Promise<OpenedEvents> {
  const events = new SlackEvents(options);
  const ended = await events.open(signal);
  return ended === null ? { ok: true, events } : { ok: false, ended };
}

/**
 * `sure`: as they happened. `mixed`: over several connections, moments apart. `late`: some may come much later, as
 * they are sent to a connection that nobody hears any more.
 */
export type EventsOrder = "sure" | "mixed" | "late";

/**
 * The events of one app, over one connection at a time, or two: when Slack is about to end one, another is opened
 * first, and both are heard until the first has nothing more to say.
 */
export class SlackEvents {
  /** For a moment there was no connection, or Slack has left events out: the channels have to be read again. */
  onGap: () => void = () => undefined;
  /** Another connection has begun: what was said meanwhile may come a minute late. */
  onRefreshed: () => void = () => undefined;
  readonly ended: Promise<Ended>;
  readonly #options: EventsOptions;
  readonly #ending = Promise.withResolvers<Ended>();
  readonly #stop = new AbortController();
  readonly #sockets = new Set<SlackSocket>();
  readonly #envelopes: SlackEnvelopes;
  #current: SlackSocket | null = null;
  #onEvent: ((event: SlackEvent) => void) | null = null;
  /** What came before anybody listened. */
  #early: SlackEvent[] = [];
  #refreshing = false;
  #gap = false;
  #paused = false;
  #crowded = false;
  /** Until when a part of the events may go to a connection that is none of these. */
  #hauntedUntilMs = 0;
  /** Resolves when a connection ends. */
  #onEnd = Promise.withResolvers<void>();

  constructor(options: EventsOptions) {
    this.#options = options;
    this.ended = this.#ending.promise;
    this.#envelopes = new SlackEnvelopes({
      onEvent: (event) => {
        if (this.#onEvent === null) this.#early.push(event);
        else this.#onEvent(event);
      },
      onLeftOut: () => this.#leftOut(),
    });
  }

  /** The app that is told; empty: the server does not say it. */
  get app(): string {
    return this.#current?.app ?? "";
  }

  /** Whether events come as they happened. */
  get order(): EventsOrder {
    if (this.#options.host.clock.monoMs() < this.#hauntedUntilMs) return "late";
    // The next connection has events before we know that it is there.
    return this.#sockets.size > 1 || this.#refreshing ? "mixed" : "sure";
  }

  /** Null once events come. */
  async open(signal: AbortSignal): Promise<Ended | null> {
    const ended = await this.#connect(signal);
    if (ended !== null) this.#finish(ended);
    return ended;
  }

  /** Events come from now on, those from before at once. */
  listen(onEvent: (event: SlackEvent) => void): void {
    this.#onEvent = onEvent;
    for (const event of this.#early.splice(0)) onEvent(event);
  }

  /** Nothing is read until it is over. */
  pause(paused: boolean): void {
    this.#paused = paused;
    for (const socket of this.#sockets) socket.pause(paused);
  }

  /** Says goodbye. */
  close(): void {
    for (const socket of this.#sockets) socket.close();
    this.#sockets.clear();
    this.#finish(ASKED);
  }

  /** At once. */
  end(): void {
    this.#finish(ASKED);
  }

  /** Another connection, which is the current one from now on; why not, or null. */
  async #connect(given: AbortSignal): Promise<Ended | null> {
    const { clock } = this.#options.host;
    const signal = AbortSignal.any([given, this.#stop.signal]);
    for (let tries = 1; ; tries += 1) {
      const url = await this.#ticket(signal);
      if (!(url instanceof URL)) return url;
      const opened = await openSocket({
        clock,
        ...(this.#options.trust && { trust: this.#options.trust }),
        url,
        signal,
        onEnvelope: (envelope, socket) => this.#envelopes.take(envelope, socket),
        onDisconnect: (reason, socket) => this.#farewell(reason, socket),
        onDoubt: (why, socket) => {
          if (socket === this.#current) this.#options.host.degraded(why, "silence");
        },
      });
      if (opened.ok) {
        this.#attach(opened.socket);
        return null;
      }
      if (signal.aborted) return givenUp();
      if (!opened.expired || tries === TICKETS_MAX)
        return endOfReason(opened.reason, lost(opened.why.code, opened.why.message));
    }
  }

  /** Where to connect; while Slack does not want to be asked for a moment, it waits. */
  async #ticket(signal: AbortSignal): Promise<URL | Ended> {
    const { web, host } = this.#options;
    for (;;) {
      const answer = await web.write({ method: OPEN, again: true, signal, timeoutMs: ENTRY_MS });
      if (answer.ok) {
        const url = textIn(answer.value, "url") ?? "";
        const isGood = URL.canParse(url) && /^wss?:\/\/[^\s#]+$/u.test(url);
        return isGood ? new URL(url) : lost("remote_error", "Slack does not say where to connect");
      }
      const { failure } = answer;
      if (failure.error !== "ratelimited") return endOf(failure, "AppToken");
      const shut = shutOut(web);
      if (shut !== null) return shut;
      const limit = { clock: host.clock, ms: failure.retryAfterMs ?? AGAIN_MS, signal };
      await inTime(this.ended, limit, () => null);
      if (signal.aborted) return lost("rate_limited", failure.message);
    }
  }

  #attach(socket: SlackSocket): void {
    const { host } = this.#options;
    this.#sockets.add(socket);
    this.#current = socket;
    socket.pause(this.#paused);
    host.degraded(null, "silence");
    const isHaunted = socket.connections > this.#sockets.size;
    this.#hauntedUntilMs = isHaunted ? host.clock.monoMs() + HAUNTED_MS : 0;
    if (isHaunted && !this.#crowded) {
      this.#crowded = true;
      const fields = { connections: socket.connections, ours: this.#sockets.size };
      host.log.warn(
        fields,
        "Slack counts further connections of this app: if another program uses the same AppToken, each of the two hears only a part; make an app for Rialto alone",
      );
    }
    void socket.ended.then((end) => this.#gone(socket, end));
  }

  #gone(socket: SlackSocket, { reason, error }: SocketEnd): void {
    socket.rest();
    this.#sockets.delete(socket);
    this.#onEnd.resolve();
    this.#onEnd = Promise.withResolvers();
    if (this.#sockets.size > 0) return;
    this.#gap = true;
    if (this.#refreshing) return;
    const words = error || reason;
    const closed = `Slack has closed the connection${words ? `: ${words}` : ""}`;
    this.#finish(socket.silent ? lost("timeout", words) : lost("network", closed));
  }

  #farewell(reason: string, socket: SlackSocket): void {
    this.#options.host.log.debug({ reason }, "the server is about to end the connection");
    const ended = endOfReason(reason, null);
    if (ended !== null) this.#finish(ended);
    else if (socket === this.#current) void this.#refresh();
  }

  /** Opens the next connection while the old one lives, for as long as it does. */
  async #refresh(): Promise<void> {
    if (this.#refreshing) return;
    this.#refreshing = true;
    const { clock, log } = this.#options.host;
    for (let pauseMs = AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, AGAIN_MAX_MS)) {
      const old = [...this.#sockets];
      const failed = await this.#connect(this.#stop.signal);
      if (failed === null) {
        this.#refreshing = false;
        this.#settle(old);
        return;
      }
      if (failed.cause !== "lost" || this.#sockets.size === 0) return this.#finish(failed);
      log.debug({ why: failed.why.message }, "the next connection cannot be opened yet");
      await inTime(this.#onEnd.promise, { clock, ms: pauseMs, signal: this.#stop.signal }, () => null);
    }
  }

  #settle(old: readonly SlackSocket[]): void {
    const { clock } = this.#options.host;
    if (this.#gap) this.onGap();
    else this.onRefreshed();
    this.#gap = false;
    const limit = { clock, ms: DRAIN_MS, signal: this.#stop.signal };
    for (const socket of old) void inTime(socket.ended, limit, () => null).then(() => socket.close());
  }

  #leftOut(): void {
    const words = "Slack leaves out events, because there are too many of them; Rialto reads the channels instead";
    this.#options.host.log.warn({}, words);
    this.onGap();
  }

  #finish(ended: Ended): void {
    this.#stop.abort();
    for (const socket of this.#sockets) socket.end("the session has ended");
    this.#sockets.clear();
    this.#options.host.degraded(null, "silence");
    this.#ending.resolve(ended);
  }
}

/** What it means that the server ends a connection for this reason. */
function endOfReason<T>(reason: string, otherwise: T): Ended | T {
  if (reason === "link_disabled") return misconfigured(SOCKET_MODE_OFF);
  if (reason !== "too_many_websockets") return otherwise;
  return lost(
    "remote_error",
    `ten programs are connected by AppToken, and Slack takes no more: end the others, or make an app for Rialto alone (${APP_SCOPES_AT})`,
  );
}
