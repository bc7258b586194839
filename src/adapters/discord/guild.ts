import type { Clock } from "../../contract/host.ts";
import { isObject, type Json, listIn, objectIn, textIn } from "../kit/json.ts";
import { isOpenThread } from "./model.ts";
import { rightsIn } from "./permissions.ts";
import {
  channelIn,
  type DiscordChannel,
  type DiscordEmoji,
  type DiscordGuild,
  type DiscordSelf,
  emojiIn,
  guildIn,
  roleIn,
  selfIn,
} from "./records.ts";
import type { DiscordEvent } from "./shard.ts";

/** `ChannelType`s of threads. */
const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);

/** Beyond so many channels and threads, archived threads that nobody uses are forgotten. */
const CHANNELS_MAX = 3_000;

export const isThread = ({ type }: Pick<DiscordChannel, "type">): boolean => THREADS.has(type);

interface GuildStateOptions {
  readonly guild: DiscordGuild;
  readonly channels: readonly DiscordChannel[];
  readonly threads: readonly DiscordChannel[];
  readonly self: DiscordSelf;
  readonly clock: Pick<Clock, "nowMs">;
}

/** `ChannelFlags`. */
const IS_SPOILER_CHANNEL = 1 << 21;

/** A guild as it is now: its channels, active threads, roles and emojis, and what we may do. Never its members. */
export class DiscordGuildState {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #channels = new Map<string, DiscordChannel>();
  /** Those that are in use. */
  readonly #kept = new Set<string>();
  #guild: DiscordGuild;
  #self: DiscordSelf;

  constructor({ guild, channels, threads, self, clock }: GuildStateOptions) {
    this.#clock = clock;
    this.#guild = guild;
    this.#self = self;
    for (const channel of [...channels, ...threads]) this.put(channel);
  }

  get id(): string {
    return this.#guild.id;
  }

  get name(): string {
    return this.#guild.name;
  }

  /** `GuildPremiumTier`. */
  get tier(): number {
    return this.#guild.tier;
  }

  get channels(): readonly DiscordChannel[] {
    return [...this.#channels.values()];
  }

  channel(id: string): DiscordChannel | null {
    return this.#channels.get(id) ?? null;
  }

  /** The channel of a thread that is open to all its readers; null: it is none that we know. */
  parentOf(id: string): string | null {
    const channel = this.channel(id);
    return channel !== null && isOpenThread(channel) ? channel.parent : null;
  }

  roleName(id: string): string | null {
    return this.#guild.roles.find((role) => role.id === id)?.name ?? null;
  }

  /** As it is written, else the only one but for case. */
  emojiNamed(name: string): DiscordEmoji | null {
    const { emojis } = this.#guild;
    const exact = emojis.find((emoji) => emoji.name === name);
    if (exact !== undefined) return exact;
    const alike = emojis.filter((emoji) => emoji.name.toLowerCase() === name.toLowerCase());
    return alike.length === 1 ? (alike[0] ?? null) : null;
  }

  /** What we may do there now; nothing where there is no such channel. */
  rights(id: string): bigint {
    const channel = this.channel(id);
    const home = channel !== null && isThread(channel) ? this.channel(channel.parent) : channel;
    return home === null ? 0n : rightsIn(this.#guild, this.#self, home, this.#clock.nowMs());
  }

  /** Why people must ask for the content of a channel before they see it; null: they need not. */
  hidden(id: string): string | null {
    const channel = this.channel(id);
    const home = channel !== null && isThread(channel) ? this.channel(channel.parent) : channel;
    if (home?.nsfw === true) return "age-restricted channel";
    return [channel, home].some((one) => ((one?.flags ?? 0) & IS_SPOILER_CHANNEL) !== 0) ? "spoiler channel" : null;
  }

  /** How long our time-out still lasts, in milliseconds; 0: there is none. */
  get silentMs(): number {
    return Math.max(0, this.#self.silentUntilMs - this.#clock.nowMs());
  }

  put(channel: DiscordChannel): void {
    this.#channels.delete(channel.id);
    this.#channels.set(channel.id, channel);
    if (this.#channels.size <= CHANNELS_MAX) return;
    const idle = this.channels.find((one) => isThread(one) && one.archived && !this.#kept.has(one.id));
    if (idle !== undefined) this.#channels.delete(idle.id);
  }

  /** It is in use, or no longer. */
  keep(id: string, kept: boolean): void {
    if (kept) this.#kept.add(id);
    else this.#kept.delete(id);
  }

  /** What an event says of it. True when what we may do, or where, may be another now. */
  take({ type, data }: Pick<DiscordEvent, "type" | "data">): boolean {
    switch (type) {
      case "GUILD_CREATE":
        return data["id"] === this.id && this.#replaced(data);
      case "GUILD_UPDATE":
        return data["id"] === this.id && this.#changed(guildIn(data));
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        return this.#put(data);
      case "CHANNEL_DELETE":
      case "THREAD_DELETE":
        return this.#channels.delete(textIn(data, "id") ?? "");
      default:
        return data["guild_id"] === this.id && this.#takePart(type, data);
    }
  }

  #takePart(type: string, data: Json): boolean {
    const { roles } = this.#guild;
    switch (type) {
      case "THREAD_LIST_SYNC":
        for (const one of listIn(data, "threads")) this.#put(one);
        return true;
      case "GUILD_EMOJIS_UPDATE":
        this.#guild = { ...this.#guild, emojis: listIn(data, "emojis").flatMap((one) => emojiIn(one) ?? []) };
        return false;
      case "GUILD_ROLE_CREATE":
      case "GUILD_ROLE_UPDATE": {
        const role = roleIn(data["role"]);
        if (role !== null) this.#guild = { ...this.#guild, roles: [...roles.filter(({ id }) => id !== role.id), role] };
        return role !== null;
      }
      case "GUILD_ROLE_DELETE":
        this.#guild = { ...this.#guild, roles: roles.filter(({ id }) => id !== data["role_id"]) };
        return true;
      case "GUILD_MEMBER_UPDATE": {
        if (textIn(objectIn(data, "user"), "id") !== this.#self.id) return false;
        this.#self = selfIn(data, this.#self.id);
        return true;
      }
      default:
        return false;
    }
  }

  #replaced(data: Json): boolean {
    if (data["unavailable"] === true) return false;
    const me = listIn(data, "members").find(
      (one) => isObject(one) && textIn(objectIn(one, "user"), "id") === this.#self.id,
    );
    if (isObject(me)) this.#self = selfIn(me, this.#self.id);
    // It lists no threads that are archived.
    const archived = this.channels.filter((one) => isThread(one) && one.archived);
    this.#channels.clear();
    for (const one of [...listIn(data, "channels"), ...listIn(data, "threads")]) this.#put(one);
    for (const one of archived) if (this.#channels.has(one.parent) && !this.#channels.has(one.id)) this.put(one);
    return this.#changed(guildIn(data));
  }

  #changed(guild: DiscordGuild | null): boolean {
    if (guild !== null) this.#guild = guild;
    return guild !== null;
  }

  #put(raw: unknown): boolean {
    const channel = channelIn(raw, this.id);
    if (channel === null || channel.guild !== this.id) return false;
    this.put(channel);
    return true;
  }
}
