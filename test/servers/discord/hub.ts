import { randomBytes } from "node:crypto";
import {
  ApplicationFlags,
  GatewayIntentBits,
  GatewayOpcodes,
  type GatewayGuildCreateDispatchData,
  type GatewayReadyDispatchData,
  type GatewayThreadListSyncDispatchData,
} from "discord-api-types/v10";
import { sees } from "./permissions.ts";
import { mayRead, showChannel, showEvent, showGuild, showThreadMember } from "./show.ts";
import type { AppRow, ChannelRow, GuildRow, MessageRow } from "./wire.ts";
import type { World } from "./world.ts";

/** How long a session without a connection can be had again, and how many events are kept for it. */
const KEPT_MS = 180_000;
const KEPT_EVENTS = 2500;

/** What one has to ask for to hear of an event; of others everybody hears. */
const INTENTS: readonly (readonly [RegExp, GatewayIntentBits])[] = [
  [/^GUILD_MEMBER_(ADD|UPDATE|REMOVE)$/, GatewayIntentBits.GuildMembers],
  [/^MESSAGE_REACTION_/, GatewayIntentBits.GuildMessageReactions],
  [/^MESSAGE_/, GatewayIntentBits.GuildMessages],
  [/^TYPING_START$/, GatewayIntentBits.GuildMessageTyping],
  [/^WEBHOOKS_UPDATE$/, GatewayIntentBits.GuildWebhooks],
  [/^GUILD_EMOJIS_UPDATE$/, GatewayIntentBits.GuildExpressions],
  [/^(GUILD_(CREATE|UPDATE|DELETE|ROLE_\w+)|CHANNEL_\w+|THREAD_\w+)$/, GatewayIntentBits.Guilds],
];

/** Where what is said to a client goes. */
export interface Pipe {
  readonly say: (text: string) => void;
  readonly close: (code: number, reason: string) => void;
}

export interface Session {
  readonly id: string;
  readonly app: AppRow;
  readonly intents: number;
  readonly sent: { readonly seq: number; readonly text: string }[];
  seq: number;
  pipe: Pipe | null;
  leftAt: number;
}

/** Whom an event is for: those who see a channel, or one user. */
interface To {
  readonly channel?: ChannelRow;
  readonly only?: string;
}

/** All sessions of the gateway. Forgets everything when the server starts again. */
export class Hub {
  readonly #world: World;
  readonly sessions = new Map<string, Session>();
  /** Events come as often as this. */
  times = 1;
  /** Nobody may go on with an old session. */
  refuseResume = false;
  /** How many more sessions may be begun today. */
  starts = 1000;

  constructor(world: World) {
    this.#world = world;
  }

