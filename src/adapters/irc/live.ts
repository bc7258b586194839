import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Member, Session } from "../../contract/session.ts";
import { onAbort } from "../../lib/abort.ts";
import { Batches } from "./wire/batches.ts";
import { onCap, wantedCaps } from "./wire/caps.ts";
import { Channels } from "./channels/channels.ts";
import type { Charset } from "./wire/charset.ts";
import type { IrcConnection } from "./wire/connection.ts";
import { CtcpReplies } from "./ctcp-replies.ts";
import { FaultGuard } from "../kit/guard.ts";
import { ASKED, givenUp, lost, misconfigured } from "../kit/ends.ts";
import { quote } from "./quote.ts";
import { Flow } from "./sending/flow.ts";
import type { capabilities } from "./capabilities.ts";
import { memberOf } from "./hints.ts";
import { IrcInbound } from "./inbound.ts";
import { LineBuffer } from "./wire/lines.ts";
import { PrivateReplies } from "./private-replies.ts";
import { LINE_STEPS, type LineTakers } from "./line-steps.ts";
import { ConnectionContext } from "./link.ts";
import { IrcLiveness } from "./wire/liveness.ts";
import { Login } from "./login/login.ts";
import { NickKeeper } from "./login/nick-keeper.ts";
import { Outbound } from "./sending/outbound.ts";
import { isFlood, type Pace } from "./sending/pace.ts";
import { Pacer } from "./sending/pacer.ts";
import { Pings } from "./wire/pings.ts";
import { Registration } from "./login/registration.ts";
import { IrcTyping } from "./sending/typing.ts";
import { Relay } from "./sending/relay.ts";
import { SelfCheck } from "./channels/self-check.ts";
import type { IrcSettings } from "./settings.ts";
import { type IrcLine, parseLine } from "./wire/wire.ts";

type IrcHandlers = Handlers<typeof capabilities>;

interface LiveOptions extends Pick<OpenArgs<IrcSettings>, "settings" | "host" | "since"> {
  readonly connection: IrcConnection;
  readonly charset: Charset;
  readonly pace: Pace;
}

/**
 * One connection of an account: registration, then channels, lines out (`Outbound`, `Flow`) and events in (`Inbound`).
 * All that the server sends comes through `#read`, in order; the connection's end is the session's end.
 */
export class IrcSession implements Session<IrcHandlers> {
  readonly ended: Promise<Ended>;
  readonly handlers: IrcHandlers;
  readonly typing: IrcTyping;
  readonly #options: LiveOptions;
  readonly #buffer = new LineBuffer();
  readonly #link: ConnectionContext;
  readonly #registration: Registration;
  readonly #login: Login;
  readonly #flow: Flow;
  readonly #channels: Channels;
  readonly #liveness: IrcLiveness;
  readonly #selfCheck: SelfCheck;
  readonly #inbound: IrcInbound;
  readonly #batches = new Batches();
  readonly #takers: LineTakers;
  readonly #nickKeeper: NickKeeper;
  readonly #guard: FaultGuard;
  #closing = false;
  #cancelSlow: () => void = () => {};

