import { Clock } from "./clock.ts";
import { type Broadcast, Hub } from "./hub.ts";
import {
  type Channel,
  forbidden,
  newId,
  type PostRow,
  type Reaction,
  Refusal,
  type ServerChannel,
  type Team,
  type WireFile,
  type WireUser,
} from "./wire.ts";

/** What an administrator may set; the defaults are those of a fresh installation that allows overrides. */
export interface ServerConfig {
  version: string;
  siteName: string;
  maxPostSize: number;
  maxFileSize: number;
  usernameOverride: boolean;
  iconOverride: boolean;
  fileAttachments: boolean;
  /** Everybody must have set up a second factor. */
  mfaRequired: boolean;
  /** For how many seconds a post may be edited; -1: always. */
  postEditSeconds: number;
}

export interface Account {
  readonly user: WireUser;
  password: string | null;
  mfaSecret: string | null;
  avatar: Uint8Array;
  status: string;
  /** What this account may not do, by the names of permissions. */
  readonly denied: Set<string>;
}

export interface StoredFile {
  readonly info: WireFile & { post_id: string; channel_id: string; delete_at: number };
  readonly content: Uint8Array;
}

export interface Webhook {
  readonly id: string;
  readonly user: string;
  readonly channel: string;
  readonly locked: boolean;
}

export interface OutgoingWebhook {
  readonly token: string;
  readonly team: string;
  readonly channel: string;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly url: string;
}

/** Everything that a restart of the server keeps, and who is told when it changes. */
export class World {
  readonly config: ServerConfig = {
    version: "11.9.0",
    siteName: "Mattermost",
    maxPostSize: 16_383,
    maxFileSize: 100 * 1024 * 1024,
    usernameOverride: true,
    iconOverride: true,
    fileAttachments: true,
    mfaRequired: false,
    postEditSeconds: -1,
  };
  readonly clock = new Clock();
  readonly hub: Hub = new Hub(this);
  readonly accounts = new Map<string, Account>();
  /** Sessions and access tokens: token to user. */
  readonly tokens = new Map<string, string>();
  readonly teams = new Map<string, Team>();
  readonly channels = new Map<string, ServerChannel>();
  /** Who is in a team or channel, by its id. */
  readonly members = new Map<string, Set<string>>();
  /** Since when which user types in a channel. */
  readonly typists = new Map<string, Map<string, number>>();
  readonly posts = new Map<string, PostRow>();
  readonly reactions = new Map<string, Reaction[]>();
  readonly files = new Map<string, StoredFile>();
  /** Custom emoji: name to id. */
  readonly emoji = new Map<string, string>();
  readonly webhooks = new Map<string, Webhook>();
  readonly outgoing: OutgoingWebhook[] = [];

  now(): number {
    return this.clock.now();
  }

  /** Older servers know no resuming. */
  /** Whether an edit may change the files of a post. */
  get editsFiles(): boolean {
    const [major = 0, minor = 0] = this.config.version.split(".").map(Number);
    return major > 10 || (major === 10 && minor >= 5);
  }

  get major(): number {
    return Number(this.config.version.split(".")[0]);
  }

  addUser(username: string, more: Partial<WireUser> = {}): Account {
    const now = this.now();
    const account: Account = {
      user: {
        id: newId(),
        create_at: now,
        update_at: now,
        delete_at: 0,
        username,
        auth_data: "",
        auth_service: "",
        email: more.is_bot === true ? `${username}@localhost` : `${username}@example.org`,
        nickname: "",
        first_name: "",
        last_name: "",
        position: "",
        roles: "system_user",
        locale: "en",
        is_bot: false,
        ...more,
      },
      password: null,
      mfaSecret: null,
      avatar: new TextEncoder().encode(`PNG of ${username}`),
      status: "offline",
      denied: new Set(),
    };
    this.accounts.set(account.user.id, account);
    return account;
  }

  addTeam(name: string, displayName = name): Team {
    const now = this.now();
    const team: Team = {
      id: newId(),
      create_at: now,
      update_at: now,
      delete_at: 0,
      display_name: displayName,
      name,
      description: "",
      email: "",
      type: "O",
      company_name: "",
      allowed_domains: "",
      invite_id: newId(),
      allow_open_invite: true,
      scheme_id: "",
      group_constrained: false,
    };
    this.teams.set(team.id, team);
    this.members.set(team.id, new Set());
    this.addChannel(team.id, "town-square", { display_name: "Town Square" });
    return team;
  }

  addChannel(team: string, name: string, more: Partial<Channel> = {}): ServerChannel {
    const now = this.now();
    const channel: ServerChannel = {
      id: newId(),
      create_at: now,
      update_at: now,
      delete_at: 0,
      team_id: team,
      type: "O",
      display_name: name,
      name,
      header: "",
      purpose: "",
      last_post_at: 0,
      total_msg_count: 0,
      extra_update_at: 0,
      creator_id: "",
      scheme_id: "",
      group_constrained: false,
      shared: false,
      total_msg_count_root: 0,
      last_root_post_at: 0,
      ...more,
    } as ServerChannel;
    this.channels.set(channel.id, channel);
    this.members.set(channel.id, new Set());
    return channel;
  }

  account(id: string): Account {
    const account = this.accounts.get(id);
    if (account === undefined) {
      throw new Refusal(404, "app.user.missing_account.const", "Unable to find the user.", `resource: User id: ${id}`);
    }
    return account;
  }

  named(username: string): Account | undefined {
    return [...this.accounts.values()].find(({ user }) => user.username === username.toLowerCase());
  }

  channel(id: string): ServerChannel {
    const channel = this.channels.get(id);
    if (channel === undefined) {
      throw new Refusal(
        404,
        "app.channel.get.existing.app_error",
        "Unable to find the existing channel.",
        `resource: Channel id: ${id}`,
      );
    }
    return channel;
  }

  isIn(place: string, user: string): boolean {
    return this.members.get(place)?.has(user) === true;
  }

  /** Throws unless the user may do that in the channel, of which one has to be a member. */
  needs(user: string, channel: string, permission: string): void {
    const may = this.isIn(channel, user) && !this.account(user).denied.has(permission);
    if (!may) throw forbidden(user, permission);
  }

  /** May read what is said there: members, and for public channels everybody in the team. */
  mayRead(user: string, channel: ServerChannel): boolean {
    if (this.account(user).denied.has("read_channel_content")) return false;
    return this.isIn(channel.id, user) || (channel.type === "O" && this.isIn(channel.team_id, user));
  }

  tell(event: string, data: Readonly<Record<string, unknown>>, to: Broadcast): void {
    this.hub.publish(event, data, to);
  }
}
