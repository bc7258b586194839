import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef, FileRef } from "../../contract/ids.ts";
import type { ChannelRequest, Ended, Handlers, Joined, OpenedFile, Session } from "../../contract/session.ts";
import { ASKED, misconfigured } from "../kit/ends.ts";
import type { Http } from "../kit/http.ts";
import { TypingRequests } from "../kit/typing-requests.ts";
import { notJoined } from "../kit/joining.ts";
import { textIn } from "../kit/json.ts";
import type { DiscordApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { endOf } from "./endings.ts";
import { DiscordFiles } from "./files.ts";
import { TYPING_MS, typingHint } from "./hints.ts";
import { inviteLink } from "./find-guild.ts";
import type { DiscordGateway } from "./gateway.ts";
import type { DiscordGuildState } from "./guild.ts";
import { handlersOf } from "./handlers.ts";
import { namesAdvice } from "./identity.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordUser } from "./model.ts";
import { OwnMessages } from "./own-messages.ts";
import { DiscordPeople } from "./people.ts";
import type { DiscordPositions } from "./positions.ts";
import type { DiscordRest } from "./rest.ts";
import { listRooms } from "./room-list.ts";
import { botMaySpeak, DiscordRooms } from "./rooms.ts";
import type { DiscordSettings } from "./settings.ts";
import { type DiscordSite, siteOf } from "./site.ts";
import type { DiscordEvent } from "./shard.ts";
import { DiscordTimeline } from "./timeline.ts";

type DiscordHandlers = Handlers<typeof capabilities>;

interface LiveOptions extends Pick<OpenArgs<DiscordSettings>, "settings" | "host"> {
  readonly http: Http;
  readonly rest: DiscordRest;
  readonly api: DiscordApi;
  readonly me: DiscordUser;
  readonly application: string;
  readonly state: DiscordGuildState;
  readonly gateway: DiscordGateway;
  /** Nothing is missing of the gateway since the cursor. */
  readonly resumed: boolean;
  readonly positions: DiscordPositions;
  /** Who comes and goes is told. */
  readonly hearsOfMembers: boolean;
}

/**
 * One login: the gateway and the history bring events in (`DiscordTimeline`), the handlers bring ops out by REST,
 * `DiscordRooms` is what both know. The end of the gateway's connection is the session's end.
 */
export class DiscordSession implements Session<DiscordHandlers> {
  readonly as: string;
  readonly handlers: DiscordHandlers;
  readonly typing: TypingRequests;
  readonly ended: Promise<Ended>;
  readonly #options: LiveOptions;
  readonly #site: DiscordSite;
  readonly #rooms: DiscordRooms;
  readonly #timeline: DiscordTimeline;
  readonly #people: DiscordPeople;
  readonly #files: DiscordFiles;
  readonly #ending = Promise.withResolvers<Ended>();
  #closing = false;
  #quiet = false;
  #inTrouble = false;
  /** What happened while nobody was there has been told. */
  #isUpToDate = false;
  #onHooksChanged: (channel: string) => void = () => undefined;
  #advice: string | undefined = undefined;

  constructor(options: LiveOptions) {
    const { settings, host, api, me, application, state, positions, resumed } = options;
    this.#options = options;
    this.#site = siteOf(settings);
    this.as = me.username;
    const people = new DiscordPeople({ api, clock: host.clock, settings, guild: state.id });
    this.#people = people;
    const own = new OwnMessages({ me: me.id, application });
    this.#files = new DiscordFiles({ api, nowMs: () => host.clock.nowMs() });
    this.#rooms = new DiscordRooms({
      api,
      host,
      settings,
      state,
      me: `@${me.username}`,
      onEntered: (channel) => this.#timeline.enter(channel),
      onLeft: (id) => this.#timeline.leave(id),
      onChange: () => this.#advise(),
      onHook: ({ id }) => own.addHook(id),
    });
    this.#timeline = new DiscordTimeline({
      host,
      api,
      positions,
      people,
      own,
      settings,
      files: this.#files,
      me: me.id,
      guild: state.id,
      names: {
        channel: (id) => state.channel(id)?.name ?? null,
        role: (id) => state.roleName(id),
        parentOf: (id) => state.parentOf(id),
        hidden: (id) => state.hidden(id),
      },
      resumed,
      membersIntent: options.hearsOfMembers,
      onFull: (full) => this.#pause(full),
    });
    const link: DiscordLink = {
      api,
      host,
      settings,
      me,
      application,
      people,
      own,
      room: (channel) => this.#rooms.joined(channel),
      emojiNamed: (_, name) => state.emojiNamed(name),
      lose: (channel, why, retryInMs) => this.#rooms.lose(channel, why, retryInMs),
      newest: (channel) => this.#timeline.newest(channel),
      announce: async (post, signal) => await this.#timeline.announce(post, signal),
      onHooksChanged: (task) => (this.#onHooksChanged = task),
      announced: (op, upTo) => this.#timeline.announced(op, upTo),
    };
    this.handlers = handlersOf(link);
    this.typing = new TypingRequests({
      clock: host.clock,
      lastsMs: TYPING_MS,
      ends: false,
      send: async (channel, _, signal) => {
        const room = this.#rooms.joined(channel);
        return room === null || !botMaySpeak(room) || (await api.typing(room.id, signal)).ok;
      },
    });
    this.ended = this.#follow();
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    if (signal.aborted) return notJoined("stopping", "joining was cancelled");
    return await this.#rooms.join(channel, signal);
  }

  async rooms(): Promise<readonly string[]> {
    return await Promise.resolve(listRooms(this.#options.state));
  }

  async leave(channel: ChannelRef): Promise<void> {
    this.#rooms.dismiss(channel);
    this.#timeline.forget(channel);
    await Promise.resolve();
  }

  async openFile(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    return await this.#files.open(ref, signal);
  }

  async quiesce(): Promise<void> {
    this.#quiet = true;
    this.typing.end();
    await this.#timeline.quiesce();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closing = true;
    await this.#options.gateway.close(signal);
    this.#ending.resolve(ASKED);
    await this.ended;
  }

  async #follow(): Promise<Ended> {
    const { gateway, http, rest } = this.#options;
    rest.onUnauthorized = (failure) => this.#ending.resolve(endOf(failure, this.#site.portal));
    gateway.listen((event) => this.#take(event));
    const ended = await Promise.race([this.#ending.promise, gateway.ended]);
    this.typing.end();
    this.#timeline.end();
    this.#rooms.end();
    gateway.end();
    rest.close();
    http.close();
    return this.#closing ? ASKED : ended;
  }

  #take(event: DiscordEvent): void {
    const { state } = this.#options;
    if (event.type === "READY" || event.type === "RESUMED") this.#isUpToDate = true;
    if (event.type === "GUILD_DELETE" && event.data["id"] === state.id) this.#guildGone(event);
    if (event.type === "GUILD_CREATE" && event.data["id"] === state.id) this.#guildBack();
    if (event.type === "WEBHOOKS_UPDATE") this.#onHooksChanged(textIn(event.data, "channel_id") ?? "");
    this.#hint(event);
    this.#rooms.take(event);
    this.#timeline.push(event);
  }

  #hint(event: DiscordEvent): void {
    const { state, me, host } = this.#options;
    const hint = typingHint(event, { people: this.#people, guild: state.id, me: me.id });
    if (hint !== null && !this.#quiet && this.#rooms.joined(hint.channel) !== null) host.hint?.(hint);
  }

  /** Said once, until it is another or over. */
  #advise(): void {
    const { settings, host } = this.#options;
    const advice = namesAdvice(this.#rooms.all, settings);
    if (advice?.message === this.#advice) return;
    this.#advice = advice?.message;
    host.degraded(advice, "names");
  }

  #guildGone({ data }: DiscordEvent): void {
    const { state, host, application } = this.#options;
    if (data["unavailable"] === true) {
      const message = `Discord has trouble with the server ${state.name}: nothing comes or goes until that is over`;
      host.degraded({ code: "remote_error", message }, "guild");
      this.#inTrouble = true;
      return;
    }
    // Long ago: when this login began, the bot was there again.
    if (!this.#isUpToDate) {
      this.#inTrouble = true;
      return;
    }
    const message = `the bot was removed from the server ${state.name}: let it in again by ${inviteLink(application, this.#site.web)} and restart Rialto, which otherwise notices within an hour`;
    this.#ending.resolve(misconfigured(message));
  }

  #guildBack(): void {
    if (!this.#inTrouble) return;
    this.#inTrouble = false;
    this.#options.host.degraded(null, "guild");
    // Of what was said meanwhile nothing is told.
    this.#timeline.missed();
  }

  /** Too much waits for the disk. */
  #pause(full: boolean): void {
    const { gateway } = this.#options;
    if (full) gateway.pause();
    else void gateway.resume();
  }
}
