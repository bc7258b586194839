import { onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson, type Folk } from "../../../test/servers/mattermost/people.ts";
import { FakeMattermost, type MattermostOptions } from "../../../test/servers/mattermost/server.ts";
import type { ServerChannel, Team } from "../../../test/servers/mattermost/wire.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Opened } from "../../contract/adapter.ts";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import type { Session } from "../../contract/session.ts";
import { open } from "./session.ts";
import type { MattermostSettings } from "./settings.ts";
import { mattermostSettings } from "./settings.suite.ts";

/** A server with a team, a channel, a person, and our bot in both. */
export interface MattermostTown {
  readonly server: FakeMattermost;
  readonly team: Team;
  readonly channel: ServerChannel;
  readonly alice: Folk;
  readonly bot: Folk;
  readonly token: string;
}

export async function mattermostTown(options: MattermostOptions = {}): Promise<MattermostTown> {
  const server = await FakeMattermost.start(options);
  onTestFinished(async () => await server.stop());
  const team = server.world.addTeam("team");
  const channel = server.world.addChannel(team.id, "town");
  const alice = addPerson(server, team, "alice", { nickname: "Alice" });
  const bot = addPerson(server, team, "rialto", { is_bot: true });
  alice.enter(channel);
  bot.enter(channel);
  return { server, team, channel, alice, bot, token: bot.token() };
}

export async function tryOpen(
  { server, token }: MattermostTown,
  more: Partial<Pick<Life, "host">> & {
    readonly since?: Cursor | null;
    readonly settings?: Partial<MattermostSettings>;
  } = {},
): Promise<{ readonly host: RecordingHost; readonly opened: Opened }> {
  const host = more.host ?? new RecordingHost();
  const settings = mattermostSettings({
    Server: server.address,
    NoTLS: true,
    Team: "team",
    Token: token,
    ...more.settings,
  });
  const opened = await open({ settings, host, since: more.since ?? null, signal: new AbortController().signal });
  if (opened.ok) onTestFinished(async () => await opened.session.close(new AbortController().signal));
  return { host, opened };
}

/** One life of an account: a session that has joined the channel. */
export interface Life {
  readonly host: RecordingHost;
  readonly session: Session;
  readonly ref: ChannelRef;
}

/** `before`: the life that it continues, with what the core knows, or another host than usual. */
export async function live(town: MattermostTown, before: Pick<Life, "host"> | null = null): Promise<Life> {
  const since = before?.host.cursors.at(-1) ?? null;
  const { host, opened } = await tryOpen(town, { since, ...(before !== null && { host: before.host }) });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const joined = await opened.session.join({ name: "town", options: {} }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  return { host, session: opened.session, ref: joined.ref };
}

/** It ends as a stop of the program does. */
export async function stop({ session }: Life): Promise<void> {
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
