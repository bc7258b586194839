import { MessageType } from "discord-api-types/v10";
import { expect, onTestFinished } from "vitest";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { addBot, addPerson, type Folk, giveRole } from "../../../test/servers/discord/people.ts";
import { channelRights, type Right } from "../../../test/servers/discord/permissions.ts";
import { FakeDiscord } from "../../../test/servers/discord/server.ts";
import type { AppRow, ChannelRow, GuildRow, MessageRow } from "../../../test/servers/discord/wire.ts";
import { parse } from "../../content/formats.ts";
import type { Body, SharedFile } from "../../contract/content.ts";
import type { ChannelRef, Cursor, MessageRef, OpId } from "../../contract/ids.ts";
import { mint } from "../../contract/ids.ts";
import type { DeleteOp, EditOp, OpAuthor, PostOp, ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
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

/** A server with a guild, a channel, a person, and our bot in the guild. */
export interface OutTown {
  readonly server: FakeDiscord;
  readonly guild: GuildRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

/** `rights`: what our bot may do more than everybody. */
export async function outTown(rights: readonly Right[] = ["ManageWebhooks"]): Promise<OutTown> {
  const server = await FakeDiscord.start();
  onTestFinished(async () => await server.stop());
  // Bursts are for the tests of limits.
  server.limits.off = true;
  const guild = server.world.addGuild("Crew", server.world.addUser("owner"));
  const channel = server.world.addChannel(guild, "town");
  const alice = addPerson(server, guild, "alice", { global_name: "Alice" });
  const app = server.world.addApp("rialto");
  addBot(server, guild, app);
  giveRole(server, guild, app.user, rights);
  return { server, guild, channel, alice, app };
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

export function outLife(town: OutTown, options: LifeOptions = {}): OutLife {
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

function roomOf({ server, app }: OutTown, row: ChannelRow, webhook: DiscordHook | null): DiscordRoom {
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

const BOB: OpAuthor = { id: "bob", name: "Bob", shown: "[irc] <Bob> ", avatar: null, account: "irc.a" };

export const bodyOf = (text: string, files: readonly SharedFile[] = [], format = "plain"): Body => ({
  style: "normal",
  source: { format, text },
  blocks: parse(format, text),
  files,
});

let ops = 0;
const nextId = (): OpId => mint("OpId", `op ${(ops += 1)}`);

export function postOf(channel: ChannelRef, text: string, more: Partial<PostOp> = {}): PostOp {
  return {
    kind: "post",
    id: nextId(),
    channel,
    attempt: 1,
    author: BOB,
    body: bodyOf(text),
    reply: null,
    thread: null,
    mayPing: { users: true, everyone: false },
    resume: null,
    ...more,
  };
}

export function editOf(
  channel: ChannelRef,
  target: readonly MessageRef[],
  text: string,
  more: Partial<EditOp> = {},
): EditOp {
  const { resume: _, kind: __, ...draft } = postOf(channel, text);
  return { ...draft, kind: "edit", target, ...more };
}

export function deleteOf(channel: ChannelRef, target: readonly MessageRef[]): DeleteOp {
  return { kind: "delete", id: nextId(), channel, attempt: 1, target, author: null };
}

export function reactOf(channel: ChannelRef, target: MessageRef, emoji: string, standing: readonly string[]): ReactOp {
  return {
    kind: "react",
    id: nextId(),
    channel,
    attempt: 1,
    target,
    author: BOB,
    emoji,
    on: standing.includes(emoji),
    standing: standing.map((one) => ({ emoji: one, names: ["Bob"] })),
  };
}

export interface DiscordTried {
  readonly outcome: Outcome;
  readonly attempt: RecordingAttempt;
}

export async function doOp(
  { handlers }: Pick<OutLife, "handlers">,
  op: PostOp | EditOp | DeleteOp | ReactOp,
): Promise<DiscordTried> {
  const attempt = new RecordingAttempt();
  const run = async (): Promise<Outcome> => {
    switch (op.kind) {
      case "post":
        return await handlers.post(op, attempt);
      case "edit":
        return (await handlers.edit?.(op, attempt)) ?? MISSING;
      case "delete":
        return (await handlers.delete?.(op, attempt)) ?? MISSING;
      case "react":
        return (await handlers.react?.(op, attempt)) ?? MISSING;
    }
  };
  const outcome = await run();
  attempt.end(outcome);
  if (attempt.faults.length > 0) throw new Error(attempt.faults.join("; "));
  return { outcome, attempt };
}

const MISSING: Outcome = { is: "rejected", why: { code: "unsupported", message: "there is no such handler" } };

/** What stands in a channel or thread and is ours, the oldest first. */
export function oursIn({ server, app }: OutTown, channel: string): readonly MessageRow[] {
  const isOurs = ({ wire }: MessageRow): boolean =>
    wire.author.id === app.user.id || wire.application_id === app.user.id || wire.webhook_id !== undefined;
  const ids = server.world.history.get(channel) ?? [];
  return ids
    .flatMap((id) => server.world.messages.get(id) ?? [])
    .filter((row) => isOurs(row) && row.wire.type !== MessageType.ThreadStarterMessage);
}

export const ours = (town: OutTown): readonly MessageRow[] => oursIn(town, town.channel.id);
export const said = (rows: readonly MessageRow[]): readonly string[] => rows.map(({ wire }) => wire.content);

export const messagesOf = (outcome: Outcome): readonly MessageRef[] =>
  outcome.is === "delivered" ? outcome.receipt.messages : [];

/** A file for an op, whose content the host has. */
export function aFile({ host }: Pick<OutLife, "host">, name: string, bytes: number, comment = ""): SharedFile {
  const id = mint("FileId", name);
  host.files.set(id, new Uint8Array(bytes).fill(7));
  return aSharedFile({ name, id, bytes, comment });
}

/** A reason or note with these words in it. */
export const saying = (words: string | RegExp): unknown => expect.stringMatching(words);
