import { onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addBot, addPerson, type Folk, giveRole } from "../../../test/servers/discord/people.ts";
import type { Right } from "../../../test/servers/discord/permissions.ts";
import { type DiscordOptions, FakeDiscord } from "../../../test/servers/discord/server.ts";
import type { AppRow, ChannelRow, GuildRow } from "../../../test/servers/discord/wire.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Opened } from "../../contract/adapter.ts";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import type { Session } from "../../contract/session.ts";
import { open } from "./session.ts";
import type { DiscordSettings } from "./settings.ts";
import { discordSettings } from "./settings.suite.ts";

/** A server with a guild, a channel, a person, and our bot in the guild. */
export interface DiscordTown {
  readonly server: FakeDiscord;
  readonly guild: GuildRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

/** `rights`: what our bot may do more than everybody. */
export async function discordTown(
  options: DiscordOptions & { readonly rights?: readonly Right[] } = {},
): Promise<DiscordTown> {
  const server = await FakeDiscord.start(options);
  onTestFinished(async () => await server.stop());
  const guild = server.world.addGuild("Crew", server.world.addUser("owner"));
  const channel = server.world.addChannel(guild, "town");
  const alice = addPerson(server, guild, "alice", { global_name: "Alice" });
  const app = server.world.addApp("rialto");
  addBot(server, guild, app);
  giveRole(server, guild, app.user, options.rights ?? ["ManageWebhooks", "ManageMessages"]);
  return { server, guild, channel, alice, app };
}

export async function tryOpen(
  { server, app }: DiscordTown,
  more: Partial<Pick<DiscordLife, "host">> & {
    readonly since?: Cursor | null;
    readonly settings?: Partial<DiscordSettings>;
  } = {},
): Promise<{ readonly host: RecordingHost; readonly opened: Opened }> {
  const host = more.host ?? new RecordingHost();
  const settings = discordSettings({
    Token: app.token,
    Server: "Crew",
    ApiURL: `${server.url}/v10`,
    ...more.settings,
  });
  const opened = await open({ settings, host, since: more.since ?? null, signal: new AbortController().signal });
  if (opened.ok) onTestFinished(async () => await opened.session.close(new AbortController().signal));
  return { host, opened };
}

/** One life of an account: a session that has joined the channel. */
export interface DiscordLife {
  readonly host: RecordingHost;
  readonly session: Session;
  readonly ref: ChannelRef;
}

/** `before`: the life that it continues, with what the core knows. */
export async function live(
  town: DiscordTown,
  before: DiscordLife | null = null,
  settings: Partial<DiscordSettings> = {},
): Promise<DiscordLife> {
  const since = before?.host.cursors.at(-1) ?? null;
  const { host, opened } = await tryOpen(town, { since, settings, ...(before !== null && { host: before.host }) });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const joined = await opened.session.join({ name: "town", options: {} }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  return { host, session: opened.session, ref: joined.ref };
}

/** It ends as a stop of the program does. */
export async function stop({ session }: DiscordLife): Promise<void> {
  await session.quiesce();
  await session.close(new AbortController().signal);
}

/** In words: what was handed over, but for ours, and for what the core knows already. */
export function toldBy({ events }: RecordingHost): readonly string[] {
  const keys = new Set<string>();
  return events
    .filter(({ echoOf, key }) => echoOf === null && (key === null || (!keys.has(key) && keys.add(key))))
    .map(inWords);
}

function inWords(event: Event): string {
  switch (event.kind) {
    case "posted":
      return `${event.author.name}: ${event.body.source.text}`;
    case "edited":
      return `${event.author.name} edits: ${event.body.source.text}`;
    case "deleted":
      return "deleted";
    case "reacted":
      return `${event.author.name} ${event.on ? "+" : "-"}${event.emoji}`;
    case "member":
    case "topic":
      return event.text;
  }
}

export async function heard(host: RecordingHost, words: readonly string[]): Promise<void> {
  await until(host, () => toldBy(host).length >= words.length);
}

/** `what`: these words are told, or something else is so. */
export async function until(host: RecordingHost, what: string | (() => boolean)): Promise<void> {
  await eventually(
    async () => await Promise.resolve(typeof what === "string" ? toldBy(host).includes(what) : what()),
    (is) => is,
    () => `${typeof what === "string" ? what : "it"}; had ${JSON.stringify(toldBy(host))}`,
  );
}
