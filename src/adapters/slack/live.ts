import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef, FileRef } from "../../contract/ids.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Member, OpenedFile, Session } from "../../contract/session.ts";
import { ASKED, lost } from "../kit/ends.ts";
import type { Http } from "../kit/http.ts";
import { inTime } from "../kit/in-time.ts";
import type { SlackApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { SlackChannelNames } from "./channel-names.ts";
import { SlackEmoji } from "./emoji.ts";
import type { SlackEvent } from "./envelopes.ts";
import { AUTH_ERRORS } from "./errors.ts";
import { SlackGroups } from "./groups.ts";
import { handlersOf } from "./handlers.ts";
import type { UnreadHistory } from "./history.ts";
import { identityAdvice } from "./identity.ts";
import { readFileRef } from "./ids.ts";
import type { SlackLink } from "./link.ts";
import { adviseScopes, type SlackIdentity } from "./login.ts";
import { EventOrder } from "./order.ts";
import { membersOf } from "./members.ts";
import { channelIn } from "./model.ts";
import { SlackOwnMessages } from "./own-messages.ts";
import { SlackPeople } from "./people.ts";
import { SlackPositions } from "./positions.ts";
import { codeOf } from "./result.ts";
import { SlackRooms } from "./rooms.ts";
import { SlackRoots } from "./roots.ts";
import type { SlackSettings } from "./settings.ts";
import type { SlackEvents } from "./socket-mode.ts";
import { SlackSweep } from "./sweep.ts";
import { SlackTimeline } from "./timeline.ts";
import { fileWords, isFile } from "./words.ts";

/** A channel that we have turned out not to be in is joined again. */
const OUT_MS = 60_000;
/** Leaving takes no longer, whatever the server does. */
const GOODBYE_MS = 5_000;

type SlackHandlers = Handlers<typeof capabilities>;

export interface SlackLiveOptions extends Pick<OpenArgs<SlackSettings>, "settings" | "host" | "since"> {
  readonly http: Http;
  readonly api: SlackApi;
  readonly me: SlackIdentity;
  readonly events: SlackEvents;
}

/**
 * One login: the events of Socket Mode and the history bring in what happens (`SlackTimeline`), the handlers bring ops
 * out by the Web API, `SlackRooms` is what both know. When Slack tells nothing any more, the session is over.
 */
export class SlackSession implements Session<SlackHandlers> {
  readonly as: string;
  readonly handlers: SlackHandlers;
  readonly ended: Promise<Ended>;
  readonly #options: SlackLiveOptions;
  readonly #rooms: SlackRooms;
  readonly #timeline: SlackTimeline;
  readonly #order: EventOrder;
  readonly #emoji: SlackEmoji;
  readonly #names: SlackChannelNames;
  readonly #people: SlackPeople;
  readonly #sweep: SlackSweep;
  readonly #stop = new AbortController();
  readonly #ending = Promise.withResolvers<Ended>();
  #closing = false;

  constructor(options: SlackLiveOptions) {
    const { settings, host, api, me, since } = options;
    this.#options = options;
    this.as = me.name;
    const positions = new SlackPositions(since);
    const toldTs = positions.channels.at;
    const people = new SlackPeople({ api, clock: host.clock, settings });
    this.#people = people;
    const own = new SlackOwnMessages(me);
    const roots = new SlackRoots(api);
    this.#names = new SlackChannelNames({ api, clock: host.clock, joined: (id) => this.#rooms.nameOf(id) });
    this.#emoji = new SlackEmoji(api);
    this.#rooms = new SlackRooms({
      api,
      host,
      me,
      onEntering: async (id, signal) => await this.#timeline.prepare(id, signal),
      onEntered: (id) => this.#timeline.enter(id),
      onLeft: (id) => this.#timeline.leave(id),
      signal: this.#stop.signal,
    });
    this.#timeline = new SlackTimeline({
      api,
      host,
      positions,
      people,
      emoji: this.#emoji,
      groups: new SlackGroups({ api, clock: host.clock, mayAsk: () => me.scopes.has("usergroups:read") }),
      own,
      roots,
      me,
      names: this.#names,
      onOther: (event, channel) => this.#takeOther(event, channel),
      onUnreadable: (channel, failure) => this.#unreadable(channel, failure),
      onFull: (isFull) => options.events.pause(isFull),
    });
    this.#order = new EventOrder({
      clock: host.clock,
      order: () => options.events.order,
      onEvent: (event) => this.#timeline.push(event),
      onLate: (events) => this.#timeline.readFor(events),
    });
    this.#sweep = new SlackSweep({
      clock: host.clock,
      channels: () => this.#timeline.channels,
      isLimited: () => api.isLimited("conversations.history") || api.isLimited("conversations.replies"),
      isHurried: () => options.events.order === "late",
      look: async (...args) => await this.#timeline.sweep(...args),
    });
    const link: SlackLink = {
      api,
      host,
      settings,
      me,
      people,
      own,
      roots,
      doubts: positions.doubts,
      toldTs,
      hasEmoji: (name) => this.#emoji.has(name),
      room: (channel) => this.#rooms.joined(channel),
      lose: (channel, why, retryInMs) => this.#rooms.lose(channel, why, retryInMs),
    };
    this.handlers = handlersOf(link);
    this.ended = this.#follow();
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    return await this.#rooms.join(channel, signal);
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
    const { api, me } = this.#options;
    if (this.#rooms.joined(channel) === null) return null;
    return await membersOf(channel, { api, people: this.#people, me: me.userId }, signal);
  }

  async openFile(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    const { api } = this.#options;
    const wanted = readFileRef(ref);
    if (wanted === null || wanted.is !== "file") {
      return { ok: false, why: { code: "bad_content", message: "this is no file of Slack" } };
    }
    const found = await api.fileInfo(wanted.id, signal);
    if (!found.ok) return { ok: false, why: { code: codeOf(found.failure), message: found.failure.message } };
    if (found.value === null) return { ok: false, why: { code: "not_found", message: "the file was deleted" } };
    if (!isFile(found.value)) return { ok: false, why: { code: "not_found", message: fileWords(found.value) } };
    return await api.openFile(found.value, signal);
  }

  /** Somebody has installed the app anew, with other scopes. */
  renewed(): void {
    const { api, host, me, settings } = this.#options;
    adviseScopes(api, host);
    host.degraded(identityAdvice({ me, settings }), "names");
    this.#rooms.renewed();
  }

  async quiesce(): Promise<void> {
    this.#order.stop();
    this.#sweep.stop();
    await this.#timeline.quiesce();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closing = true;
    this.#ending.resolve(ASKED);
    await inTime(this.ended, { clock: this.#options.host.clock, ms: GOODBYE_MS, signal }, () => ASKED);
  }

  async #follow(): Promise<Ended> {
    const { events, http } = this.#options;
    events.onGap = () => this.#timeline.missed();
    events.onRefreshed = () => this.#timeline.refreshed();
    events.listen((event) => this.#order.push(event));
    // What they mean is asked for once; names that nobody knows are told as they are.
    void this.#emoji.load(this.#stop.signal);
    const ended = await Promise.race([this.#ending.promise, events.ended]);
    this.#stop.abort();
    this.#order.stop();
    this.#sweep.stop();
    this.#timeline.end();
    this.#rooms.end();
    events.close();
    http.close();
    return this.#closing ? ASKED : ended;
  }

  #takeOther({ type, event }: SlackEvent, channel: string): void {
    if (type === "emoji_changed") void this.#emoji.load(this.#stop.signal);
    // Whoever logs in again is told why that fails.
    else if (type === "app_uninstalled" || type === "tokens_revoked") this.#ending.resolve(lost("auth", REVOKED));
    else this.#rooms.take(event, channel);
    if (type === "channel_rename" || type === "group_rename") this.#names.renamed(channelIn(event["channel"]));
  }

  #unreadable(channel: string, failure: UnreadHistory): void {
    if (AUTH_ERRORS.has(failure.error)) this.#ending.resolve(lost("auth", failure.message));
    if (!OUT.has(failure.error)) return;
    const message = `the channel's history cannot be read: ${failure.message}`;
    this.#rooms.lose(channel, { code: codeOf(failure), message }, OUT_MS);
  }
}

/** We are out of the channel, whatever the events say. */
const OUT: ReadonlySet<string> = new Set(["channel_not_found", "not_in_channel"]);
const REVOKED = "the app was removed from the workspace, or its token revoked";