  identify(app: AppRow, intents: number, shard: [number, number] | undefined, pipe: Pipe): Session {
    this.starts -= 1;
    const id = randomBytes(16).toString("hex");
    const session: Session = { id, app, intents, sent: [], seq: 0, pipe, leftAt: 0 };
    this.sessions.set(id, session);
    const guilds = [...this.#world.guilds.values()].filter(({ members }) => members.has(app.user.id));
    const flags = flagsOf(app);
    this.put(session, "READY", {
      v: 10,
      user: { ...app.user, verified: true, mfa_enabled: false, email: null },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: id,
      resume_gateway_url: `${this.#world.site.replace("http", "ws")}/gateway/resume`,
      ...(shard !== undefined && { shard }),
      application: { id: app.user.id, flags, flags_new: String(flags) },
    } satisfies GatewayReadyDispatchData);
    if ((intents & GatewayIntentBits.Guilds) !== 0) {
      for (const guild of guilds) this.put(session, "GUILD_CREATE", this.#guildCreate(guild, session));
    }
    return session;
  }

  /** The session goes on; null when it cannot, which the client is told by op 9. */
  resume(token: string, id: string, seq: number, pipe: Pipe): Session | "unknown" | "ahead" {
    const session = this.sessions.get(id);
    const away = session?.pipe === null && this.#world.now() - session.leftAt > KEPT_MS;
    if (session === undefined || session.app.token !== token || this.refuseResume || away) return "unknown";
    if (seq > session.seq) return "ahead";
    const missed = session.sent.filter((event) => event.seq > seq);
    if (missed.length < session.seq - seq) return "unknown";
    session.pipe?.close(4000, "Resumed elsewhere.");
    session.pipe = pipe;
    for (const { text } of missed) pipe.say(text);
    this.put(session, "RESUMED", { _trace: [] });
    return session;
  }

  /** The connection is gone; the session stays unless the client ended it. */
  left(session: Session, pipe: Pipe, code: number): void {
    if (session.pipe !== pipe) return;
    session.pipe = null;
    session.leftAt = this.#world.now();
    if (code === 1000 || code === 1001) this.sessions.delete(session.id);
  }

  /** The token is good no more. */
  revoke(app: AppRow): void {
    this.#world.apps.delete(app.user.id);
    for (const session of this.sessions.values()) {
      if (session.app !== app) continue;
      this.sessions.delete(session.id);
      session.pipe?.close(4004, "Authentication failed.");
    }
  }

  forget(): void {
    this.sessions.clear();
  }

  /** An event of a guild, to those of its members who asked for such; with a channel, to those who see that. */
  tell(event: string, guild: string, data: object, to: To = {}): void {
    this.tellEach(event, guild, () => data, to);
  }

  /** The same, to each as it concerns them. */
  tellEach(event: string, guild: string, dataFor: (session: Session) => object, to: To = {}): void {
    const intent = INTENTS.find(([which]) => which.test(event))?.[1] ?? 0;
    for (const session of this.sessions.values()) {
      const me = session.app.user.id;
      if (intent !== 0 && (session.intents & intent) === 0) continue;
      if (to.only === undefined ? !this.#world.guild(guild).members.has(me) : to.only !== me) continue;
      if (to.channel !== undefined && !sees(this.#world, to.channel, me)) continue;
      const what = dataFor(session);
      for (let time = 0; time < this.times; time += 1) this.put(session, event, what);
    }
  }

  /** A message as each may read it. */
  tellMessage(event: "MESSAGE_CREATE" | "MESSAGE_UPDATE", row: MessageRow, channel: ChannelRow): void {
    const data = ({ app, intents }: Session): object => {
      const asked = (intents & GatewayIntentBits.MessageContent) !== 0;
      const readable = mayRead(this.#world, row, app.user.id, asked);
      return showEvent(this.#world, row, app.user.id, readable);
    };
    this.tellEach(event, row.guild, data, { channel });
  }

  /** The sessions that see a channel. */
  watchers(channel: ChannelRow): ReadonlySet<Session> {
    return new Set([...this.sessions.values()].filter(({ app }) => sees(this.#world, channel, app.user.id)));
  }

  /** Whoever sees a channel now and did not before is told its threads. */
  tellThreads(channel: ChannelRow, before: ReadonlySet<Session>): void {
    const world = this.#world;
    for (const session of this.watchers(channel)) {
      if (before.has(session) || (session.intents & GatewayIntentBits.Guilds) === 0) continue;
      const me = session.app.user.id;
      const rows = [...world.channels.values()].filter(
        (row) => row.parent === channel.id && row.thread?.meta.archived === false && sees(world, row, me),
      );
      const mine = rows.filter(({ thread }) => thread?.members.has(me) === true);
      this.put(session, "THREAD_LIST_SYNC", {
        guild_id: channel.guild,
        channel_ids: [channel.id],
        threads: rows.map((row) => showChannel(world, row, me)) as GatewayThreadListSyncDispatchData["threads"],
        members: mine.map((row) => showThreadMember(world, row, me)),
      } satisfies GatewayThreadListSyncDispatchData);
    }
  }

  /** The servers that have a guild are in trouble, until `tellGuild`. */
  tellOutage(guild: GuildRow): void {
    this.tell("GUILD_DELETE", guild.id, { id: guild.id, unavailable: true });
  }

  tellGuild(guild: GuildRow, only: string): void {
    this.tellEach("GUILD_CREATE", guild.id, (session) => this.#guildCreate(guild, session), { only });
  }

  put(session: Session, event: string, data: object): void {
    session.seq += 1;
    const text = JSON.stringify({ t: event, s: session.seq, op: GatewayOpcodes.Dispatch, d: data });
    session.sent.push({ seq: session.seq, text });
    if (session.sent.length > KEPT_EVENTS) session.sent.shift();
    session.pipe?.say(text);
  }

  /** Without the intent for presences one gets oneself and nobody else. */
  #guildCreate(guild: GuildRow, { app, intents }: Session): GatewayGuildCreateDispatchData {
    const world = this.#world;
    const me = app.user.id;
    const wide = GatewayIntentBits.GuildPresences | GatewayIntentBits.GuildMembers;
    const all = [...guild.members.values()];
    const rows = [...world.channels.values()].filter((row) => row.guild === guild.id);
    const threads = rows.filter((row) => row.thread?.meta.archived === false && sees(world, row, me));
    return {
      ...showGuild(guild),
      joined_at: guild.members.get(me)?.joined_at ?? "",
      large: all.length > 50,
      unavailable: false,
      member_count: all.length,
      voice_states: [],
      members: (intents & wide) === wide ? all.slice(0, 50) : all.filter(({ user }) => user.id === me),
      channels: rows
        .filter(({ thread }) => thread === null)
        .map((row) => showChannel(world, row)) as GatewayGuildCreateDispatchData["channels"],
      threads: threads.map((row) => showChannel(world, row, me)) as GatewayGuildCreateDispatchData["threads"],
      presences: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    } satisfies GatewayGuildCreateDispatchData;
  }
}

/** What the switches of the portal are in the flags of an application that is in few guilds. */
export function flagsOf({ portal }: AppRow): ApplicationFlags {
  return (
    (portal.presence ? ApplicationFlags.GatewayPresenceLimited : 0) |
    (portal.members ? ApplicationFlags.GatewayGuildMembersLimited : 0) |
    (portal.messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0)
  );
}