  constructor(options: LiveOptions) {
    const { connection, charset, pace, settings, host, since } = options;
    const { clock } = host;
    this.#options = options;
    const pacer = new Pacer(pace, clock);
    const link = new ConnectionContext({ connection, charset, pacer, pings: new Pings(clock), nick: settings.Nick });
    this.#link = link;
    this.#guard = new FaultGuard(host.log, "a line from the server was skipped");
    this.#registration = new Registration({ link, settings, host });
    this.#login = new Login({ link, settings, host });
    this.#flow = new Flow({ link, clock, onGone: (key, why) => this.#channels.lose(key, why, 0) });
    this.#channels = new Channels({
      link,
      host,
      joinDelayMs: settings.JoinDelay,
      rejoinDelayMs: settings.RejoinDelay * 1000,
      onGone: (key, why) => this.#flow.gone(key, why),
      onEntered: (channel) => this.#inbound.entered(channel),
      without: () => outbound.without,
    });
    const relay = new Relay({ link, settings, log: host.log });
    this.#inbound = new IrcInbound({
      link,
      settings,
      host,
      since,
      batches: this.#batches,
      channels: this.#channels,
      onFull: (full) => this.#onFull(full),
      isRelayed: (nick) => relay.isRelayed(nick),
    });
    const outbound = new Outbound({
      link,
      flow: this.#flow,
      channels: this.#channels,
      charset,
      settings,
      host,
      relay,
      onSent: (text, channel) => this.#inbound.sent(text, channel),
    });
    this.#nickKeeper = new NickKeeper({ link, clock, wanted: settings.Nick });
    this.#selfCheck = new SelfCheck({ link, channels: this.#channels, silentMs: settings.PingDelay });
    this.#liveness = new IrcLiveness({
      link,
      clock,
      pingDelayMs: settings.PingDelay,
      onDoubt: (why) => host.degraded(why),
      onDead: (why) => connection.end({ cause: "lost", why }),
      onIdle: () => this.#selfCheck.next(),
    });
    this.#takers = this.#lineTakers();
    this.handlers = {
      post: async (op, attempt) => await outbound.post(op, attempt),
      delete: async (op, attempt) => await outbound.delete(op, attempt),
      topic: async (op, attempt) => await outbound.topic(op, attempt),
    };
    this.typing = new IrcTyping({ link, flow: this.#flow, channels: this.#channels });
    this.ended = this.#watch();
  }

  #lineTakers(): LineTakers {
    const { settings, host } = this.#options;
    const link = this.#link;
    return {
      login: this.#login,
      selfCheck: this.#selfCheck,
      flow: this.#flow,
      batches: this.#batches,
      ctcp: new CtcpReplies(link, host.clock),
      privateReplies: new PrivateReplies({ link, clock: host.clock, settings, channelsOf: this.#channels.channelsOf }),
      inbound: this.#inbound,
      channels: this.#channels,
      nickKeeper: this.#nickKeeper,
      link,
    };
  }

  get as(): string {
    return this.#link.nick;
  }

  get paced(): Reason | null {
    return this.#link.pacer.why;
  }

  /** Logs in; null when that is done, or why it failed. */
  async begin(signal: AbortSignal): Promise<Ended | null> {
    const { connection } = this.#options;
    const release = onAbort(signal, () => connection.end(givenUp()));
    connection.listen((bytes) => this.#read(bytes));
    this.#registration.start();
    const failure = (await this.#registration.done) ?? this.#impossible();
    if (failure === null) {
      const { network, linelen } = this.#link.isupport;
      const { enabled } = this.#link.caps;
      this.#options.host.log.debug({ network, linelen, capabilities: [...enabled] }, "the server let Rialto in");
      this.#liveness.start();
      this.#tellSlow();
      if (this.#registration.isLoginMissing) this.#tellLoggedOut();
      await this.#login.run();
      this.#nickKeeper.look();
    } else {
      connection.end(failure);
    }
    release();
    // The connection may have ended while we logged in.
    return failure ?? (await Promise.race([this.ended, Promise.resolve(null)]));
  }

  #tellLoggedOut(): void {
    const remedy = "if it has none, set UseSASL = false; with RequireSASL = true Rialto never connects without it";
    const message = `NOT logged in, although UseSASL is set: the server offers no SASL; ${remedy}`;
    this.#options.host.degraded({ code: "unsupported", message }, "login");
  }

  /** While the account is slower than set, its status says so. */
  #tellSlow(): void {
    const { host, pace } = this.#options;
    const { slowForMs, delayMs } = pace;
    if (slowForMs === 0) return;
    const minutes = Math.ceil(slowForMs / 60_000);
    const message = `the server disconnected Rialto for flooding: for ${minutes} minutes Rialto sends only one line every ${delayMs / 1000} s`;
    host.degraded({ code: "rate_limited", message }, "pace");
    this.#cancelSlow = host.clock.after(slowForMs, () => host.degraded(null, "pace"));
  }

  /** What the server told that rules this account out. */
  #impossible(): Ended | null {
    const utf8 = this.#options.charset.name === "utf-8" || !this.#link.isupport.utf8only;
    return utf8 ? null : misconfigured('the server accepts only UTF-8; set Charset = "utf-8"');
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    return await this.#channels.join(channel, signal);
  }

  async leave(channel: ChannelRef, signal: AbortSignal): Promise<void> {
    this.#inbound.left(channel);
    await this.#channels.leave(channel, signal);
  }

  async members(channel: ChannelRef): Promise<readonly Member[] | null> {
    return await Promise.resolve(this.#channels.people(channel)?.map(memberOf) ?? null);
  }

  async quiesce(): Promise<void> {
    this.typing.end();
    this.#inbound.stop();
    await Promise.resolve();
  }

  async close(signal: AbortSignal): Promise<void> {
    const { connection } = this.#options;
    if (!this.#closing) {
      this.#closing = true;
      this.typing.end();
      this.#inbound.stop();
      this.#link.send("QUIT", ["Rialto stops"]);
    }
    const release = onAbort(signal, () => connection.end(ASKED));
    await this.ended;
    release();
  }

  /** Takes what the socket gave. */
  #read(bytes: Uint8Array): void {
    this.#liveness.seen();
    for (const raw of this.#buffer.push(bytes)) {
      const line = raw === null ? null : parseLine(this.#options.charset.decode(raw));
      if (line !== null) this.#guard.run(() => this.#take(line), { command: line.command });
    }
    this.#inbound.flush();
  }

  /** The end of the connection ends all that waits. */
  async #watch(): Promise<Ended> {
    const ended = await this.#options.connection.ended;
    const { why } = this.#closing ? ASKED : ended;
    this.#liveness.stop();
    this.#cancelSlow();
    this.#login.stop();
    this.#nickKeeper.stop();
    this.#registration.abandon(ended);
    this.#flow.end(why);
    this.#channels.end(why);
    this.#inbound.stop();
    return this.#closing ? ASKED : ended;
  }

  #onFull(full: boolean): void {
    const { connection } = this.#options;
    if (full) connection.pause();
    else connection.resume();
    this.#liveness.reading(!full);
  }

  #take(line: IrcLine): void {
    const { command, params } = line;
    if (command === "PING") {
      this.#link.send("PONG", params);
      return;
    }
    if (!this.#registration.isIn) {
      this.#registration.take(line);
      // Services may change our nick or host before the message of the day ends.
      this.#link.learn(line);
      return;
    }
    switch (command) {
      case "PONG":
        this.#onPong(params.at(-1) ?? "");
        break;
      case "ERROR":
        this.#onError(params.at(-1) ?? "");
        break;
      case "CAP":
        this.#onCap(params);
        break;
      case "BATCH":
        this.#onBatch(line);
        break;
      default:
        if (!this.#batches.keeps(line)) this.#takeMessage(line);
    }
  }

  #takeMessage(line: IrcLine): void {
    const { host } = this.#options;
    // Old lines are no news, answer nothing, and show an address that we may have no more.
    const played = this.#batches.playback(line);
    if (played !== null) {
      this.#inbound.takeOld(line, played);
      return;
    }
    if (this.#inbound.replays.take(line)) return;
    // Its text is the server's own; the other parameters may repeat what we have sent.
    if (/^[45]\d\d$/u.test(line.command)) {
      host.log.debug({ numeric: line.command, says: quote(line.params.at(-1) ?? "") }, "the server reports an error");
    }
    for (const { take } of LINE_STEPS) take(line, this.#takers);
  }

  #onError(text: string): void {
    const { connection, host, pace } = this.#options;
    const message = `the server closes the connection: ${quote(text)}`;
    if (!isFlood(text)) {
      connection.end(lost("network", message));
      return;
    }
    pace.punished();
    const { delayMs, slowForMs } = pace;
    host.log.warn(
      { says: quote(text), delayMs, slowForMs },
      "disconnected for flooding: Rialto sends more slowly for a while",
    );
    connection.end(lost("rate_limited", message));
  }

  #onBatch(line: IrcLine): void {
    const { ended, message } = this.#batches.take(line);
    if (message !== null) this.#takeMessage(message);
    if (ended !== null) this.#inbound.batchEnded(ended);
  }

  #onPong(token: string): void {
    const ping = this.#link.pings.answered(token);
    this.#liveness.seen();
    if (ping === null) return;
    this.#flow.onPong(ping);
    this.#selfCheck.onPong(ping);
  }

  /** Capabilities come and go while we are connected (IRCv3 "cap-notify"). */
  #onCap(params: readonly string[]): void {
    const { caps, requests } = onCap(
      this.#link.caps,
      params,
      wantedCaps({
        sasl: false,
        relay: this.#options.settings.UseRelayMsg,
      }),
    );
    this.#link.caps = caps;
    for (const request of requests) this.#link.send("CAP", ["REQ", request]);
    if (this.#registration.isLoginMissing && caps.offered.has("sasl")) {
      this.#options.connection.end(lost("remote_error", "the server now offers SASL: Rialto reconnects to log in"));
    }
  }
}
