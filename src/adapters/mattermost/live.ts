import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef, FileRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Member, OpenedFile, Session } from "../../contract/session.ts";
import { ASKED, lost, misconfigured } from "../kit/ends.ts";
import type { Http } from "../kit/http.ts";
import { inTime } from "../kit/in-time.ts";
import { EventIntake } from "../kit/intake.ts";
import { Liveness } from "../kit/liveness.ts";
import type { RestFailure } from "../kit/rest.ts";
import type { MattermostApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { handlersOf } from "./handlers.ts";
import { membersOf, TYPING_MS, typingHint } from "./hints.ts";
import { readFileRef } from "./ids.ts";
import { codeOf, endOf } from "./login.ts";
import type { MattermostLink } from "./link.ts";
import type { MattermostLimits, MattermostUser } from "./model.ts";
import { OwnPosts } from "./own-posts.ts";
import { MattermostPeople } from "./people.ts";
import type { MattermostPositions } from "./positions.ts";
import { ChannelReader } from "./reader.ts";
import { MattermostRooms } from "./rooms.ts";
import { ThreadRoots } from "./roots.ts";
import type { MattermostSettings } from "./settings.ts";
import type { EventStream, MattermostEvent } from "./stream.ts";
import { MattermostTimeline } from "./timeline.ts";

/** How long the server may say nothing before it is asked, and then until it is in doubt, and given up. */
const SILENT_MS = 30_000;
const DOUBT_MS = 10_000;
const DEAD_MS = 30_000;
/** Events that may wait to be on disk before reading pauses. */
const WAITING_MAX = 1_000;
/** How long the place in the stream may wait for an event. */
const LATE_MS = 2_000;
/** A channel whose history cannot be read now is joined again. */
const HISTORY_RETRY_MS = 10_000;
/** Nothing is sent after it (RFC 6455 §7.4.1). */
const GOODBYE = 1000;
/** Leaving takes no longer, whatever the server does. */
const GOODBYE_MS = 5_000;

type MattermostHandlers = Handlers<typeof capabilities>;

interface LiveOptions extends Pick<OpenArgs<MattermostSettings>, "settings" | "host"> {
  readonly http: Http;
  readonly api: MattermostApi;
  readonly me: MattermostUser;
  readonly limits: MattermostLimits;
  readonly team: { readonly id: string; readonly name: string };
  readonly stream: EventStream;
  /** Nothing is missing of the stream since the cursor. */
  readonly resumed: boolean;
  readonly positions: MattermostPositions;
}

/**
 * One login: the stream of events and the history bring events in (`MattermostTimeline`), the handlers bring ops out
 * by REST, `MattermostRooms` is what both know. The end of the stream is the session's end.
 */
export class MattermostSession implements Session<MattermostHandlers> {
  readonly as: string;
  readonly handlers: MattermostHandlers;
  readonly typing = {
    lastsMs: TYPING_MS,
    /** Of the end servers learn by themselves. */
    show: (channel: ChannelRef, on: boolean): void => {
      const { stream } = this.#options;
      if (on && !this.#quiet && !this.#closing && this.#rooms.joined(channel) !== null) stream.type(channel);
    },
  };
  readonly ended: Promise<Ended>;
  readonly #options: LiveOptions;
  readonly #rooms: MattermostRooms;
  readonly #intake: EventIntake;
  readonly #timeline: MattermostTimeline;
  readonly #people: MattermostPeople;
  readonly #liveness: Liveness;
  readonly #ending = Promise.withResolvers<Ended>();
  #closing = false;
  #quiet = false;
  #isHiddenSaid = false;
  #waits = { disk: false, reading: false };

  constructor(options: LiveOptions) {
    const { settings, host, api, me, limits, team, stream, resumed, positions } = options;
    this.#options = options;
    this.as = me.username;
    const people = new MattermostPeople({ api, clock: host.clock, settings });
    this.#people = people;
    const own = new OwnPosts();
    const roots = new ThreadRoots(api);
    const reader = new ChannelReader({ api, host, people, own, roots, me: me.id });
    this.#intake = new EventIntake({
      host,
      cursor: positions,
      lateMs: LATE_MS,
      waitingMax: WAITING_MAX,
      onFull: (disk) => this.#wait({ disk }),
    });
    this.#rooms = new MattermostRooms({
      api,
      host,
      me,
      team,
      onEntered: (channel) => this.#timeline.enter(channel),
      onLeft: (id) => this.#timeline.leave(id),
      onTeamLeft: () =>
        this.#ending.resolve(misconfigured(`@${me.username} is no longer in the team ${team.name}; add it there`)),
    });
    this.#timeline = new MattermostTimeline({
      api,
      host,
      intake: this.#intake,
      positions,
      people,
      reader,
      resumed,
      onOther: (event) => this.#rooms.take(event),
      onUnreadable: (channel, failure) => this.#unreadable(channel, failure),
      onFull: (reading) => this.#wait({ reading }),
    });
    this.#liveness = new Liveness({
      clock: host.clock,
      silentMs: SILENT_MS,
      doubtMs: DOUBT_MS,
      deadMs: DEAD_MS,
      ask: () => stream.ask(),
      onDoubt: (why) => host.degraded(why, "silence"),
      onDead: ({ code, message }) => this.#ending.resolve(lost(code, message)),
    });
    const link: MattermostLink = {
      api,
      host,
      settings,
      me,
      limits,
      people,
      own,
      roots,
      times: { now: () => this.#timeline.serverMs, toldMs: positions.channels.at },
      room: (channel) => this.#rooms.joined(channel),
      lose: (channel, why, retryInMs) => this.#rooms.lose(channel, why, retryInMs),
    };
    this.handlers = handlersOf(link);
    this.ended = this.#follow();
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    if (signal.aborted) return { ok: false, why: GIVEN_UP, retryInMs: null };
    const { postMax, fileMax } = this.#options.limits;
    const limits = { textMax: postMax, ...(fileMax !== null && { fileBytesMax: fileMax }) };
    const joined = await this.#rooms.join(channel, signal);
    return joined.ok ? { ...joined, limits } : joined;
  }

  async rooms(signal: AbortSignal): Promise<readonly string[]> {
    return await this.#rooms.list(signal);
  }

  async leave(channel: ChannelRef): Promise<void> {
    this.#rooms.dismiss(channel);
    this.#timeline.forget(channel);
    await Promise.resolve();
  }

  async members(channel: ChannelRef, signal: AbortSignal): Promise<readonly Member[] | null> {
    const { api, settings, me } = this.#options;
    return this.#rooms.joined(channel) === null ? null : await membersOf(channel, { api, settings, me: me.id }, signal);
  }

  async openFile(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    const { api } = this.#options;
    const wanted = readFileRef(ref);
    if (wanted === null) return { ok: false, why: { code: "bad_content", message: "this is no file of Mattermost" } };
    return wanted.is === "file" ? await api.openFile(wanted.id, signal) : await api.openPicture(wanted.user, signal);
  }

  async quiesce(): Promise<void> {
    this.#quiet = true;
    this.#timeline.stop();
    await this.#intake.stop();
  }

  async close(signal: AbortSignal): Promise<void> {
    const { api, stream, host } = this.#options;
    const limit = { clock: host.clock, ms: GOODBYE_MS, signal };
    this.#closing = true;
    this.#timeline.stop();
    this.#intake.end();
    // It is said to its end even if nobody waits for that.
    await inTime(api.logout(), limit, () => undefined);
    stream.socket.close(GOODBYE);
    this.#ending.resolve(ASKED);
    await inTime(this.ended, limit, () => ASKED);
  }

  async #follow(): Promise<Ended> {
    const { stream, http, host, api, settings } = this.#options;
    api.onHidden = (channel, atMs) => this.#hidden(channel, atMs);
    api.onUnauthorized = (failure) => this.#ending.resolve(endOf(failure, settings));
    // Logging in again says why.
    stream.onUnauthorized = () => this.#ending.resolve(lost("auth", "the login has ended"));
    stream.onHeard = () => this.#liveness.heard();
    stream.onGap = () => {
      host.log.warn({}, "the server left out events; Rialto reads the channels again");
      this.#timeline.missed();
    };
    this.#liveness.start();
    stream.listen((event) => {
      this.#hint(event);
      this.#timeline.push(event);
    });
    const cut = stream.socket.ended.then(({ reason, error }) =>
      lost(
        "network",
        `the server closed the connection${[error, reason].map((said) => (said ? `: ${said}` : "")).join("")}`,
      ),
    );
    const ended = await Promise.race([this.#ending.promise, cut]);
    this.#liveness.stop();
    this.#timeline.stop();
    this.#intake.end();
    this.#rooms.end();
    stream.socket.end("the session has ended");
    await api.logout();
    http.close();
    return this.#closing ? ASKED : ended;
  }

  #hint(event: MattermostEvent): void {
    const { host, me } = this.#options;
    const hint = typingHint(event, this.#people, me.id);
    if (hint !== null && !this.#quiet && this.#rooms.joined(hint.channel) !== null) host.hint?.(hint);
  }

  /** Some editions show the newest posts alone. */
  #hidden(channel: string, atMs: number): void {
    if (this.#isHiddenSaid) return;
    this.#isHiddenSaid = true;
    const name = this.#rooms.joined(channel)?.name ?? channel;
    const until = Number.isFinite(new Date(atMs).getTime())
      ? ` (in ${name} up to ${new Date(atMs).toISOString()})`
      : "";
    const message = `the edition of the server hides older posts${until}: Rialto can neither read nor answer them`;
    this.#options.host.degraded({ code: "unsupported", message }, "hidden posts");
  }

  #unreadable(channel: string, failure: RestFailure): void {
    const why: Reason = { code: codeOf(failure), message: `the channel's history cannot be read: ${failure.message}` };
    this.#rooms.lose(channel, why, failure.retryAfterMs ?? HISTORY_RETRY_MS);
  }

  #wait(change: { readonly disk?: boolean; readonly reading?: boolean }): void {
    const { socket } = this.#options.stream;
    this.#waits = { ...this.#waits, ...change };
    const isPaused = this.#waits.disk || this.#waits.reading;
    if (isPaused) socket.pause();
    else socket.resume();
    this.#liveness.reading(!isPaused);
  }
}

const GIVEN_UP: Reason = { code: "stopping", message: "joining was cancelled" };
