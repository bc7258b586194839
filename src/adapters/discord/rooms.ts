import type { Host } from "../../contract/host.ts";
import type { OptionalKind } from "../../contract/ops.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Joined, RoomLimits } from "../../contract/session.ts";
import type { DiscordApi, DiscordHook } from "./api.ts";
import { codeOf } from "./endings.ts";
import { findChannel, idOf, isRoomType } from "./find-channel.ts";
import { type DiscordGuildState, isThread } from "./guild.ts";
import { channelRef } from "./ids.ts";
import { ROOM_RIGHT } from "./permissions.ts";
import type { DiscordChannel } from "./records.ts";
import type { DiscordFailure } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";
import { type DiscordSettings, hookIn } from "./settings.ts";
import type { DiscordEvent } from "./shard.ts";

/** Whoever changes what keeps us out is a person; an event says when. */
const PERSON_MS = 30 * 60_000;
const MIB = 1 << 20;
/** Most bytes of one file, by what the members of a guild have paid. */
const FILE_MAX: readonly number[] = [10 * MIB, 10 * MIB, 50 * MIB, 100 * MIB];
const VOICE: ReadonlySet<number> = new Set([2, 13]);

/** A channel that is to be entered, as who reads it needs it. */
type DiscordEntered = Pick<DiscordChannel, "id" | "lastMessage" | "topic"> & { readonly isThread: boolean };

interface DiscordRoomsOptions {
  readonly api: Pick<DiscordApi, "channel" | "webhook">;
  readonly host: Pick<Host, "lost">;
  readonly settings: DiscordSettings;
  readonly state: DiscordGuildState;
  /** As people read it. */
  readonly me: string;
  readonly onEntered: (channel: DiscordEntered) => void;
  /** We are out, or it is of no use any more. */
  readonly onLeft: (id: string) => void;
  /** Which rooms there are, or what we may do in them, may be another now. */
  readonly onChange: () => void;
  /** The configuration names this webhook. */
  readonly onHook: (hook: DiscordHook) => void;
}

interface Kept {
  /** In the configuration. */
  readonly name: string;
  readonly webhook: DiscordHook | null;
}

/** The channels that we are in, and how we get into them. */
export class DiscordRooms {
  readonly #options: DiscordRoomsOptions;
  readonly #rooms = new Map<string, Kept>();
  /** Names of those that we cannot get into until somebody changes something there. */
  readonly #shut = new Set<string>();
  /** The account's own webhook, once it was looked up, and of which channel it is. */
  #own: { readonly hook: DiscordHook; readonly channel: string } | null = null;
  #ended = false;

  constructor(options: DiscordRoomsOptions) {
    this.#options = options;
  }

  /** Null while it is not joined. */
  joined(id: string): DiscordRoom | null {
    const kept = this.#rooms.get(id);
    const channel = this.#options.state.channel(id);
    return kept === undefined || channel === null || this.#ended ? null : this.#room(channel, kept);
  }

