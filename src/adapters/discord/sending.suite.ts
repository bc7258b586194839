import { MessageType } from "discord-api-types/v10";
import { expect, onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { channelRights, type Right } from "../../../test/servers/discord/permissions.ts";
import type { DiscordOptions } from "../../../test/servers/discord/server.ts";
import type { ChannelRow, MessageRow } from "../../../test/servers/discord/wire.ts";
import type { SharedFile } from "../../contract/content.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import { mint } from "../../contract/ids.ts";
import type { AnyHandlers } from "../../contract/session.ts";
import { Http } from "../kit/http.ts";
import { DiscordApi, type DiscordHook } from "./api.ts";
import { handlersOf } from "./handlers.ts";
import { channelRef } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import { discordUserIn } from "./model.ts";
import { OwnMessages } from "./own-messages.ts";
import { DiscordPeople } from "./people.ts";
import { DiscordPositions } from "./positions.ts";
import { DiscordRest } from "./rest.ts";
import type { DiscordRoom } from "./room.ts";
import type { DiscordSettings } from "./settings.ts";
import { discordSettings } from "./settings.suite.ts";
import { type DiscordTown, discordTown } from "./town.suite.ts";

/** `rights`: what our bot may do more than everybody. */
export async function outTown(
  rights: readonly Right[] = ["ManageWebhooks"],
  options: DiscordOptions = {},
): Promise<DiscordTown> {
  const town = await discordTown({ ...options, rights });
  // Bursts are for the tests of limits.
  town.server.limits.off = true;
  return town;
}

/** What the way out has of a session, and what a later life knows of it: the cursor. */
export interface OutLife {
  readonly host: RecordingHost;
  readonly handlers: AnyHandlers;
  readonly link: DiscordLink;
  readonly ref: ChannelRef;
  cursor(): Cursor | null;
}

interface LifeOptions {
  readonly before?: OutLife;
  readonly settings?: Partial<DiscordSettings>;
  readonly webhook?: DiscordHook;
  /** Another channel than that of the town. */
  readonly channel?: ChannelRow;
  /** Whether the disk takes cursors; when nothing is said it does. */
  readonly durable?: boolean;
}

export function outLife(town: DiscordTown, options: LifeOptions = {}): OutLife {
  const { server, guild, app } = town;
  const channel = options.channel ?? town.channel;
  const host = options.before?.host ?? new RecordingHost();
  const { clock } = host;
  const settings = discordSettings({ Token: app.token, Server: "Crew", ...options.settings });
  const http = new Http(clock);
  const rest = new DiscordRest({
    http,
    clock,
    log: host.log,
    degraded: () => undefined,
    base: server.url,
    version: server.sockets.version,
    token: app.token,
  });
  onTestFinished(() => {
    rest.close();
    http.close();
  });
  const api = new DiscordApi(rest, http);
  const me = discordUserIn(app.user);
  if (me === null) throw new Error("the bot has no id");
  const positions = new DiscordPositions(options.before?.cursor() ?? null);
  let cursor: Cursor | null = options.before?.cursor() ?? null;
  const link: DiscordLink = {
    api,
    host,
    settings,
    me,
    application: app.user.id,
    people: new DiscordPeople({ api, clock, settings, guild: guild.id }),
    own: new OwnMessages({ me: me.id, application: app.user.id }),
    room: (ref) => {
      const row = server.world.channels.get(ref);
      return row === undefined ? null : roomOf(town, row, options.webhook ?? null);
    },
    emojiNamed: (_, name) => {
      const emoji = guild.emojis.find((one) => one.name === name);
      return emoji === undefined ? null : { id: emoji.id ?? "", name, animated: emoji.animated === true };
    },
    lose: (ref, why, retryInMs) => host.lost(ref, why, retryInMs),
    newest: () => "",
    announce: async (post) => {
      positions.announce(post);
      cursor = positions.take() ?? cursor;
      return await Promise.resolve(options.durable ?? true);
    },
    onHooksChanged: () => undefined,
    announced: (op, upTo) => positions.announced(op, upTo),
  };
  return { host, handlers: handlersOf(link), link, ref: channelRef(channel.id), cursor: () => cursor };
}

function roomOf({ server, app }: DiscordTown, row: ChannelRow, webhook: DiscordHook | null): DiscordRoom {
  return {
    id: row.id,
    guild: row.guild,
    name: row.name,
    type: row.type,
    hookChannel: row.thread === null ? row.id : (row.parent ?? row.id),
    rights: channelRights(server.world, row, app.user.id),
    slowS: row.slowS,
    webhook,
    joined: true,
  };
}

/** What stands in a channel or thread and is ours, the oldest first. */
export function oursIn({ server, app }: DiscordTown, channel: string): readonly MessageRow[] {
  const isOurs = ({ wire }: MessageRow): boolean =>
    wire.author.id === app.user.id || wire.application_id === app.user.id || wire.webhook_id !== undefined;
  const ids = server.world.history.get(channel) ?? [];
  return ids
    .flatMap((id) => server.world.messages.get(id) ?? [])
    .filter((row) => isOurs(row) && row.wire.type !== MessageType.ThreadStarterMessage);
}

export const ours = (town: DiscordTown): readonly MessageRow[] => oursIn(town, town.channel.id);
export const said = (rows: readonly MessageRow[]): readonly string[] => rows.map(({ wire }) => wire.content);

/** A file for an op, whose content the host has. */
export function aFile({ host }: Pick<OutLife, "host">, name: string, bytes: number, comment = ""): SharedFile {
  const id = mint("FileId", name);
  host.files.set(id, new Uint8Array(bytes).fill(7));
  return aSharedFile({ name, id, bytes, comment });
}

/** A reason or note with these words in it. */
export const saying = (words: string | RegExp): unknown => expect.stringMatching(words);
