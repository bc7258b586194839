import { Clock, newId, newSecret } from "./clock.ts";
import type { AppRow, ChannelRow, FileRow, MessageRow, TeamRow, UserRow, WireUser } from "./wire.ts";

/** What an app asks for that does all that a bridge does. */
const ALL_SCOPES = [
  "channels:history",
  "channels:join",
  "channels:manage",
  "channels:read",
  "channels:write.topic",
  "chat:write",
  "chat:write.customize",
  "emoji:read",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "groups:write",
  "incoming-webhook",
  "reactions:read",
  "reactions:write",
  "team:read",
  "users:read",
] as const;

/** Which scope an event needs. */
export const EVENT_SCOPES: Readonly<Record<string, string>> = {
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  reaction_added: "reactions:read",
  reaction_removed: "reactions:read",
  member_joined_channel: "channels:read",
  member_left_channel: "channels:read",
  channel_rename: "channels:read",
  channel_archive: "channels:read",
  channel_unarchive: "channels:read",
  channel_deleted: "channels:read",
  channel_left: "channels:read",
  channel_shared: "channels:read",
  group_rename: "groups:read",
  group_archive: "groups:read",
  group_unarchive: "groups:read",
  group_left: "groups:read",
  emoji_changed: "emoji:read",
  file_shared: "files:read",
  file_deleted: "files:read",
  user_change: "users:read",
};

export interface HookRow {
  readonly path: string;
  readonly app: AppRow;
  readonly channel: string;
  isGone: boolean;
}

/** All that is stored. */
export class World {
  readonly clock = new Clock();
  readonly teams = new Map<string, TeamRow>();
  readonly users = new Map<string, UserRow>();
  readonly channels = new Map<string, ChannelRow>();
  readonly apps = new Map<string, AppRow>();
  readonly files = new Map<string, FileRow>();
  readonly hooks = new Map<string, HookRow>();
  /** Where clients reach the site, without a slash at the end. */
  site = "";
  /** Bytes of one file, as the plan and the disk allow. */
  maxFile = 1024 * 1024 * 1024;

  now(): number {
    return this.clock.now();
  }

  addTeam(name: string): TeamRow {
    const [emoji, groups] = [new Map<string, string>(), new Map<string, string>()];
    const team = { id: newId("T"), name, domain: name.toLowerCase(), emoji, groups };
    this.teams.set(team.id, team);
    // The same in all teams.
    if (!this.users.has("USLACKBOT")) this.addUser(team.id, "slackbot", { id: "USLACKBOT" });
    return team;
  }

  addUser(team: string, name: string, more: WireUser = {}, botId?: string): UserRow {
    const id = more.id ?? newId("U");
    const { profile, ...rest } = more;
    const real = rest.real_name ?? name;
    const image = (size: number): string => `${this.site}/avatars/${id}_${size}.png`;
    const wire: WireUser = {
      id,
      team_id: team,
      name,
      deleted: false,
      color: "9f69e7",
      real_name: real,
      tz: "Europe/Amsterdam",
      tz_label: "Central European Time",
      tz_offset: 3600,
      is_admin: false,
      is_owner: false,
      is_primary_owner: false,
      is_restricted: false,
      is_ultra_restricted: false,
      is_bot: botId !== undefined,
      is_app_user: false,
      updated: this.clock.seconds(),
      ...rest,
      profile: {
        title: "",
        phone: "",
        real_name: real,
        real_name_normalized: real,
        display_name: "",
        display_name_normalized: "",
        status_text: "",
        status_emoji: "",
        avatar_hash: newSecret(12),
        image_24: image(24),
        image_32: image(32),
        image_48: image(48),
        image_72: image(72),
        image_192: image(192),
        image_512: image(512),
        team,
        ...(botId !== undefined && { bot_id: botId }),
        ...profile,
      },
    };
    const row: UserRow = { id, team, wire, ...(botId !== undefined && { botId }) };
    this.users.set(id, row);
    return row;
  }

  addApp(team: string, name: string, scopes: readonly string[] = ALL_SCOPES): AppRow {
    const id = newId("A");
    const botId = newId("B");
    const user = this.addUser(team, name, { profile: { api_app_id: id } }, botId);
    const app: AppRow = {
      id,
      name,
      team,
      user,
      botId,
      token: `xoxb-${newSecret(12)}-${newSecret(12)}-${newSecret()}`,
      appToken: `xapp-1-${id}-${newSecret(12)}-${newSecret(40)}`,
      scopes: new Set(scopes),
      appScopes: new Set(["connections:write"]),
      events: new Set(Object.keys(EVENT_SCOPES)),
      socketMode: true,
      refusesNames: false,
      revoked: null,
    };
    this.apps.set(id, app);
    return app;
  }

  addChannel(team: string, name: string, creator: string, isPrivate = false): ChannelRow {
    const note = { value: "", creator: "", last_set: 0 };
    const row: ChannelRow = {
      id: newId("C"),
      team,
      isPrivate,
      created: this.clock.seconds(),
      creator,
      name,
      isArchived: false,
      topic: note,
      purpose: note,
      members: new Set([creator]),
      previousNames: [],
      others: new Set(),
      messages: new Map(),
      hiddenBefore: "0",
    };
    this.channels.set(row.id, row);
    return row;
  }

  /** An address to which whoever knows it can post. */
  addHook(app: AppRow, channel: ChannelRow): HookRow {
    const row = { path: `/services/${app.team}/${app.botId}/${newSecret()}`, app, channel: channel.id, isGone: false };
    this.hooks.set(row.path, row);
    return row;
  }

  team(id: string): TeamRow {
    const team = this.teams.get(id);
    if (team === undefined) throw new Error(`there is no team ${id}`);
    return team;
  }

  user(id: string): UserRow {
    const user = this.users.get(id);
    if (user === undefined) throw new Error(`there is no user ${id}`);
    return user;
  }

  channel(id: string): ChannelRow {
    const channel = this.channels.get(id);
    if (channel === undefined) throw new Error(`there is no channel ${id}`);
    return channel;
  }

  message(channel: string, ts: string): MessageRow {
    const row = this.channels.get(channel)?.messages.get(ts);
    if (row === undefined) throw new Error(`there is no message ${ts}`);
    return row;
  }

  appOfBot(botId: string): AppRow | undefined {
    return [...this.apps.values()].find((app) => app.botId === botId);
  }
}
