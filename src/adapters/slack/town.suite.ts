import { onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson, type Folk, install } from "../../../test/servers/slack/people.ts";
import { FakeSlack } from "../../../test/servers/slack/server.ts";
import type { AppRow, ChannelRow, TeamRow } from "../../../test/servers/slack/wire.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Opened } from "../../contract/adapter.ts";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import type { Session } from "../../contract/session.ts";
import { manifestCommand } from "./manifest-command.ts";
import { open } from "./session.ts";
import type { SlackSettings } from "./settings.ts";
import { slackSettings } from "./settings.suite.ts";

const never = new AbortController().signal;

/** A workspace with a channel, a person, and our app in the channel. */
export interface SlackTown {
  readonly server: FakeSlack;
  readonly team: TeamRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

/** What `rialto slack manifest` prints. */
export function manifestText(): string {
  return manifestCommand.run(slackSettings({}), { name: "slack.town", random: () => "" }).output;
}

export async function slackTown(): Promise<SlackTown> {
  const server = await FakeSlack.start();
  onTestFinished(async () => await server.stop());
  const team = server.world.addTeam("Crew");
  const alice = addPerson(server, team, "alice", { profile: { display_name: "Alice" } });
  const channel = server.world.addChannel(team.id, "town", alice.id);
  const app = install(server, team, "rialto", [channel], manifestText());
  return { server, team, channel, alice, app };
}

/** One life of an account: a session. */
export interface SlackLife {
  readonly host: RecordingHost;
  readonly session: Session;
}

/** `before`: the life that it continues, with what the core knows. */
export async function begin(
  { server, app }: SlackTown,
  {
    before,
    host: given,
    settings = {},
  }: { before?: SlackLife; host?: RecordingHost; settings?: Partial<SlackSettings> } = {},
): Promise<SlackLife> {
  const host = given ?? before?.host ?? new RecordingHost();
  const since: Cursor | null = host.cursors.at(-1) ?? null;
  const all = slackSettings({ ApiURL: server.url, Token: app.token, AppToken: app.appToken, ...settings });
  const opened: Opened = await open({ settings: all, host, since, signal: never });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  onTestFinished(async () => await opened.session.close(never));
  return { host, session: opened.session };
}

export async function joinChannel({ session }: SlackLife, name = "town"): Promise<ChannelRef> {
  const joined = await session.join({ name, options: {} }, never);
  if (!joined.ok) throw new Error(joined.why.message);
  return joined.ref;
}

/** A session that is in the channel. */
export async function live(town: SlackTown, more: Parameters<typeof begin>[1] = {}): Promise<SlackLife> {
  const life = await begin(town, more);
  await joinChannel(life);
  return life;
}

/** It ends as a stop of the program does. */
export async function stop({ session }: SlackLife): Promise<void> {
  await session.quiesce();
  await session.close(never);
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
    case "posted": {
      const files = event.body.files.map(({ name }) => ` [${name}]`).join("");
      return `${event.author.name}: ${event.body.source.text}${files}`;
    }
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

/** `what`: these words are told, or something else is so. */
export async function until(host: RecordingHost, what: string | (() => boolean)): Promise<void> {
  await eventually(
    async () => await Promise.resolve(typeof what === "string" ? toldBy(host).includes(what) : what()),
    (is) => is,
    () => `${typeof what === "string" ? what : "it"}; had ${JSON.stringify(toldBy(host))}`,
  );
}