  get all(): readonly DiscordRoom[] {
    return [...this.#rooms.keys()].flatMap((id) => this.joined(id) ?? []);
  }

  /** Nothing can be said anywhere any more. */
  end(): void {
    this.#ended = true;
  }

  /** It cannot be used any more. */
  lose(id: string, why: Reason, retryInMs: number): void {
    const kept = this.#rooms.get(id);
    if (kept === undefined) return;
    this.#rooms.delete(id);
    this.#options.state.keep(id, false);
    if (this.#usable(kept.name) === null) this.#shut.add(kept.name);
    this.#options.onLeft(id);
    this.#options.host.lost(channelRef(id), why, retryInMs);
    this.#options.onChange();
  }

  /** It is no longer wanted. */
  dismiss(id: string): void {
    this.#shut.delete(this.#rooms.get(id)?.name ?? "");
    this.#options.state.keep(id, false);
    if (this.#rooms.delete(id)) this.#options.onChange();
  }

  /** By now, for whoever has waited. */
  #isOver(): boolean {
    return this.#ended;
  }

  async join(request: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const joined = await this.#join(request, signal);
    if (joined.ok || this.#usable(request.name) !== null) this.#shut.delete(request.name);
    else this.#shut.add(request.name);
    return joined;
  }

  async #join({ name, options }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    if (this.#isOver()) return refused(CLOSED, null);
    const found = await this.#find(name, signal);
    if ("ok" in found) return found;
    const why = this.#unfit(found);
    if (why !== null) return refused(why, this.#againMs);
    const webhook = await this.#hookOf(found, options["webhookurl"] ?? "", signal);
    if (webhook !== null && "ok" in webhook) return webhook;
    if (this.#isOver()) return refused(CLOSED, null);
    const { settings, onHook, state } = this.#options;
    const room = this.#room(found, { name, webhook });
    if (!canSpeak(room, settings)) return refused(this.#lacks(found, "Send Messages"), this.#againMs);
    if (room.webhook !== null) onHook(room.webhook);
    const isNew = !this.#rooms.has(found.id);
    this.#rooms.set(found.id, { name, webhook });
    state.keep(found.id, true);
    if (isNew) this.#options.onEntered({ ...found, isThread: isThread(found) });
    this.#options.onChange();
    return { ok: true, ref: channelRef(found.id), without: without(room), limits: this.#limits };
  }

  /** What the gateway tells of the guild. */
  take(event: DiscordEvent): void {
    const { state, host } = this.#options;
    if (!state.take(event)) return;
    for (const id of this.#rooms.keys()) {
      const channel = state.channel(id);
      if (channel === null) this.lose(id, GONE, PERSON_MS);
      else {
        const why = this.#unfit(channel) ?? this.#mute(channel);
        if (why !== null) this.lose(id, why, this.#againMs);
      }
    }
    for (const name of this.#shut) {
      const channel = this.#usable(name);
      if (channel === null) continue;
      this.#shut.delete(name);
      // Whatever waits to be joined is tried again.
      host.lost(channelRef(channel.id), { code: "not_found", message: "the channel can be used now" }, 0);
    }
    this.#options.onChange();
  }

  /** The channel of this name, if we could be in it. */
  #usable(name: string): DiscordChannel | null {
    const { state } = this.#options;
    const id = idOf(name);
    const found = id === null ? findChannel(name, state.channels) : null;
    const channel = found?.is === "one" ? found.channel : state.channel(id ?? "");
    return channel !== null && (this.#unfit(channel) ?? this.#mute(channel)) === null ? channel : null;
  }

  get #limits(): RoomLimits {
    return { fileBytesMax: FILE_MAX[this.#options.state.tier] ?? 10 * MIB };
  }

  async #find(name: string, signal: AbortSignal): Promise<DiscordChannel | Joined> {
    const { state } = this.#options;
    const id = idOf(name);
    if (id !== null) return state.channel(id) ?? (await this.#fetch(id, signal));
    const found = findChannel(name, state.channels);
    if (found.is === "one") return found.channel;
    const quoted = JSON.stringify(name);
    if (found.is === "none") {
      const message = `there is no channel ${quoted} on the server ${state.name}; write its name, category/name, or ID: and its id (right-click the channel > Copy Channel ID)`;
      return refused({ code: "not_found", message }, PERSON_MS);
    }
    const ids = found.channels.map((one) => this.#namedWhole(one)).join(", ");
    const message = `several channels on the server ${state.name} are called ${quoted}; write which one: ${ids}`;
    return refused({ code: "config", message }, PERSON_MS);
  }

  /** As a configuration may have it: the id is always the only one. */
  #namedWhole({ id, name, parent }: DiscordChannel): string {
    const category = this.#options.state.channel(parent)?.name;
    return category === undefined ? `ID:${id}` : `${category}/${name} (ID:${id})`;
  }

  /** A thread that is archived, or a private one. */
  async #fetch(id: string, signal: AbortSignal): Promise<DiscordChannel | Joined> {
    const { api, state, me } = this.#options;
    const found = await api.channel(id, signal);
    if (!found.ok) {
      const { status } = found.failure;
      if (status !== 404 && status !== 403 && status !== 400) return refusal(found.failure);
      const message = `there is no channel or thread with the id ${id} that ${me} can see; check the id, and that its role has View Channel there`;
      return refused({ code: status === 403 ? "forbidden" : "not_found", message }, PERSON_MS);
    }
    const channel = found.value;
    if (channel.guild !== state.id) {
      const message = `the channel with the id ${id} is not on the server ${state.name}`;
      return refused({ code: "config", message }, PERSON_MS);
    }
    state.put(channel);
    return channel;
  }

  /** Why it cannot be read; null: it can. */
  #unfit(channel: DiscordChannel): Reason | null {
    const { state } = this.#options;
    if (!isRoomType(channel.type))
      return { code: "config", message: `nobody can write in ${channel.name}: it is a category or the like` };
    const rights = state.rights(channel.id);
    if ((rights & ROOM_RIGHT.viewChannel) === 0n) return this.#lacks(channel, "View Channel");
    if (VOICE.has(channel.type) && (rights & ROOM_RIGHT.connect) === 0n) return this.#lacks(channel, "Connect");
    if ((rights & ROOM_RIGHT.readHistory) === 0n) return this.#lacks(channel, "Read Message History");
    if (channel.locked && (rights & ROOM_RIGHT.manageThreads) === 0n)
      return { code: "forbidden", message: `the thread ${channel.name} is locked; unlock it` };
    return null;
  }

  /** Why nothing can be said there any more; null: it can. */
  #mute(channel: DiscordChannel): Reason | null {
    const room = this.#room(channel, this.#rooms.get(channel.id) ?? { name: "", webhook: null });
    return canSpeak(room, this.#options.settings) ? null : this.#lacks(channel, "Send Messages");
  }

  /** When what keeps us out may be over; no event tells of the end of a time-out. */
  get #againMs(): number {
    const { silentMs } = this.#options.state;
    return silentMs === 0 ? PERSON_MS : Math.min(silentMs, PERSON_MS);
  }

  #lacks(channel: DiscordChannel, right: string): Reason {
    const { me, state } = this.#options;
    if (state.silentMs > 0) {
      const minutes = Math.ceil(state.silentMs / 60_000);
      const message = `${me} is in a time-out on the server ${state.name} for ${minutes} min more; wait, or end it (right-click ${me} > Remove Timeout)`;
      return { code: "forbidden", message };
    }
    const what = right === "Send Messages" && isThread(channel) ? "Send Messages in Threads" : right;
    const where = isThread(channel) ? (state.channel(channel.parent)?.name ?? channel.name) : channel.name;
    const message = `${me} lacks the permission ${what} in #${where}; give it to its role (Edit Channel > Permissions, or Server Settings > Roles)`;
    return { code: "forbidden", message };
  }

  #room(channel: DiscordChannel, { webhook }: Kept): DiscordRoom {
    const { id, guild, name, type, slowS } = channel;
    const hookChannel = isThread(channel) ? channel.parent : id;
    const rights = this.#options.state.rights(id);
    const hook = webhook ?? (this.#own?.channel === hookChannel ? this.#own.hook : null);
    return { id, guild, name, type, slowS, hookChannel, rights, webhook: hook, joined: this.#rooms.has(id) };
  }

  /** The webhook that the configuration names for a channel; it must be of that one. */
  async #hookOf(channel: DiscordChannel, written: string, signal: AbortSignal): Promise<DiscordHook | null | Joined> {
    const { settings, api, state } = this.#options;
    const account = this.#own === null ? hookIn(settings.WebhookURL) : null;
    if (account !== null) {
      const found = await api.webhook(account, signal);
      if (found.ok) this.#own = { hook: account, channel: found.value.channel };
      else if (found.failure.status !== 404 && found.failure.status !== 401) return refusal(found.failure);
    }
    const hook = hookIn(written);
    if (hook === null) return null;
    const found = await api.webhook(hook, signal);
    if (!found.ok && found.failure.status !== 404 && found.failure.status !== 401) return refusal(found.failure);
    const home = isThread(channel) ? channel.parent : channel.id;
    if (found.ok && found.value.channel === home) return hook;
    const others = found.ok ? (state.channel(found.value.channel)?.name ?? found.value.channel) : "";
    const message = found.ok
      ? `the webhook of the option WebhookURL is of #${others}; copy that of #${channel.name} (Edit Channel > Integrations > Webhooks), or remove the option`
      : "the webhook of the option WebhookURL is no longer there; copy its address again (Edit Channel > Integrations > Webhooks), or remove the option";
    return refused({ code: "config", message }, PERSON_MS);
  }
}

/** As the bot, or through a webhook. */
function canSpeak(room: DiscordRoom, { AutoWebhooks }: DiscordSettings): boolean {
  const { rights, webhook } = room;
  if (webhook !== null || (AutoWebhooks && (rights & ROOM_RIGHT.manageWebhooks) !== 0n)) return true;
  return botMaySpeak(room);
}

export function botMaySpeak({ rights, type }: Pick<DiscordRoom, "rights" | "type">): boolean {
  return (rights & (isThread({ type }) ? ROOM_RIGHT.sendInThreads : ROOM_RIGHT.sendMessages)) !== 0n;
}

const without = ({ rights }: DiscordRoom): readonly OptionalKind[] =>
  (rights & ROOM_RIGHT.addReactions) === 0n ? ["react"] : [];

const CLOSED: Reason = { code: "network", message: "the connection to Discord is closed" };
const GONE: Reason = { code: "not_found", message: "the channel was deleted" };

const refused = (why: Reason, retryInMs: number | null): Joined => ({ ok: false, why, retryInMs });

const refusal = (failure: DiscordFailure): Joined =>
  refused({ code: codeOf(failure), message: failure.message }, failure.retryAfterMs);
